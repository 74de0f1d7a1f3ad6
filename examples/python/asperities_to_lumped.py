"""From a population of asperities to a lumped model: a recording of the population, and a fit of the Maxwell-slip family."""

import numpy as np

import bristle

population = bristle.Gfm(asperities=2000, seed=1)
t = np.arange(0, 60, 0.02)
x = 0.3 * np.sin(2 * np.pi * t / 20) * np.exp(-t / 60)
force = population.along(t, x=x)
touching = np.count_nonzero(population.snapshot()["phase"])
print(f"{touching} of 2000 asperities touch at the end; largest force {np.abs(force).max():.4f} N per asperity")

frame = {"t": t, "x": x, "v": np.r_[0, np.diff(x) / np.diff(t)], "F": force}
fits = {model: bristle.fit(frame, model) for model in ("coulomb_tanh", "dahl", "lugre")}
for model, fit in fits.items():
    print(f"{model:12s} rmse {fit.rmse:.4f} N, R2 {fit.r_squared:.3f}")
assert fits["dahl"].rmse < fits["coulomb_tanh"].rmse  # pre-sliding matters
print(fits["lugre"].contact)
