#!/usr/bin/env python3
"""Measures everything in docs/gpu.md on this machine, device and processor in one run, and writes the numbers as JSON:
bench/gpu/measure.py BUILD_FOLDER OUT.json. Needs BUILD_FOLDER/bin/bristle_gpu_bench and BUILD_FOLDER/bin/bristle."""
import csv
import io
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

build, target = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
bench, bristle = build / "bin/bristle_gpu_bench", build / "bin/bristle"
folder = pathlib.Path(tempfile.mkdtemp())
good = True

MAP = """schema = 1
title = "Stick-slip over velocity and stiffness"
[friction]
model = "lugre"
Fc = 1.0
Fs = 1.5
vs = 0.001
sigma0 = 1e5
sigma1 = 316.0
kv = 0.4
[system]
kind = "slider"
mass = 1.0
stiffness = 2.0
[drive]
kind = "ramp"
velocity = 0.1
[solver]
duration = 20.0
rtol = 1e-6
[measure]
peak = "max(F)"
sticks = "count(stick)"
"""
# Counters of the profiler; of a kernel the launch that takes longest counts.
COUNTERS = {
    "fp64": "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
    "fp32": "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
    "issue": "sm__issue_active.avg.pct_of_peak_sustained_active",
    "memory": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "shared": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "warps": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "time": "gpu__time_duration.sum",
    "dadd": "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
    "dmul": "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
    "dfma": "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
    "fadd": "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "fmul": "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
    "ffma": "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
}


def sweep(points, device, name):
    out, file = folder / name, folder / "map.toml"
    file.write_text(MAP)
    shutil.rmtree(out, ignore_errors=True)
    begin = time.perf_counter()
    code = subprocess.run([bristle, "sweep", file, "--vary", f"drive.velocity=0.05:0.15:{points}", "--vary",
                           f"system.stiffness=1:4:{points}", "--device", device, "-o", out, "--quiet"]).returncode
    return code, time.perf_counter() - begin


def rows(name):
    with open(folder / name / "table.csv") as f:
        return list(csv.DictReader(f))


def measure_map(m):
    global good
    sweep(64, "gpu", "warm")
    runs = [sweep(1000, "gpu", "map") for _ in range(3)]
    m["map_status"] = max(code for code, _ in runs)
    m["map_seconds"] = statistics.median(seconds for _, seconds in runs)
    code, seconds = sweep(200, "cpu", "cpu")
    m["map_host_seconds"] = 25 * seconds
    sweep(200, "gpu", "gpu")
    here, there = rows("cpu"), rows("gpu")
    m["map_other_counts"] = sum(a["sticks"] != b["sticks"] for a, b in zip(here, there))
    m["map_difference"] = max(abs(float(a["peak"]) - float(b["peak"])) / float(a["peak"]) for a, b in zip(here, there))
    done = sum(r["status"] == "done" for r in rows("map"))
    print(f"map of 1000 x 1000: {[round(s, 2) for _, s in runs]} s, {done} done; processor, extrapolated from 200 x 200: "
          f"{m['map_host_seconds']:.0f} s; 200 x 200: {m['map_other_counts']} counts differ, max(F) by {m['map_difference']:.1e}")
    good = good and m["map_status"] == 0 and code == 0 and done == 1000000 and len(here) == len(there) == 40000


def profile(m):
    ncu = shutil.which("ncu")
    if not ncu:
        print("profile: SKIPPED, there is no ncu")
        return
    text = subprocess.run([ncu, "--clock-control", "none", "--csv", "--page", "raw", "--metrics", ",".join(COUNTERS.values()),
                           bench, folder / "unused.json", "kernels"], capture_output=True, text=True).stdout
    table = [r for r in csv.DictReader(io.StringIO(text[text.find('"ID"'):])) if (r.get("ID") or "").isdigit()]
    for r in table:
        value = {k: float((r.get(c) or "nan").replace(",", "")) for k, c in COUNTERS.items()}
        name = r["Kernel Name"]
        if "sum_parts" in name or value["time"] < 0:
            continue
        key = f"kernel.{name[:160]}"
        if key not in m or m[key]["time"] < value["time"]:
            m[key] = {k: v for k, v in value.items() if v == v}
    print(f"profile: {len(table)} launches")


code = subprocess.run([bench, folder / "bench.json"]).returncode
good = good and code == 0
m = {"device": "", "host": f"{os.cpu_count()} cores of the same machine", **json.loads((folder / "bench.json").read_text())}
m["device"] = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip()
measure_map(m)
profile(m)
target.write_text(json.dumps(m, indent=1) + "\n")
sys.exit(0 if good else 1)
