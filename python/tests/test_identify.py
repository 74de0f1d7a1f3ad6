"""Fits."""

import pickle

import numpy as np
import pandas as pd
import pytest

import bristle

TRUE = {"Fc": 1, "Fs": 1.5, "vs": 5e-3, "sigma0": 1e4, "sigma1": 50, "kv": 3}


def test_fit_finds_the_parameters(recording):
    start = {k: 1.4 * v for k, v in TRUE.items()}
    f = bristle.fit(pd.DataFrame(recording), "lugre", start=start, intervals=True)
    assert f.values == pytest.approx(TRUE, rel=0.05)
    inside = (f.intervals["low"] <= pd.Series(TRUE)) & (pd.Series(TRUE) <= f.intervals["high"])
    assert inside.sum() >= 4  # of six 95 % intervals
    assert f.rmse == pytest.approx(0.01, rel=0.05) and f.contact.parameters["Fc"] == pytest.approx(1, rel=0.02)
    assert f.predict(recording) == pytest.approx(f.predicted[0], abs=1e-9)
    assert bristle.score(f, recording)["rmse"] == pytest.approx(f.rmse, rel=1e-6)
    assert bristle.score(f.contact, recording)["rmse"] == pytest.approx(f.rmse, rel=1e-3)
    assert 'model = "lugre"' in f.toml()
    other = pickle.loads(pickle.dumps(f))
    assert other.values == f.values and np.array_equal(other.predicted[0], f.predicted[0])
    assert other.predict(recording) == pytest.approx(f.predict(recording), abs=1e-6) and other.contact == f.contact
    with pytest.raises(bristle.InputError):
        other.plot()


def test_fixed_values_and_problems(recording):
    f = bristle.fit(recording, "lugre", fixed={"kv": 3.0})
    assert "kv" not in f.values and f.parameters["kv"] == 3
    for bad in ({"start": {"Fd": 1}}, {"start": {"Fc": -1}}, {"fixed": {"nothing": 1}}, {"loss": "cubes"}, {"gravity": "moon"}):
        with pytest.raises(bristle.InputError):
            bristle.fit(recording, "lugre", **bad)
    with pytest.raises(bristle.InputError):
        bristle.fit(recording, "lugra")
    with pytest.raises(bristle.InputError):
        bristle.fit({"t": [0, 1], "v": [1, 2, 3], "F": [1, 2]}, "lugre")
    with pytest.raises(bristle.InputError):
        bristle.fit({"a": ["x"]}, "lugre")
    with pytest.raises(FileNotFoundError):
        bristle.identify("missing.csv")


def test_identify(recording, tmp_path):
    part = {k: v[:3000] for k, v in recording.items()}
    r = bristle.identify(part, ["lugre", "coulomb_tanh"], effects="none", profiles=False, starts=1)
    assert r.recommended == "lugre" and r.ranking["model"].tolist() == ["lugre", "coulomb_tanh"] and r.why
    assert r.best.values["sigma0"] == pytest.approx(1e4, rel=0.1) and "low" in r.intervals
    rest = {k: v[3000:] for k, v in recording.items()}
    assert np.sqrt(np.mean((r.predict(rest) - rest["F"])[200:] ** 2)) < 0.02
    r.report(tmp_path / "report.html")
    assert "lugre" in (tmp_path / "report.html").read_text()
    r.best.save(tmp_path / "lugre.toml")
    assert bristle.score(tmp_path / "lugre.toml", part)["rmse"] == pytest.approx(r.best.rmse, rel=1e-2)
    pd.DataFrame(part).to_csv(tmp_path / "data.csv", index=False)
    f = bristle.fit(tmp_path / "data.csv", "lugre")
    assert f.values["Fc"] == pytest.approx(1, rel=0.05)


def test_steady_points_and_names_with_units():
    v = np.concatenate([-np.geomspace(1e-3, 1, 30), np.geomspace(1e-3, 1, 30)])
    F = bristle.Stribeck(Fc=1, Fs=1.5, vs=0.05, kv=0.2).steady(v)
    f = bristle.fit({"speed_mm_s": 1e3 * v, "friction_N": F}, "stribeck", columns={"v": "speed_mm_s", "F": "friction_N"})
    assert f.values["Fc"] == pytest.approx(1, rel=0.05) and f.values["vs"] == pytest.approx(0.05, rel=0.1)
