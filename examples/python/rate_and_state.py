"""Rate-and-state friction: a step of the slip velocity, as PyRSF computes it with a rigid machine.

State evolution by ageing. The peak after the step and the new level are those of the theory."""

import numpy as np

import bristle

a, b, Dc, mu0, v0, load = 0.005, 0.01, 10e-6, 0.6, 1e-6, 1.0
law = bristle.RateState(mu0=mu0, a=a, b=b, Dc=Dc, V0=v0, normal_load=load)
print(law)
v1 = 10 * v0
expected = load * (mu0 + (a - b) * np.log(v1 / v0))
print(f"steady friction at 10 v0: {law.steady(v1):.6f}, by (a - b) ln(v/v0): {expected:.6f}")
assert abs(law.steady(v1) - expected) < 1e-4

t = np.linspace(0, 60, 6001)  # imposed slip velocity, as behind an infinitely stiff machine
v = np.where(t < 30, v0, v1)
F = law.along(t, v=v)
peak = F[t > 30].max()
print(f"direct effect: {peak - F[2999]:.6f} of at most a ln 10 = {a * np.log(10):.6f}; end: {F[-1]:.6f}")
assert abs(F[-1] - expected) < 1e-3 and 0.5 * a * np.log(10) < peak - F[2999] <= 1.01 * a * np.log(10)
