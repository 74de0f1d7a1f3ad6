"""Runs, comparisons, sweeps, the tribometer."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest

import bristle
from bristle import _toml


def test_columns_share_the_memory_of_the_solver(slider):
    r = bristle.simulate(slider)
    assert list(r)[:6] == ["t", "x", "v", "F", "F_app", "drive"] and r.x is r["x"] and r.units["v"] == "m/s"
    frame = r.to_pandas()
    assert np.shares_memory(frame["x"].to_numpy(), r.x) and frame.index.name == "t" and frame.attrs["units"]["F"] == "N"
    assert r.t[0] == 0 and r.t[-1] == 20 and len(r.t) == 1001
    assert r.measures["peak"] == pytest.approx(1.5, rel=1e-6) and r.measures["sticks"] > 0
    assert {e.event for e in r.events} == {"stick", "slip+"} and r.events[0].body == "1"
    assert abs(r.energy.error) < 1e-6
    x = r.x
    del r, frame  # the array keeps the run
    assert np.isfinite(x).all()


def test_a_result_travels(slider):
    r = bristle.simulate(slider)
    other = pickle.loads(pickle.dumps(r))
    assert all(np.array_equal(r[c], other[c]) for c in r) and other.events == r.events and other.svg() == r.svg()
    assert other.measures == r.measures and other._repr_html_() == r._repr_html_()


def test_forms_of_a_scenario(slider, tmp_path):
    text = _toml.text(slider)
    path = tmp_path / "block.toml"
    path.write_text(text)
    results = [bristle.simulate(s) for s in (slider, text, path, str(path))]
    assert all(np.array_equal(r.F, results[0].F) for r in results)
    changed = bristle.simulate(slider, set={"friction.Fs": 2.0, "friction.model": "stribeck"}, measures={"top": "max(F)"})
    assert changed.measures["top"] == pytest.approx(2, rel=1e-6)
    with pytest.raises(FileNotFoundError):
        bristle.simulate(tmp_path / "missing.toml")
    with pytest.raises(TypeError):
        bristle.simulate(3)
    with pytest.raises(bristle.InputError, match="empty"):
        bristle.simulate("")
    two = dict(slider, friction=[{"name": "a", **slider["friction"]}, {"name": "b", "model": "viscous", "kv": 0.1}])
    assert "F_b" in bristle.simulate(two)


@pytest.mark.parametrize("value", [True, 3, -0.1, 1e300, float("inf"), 'a "b" \\ \n é', [1, 2.5], {"a": {"b": 1}}, np.float32(2), np.arange(3)])
def test_toml_values_read_back(value):
    import sys

    if sys.version_info < (3, 11):
        pytest.skip("no tomllib")
    import tomllib

    read = tomllib.loads(_toml.text({"s": {"key 1": value}}))["s"]["key 1"]
    assert read == (value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value)


def test_all_problems_of_a_scenario(slider):
    bad = dict(slider, friction={"model": "stribeck", "Fc": -1, "Fss": 2, "vs": 1e-3}, solver={"duration": -2})
    with pytest.raises(bristle.InputError) as e:
        bristle.simulate(bad)
    assert len(e.value.problems) >= 3 and any("Fss" in p for p in e.value.problems)


def test_expectations_and_undefined_measures(slider):
    r = bristle.simulate(dict(slider, expect={"max(F)": {"value": 3, "rel": 0.01}}), measures={"settle": "settling_time(v, 0.01)"})
    assert not r.passed and r.checks[0].computed == pytest.approx(1.5, rel=1e-6)
    if np.isnan(r.measures["settle"]):
        assert r.undefined["settle"]


def test_pictures(slider):
    import matplotlib.pyplot as plt

    r = bristle.simulate(slider)
    fig = r.plot()
    assert len(fig.axes) == len(r._run.figure()["panels"]) and fig.axes[0].lines
    plt.close("all")
    assert "<svg" in r._repr_html_() and "stick-slip" in repr(r)


def long_run():
    return {
        "friction": {"model": "lugre", "Fc": 1.0, "Fs": 1.5, "vs": 1e-3, "sigma0": 1e5, "sigma1": 300.0},
        "system": {"kind": "slider", "mass": 1.0, "stiffness": 2.0},
        "drive": {"kind": "sine", "amplitude": 3.0, "frequency": 3.0},
        "solver": {"duration": 1e5, "output_step": 1.0, "max_steps": 1e12},
        "measure": {"peak": "max(F)"},
    }


def interrupted(f, limit):
    """Seconds from Ctrl-C to the exception."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts its background jobs with the signal ignored
    sent = []

    def send():
        time.sleep(0.3)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        f()
    late = time.perf_counter() - sent[0]
    assert late < limit
    return late


def test_control_c(recording):
    interrupted(lambda: bristle.simulate(long_run()), 1.0)
    interrupted(lambda: bristle.sweep(long_run(), vary={"friction.Fs": np.linspace(1.2, 2, 50)}), 1.0)
    c = bristle.ElastoPlastic(**{f["name"]: f["value"] for f in bristle.models()["elasto_plastic"]["parameters"] if f["required"]})
    v = 0.01 * np.sin(np.arange(1_000_000) * 1e-2)
    interrupted(lambda: [c.along(1e-3, v=v) for _ in range(100)], 1.0)
    interrupted(lambda: [bristle.fit(recording, "leuven") for _ in range(1000)], 2.0)


def test_progress(slider):
    seen = []
    bristle.sweep(slider, vary={"friction.Fs": np.linspace(1.2, 2, 30)}, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (30, 30) and all(a <= b for a, b in zip(seen, seen[1:]))

    def broken(done, total):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        bristle.simulate(slider, progress=broken)


def test_sweep_is_many_runs(slider):
    table = bristle.sweep(slider, vary={"friction.Fs": [1.2, 1.6], "drive.velocity": [0.05, 0.1, 0.2]}, measures={"end": "final(x)"})
    assert list(table.columns) == ["friction.Fs", "drive.velocity", "peak", "sticks", "end", "status", "message"]
    assert table["drive.velocity"].tolist() == [0.05, 0.1, 0.2] * 2 and (table["status"] == "done").all()
    for _, row in table.iterrows():
        r = bristle.simulate(slider, set={k: row[k] for k in ("friction.Fs", "drive.velocity")})
        assert r.x[-1] == pytest.approx(row["end"], rel=1e-12) and r.measures["peak"] == pytest.approx(row["peak"], rel=1e-12)
    same = bristle.sweep(slider, table[["friction.Fs", "drive.velocity"]], measures={"end": "final(x)"}, threads=1)
    pd.testing.assert_frame_equal(same, table)


def test_values_without_a_text_are_reported_together():
    with pytest.raises(bristle.InputError) as e:
        bristle.simulate({"title": 10**400, "system": {"kind": "slider", "mass": None}, "drive": {"term": {"velocity": 1j}}})
    assert [p.split(":")[0] for p in e.value.problems] == ["title", "system.mass", "drive.term.velocity"]
    with pytest.raises(bristle.InputError, match="friction.Fc: None"):
        bristle.simulate({"system": {}}, set={"friction.Fc": None})


def test_sweep_keeps_the_index_and_the_table(slider):
    table = pd.DataFrame({"friction.Fs": [1.2, 1.4, 1.6]}, index=[30, 10, 10])
    out = bristle.sweep(slider, table, measures={"peak": "max(F)"})
    assert out.index.tolist() == [30, 10, 10] and list(table.columns) == ["friction.Fs"]
    assert out.peak.tolist() == bristle.sweep(slider, table.reset_index(drop=True), measures={"peak": "max(F)"}).peak.tolist()


def test_sweep_over_models_and_failures(slider):
    table = bristle.sweep(slider, {"friction.model": ["stribeck", "karnopp", "stribeck"], "friction.Fs": [1.5, 1.5, 0.5]})
    assert table["status"].tolist() == ["done", "done", "failed"] and "Fs" in table["message"][2] and np.isnan(table["peak"][2])
    for bad in ({"friction.Fz": [1.0]}, {"friction.Fs": [np.nan]}, {"friction.Fs": []}):
        with pytest.raises(bristle.InputError):
            bristle.sweep(slider, bad)
    for name in ("friction.Fs", "status", "message"):
        with pytest.raises(bristle.InputError):
            bristle.sweep(slider, vary={"friction.Fs": [1.5]}, measures={name: "max(F)"})
    with pytest.raises(bristle.InputError):
        bristle.sweep(slider)
    with pytest.raises(bristle.InputError, match="no measure"):
        bristle.sweep({k: v for k, v in slider.items() if k != "measure"}, vary={"friction.Fs": [1.5]})
    box = bristle.sample({"friction.Fs": (1.2, 2), "drive.velocity": (1e-3, 1, "log")}, 16)
    assert box.shape == (16, 2) and box["drive.velocity"].between(1e-3, 1).all()
    with pytest.raises(bristle.InputError):
        bristle.sample({"drive.velocity": (-1, 1, "log")}, 4)


def test_compare(slider):
    c = bristle.compare(slider, set_each={"friction.Fs": [1.2, 1.5]})
    assert list(c) == ["friction.Fs=1.2", "friction.Fs=1.5"] and c.measures["peak"].tolist() == pytest.approx([1.2, 1.5], rel=1e-6)
    assert set(c.differences["column"]) >= {"x", "F"} and "<svg" in c.svg()
    named = bristle.compare({"soft": slider, "stiff": dict(slider, system={"kind": "slider", "mass": 1.0, "stiffness": 20.0})})
    assert list(named) == ["soft", "stiff"]
    with pytest.raises(bristle.InputError):
        bristle.compare([])


def test_characterize(lugre):
    c = bristle.characterize(lugre)
    holds = c.properties.set_index("property")["holds"]
    for name, declared in bristle.models()["lugre"]["properties"].items():
        if name in holds.index and name in ("stiction", "memory", "stribeck"):
            assert holds[name] == declared
    assert not c.failed and (c.quantities["experiment"] == "curve").any()
    with pytest.raises(bristle.InputError, match="accepted"):
        c.plot("nonsense")


def test_contacts_side_by_side_have_the_same_scales(lugre):
    """As by the command: those of the first contact, unless own=True."""
    slow = bristle.LuGre(Fc=1, Fs=1.5, vs=1e-5, sigma0=1e5, sigma1=300)

    def curve(c, label):
        q = c.quantities
        return q[(q["experiment"] == "curve") & (q["contact"] == label)].set_index("quantity")["value"]

    alone, own = bristle.characterize(slow), bristle.characterize({"a": lugre, "b": slow}, own=True)
    both = bristle.characterize({"a": lugre, "b": slow})

    def far(c):
        return [label for label, note in c.notes if "differ by a factor of 1e+02" in note and "own=True" in note]

    assert curve(own, "b").equals(curve(alone, "lugre")) and not far(own)
    assert not curve(both, "b").equals(curve(alone, "lugre"))
    assert far(both) == ["b"]
    assert set(bristle.characterize([lugre, lugre.copy(), {"model": "coulomb", "Fc": 1}]).properties["contact"]) == {
        "lugre", "lugre (2)", "coulomb"}
