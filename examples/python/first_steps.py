"""First steps: a contact, its steady curve, a force along a motion, and a run with stick and slip."""

import numpy as np

import bristle

contact = bristle.LuGre(Fc=1.0, Fs=1.5, vs=1e-3, sigma0=1e5, sigma1=300, kv=0.4)
print(contact)
print("steady force at 1 mm/s and 1 m/s:", contact.steady([1e-3, 1.0]))

t = np.linspace(0, 1, 2001)
force = contact.along(t, x=20e-6 * np.sin(2 * np.pi * 2 * t))  # small strokes: pre-sliding
print(f"largest force in pre-sliding: {force.max():.3f} N, deflection of the bristles: {contact.states['z']:.2e} m")

run = bristle.simulate(
    {
        "title": "A block on a belt",
        "friction": contact.to_dict(),
        "system": {"kind": "slider", "mass": 1.0, "stiffness": 2.0},
        "drive": {"kind": "ramp", "velocity": 0.1},
        "solver": {"duration": 20.0},
        "measure": {"peak": "max(F)", "period": "period(slip+)"},
    }
)
print(run)
print("measures:", run.measures)
print("first events:", run.events[:3])
assert run.measures["peak"] < 1.5 and abs(run.energy.error) < 1e-6
