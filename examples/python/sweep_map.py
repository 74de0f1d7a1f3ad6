"""A map: where does a block on a spring stick and slip? Velocity against stiffness, 300 runs."""

import sys

import numpy as np

import bristle

scenario = {
    "friction": {"model": "lugre", "Fc": 1.0, "Fs": 1.5, "vs": 0.02, "sigma0": 1e4, "sigma1": 10.0, "kv": 0.5},
    "system": {"kind": "slider", "mass": 1.0, "stiffness": 10.0},
    "drive": {"kind": "ramp", "velocity": 0.1},
    "solver": {"duration": 30.0},
    "measure": {"swing": {"of": "peak_to_peak(v)", "from": 20.0}},
}
table = bristle.sweep(scenario, vary={"drive.velocity": np.geomspace(5e-3, 0.2, 20), "system.stiffness": np.geomspace(1, 1000, 15)})
table["stick_slip"] = table["swing"] > 0.5 * table["drive.velocity"]
print(table.pivot(index="system.stiffness", columns="drive.velocity", values="stick_slip").astype(int).to_string(header=False))
print(table["status"].value_counts().to_dict())
assert table["stick_slip"].any() and not table["stick_slip"].all()
if "--plot" in sys.argv:
    import matplotlib.pyplot as plt

    plt.pcolormesh(*(np.unique(table[k]) for k in ("drive.velocity", "system.stiffness")),
                   table["swing"].to_numpy().reshape(20, 15).T, shading="nearest")
    plt.xscale("log"), plt.yscale("log"), plt.xlabel("velocity (m/s)"), plt.ylabel("stiffness (N/m)")
    plt.colorbar(label="swing of v (m/s)"), plt.savefig("map.png")
