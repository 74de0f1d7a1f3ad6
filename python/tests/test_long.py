"""A cluster that loses a worker, the checks of scikit-learn, xarray, tqdm: `make check-python`."""

import os
import signal
import sys
import threading
import time

import numpy as np
import pandas as pd
import pytest

import bristle

pytestmark = pytest.mark.long


def test_a_lost_worker_loses_nothing():
    distributed = pytest.importorskip("dask.distributed")
    sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parents[2] / "examples" / "python"))
    import cluster as example

    table = example.table(2000)
    expected = bristle.sweep(example.SCENARIO, table)
    seen = []
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        victim = next(iter(client.run(os.getpid).values()))

        def progress(done, total):
            if done >= total // 2 and not seen:
                os.kill(victim, signal.SIGKILL)
                seen.append(done)

        result = bristle.sweep(example.SCENARIO, table, client=client, chunk=100, progress=progress)
        assert client.submit(os.getpid).result() != victim
    assert seen and len(result) == 2000 and (result["status"] == "done").all()
    pd.testing.assert_frame_equal(result, expected, check_exact=True)


def test_problems_are_raised_here_not_by_a_worker(slider):
    distributed = pytest.importorskip("dask.distributed")
    with distributed.Client(n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
        with pytest.raises(bristle.InputError, match="Fz"):
            bristle.sweep(slider, {"friction.Fz": [1.0]}, client=client)
        # A refused row that begins a task is a failed run, as without a cluster.
        table = {"friction.model": ["stribeck", "stribeck", "karnopp"], "friction.Fs": [1.5, 0.5, 1.5]}
        pd.testing.assert_frame_equal(bristle.sweep(slider, table, client=client, chunk=1), bristle.sweep(slider, table))




def test_estimator_checks():
    pytest.importorskip("sklearn")
    from sklearn.utils.estimator_checks import check_estimator

    results = check_estimator(bristle.FrictionRegressor(model="coulomb_tanh"), on_fail=None, on_skip=None)
    failed = {r["check_name"]: str(r["exception"])[:200] for r in results if r["status"] == "failed"}
    print(failed)
    assert not failed


def test_regressor_finds_the_curve():
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_score

    rng = np.random.default_rng(0)
    v = rng.uniform(-1, 1, 400)
    other = rng.standard_normal(400)
    y = bristle.Stribeck(Fc=1, Fs=1.5, vs=0.1, kv=0.3).steady(v) + 0.2 * other + 0.01 * rng.standard_normal(400)
    model = bristle.FrictionRegressor("stribeck")
    assert cross_val_score(model, np.column_stack([v, other]), y).min() > 0.99
    fitted = clone(model).fit(np.column_stack([v, other]), y)
    assert fitted.contact_.Fc == pytest.approx(1, rel=0.02) and fitted.fit_.values["c1"] == pytest.approx(0.2, rel=0.05)
    t = np.arange(4000) * 1e-3
    w = 0.02 * np.sin(3 * t) * np.sin(0.4 * t)
    F = bristle.LuGre(Fc=1, Fs=1.5, vs=5e-3, sigma0=1e4, sigma1=50, kv=3).along(1e-3, v=w)
    assert bristle.FrictionRegressor("lugre", dt=1e-3).fit(w[:, None], F).score(w[:, None], F) > 0.99


def test_other_packages(slider):
    pytest.importorskip("xarray")
    data = bristle.simulate(slider).to_xarray()
    assert data["F"].attrs["units"] == "N" and data.sizes["t"] == 1001
    tqdm = pytest.importorskip("tqdm")
    bristle.sweep(slider, vary={"friction.Fs": np.linspace(1.2, 2, 30)}, progress=tqdm.tqdm)


def test_many_threads(lugre, slider):
    """Runs and motions in eight threads at once give the bits of one."""
    v = 0.01 * np.sin(np.arange(200_000) * 1e-2)
    F, x = lugre.copy().along(1e-3, v=v), bristle.simulate(slider).x
    wrong = []

    def work():
        for _ in range(5):
            if not (np.array_equal(lugre.copy().along(1e-3, v=v), F) and np.array_equal(bristle.simulate(slider).x, x)):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not wrong
    refused = []

    def share(c):
        try:
            c.along(1e-3, v=np.tile(v, 10))
        except bristle.InputError as e:
            refused.append(str(e))

    c = lugre.copy()
    threads = [threading.Thread(target=share, args=(c,)) for _ in range(2)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(refused) <= 1 and all("another thread" in r for r in refused)


def test_control_c_is_quick():
    """Within 0.1 s; the quick tests allow more for busy machines."""
    from test_simulate import interrupted, long_run

    late = min(interrupted(lambda: bristle.simulate(long_run()), 5.0) for _ in range(3))
    assert late < 0.1
    c = bristle.LuGre(Fc=1, Fs=1.5, vs=1e-3, sigma0=1e5, sigma1=300)
    v = 0.01 * np.sin(np.arange(5_000_000) * 1e-2)
    time.sleep(0.1)
    assert min(interrupted(lambda: [c.along(1e-3, v=v) for _ in range(200)], 5.0) for _ in range(3)) < 0.1


TYPED = '''
import numpy as np
import bristle

c = bristle.LuGre(Fc=1, Fs=1.5, vs=1e-3, sigma0=1e5, sigma1=300, heat={"capacity": 1, "conductance": 0.1})
F: float = c.steady(0.1)
along = c.along(1e-3, v=np.ones(10)).mean()
v: float = c.copy().couple(0.0, 1.0, 1.0, 1e-3).v
Fc: float = c.Fc
r = bristle.simulate("a.toml", set={"friction.Fc": 2.0})
x: float = r["x"][-1] + r.x[0] + r.energy.error
names: list[str] = [e.body for e in r.events]
table = bristle.sweep("a.toml", vary={"friction.Fc": [1.0, 2.0]})
best: bristle.Fit = bristle.identify(table).best
rmse: float = bristle.score(best, table)["rmse"] + best.rmse
p: bristle.Contact = bristle.make("gfm", seed=2)
s: float = bristle.surface(np.zeros((9, 9)), 1e-6).values["Sq"]
'''
WRONG = {'bristle.LuGre(Fc=1)': "Missing named argument", 'bristle.simulate("a", sets={})': "Unexpected keyword",
         'bristle.Stribeck(Fc="1", Fs=1, vs=1)': "incompatible type", 'bristle.smulate("a")': "has no attribute",
         'bristle.simulate("a").energy.eror': "has no attribute"}


def test_types_are_those_of_the_stubs(tmp_path):
    pytest.importorskip("mypy")
    import subprocess

    package = os.path.dirname(os.path.dirname(bristle.__file__))
    base = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "--follow-imports=silent"]

    def check(text):
        (tmp_path / "example.py").write_text(text)
        return subprocess.run([*base, str(tmp_path / "example.py")], capture_output=True, text=True, cwd=tmp_path,
                              env={**os.environ, "MYPYPATH": package})

    good = check(TYPED)
    assert good.returncode == 0, good.stdout
    wrong = check("import bristle\n" + "\n".join(WRONG)).stdout
    for row, expected in enumerate(WRONG.values(), 2):
        assert any(f":{row}: error" in line and expected in line for line in wrong.splitlines()), wrong
