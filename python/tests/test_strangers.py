"""Input of strangers: wrong types, odd names, dates, masks. Refused with a reason or understood, never silently another meaning."""

import threading

import numpy as np
import pandas as pd
import pytest

import bristle

LUGRE = {"Fc": 1, "Fs": 1.5, "vs": 1e-3, "sigma0": 1e5, "sigma1": 300}


@pytest.mark.parametrize("given", [{"effects": [1]}, {"effects": "offset"}, {"initial": 3}, {"negative": [("kv", 1)]}, {"Fc": None},
                                   {"Fc": True}, {"Fc": 1 + 0j}, {"Fc": 10**400}, {"effects": {"offset": {"a": 1}}}])
def test_wrong_types_of_parameters(given):
    with pytest.raises(bristle.InputError):
        bristle.LuGre(**(LUGRE | given))


@pytest.mark.parametrize("model", [3, None, b"lugre", "lu\x00gre\n", "\N{MAGNET}" * 1000, ""])
def test_wrong_names_of_models(model):
    with pytest.raises(bristle.InputError):
        bristle.make(model)


def test_states_from_lists(lugre):
    lugre.state = [1e-6]
    assert lugre.states["z"] == 1e-6
    for wrong in ([np.nan], [], [1, 2], [[0.0]]):
        with pytest.raises(bristle.InputError):
            lugre.state = wrong
    assert lugre.states["z"] == 1e-6


def test_a_mass_matrix_is_symmetric(lugre):
    pair = [lugre.copy(), lugre.copy()]
    with pytest.raises(bristle.InputError, match="symmetric"):
        bristle.couple_all(pair, [[1, 0.5], [0, 1]], [0, 0], [1, 1], 1e-3)
    assert pair[0] == lugre


def test_overflow_is_refused_without_warnings(lugre, recwarn):
    for x in ([1e308, -1e308], [0, 1e30]):
        with pytest.raises(bristle.InputError):
            lugre.along(1e-3, x=x)
    assert not recwarn.list


def test_dates_are_times(recording):
    exact = bristle.fit(recording, "lugre").values
    dates = pd.Timestamp("2026-03-01 10:00") + pd.to_timedelta(recording["t"], unit="s").round("us")
    by_column = pd.DataFrame(recording | {"t": dates})
    by_index = pd.DataFrame({k: recording[k] for k in "vxF"}, index=dates)
    durations = pd.DataFrame(recording | {"t": dates - dates[0]})
    zone = pd.DataFrame(recording | {"t": dates.tz_localize("Europe/Berlin")})
    for frame in (by_column, by_index, by_index.rename_axis("t"), durations, zone):
        assert bristle.fit(frame, "lugre").values == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("name", ["t", "v", "F"])
def test_signals_that_are_no_numbers_are_refused(recording, name):
    """Without its times, a recording would be taken for points of steady sliding."""
    with pytest.raises(bristle.InputError, match=f"{name}: has values"):
        bristle.fit(pd.DataFrame(recording | {name: [str(e) for e in recording[name]]}), "lugre")


def test_a_batch_belongs_to_one_thread():
    b = bristle.Batch("lugre", size=300_000, **LUGRE)
    refused = []

    def work():
        for _ in range(20):
            try:
                b.step(0.01, 1e-3)
            except bristle.InputError as e:
                refused.append(str(e))

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    b.reset()
    assert all("another thread" in text for text in refused)
    assert np.ptp(b.step(0.01, 1e-3)) == 0


def test_masked_samples_are_missing(recording):
    hole = (recording["t"] > 2) & (recording["t"] < 3)
    masked = recording | {"F": np.ma.masked_array(np.where(hole, 1e3, recording["F"]), hole)}
    missing = recording | {"F": np.where(hole, np.nan, recording["F"])}
    assert bristle.fit(masked, "lugre").values == bristle.fit(missing, "lugre").values


def test_scenarios_of_strangers(slider, tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"\xff\xfe[friction]")
    with pytest.raises(bristle.InputError, match="UTF-8"):
        bristle.simulate(bad)
    for wrong in ([1], "friction.Fc=2", {"friction.Fc": "1\n[system]\nmass = 5"}, {"friction.Fc\nx": 1}, {1: 1}):
        with pytest.raises(bristle.InputError):
            bristle.simulate(slider, set=wrong)
    with pytest.raises(bristle.InputError, match="lengths"):
        bristle.sweep(slider, {"friction.Fs": [1.2, 1.3], "friction.Fc": [1]})
    twice = pd.DataFrame([[1.2, 1.3]], columns=["friction.Fs", "friction.Fs"])
    with pytest.raises(bristle.InputError, match="more than one"):
        bristle.sweep(slider, twice)
    with pytest.raises(bristle.InputError, match="no values"):
        bristle.compare(slider, set_each={"friction.Fs": []})


def test_equal_titles_are_different_runs(slider):
    other = slider | {"friction": slider["friction"] | {"Fs": 1.2}}
    c = bristle.compare([slider, other])
    assert len(c.measures) == 2 and c.measures["peak"].nunique() == 2


def test_odd_titles_are_escaped(slider, tmp_path):
    title = 'a"b\\ \n</script><blink>\N{MAGNET}'
    r = bristle.simulate(slider | {"title": title})
    page = tmp_path / "run.html"
    r.report(page)
    assert "<blink>" not in page.read_text(encoding="utf-8").split("</head>")[1] and "<blink>" not in r._repr_html_()
