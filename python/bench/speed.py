"""Computing time of the package compared with NumPy, SciPy and numba: `speed.py docs/python_speed.md`. The least of several runs."""

import os
import sys
import time

import numpy as np
import pandas as pd
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

import bristle

LUGRE = {"Fc": 1.0, "Fs": 1.5, "vs": 5e-3, "sigma0": 1e4, "sigma1": 50.0, "kv": 3.0}
EFFECTS = {"asymmetry": 0.1, "offset": 0.1, "load_exponent": 0.9}
SLIDER = {
    "friction": {"model": "stribeck", "Fc": 1.0, "Fs": 1.5, "vs": 1e-3},
    "system": {"kind": "slider", "mass": 1.0, "stiffness": 2.0},
    "drive": {"kind": "ramp", "velocity": 0.1},
    "solver": {"duration": 20.0, "output_step": 0.02},
    "measure": {"peak": "max(F)"},
}


def least(f, times=7):
    """CPU seconds of this process, the least of several calls."""
    best = np.inf
    for _ in range(times):
        begin = time.process_time()
        f()
        best = min(best, time.process_time() - begin)
    return best


def lugre_loop(v, dt, Fc, Fs, vs, sigma0, sigma1, kv):
    """The exact step of LuGre at constant velocity, sample by sample."""
    F = np.empty(v.size)
    z = 0.0
    for i in range(v.size):
        w = v[i]
        S = Fc + (Fs - Fc) * np.exp(-((w / vs) ** 2))
        rate = abs(w) * sigma0 / S
        lost = -np.expm1(-rate * dt)
        z = z * (1 - lost) + np.sign(w) * S / sigma0 * lost
        F[i] = sigma0 * z + sigma1 * (w - rate * z) + kv * w
    return F


def rows():
    n = 1_000_000
    t = np.arange(n) * 1e-3
    v = 0.02 * np.sin(2 * np.pi * 0.5 * t) * np.sin(2 * np.pi * 0.03 * t) + 1e-3 * np.sin(2 * np.pi * 2.3 * t)
    load = 1 + 0.1 * np.sin(t)
    out = np.empty(n)
    c, e = bristle.LuGre(**LUGRE), bristle.LuGre(**LUGRE, effects=EFFECTS)
    short = v[:10_000]
    assert np.allclose(lugre_loop(short, 1e-3, **LUGRE), c.copy().along(1e-3, v=short), atol=1e-9)
    python = least(lambda: lugre_loop(short, 1e-3, **LUGRE), 3) / short.size
    per = 1e9 / n
    ours = least(lambda: c.along(1e-3, v=v, out=out)) * per
    yield "`along`, LuGre, per sample", f"{ours:.1f} ns", "6 ns", ours <= 6, f"Python loop with NumPy functions {1e9 * python:.0f} ns"
    try:
        import numba

        compiled = numba.njit(lugre_loop)
        values = tuple(LUGRE.values())
        compiled(short, 1e-3, *values)
        fast = least(lambda: compiled(v, 1e-3, *values)) * per
        yield "the same loop compiled by numba", f"{fast:.1f} ns", "", None, ""
    except ImportError:
        yield "the same loop compiled by numba", "not installed", "", None, ""
    ours = least(lambda: e.along(1e-3, v=v, load=load, out=out)) * per
    yield "`along` with load and effects (asymmetry, offset, load exponent)", f"{ours:.1f} ns", "20 ns", ours <= 20, ""
    ours = least(lambda: c.along(t, v=v)) * per
    yield "`along` with an array of times and a new result", f"{ours:.1f} ns", "", None, ""

    bristle.simulate(SLIDER)
    ours = 1e3 * least(lambda: [bristle.simulate(SLIDER) for _ in range(20)]) / 20
    f = SLIDER["friction"]

    def rhs(t, y):  # tanh instead of stick: SciPy has no set-valued laws
        F = (f["Fc"] + (f["Fs"] - f["Fc"]) * np.exp(-((y[1] / f["vs"]) ** 2))) * np.tanh(y[1] / 1e-4)
        return [y[1], 2.0 * (0.1 * t - y[0]) - F]

    scipy = 1e3 * least(lambda: solve_ivp(rhs, (0, 20), [0, 0], "LSODA", rtol=1e-8, atol=1e-10, dense_output=False), 2)
    yield "`simulate`, stick-slip of 20 s from a dict, per call", f"{ours:.3f} ms", "0.4 ms", ours <= 0.4, f"SciPy LSODA, smoothed law {scipy:.0f} ms"
    runs = pd.DataFrame({"friction.Fs": np.linspace(1.2, 2, 1000)})
    ours = 1e3 * least(lambda: bristle.sweep(SLIDER, runs, threads=1), 3) / 1000
    yield "`sweep`, per run on one core", f"{ours:.3f} ms", "0.25 ms", ours <= 0.25, "one SciPy call per run: as above"

    m = 30_000
    F = bristle.LuGre(**LUGRE).along(t[:m], v=v[:m]) + 0.01 * np.random.default_rng(1).standard_normal(m)
    frame = pd.DataFrame({"t": t[:m], "v": v[:m], "x": np.r_[0, np.cumsum(v[1:m] * 1e-3)], "F": F})
    start = {k: 1.4 * p for k, p in LUGRE.items()}
    ours = 1e3 * least(lambda: bristle.fit(frame, "lugre", start=start))
    contact = bristle.LuGre(**LUGRE)

    def residual(q):
        return bristle.make("lugre", **dict(zip(LUGRE, np.exp(q)))).along(1e-3, v=v[:m]) - F

    try:
        q0 = np.log(list(start.values()))
        scipy = f"SciPy `least_squares` around our `along` {1e3 * least(lambda: least_squares(residual, q0, method='lm'), 2):.0f} ms"
    except bristle.InputError:
        scipy = "SciPy `least_squares` leaves the range of the parameters"
    yield "`fit`, six parameters of LuGre from 30 s at 1 kHz", f"{ours:.1f} ms", "10 ms", ours <= 10, scipy
    ours = 1e3 * least(lambda: bristle.identify(frame, ["lugre"], effects="none", threads=1), 3)
    yield "`identify` of that model (search, cross-validation, intervals)", f"{ours:.0f} ms", "250 ms", ours <= 250, ""
    del contact


def main(path):
    import scipy

    head = f"""# Computing time in Python

Written by `make bench-python`: CPU time, the least of several calls; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} during the
measurement; Python {sys.version.split()[0]}, NumPy {np.__version__}, SciPy {scipy.__version__}.

| | time | goal | met | for comparison |
|---|---|---|---|---|
"""
    lines = []
    for what, ours, goal, met, peer in rows():
        mark = "" if met is None else "yes" if met else "no"
        lines.append(f"| {what} | {ours} | {goal} | {mark} | {peer} |")
        print(lines[-1], flush=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
