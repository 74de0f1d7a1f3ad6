#!/usr/bin/env python3
"""Compiles the Modelica text of every smooth law with rumoca, simulates a body on it, and compares it with bristle simulate.

Usage: modelica.py BRISTLE
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import rumoca
except ImportError:
    print("check-ship: skipped: modelica, rumoca is not installed")
    sys.exit(0)

bristle = sys.argv[1]
models = ["viscous", "coulomb_tanh", "stribeck_tanh", "brown_mcphee", "dankowicz", "stribeck_dankowicz", "bliman_sorine", "dahl",
          "bouc_wen", "lugre"]
soft = {"k_tanh": 50, "vs": 0.05, "delta": 1e-3, "eps_f": 1e-3, "sigma0": 1e3, "sigma1": 5}  # an easy task for any solver
duration, most = 2.0, 1e-6


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"check-ship: {' '.join(command)}\n{done.stderr}")
    return done.stdout


wrong = []
for model in models:
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        info = json.loads(run(bristle, "models", model, "--json"))
        values = {p["name"]: soft.get(p["name"], p["typical"]) for p in info["parameters"] if p["required"]} | {"kv": 0.3}
        block = f'[friction]\nmodel = "{model}"\n' + "".join(f"{k} = {v!r}\n" for k, v in values.items())
        (here / "s.toml").write_text(block + '[system]\nkind = "slider"\nmass = 1\nstiffness = 0\n[drive]\nof = "force"\nkind = "sine"\n'
                                     f"amplitude = 3\nfrequency = 0.5\n[solver]\nduration = {duration}\nrtol = 1e-11\noutput_step = 0.1\n")
        (here / "b.toml").write_text(block)
        run(bristle, "export", "modelica", str(here / "b.toml"), "-o", str(here / "Law.mo"))
        run(bristle, "simulate", str(here / "s.toml"), "--csv", str(here / "s.csv"), "--quiet")
        source = (here / "Law.mo").read_text() + """
model Axis
  Law friction;
  Real x(start=0, fixed=true);
  Real v(start=0, fixed=true);
equation
  der(x) = v;
  der(v) = 3*sin(3.14159265358979312*time) - friction.F;
  friction.v = v;
end Axis;
"""
        try:
            result = rumoca.Session().loads(source, model="Axis").simulate(
                t=(0.0, duration), dt=0.1, config=rumoca.SimConfig(rtol=1e-10, atol=1e-12))
        except Exception as e:  # of the compiler
            wrong.append(f"{model}: {e}")
            continue
        rows = list(csv.DictReader((here / "s.csv").open()))
        ours = {round(float(r["t"]), 6): float(r["x"]) for r in rows}
        theirs = dict(zip([round(float(t), 6) for t in result.time], [float(x) for x in result["x"]]))
        common = sorted(set(ours) & set(theirs))
        size = max(abs(x) for x in ours.values())
        error = max(abs(ours[t] - theirs[t]) for t in common) / size
        print(f"check-ship: modelica {model}: {len(common)} rows, largest difference {error:.1e} of the motion")
        if len(common) < 20 or not error <= most:
            wrong.append(f"{model}: differs by {error:.1e}; {most} at most")
sys.exit("\n".join("check-ship: " + w for w in wrong) if wrong else 0)
