"""Heat, distributions, directions, fitted files and surfaces: as reachable as in scenario files, and as portable as contacts."""

import copy
import pickle

import numpy as np
import pytest

import bristle

HEAT = {"capacity": 0.5, "conductance": 0.02, "ambient": 25.0, "flash_capacity": 1e-3, "flash_conductance": 0.1}
PARTS = [
    ("lugre", {"Fc": 1, "Fs": 1.5, "vs": 1e-3, "sigma0": 1e5, "sigma1": 300}, {"heat": HEAT}),
    ("lugre", {"Fc": 1, "Fs": 1.5, "vs": 1e-3, "sigma0": 1e5, "sigma1": 300},
     {"heat": HEAT, "effects": {"offset": 0.1}, "initial": {"T": 60.0, "z": 1e-6}}),
    ("stribeck", {"Fc": 1, "Fs": 1.5, "vs": 1e-3}, {"negative": {"Fc": 1.2}, "effects": {"ripple": 0.1, "ripple_period": 0.01}}),
    ("gms", {"nu": [0.4, 0.6], "k": [4e4, 3e4], "Fc": 1, "Fs": 1.5, "vs": 1e-3, "C": 100}, {}),
    ("gms", {"k": [4e4, 3e4], "Fc_i": [0.4, 0.6], "Fs_i": [0.7, 0.8], "vs_i": [1e-3, 2e-3], "C_i": [100, 90], "alpha": 2.0}, {}),
]


def same(a, b):
    for _ in range(20):
        assert a.step(3e-3, 1e-3) == b.step(3e-3, 1e-3)


@pytest.mark.parametrize("model, parameters, sections", PARTS)
def test_sections_travel(model, parameters, sections):
    c = bristle.make(model, **parameters, **sections)
    if "heat" in sections:
        assert c.heat["capacity"] == 0.5 and "T" in c.states
    fresh = [eval(repr(c), {"bristle": bristle}), bristle.load({"friction": c.to_dict()}), bristle.load(c.to_dict())]
    for other in fresh:
        assert other == c and other.to_dict() == c.to_dict()
        same(other, c.copy())
    for _ in range(5):
        c.step(5e-3, 1e-3)
    for other in (pickle.loads(pickle.dumps(c)), copy.deepcopy(c), c.copy()):
        assert other == c
        same(other, c.copy())


def test_heat_is_that_of_a_run():
    """The same temperature as in a simulation of the same motion."""
    c = bristle.make("stribeck", Fc=2, Fs=2.5, vs=1e-3, heat={"capacity": 0.5, "conductance": 0.02})
    friction = c.to_dict()
    r = bristle.simulate({"friction": friction, "system": {"kind": "prescribed"}, "drive": {"kind": "ramp", "velocity": 0.1},
                          "solver": {"duration": 2.0}})
    c.along(1e-3, v=np.full(2000, 0.1))
    assert c.states["T"] > 20.5 and c.states["T"] == pytest.approx(r["T"][-1], abs=2e-3)
    for wrong in ({}, {"capacity": -1, "conductance": 0.1}, {"capacity": 1, "conductance": 1, "colour": 2}, 3):
        with pytest.raises(bristle.InputError):
            bristle.make("stribeck", Fc=2, Fs=2.5, vs=1e-3, heat=wrong)
    with pytest.raises(bristle.InputError, match="heat"):
        bristle.Gfm(heat={"capacity": 1, "conductance": 1})


def test_distributions_travel():
    given = {"h": {"kind": "exponential", "mean": 3e-5}}
    c = bristle.make("gfm", asperities=40, seed=3, distribution=given)
    assert c.distribution["h"]["kind"] == "exponential"
    for other in (eval(repr(c), {"bristle": bristle}), bristle.load(c.to_dict()), pickle.loads(pickle.dumps(c)), c.copy()):
        assert other.distribution == c.distribution and other.parameters == c.parameters
    plain = bristle.make("gfm", asperities=40, seed=3)
    t = [p.copy().along(1e-4, v=np.full(50, 1e-4)) for p in (c, eval(repr(c), {"bristle": bristle}), plain)]
    assert np.array_equal(t[0], t[1]) and not np.array_equal(t[0], t[2])
    with pytest.raises(bristle.InputError, match="distribution"):
        bristle.make("lugre", Fc=1, Fs=1.5, vs=1e-3, sigma0=1e5, distribution=given)


def test_fitted_files_are_loaded(recording, tmp_path):
    fit = bristle.fit(recording, "lugre", start={"Fc": 1, "sigma0": 1e4})
    fit.save(tmp_path / "lugre.toml")
    c = bristle.load(tmp_path / "lugre.toml")
    v = 0.01 * np.sin(np.arange(500) * 0.01)
    assert np.array_equal(c.along(1e-3, v=v), fit.contact.along(1e-3, v=v))
    far = dict(recording, v=30 * recording["v"], x=30 * recording["x"])
    score = bristle.score(tmp_path / "lugre.toml", far)
    assert score["rows"] == 6000 and any("v" in n for n in score.notes) and len(score.predicted[0]) == 6000
    assert pickle.loads(pickle.dumps(score)) == score and not bristle.score(fit, recording).notes
    with pytest.raises(bristle.InputError):
        bristle.load("title = \"nothing\"\n")


def test_surfaces():
    """Numbers of a sine, and a population that carries its load."""
    n, dx, amplitude, waves = 2000, 1e-6, 2e-7, 20
    x = np.arange(n) * dx
    z = amplitude * np.sin(2 * np.pi * waves * x / (n * dx))
    s = bristle.surface(z, dx)
    assert s.values["Rq"] == pytest.approx(amplitude / np.sqrt(2), rel=1e-6)
    assert s.values["m2"] == pytest.approx((amplitude * 2 * np.pi * waves / (n * dx)) ** 2 / 2, rel=2e-3)
    rng = np.random.default_rng(0)
    k = np.hypot(*np.meshgrid(np.fft.fftfreq(128), np.fft.fftfreq(128)))
    rough = np.fft.ifft2(np.fft.fft2(rng.standard_normal((128, 128))) * (k < 0.12)).real
    rough *= 5e-7 / rough.std()
    m = bristle.surface(rough, (2e-6, 2e-6), E=115e9, shear=3e8, area=1e-6)
    assert m.values["Sq"] == pytest.approx(5e-7, rel=1e-3) and len(m.summits) > 50 and len(m.contact) > 10
    assert m.gfm is not None and m.gfm.model == "gfm" and m.generic2010 is None and "generic2010" in m.without
    assert m.plot() is not None and "Sq" in m.table.index
    wrong = [dict(heights=z), dict(heights=z, spacing=-1.0), dict(heights=z, spacing=dx, level="round"), dict(heights=z, spacing=dx, colour=1),
             dict(heights=z[:5], spacing=dx), dict(heights=np.zeros((4, 4, 4)), spacing=dx), dict(heights=z, spacing=dx, E=-1.0),
             dict(heights=np.full(100, np.nan), spacing=dx), dict(heights=z, spacing=dx, cutoff=0.0)]
    for w in wrong:
        with pytest.raises(bristle.InputError) as e:
            bristle.surface(**w)
        assert "--" not in str(e.value)
