"""CPU time of the bristle command around its solution: whole processes, user and system, medians."""
import os
import statistics
import subprocess
import time


def run(arguments):
    begin = time.monotonic()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - begin
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, arguments))}: exit status {process.returncode}")
    return 1e3 * (usage.ru_utime + usage.ru_stime), 1e3 * wall


def measure(bristle, folder, rounds):
    if not bristle.exists():
        return None
    scenario = bristle.parent.parent.parent / "examples" / "scenarios" / "stick_slip.toml"
    if not scenario.exists():
        scenario = os.path.join(os.path.dirname(__file__), "../../examples/scenarios/stick_slip.toml")
    simulate = [bristle, "simulate", scenario, "--quiet"]
    jobs = {"--version": [bristle, "--version"], "models": [bristle, "models"], "models lugre": [bristle, "models", "lugre"],
            "simulate --quiet": simulate, "simulate --csv": [*simulate, "--csv", folder / "run.csv"],
            "simulate --plot svg": [*simulate, "--plot", folder / "run.svg"],
            "simulate --report": [*simulate, "--report", folder / "run.html"],
            "simulate --csv, 100,000 rows": [*simulate, "--set", "solver.output_step=2e-4", "--csv", folder / "run.csv"],
            "simulate, 100,000 rows": [*simulate, "--set", "solver.output_step=2e-4"]}
    spent = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, arguments in jobs.items():
            spent[name].append(run(arguments))
    return {name: {"cpu": statistics.median(cpu for cpu, _ in times), "wall": statistics.median(wall for _, wall in times)}
            for name, times in spent.items()}
