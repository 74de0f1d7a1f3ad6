"""FMUs of all models, both versions and kinds, in FMPy, and version 2 in libcosimpy.

Usage: fmu_check.py BRISTLE [MODEL...]. Prints a line per model; the status is 1 if a check fails.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import fmpy.simulation
import fmpy.sundials
import numpy as np
from fmpy import extract, read_model_description, simulate_fmu
from fmpy.validation import validate_fmu

bristle, chosen = sys.argv[1], sys.argv[2:]
temporary = tempfile.TemporaryDirectory(prefix="fmu ")  # with a blank, as users have it
folder = pathlib.Path(temporary.name)
failed = 0

# Models that no FMU can have, and a word of the reason.
REFUSED = {"gfm": "population", "generic2010": "population", "haessig_friedland": "random", "rolling": "state equation"}

# Limits of Model Exchange follow from the two methods. The solver of the importer keeps RTOL in each step; its errors add up to at most
# 100 of them, as the authors of CVODE expect. Co-Simulation is of first order: its error at a step is its difference from half of
# the step times 2, at the half itself times 1; 1.5 covers terms of higher order.
RTOL = 1e-6


def limit(between_steps):
    return 1.5 * between_steps + 100 * RTOL


def run(*words):
    return subprocess.run([bristle, *words], capture_output=True, text=True)


def wrong(text):
    global failed
    failed += 1
    print("FAILED:", text, flush=True)


def toml(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value) if isinstance(value, (str, bool)) else repr(value)


def write(model):
    info = json.loads(run("models", model, "--json").stdout)
    info = info[0] if isinstance(info, list) else info
    lines = [f"{p['name']} = {toml(p['typical'])}" for p in info["parameters"] if p["required"]]
    file = folder / f"{model}.toml"
    file.write_text(f'[friction]\nmodel = "{model}"\n' + "\n".join(lines) + "\n")
    return file


def simulate(fmu, kind, body, force, h):
    # Constant inputs: importers hold inputs over a step of their own, which is no matter of the FMU.
    name, value = ("F_app", 1.6 * force) if body else ("v", 0.05)
    return simulate_fmu(
        str(fmu), fmi_type=kind, stop_time=0.1, step_size=h, output_interval=0.01, start_values={name: value},
        output=["F", "x"], relative_tolerance=RTOL,
    )


class WithInputs(fmpy.sundials.CVodeSolver):
    """FMPy holds the inputs of Model Exchange over a step of its output; here they follow their curve inside of steps."""

    def f(self, t, *rest):
        self.input.apply(t, discrete=False)
        return super().f(t, *rest)

    def g(self, t, *rest):
        self.input.apply(t, discrete=False)
        return super().g(t, *rest)


def exchanged(fmu, body, force):
    """Differences of F between Model Exchange and Co-Simulation along an input with reversals, over the largest F, and the limits of them:
    median, and the value that 95 % of the samples keep. Set-valued laws jump at reversals, in other samples for other steps."""
    t = np.linspace(0, 0.1, 20001)
    wave = np.sin(2 * np.pi * 12 * t + 0.7)
    wave = np.array(list(zip(t, 1.6 * force * wave if body else 0.05 * wave)), dtype=[("time", float), ("F_app" if body else "v", float)])
    more = dict(stop_time=0.1, input=wave, output=["F"])
    me = simulate_fmu(str(fmu), fmi_type="ModelExchange", relative_tolerance=RTOL, output_interval=2e-4, **more)
    F = []
    for h in (4e-5, 2e-5):
        cs = simulate_fmu(str(fmu), fmi_type="CoSimulation", output_interval=h, **more)
        F.append(np.interp(me["time"], cs["time"], cs["F"]))
    scale = np.abs(F[1]).max() + 1e-3
    apart, steps = np.abs(me["F"] - F[1]) / scale, np.abs(F[0] - F[1]) / scale
    return [(np.quantile(apart, q), limit(np.quantile(steps, q))) for q in (0.5, 0.95)]


def cosim(fmu, force):
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimManipulator import CosimManipulator
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    description = read_model_description(str(fmu))
    vr = {v.name: v.valueReference for v in description.modelVariables}
    execution = CosimExecution.from_step_size(step_size=1_000_000)
    slave = CosimLocalSlave(fmu_path=str(fmu), instance_name="one")
    index = execution.add_local_slave(slave)
    observer, manipulator = CosimObserver.create_last_value(), CosimManipulator.create_override()
    execution.add_observer(observer=observer)
    execution.add_manipulator(manipulator=manipulator)
    manipulator.slave_real_values(slave_index=index, variable_references=[vr["F_app"]], values=[1.6 * force])
    execution.simulate_until(target_time=100_000_000)
    return observer.last_real_values(slave_index=index, variable_references=[vr["F"], vr["x"]])


fmpy.sundials.CVodeSolver = fmpy.simulation.CVodeSolver = WithInputs
models = json.loads(run("models", "--json").stdout)
names = [m["name"] for m in models]
refused = []
for model in names:
    if chosen and model not in chosen:
        continue
    file = write(model)
    worst, exchange, varied, third = 0.0, 0.0, 0.0, ""
    for body in (False, True):
        results = {}
        for version in ("2", "3"):
            out = folder / f"{model}_{version}_{'body' if body else 'friction'}.fmu"
            made = run("export", "fmu", str(file), "-o", str(out), "--version", version, "--kind", "body" if body else "friction")
            if model in REFUSED:
                if made.returncode != 2 or REFUSED[model] not in made.stderr:
                    wrong(f"{model}: is to be refused because of '{REFUSED[model]}': status {made.returncode}, {made.stderr}")
                refused.append(model)
                break
            if made.returncode:
                wrong(f"{model}: {made.stderr}")
                break
            problems = validate_fmu(str(out))
            if problems:
                wrong(f"{out.name}: {problems[:3]}")
            force = 1.5
            results[version] = simulate(out, "CoSimulation", body, force, 1e-3)
            coarse, fine = (
                simulate_fmu(
                    str(out), fmi_type="CoSimulation", stop_time=0.1, step_size=1e-3, output_interval=0.01,
                    start_values={"F_app" if body else "v": 1.6 * force if body else 0.05, "max_step": h}, output=["F", "x"],
                )
                for h in (2e-5, 1e-5)
            )
            try:
                me = simulate(out, "ModelExchange", body, force, 1e-3)
                scale = np.abs(fine["F"]).max() + 1e-3
                apart, most = abs(me["F"][-1] - fine["F"][-1]) / scale, limit(abs(coarse["F"][-1] - fine["F"][-1]) / scale)
                exchange = max(exchange, apart)
                if apart > most:
                    wrong(f"{out.name}: model exchange differs from co-simulation by {apart:.1e}, at most {most:.1e}")
                for (apart, most), which in zip(exchanged(out, body, force), ("in half of the samples", "in 95 % of the samples")):
                    varied = max(varied, apart)
                    if apart > most:
                        wrong(f"{out.name}: model exchange along a varying input differs by {apart:.1e} {which}, at most {most:.1e}")
            except Exception as e:
                wrong(f"{out.name}: model exchange: {str(e)[:150]}")
            if not np.isfinite(results[version]["F"]).all():
                wrong(f"{out.name}: F is not finite")
            if version == "2" and body:
                try:
                    F, x = cosim(out, force)
                    difference = max(abs(F - results["2"]["F"][-1]), abs(x - results["2"]["x"][-1]))
                    third = f", libcosimpy {difference:.1e}"
                    if difference > 1e-12:
                        wrong(f"{out.name}: libcosimpy differs by {difference}")
                except ImportError:
                    third = ", libcosimpy skipped: not installed"
        if model in refused:
            break
        if len(results) == 2:
            worst = max(worst, np.abs(results["2"]["F"] - results["3"]["F"]).max())
    if model in refused:
        print(f"{model}: refused, as it must be")
        continue
    if worst > 0:
        wrong(f"{model}: versions 2 and 3 differ by {worst}")
    print(f"{model}: valid, versions equal, model exchange {exchange:.1e}, along a varying input {varied:.1e}{third}", flush=True)
print("failed:" if failed else "all held", failed or "")
sys.exit(1 if failed else 0)
