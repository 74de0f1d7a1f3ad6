"""The same experiment with several models: breakaway, stick-slip and steady force differ."""

import bristle

scenario = {
    "friction": {"model": "stribeck", "Fc": 1.0, "Fs": 1.5, "vs": 1e-3},
    "system": {"kind": "slider", "mass": 1.0, "stiffness": 2.0},
    "drive": {"kind": "ramp", "velocity": 0.1},
    "solver": {"duration": 20.0},
}
blocks = {
    "stribeck": scenario["friction"],
    "lugre": {**scenario["friction"], "model": "lugre", "sigma0": 1e5, "sigma1": 300.0},
    "dahl": {"model": "dahl", "Fc": 1.0, "sigma0": 1e5},
}
runs = bristle.compare({name: {**scenario, "friction": block} for name, block in blocks.items()},
                       measures={"peak": "max(F)", "slips": "count(slip+)"})
print(runs.measures)
assert runs.measures.loc["stribeck", "slips"] > runs.measures.loc["dahl", "slips"]  # Dahl has no Stribeck effect
properties = bristle.characterize(blocks).properties
print(properties.pivot(index="property", columns="contact", values="holds"))
