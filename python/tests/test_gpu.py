"""Batches and sweeps on a GPU. Without one: that it is asked for, refused and replaced with a clear message."""

import numpy as np
import pytest

import bristle
from bristle import _core

WHY = _core.gpu_objection()
needs_gpu = pytest.mark.skipif(bool(WHY), reason=WHY or "a GPU")
BLOCK = {"Fc": 1, "Fs": 1.5, "vs": 1e-3, "sigma0": 1e5, "sigma1": 300}
LUGRE = {
    "friction": {"model": "lugre", **BLOCK},
    "system": {"kind": "slider", "mass": 1.0, "stiffness": 2.0},
    "drive": {"kind": "ramp", "velocity": 0.1},
    "solver": {"duration": 5.0, "rtol": 1e-6},
    "measure": {"peak": "max(F)", "sticks": "count(stick)"},
}
VARY = {"drive.velocity": [0.05, 0.1, 0.2], "system.stiffness": [1.0, 2.0]}


@pytest.mark.skipif(not WHY, reason="this machine has a GPU")
def test_a_missing_gpu_is_an_error_with_the_remedy():
    with pytest.raises(bristle.DeviceError, match='device="cpu" is accepted') as e:
        bristle.Batch("lugre", **BLOCK, size=3, device="gpu")
    assert WHY in str(e.value)
    with pytest.raises(bristle.InputError, match="device gpu: .*; device cpu is accepted"):
        bristle.sweep(LUGRE, vary=VARY, device="gpu")
    with pytest.raises(bristle.InputError, match="device gpu"):  # that of the scenario
        bristle.sweep(dict(LUGRE, solver={**LUGRE["solver"], "device": "gpu"}), vary=VARY)


@pytest.mark.skipif(not WHY, reason="this machine has a GPU")
def test_auto_takes_the_processor():
    b = bristle.Batch("lugre", **BLOCK, size=3, device="auto")
    assert b.device == "cpu" and np.array_equal(b.step(0.01, 1e-3), bristle.Batch("lugre", **BLOCK, size=3).step(0.01, 1e-3))
    with pytest.warns(UserWarning, match="device auto: the processor computes the runs"):
        table = bristle.sweep(LUGRE, vary=VARY, device="auto")
    assert table.equals(bristle.sweep(LUGRE, vary=VARY))


def test_wrong_devices_are_refused():
    with pytest.raises(bristle.InputError, match='must be "cpu", "gpu" or "auto"'):
        bristle.Batch("lugre", **BLOCK, size=3, device="tpu")
    with pytest.raises(bristle.InputError, match="must be cpu, gpu or auto"):
        bristle.sweep(LUGRE, vary=VARY, device="tpu")
    with pytest.raises(bristle.InputError, match="with a client"):
        bristle.sweep(LUGRE, vary=VARY, device="gpu", client=object())


@needs_gpu
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_batch_on_a_gpu_is_the_batch_of_the_processor(dtype):
    Fc = np.linspace(1, 1.4, 1000)
    here, there = (bristle.Batch("lugre", **{**BLOCK, "Fc": Fc}, dtype=dtype, device=d) for d in ("cpu", "gpu"))
    rng = np.random.default_rng(3)
    for _ in range(20):
        v = (0.01 * rng.standard_normal(1000)).astype(dtype)
        F = there.step(v, 1e-4)
        assert isinstance(F, np.ndarray) and F.dtype == dtype
        assert np.allclose(F, here.step(v, 1e-4), rtol=0, atol=1e-12 if dtype == np.float64 else 1e-3)
    for wrong in ({"load": 1}, {"x": 0}, {"temperature": 20}):
        with pytest.raises(bristle.InputError, match="not accepted on a GPU"):
            there.step(0.01, 1e-4, **wrong)
    with pytest.raises(bristle.InputError):
        there.step(np.full(1000, np.nan, dtype), 1e-4)
    with pytest.raises(bristle.InputError, match="effects"):
        bristle.Batch("lugre", **BLOCK, size=3, effects={"offset": 1}, device="gpu")


@needs_gpu
@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_arrays_of_the_gpu_are_not_copied(library):
    xp = pytest.importorskip(library)
    on_gpu = (lambda a: xp.asarray(a, device="cuda")) if library == "torch" else xp.asarray
    back = (lambda a: a.cpu().numpy()) if library == "torch" else xp.asnumpy
    here, there = (bristle.Batch("lugre", **BLOCK, size=1000, device=d) for d in ("cpu", "gpu"))
    rng = np.random.default_rng(4)
    out = on_gpu(np.zeros(1000))
    address = out.data_ptr() if library == "torch" else out.data.ptr
    for k in range(10):
        v = 0.01 * rng.standard_normal(1000)
        F = there.step(on_gpu(v), 1e-4, out=out if k % 2 else None)
        assert type(F) is type(out) and (F is out) == bool(k % 2)
        assert np.allclose(back(F), here.step(v, 1e-4), rtol=0, atol=1e-12)
    assert (out.data_ptr() if library == "torch" else out.data.ptr) == address
    kept = there.step(on_gpu(v), 1e-4)  # outlives the batch
    there_F = back(kept).copy()
    del there
    assert np.array_equal(back(kept), there_F)
    b = bristle.Batch("lugre", **BLOCK, size=1000, device="gpu")
    for wrong in (np.zeros(999), np.zeros((1000, 1)), np.zeros(1000, np.float32), np.zeros(2000)[::2]):
        with pytest.raises(bristle.InputError, match="v: must"):
            given = on_gpu(np.zeros(2000))[::2] if wrong.shape == (1000,) and wrong.dtype == np.float64 else on_gpu(wrong)
            b.step(given, 1e-4)
    with pytest.raises(bristle.InputError, match="out: must be an array of the GPU"):
        b.step(on_gpu(np.zeros(1000)), 1e-4, out=np.zeros(1000))


@needs_gpu
def test_sweep_on_a_gpu_is_that_of_the_processor():
    here, there = (bristle.sweep(LUGRE, vary=VARY, device=d) for d in ("cpu", "gpu"))
    assert (there["status"] == "done").all() and there["sticks"].tolist() == here["sticks"].tolist()
    assert np.allclose(there["peak"], here["peak"], rtol=1e-5)
    refused = bristle.sweep(LUGRE, vary={"system.stiffness": [1.0, -1.0]}, device="gpu")
    assert refused["status"].tolist() == ["done", "failed"] and "stiffness" in refused["message"][1]
    with pytest.raises(bristle.InputError, match="coulomb"):
        bristle.sweep(dict(LUGRE, friction={"model": "coulomb", "Fc": 1.0}), vary=VARY, device="gpu")
