import matplotlib
import numpy as np
import pytest
from hypothesis import settings

import bristle

matplotlib.use("Agg")
# The same examples in every run, without a limit on their time: a failure is one of the code, not of the day.
settings.register_profile("same", derandomize=True, deadline=None, database=None)
settings.load_profile("same")


@pytest.fixture
def lugre():
    return bristle.LuGre(Fc=1, Fs=1.5, vs=1e-3, sigma0=1e5, sigma1=300, kv=0.4)


@pytest.fixture
def slider():
    """A block that is pulled by a spring, stick-slip."""
    return {
        "title": "stick-slip",
        "friction": {"model": "stribeck", "Fc": 1.0, "Fs": 1.5, "vs": 1e-3},
        "system": {"kind": "slider", "mass": 1.0, "stiffness": 2.0},
        "drive": {"kind": "ramp", "velocity": 0.1},
        "solver": {"duration": 20.0, "output_step": 0.02},
        "measure": {"peak": "max(F)", "sticks": "count(stick)"},
    }


@pytest.fixture
def recording():
    """6 s of a LuGre contact with noise; x makes the velocity of every interval known."""
    t = np.arange(6000) * 1e-3
    v = 0.02 * np.sin(2 * np.pi * 0.5 * t) * np.sin(2 * np.pi * 0.1 * t) + 1e-3 * np.sin(2 * np.pi * 2.3 * t)
    true = bristle.LuGre(Fc=1, Fs=1.5, vs=5e-3, sigma0=1e4, sigma1=50, kv=3)
    F = true.along(t, v=v) + 0.01 * np.random.default_rng(1).standard_normal(t.size)
    x = np.concatenate([[0], np.cumsum(v[1:] * np.diff(t))])
    return {"t": t, "v": v, "x": x, "F": F}
