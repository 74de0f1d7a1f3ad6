"""100,000 runs on a local Dask cluster: `python cluster.py [RUNS] [WORKERS]`.

On Slurm nothing but the cluster changes (package dask-jobqueue):

    from dask_jobqueue import SLURMCluster
    cluster = SLURMCluster(cores=16, processes=16, memory="32GB", walltime="01:00:00", queue="normal")
    cluster.scale(jobs=20)
    client = Client(cluster)

Tasks of 200 runs are pure and keyed by their input: those of a lost worker run again, with the same bits. Files that the
scenario refers to must be visible to all workers."""

import sys
import time

import numpy as np

import bristle

SCENARIO = {
    "friction": {"model": "stribeck", "Fc": 1.0, "Fs": 1.5, "vs": 1e-3},
    "system": {"kind": "slider", "mass": 1.0, "stiffness": 2.0},
    "drive": {"kind": "ramp", "velocity": 0.1},
    "solver": {"duration": 5.0, "output_step": 0.05},
    "measure": {"end": "final(x)", "slips": "count(slip+)"},
}


def table(runs):
    return bristle.sample({"friction.Fs": (1.05, 3), "drive.velocity": (0.05, 0.5, "log")}, runs)


def main(runs=100_000, workers=2):
    from dask.distributed import Client, LocalCluster

    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        begin = time.perf_counter()
        result = bristle.sweep(SCENARIO, table(runs), client=client)
        seconds = time.perf_counter() - begin
    print(f"{runs} runs in {seconds:.1f} s, {1e6 * seconds / runs:.0f} us each; {result['status'].value_counts().to_dict()}")
    same = bristle.sweep(SCENARIO, table(runs)[:200])
    assert np.array_equal(same["end"], result["end"][:200])  # the same bits as in this process


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:]))
