"""From a DataFrame to a model: here a synthetic recording whose parameters are known."""

import numpy as np
import pandas as pd

import bristle

t = np.arange(0, 10, 1e-3)
v = 0.02 * np.sin(2 * np.pi * 0.5 * t) * np.sin(2 * np.pi * 0.05 * t) + 1e-3 * np.sin(2 * np.pi * 2.3 * t)
true = bristle.LuGre(Fc=1.0, Fs=1.5, vs=5e-3, sigma0=1e4, sigma1=50, kv=3.0)
noise = np.random.default_rng(1).normal(0, 0.01, t.size)
frame = pd.DataFrame({"t": t, "v": v, "x": np.r_[0, np.cumsum(v[1:] * np.diff(t))], "F": true.along(t, v=v) + noise})

result = bristle.identify(frame[t < 5], models=["coulomb_tanh", "dahl", "lugre"], effects="none", profiles=False)
print(result.ranking[["model", "parameters", "rmse"]])
print(result.why)
print(result.intervals[["value", "low", "high", "unit"]])
print("errors on the second half:", bristle.score(result, frame[t >= 5]))
assert result.recommended == "lugre" and abs(result.best.values["Fc"] - 1) < 0.05
