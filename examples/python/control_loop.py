"""An own control loop: a mass on a guide follows a sine, without and with friction compensation.

The plant is coupled implicitly (`couple`), so that it holds in stick at any sample time; the compensation adds the force of a
second contact that follows the reference."""

import numpy as np

import bristle

dt, mass, kp, kd = 1e-3, 1.0, 2000.0, 60.0
guide = {"Fc": 8.0, "Fs": 12.0, "vs": 2e-3, "sigma0": 5e5, "sigma1": 800.0, "kv": 5.0}
time = np.arange(0, 2, dt)
reference = 0.01 * np.sin(2 * np.pi * time)


def follow(compensated):
    plant, model = bristle.LuGre(**guide), bristle.LuGre(**guide)
    x = v = before = 0.0
    errors = []
    for r in reference:
        w = (r - before) / dt
        before = r
        u = kp * (r - x) + kd * (w - v)
        if compensated:
            u += model.step(w, dt)
        v = plant.couple(v, u, mass, dt).v
        x += v * dt
        errors.append(r - x)
    return np.array(errors)


plain, better = (np.sqrt(np.mean(follow(c)[500:] ** 2)) for c in (False, True))
print(f"rms error {1e6 * plain:.0f} um without, {1e6 * better:.0f} um with compensation")
assert better < 0.5 * plain
