"""Writes docs/speed.md from the results of tools/bench-peers."""
import pathlib
import platform
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PEERS = ["CVODE", "CVODE, packaged", "odeint", "odeint, usual", "solve_ivp", "solve_ivp, usual", "Octave", "Simbody"]
TITLES = {"stick_slip": "LuGre stick-slip, 3 states", "chain": "chain of three LuGre blocks, 9 states",
          "motion_lugre": "LuGre", "motion_gms": "GMS, four elements"}


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def version(python):
    return output("/usr/bin/python3", "-c", python)


def package(name):
    return output("dpkg-query", "-W", "-f", "${Version}", name)


def title(name):
    kind, _, law = name.partition("_")
    return TITLES.get(name, f"{kind}, {law.replace('brown_mcphee', 'Brown-McPhee').replace('lugre', 'LuGre')}")


def short(x):
    return f"{x:.0f}" if x >= 100 else f"{x:.3g}"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(map(str, r)) + " |" for r in rows] + [""]


def chosen(run, solver, target):
    return run["solvers"].get(solver, {}).get("best", {}).get(target)


def ratio(run, solver, target):
    ours, other = chosen(run, "ours", target), chosen(run, solver, target)
    return other["ms"] / ours["ms"] if ours and other else None


def cell(run, solver, target):
    entry = run["solvers"].get(solver)
    if entry is None:
        return "–"
    value = ratio(run, solver, target)
    if value is not None:
        return f"{short(value)}×"
    least = entry["least_error"]
    return "–" if least is None else f"not reached ({least:.0e})"


def ratios(results, target):
    rows = []
    for run in results["runs"]:
        ours = chosen(run, "ours", target)
        if ours is None:
            entry = run["solvers"].get("ours", {})
            why = "not reached" if entry.get("least_error") else entry.get("failed") or run["confirmed"]
            rows.append([title(run["problem"]["name"]), why[:60]] + ["–"] * len(PEERS))
            continue
        rows.append([title(run["problem"]["name"]), f"{ours['ms']:.3f}"] + [cell(run, peer, target) for peer in PEERS])
    return table(["problem", "ours, ms"] + PEERS, rows)


def run_of(results, name):
    return next((r for r in results["runs"] if r["problem"]["name"] == name), None)


def targets(results):
    """(what, value or None, target, moonshot, reached?)"""
    def of(name, solver):
        run = run_of(results, name)
        return ratio(run, solver, 1e-6) if run else None

    rows = [("SciPy solve_ivp, stick-slip, usual right-hand side", of("stick_slip", "solve_ivp, usual"), 400, 1000),
            ("the same, tuned right-hand side", of("stick_slip", "solve_ivp"), 400, 1000),
            ("SciPy odeint, stick-slip, usual right-hand side", of("stick_slip", "odeint, usual"), 100, 200),
            ("the same, tuned right-hand side", of("stick_slip", "odeint"), 100, 200),
            ("CVODE -O3, 3 states", of("stick_slip", "CVODE"), 8, 15), ("CVODE -O3, 9 states", of("chain", "CVODE"), 4, 10)]
    blocks = [r for r in results["runs"] if r["problem"]["name"].startswith("block_")]
    simbody = [x for r in blocks if (x := ratio(r, "Simbody", 1e-6)) is not None]
    rows.append((f"Simbody, block, smallest of {len(simbody)} laws" if simbody else "Simbody, block",
                 min(simbody, default=None), 400, 1000))
    lines = []
    for what, value, goal, moon in rows:
        state = "not measured" if value is None else "moonshot reached" if value >= moon else "reached" if value >= goal else "NOT reached"
        lines.append([what, "–" if value is None else f"{short(value)}×", f"≥ {goal}×", f"≥ {moon}×", state])
    lanes = cost = None
    if results["ensemble"] and "members" in results["ensemble"]:
        members = results["ensemble"]["members"]
        lanes, one = (members.get(n, {}).get(1e-6, {}) for n in ("ours, in lanes", "ours, one by one"))
        cost = lanes["ms"] / one["ms"] if "ms" in lanes and "ms" in one else None
    state = "not measured" if cost is None else "moonshot reached" if cost <= 0.15 else "reached" if cost <= 0.6 else "NOT reached"
    lines.append(["ensemble in vector lanes, ratio to one by one", "–" if cost is None else f"{cost:.2f}", "≤ 0.6", "≤ 0.15", state])
    if results["command"]:
        start = results["command"]["--version"]["wall"]
        lines.append(["start of the command", f"{start:.1f} ms", "< 4 ms", "", "reached" if start < 4 else "NOT reached"])
    return table(["compared with, at error 1e-6", "measured", "target", "moonshot", ""], lines)


def settings(results):
    rows = []
    for run in results["runs"]:
        for solver, entry in run["solvers"].items():
            for target, s in entry["best"].items():
                rows.append([title(run["problem"]["name"]), solver, f"{target:.0e}", s["method"], f"{s['rtol']:.1e}", s["scaling"],
                             f"{s['error']:.1e}", f"{s['ms']:.3f}", s["steps"] if s.get("steps") else "–"])
    return table(["problem", "solver", "target", "method", "rtol", "scaling", "error", "ms", "steps"], rows)


def motions(results):
    lines = []
    for motion in results["motions"]:
        if not motion["rows"]:
            continue
        samples = round(motion["problem"]["duration"] / motion["problem"]["output_step"])
        lines += [f"{title(motion['problem']['name'])} (reference confirmed: {motion['confirmed']}):", ""]
        least = min(r["ms"] for r in motion["rows"] if r["name"].startswith("ours"))
        lines += table(["", "ns per sample", "error", "ratio to our best"],
                       [[r["name"], f"{1e6 * r['ms'] / samples:.1f}", f"{r['error']:.0e}", f"{short(r['ms'] / least)}×"]
                        for r in motion["rows"]])
    return lines


def ensemble(results):
    e = results["ensemble"]
    if not e or "members" not in e:
        return [f"Not measured: {e['failed'] if e else 'skipped'}.", ""]
    one = {t: e["members"].get("ours, one by one", {}).get(t, {}).get("ms") for t in (1e-3, 1e-6)}
    rows = []
    for name, by in e["members"].items():
        for target, s in by.items():
            if "failed" in s:
                rows.append([name, f"{target:.0e}", s["failed"], "–", "–", "–"])
            else:
                base = f"{s['ms'] / one[target]:.3g}" if one[target] else "–"
                error = "sample of 10" if s["error"] is None else f"{s['error']:.0e}"
                rows.append([name, f"{target:.0e}", f"{s['ms'] / e['count']:.4f}", base, f"{s['rtol']:.1e}", error])
    return table(["solver", "target", "ms per run", "ratio to one by one", "rtol", "largest error"], rows)


def commands(results):
    c = results["command"]
    if not c:
        return ["Not measured: the command is not built.", ""]
    rows = [[f"`bristle {name}`", f"{t['cpu']:.2f}", f"{t['wall']:.2f}"] for name, t in c.items() if name != "solve"]
    return table(["", "CPU, ms", "wall, ms"], rows) + [
        f"Of `simulate`, {c['--version']['cpu']:.2f} ms are the start of the process and {c['solve']:.2f} ms the solve itself "
        f"(the library at the same rtol, 1e-8); the rest reads the file, checks and reports. Writing 100,000 rows of CSV takes "
        f"{c['simulate --csv, 100,000 rows']['cpu'] - c['simulate, 100,000 rows']['cpu']:.0f} ms.", ""]


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def write(results, quick):
    sundials = ROOT / "build" / "peers" / "sundials" / "version"
    versions = [f"- CVODE: SUNDIALS {sundials.read_text().strip()} built from the distribution's sources with -O3, static"
                if sundials.exists() else "- CVODE -O3: not built",
                f"- CVODE, packaged: libsundials {package('libsundials-dev')} as the distribution ships it (compiled without optimisation)",
                f"- odeint, solve_ivp: SciPy {version('import scipy; print(scipy.__version__)') or '(not installed)'}, NumPy "
                f"{version('import numpy; print(numpy.__version__)')}, {platform.python_implementation()} "
                f"{output('/usr/bin/python3', '--version').removeprefix('Python ')}",
                f"- Octave: {package('octave') or 'not installed'}", f"- Simbody: {package('libsimbody-dev') or 'not installed'}",
                f"- compiler of ours and of the compiled peers: {output('c++', '--version').splitlines()[0]}"]
    confirmed = [[title(r["problem"]["name"]), r["confirmed"]] for r in results["runs"]]
    lines = ["# Solver time compared with other programs", "",
             "Written by `make bench-peers` from one run" + (" with --quick: NOT for quoting" if quick else "") +
             ". Ratios apply to other machines, times do not.", "",
             f"Machine: {processor()}, shared. One thread each.", "",
             "## Targets", "", *targets(results),
             "## Ratios at equal error", "", "Time of the other program divided by ours. At error 1e-6:", "", *ratios(results, 1e-6),
             "At error 1e-3:", "", *ratios(results, 1e-3)]
    for name, why in results["missing"].items():
        lines += [f"{name}: {why}.", ""]
    lines += ["“–”: not measured (odeint has no events; Octave and Simbody were measured on single blocks). "
              "“not reached”: no tolerance gave this error; the smallest error is in brackets.", "",
              "## Ensemble", "",
              f"{results['ensemble']['count'] if results['ensemble'] and 'count' in results['ensemble'] else 1000} stick-slip runs, Fs, vs, sigma0, k and the pulling velocity each within 30 %. "
              "The error is the largest one over all runs. SciPy: extrapolated from ten runs with the settings of the single run.", "",
              *ensemble(results),
              "## Prescribed motion", "",
              "Friction force along 30 s of a ten-tone multisine velocity at 1 kHz, as in an identification. The computation "
              "sample by sample holds the velocity for a millisecond and is exact for that motion; the solvers follow the continuous "
              "motion. Errors refer to the continuous motion and are relative to the largest force.", "", *motions(results),
              "## The command", "", "Stick-slip scenario of the examples, whole processes, medians.", "", *commands(results),
              "## Method", "",
              "- Error: the largest deviation of x or v on the 100 Hz grid, divided by the largest |x| or |v| of the run, over all blocks.",
              "- Reference: ours at rtol 1e-12, confirmed by CVODE at 1e-11 to 1e-13 with its own event formulation. The smallest "
              "difference between the two must be below 1e-8:", "", *table(["problem", "differs from the reference by"], confirmed),
              "- Every solver ran with every tolerance from 1e-2 to 1e-12 in half decades for each of its methods. The absolute tolerances "
              "are rtol times the scale of each state: `model` from the parameters (Fs/k, vs, Fs/sigma0), `range` from the range of "
              "the run. The result is the fastest setting with the required error.",
              "- Time: CPU time of the process for a whole solution with all rows (2001, 1001 or 2501); medians of several rounds in "
              "which the solvers alternate.",
              "- Ours: `simulate()` as in a program, with rows of all columns, events and the energy balance.",
              "- CVODE: compiled right-hand side, dense analytic Jacobian (bdf) or its own difference quotient (bdf-dq), Adams "
              "for problems that are not stiff; root functions for dry friction. SciPy, tuned: right-hand side on Python floats, analytic "
              "Jacobian where that is faster; usual: NumPy functions on the elements of y, no Jacobian; "
              "dry friction by terminal events. Octave: lsode, ode15s with Jacobian, ode45 with "
              "events. Simbody: one custom force with the bristle as a Z state, weights per state; CPodes, Merson, Feldberg; "
              "triggered events for dry friction.", "", *versions, "",
              "<details><summary>Fastest settings</summary>", "", *settings(results), "</details>"]
    return "\n".join(lines) + "\n"
