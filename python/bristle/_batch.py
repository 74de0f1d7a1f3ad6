"""Many contacts at once, in vector code."""

import sys
import threading

import numpy as np

from . import _core
from ._contact import _EFFECTS, _INFO, _apart, _array, _plain, make
from ._errors import DeviceError, InputError


class Batch:
    """Many contacts of one model that step together: ``Batch("lugre", Fc=np.linspace(1, 2, 1000), Fs=2.5, ...)``.

    A parameter is one number, or an array with one per contact; of array parameters (k of gms) one row per contact. So are
    the effects, ``effects={"offset": np.linspace(0, 1, 1000), "asymmetry": 0.1}``. The number of contacts is that of the
    arrays, or `size`. dtype float32 doubles the speed. The forces are those of single contacts within rounding.
    Contacts with other parameters in negative motion, and populations of asperities, are single contacts.

    device : "gpu" steps them on an NVIDIA GPU, "auto" where there is one. `step` then takes and gives arrays of the GPU
    without a copy (PyTorch, CuPy and all others with DLPack), in the order of its default stream; NaN is not refused in
    them. Effects, load, x and temperature are not accepted on a GPU."""

    __slots__ = ("__weakref__", "_batch", "_moving", "device", "dtype", "model", "size")  # no parameter is set by a name of its own

    def __init__(self, model, /, *, size=None, dtype=np.float64, effects=None, device="cpu", **parameters):
        self.dtype = np.dtype(dtype)
        self.device = _device(device, effects)
        if self.dtype not in (np.float64, np.float32):
            raise InputError(f"dtype: is {self.dtype}, must be float64 or float32")
        if model not in _INFO:
            make(model)
        for word in ("negative", "initial"):
            if word in parameters:
                raise InputError(f"{word}: not accepted in a batch; single contacts (bristle.make) accept it")
        common, varied = _divided(parameters, {f["name"]: f["kind"] for f in _INFO[model]["parameters"]})
        common_effects, varied_effects = _divided(effects or {}, {f["name"]: f["kind"] for f in _EFFECTS})
        sizes = {len(a) for a in (*varied.values(), *varied_effects.values())} | ({_count(size)} if size is not None else set())
        if len(sizes) != 1:
            raise InputError(f"{model}: one number of contacts is required, by size or arrays of equal length; given: {sorted(sizes) or 'none'}")
        self.model, self.size = model, sizes.pop()
        if not self.size >= 1:
            raise InputError(f"{model}: {self.size} contacts; at least one is required")
        self._check(model, (common, common_effects), (varied, varied_effects))
        self._moving = threading.Lock()  # a batch is moved by one thread at a time
        block, around = _plain({**common, **_first(varied)}), _plain({**common_effects, **_first(varied_effects)})
        if self.device == "gpu":
            create = _core.make_GpuBatchDouble if self.dtype == np.float64 else _core.make_GpuBatchFloat
            self._batch = create(model, block, self.size)
        else:
            create = _core.make_BatchDouble if self.dtype == np.float64 else _core.make_BatchFloat
            self._batch = create(model, block, around, self.size)
        for name, a in (*varied.items(), *(("effects." + k, a) for k, a in varied_effects.items())):
            columns = [(name, a)] if a.ndim == 1 else [(f"{name}{j + 1}", a[:, j]) for j in range(a.shape[1])]
            for column, values in columns:
                if not self._batch.vary(column, np.ascontiguousarray(values, dtype=self.dtype)):
                    raise InputError(f"{column}: only real parameters vary from contact to contact")

    @staticmethod
    def _check(model, common, varied):
        """Every distinct contact is one that `make` accepts: conditions between parameters hold for each."""
        all_varied = [*varied[0].values(), *varied[1].values()]
        rows = np.unique(np.column_stack([a.reshape(len(a), -1) for a in all_varied]), axis=0) if all_varied else np.empty((1, 0))
        for row in rows:
            at, blocks = 0, []
            for fixed, given in zip(common, varied):
                block = dict(fixed)
                for name, a in given.items():
                    width = 1 if a.ndim == 1 else a.shape[1]
                    block[name] = float(row[at]) if a.ndim == 1 else row[at : at + width].tolist()
                    at += width
                blocks.append(block)
            make(model, **blocks[0], effects=blocks[1])

    def step(self, v, dt, *, load=None, x=None, temperature=None, out=None):
        """Advance every contact by dt at its velocity v; return the forces.

        load : normal load over nominal load. x : position, the integral of v unless given. temperature : degrees Celsius.
        Each of these and v is one number for all contacts, or one per contact. Only effects read x and temperature.
        On a GPU the forces of an array of the GPU are an array of the same library."""
        if self.device == "gpu":
            for a, name in ((load, "load"), (x, "x"), (temperature, "temperature")):
                if a is not None:
                    raise InputError(f'{name}: not accepted on a GPU; device="cpu" accepts it')
            if _on_gpu(v) or _on_gpu(out):
                return self._step_on_gpu(v, dt, out)
        if out is None:
            out = np.empty(self.size, dtype=self.dtype)
        elif not (isinstance(out, np.ndarray) and out.dtype == self.dtype and out.shape == (self.size,)
                  and out.flags.c_contiguous and out.flags.writeable):
            raise InputError(f"out: must be a writable, contiguous array of {self.size} {self.dtype}")
        inputs = [self._each(a, name, out) for a, name in ((v, "v"), (load, "load"), (x, "x"), (temperature, "temperature"))]
        if not self._moving.acquire(blocking=False):
            raise InputError("this batch is moved by another thread; each thread requires its own")
        try:
            self._batch.step(inputs[0], dt, *(inputs[1:] if self.device == "cpu" else ()), out)
        finally:
            self._moving.release()
        return out

    def _step_on_gpu(self, v, dt, out):
        for a, name in ((v, "v"), (out, "out")):
            if a is not None and not _on_gpu(a):
                raise InputError(f"{name}: must be an array of the GPU as the other one is")
        if not self._moving.acquire(blocking=False):
            raise InputError("this batch is moved by another thread; each thread requires its own")
        try:
            filled = self._batch.empty() if out is None else out
            self._batch.advance(v, dt, filled)
            return _of_library(v, filled, self._batch) if out is None else out
        finally:
            self._moving.release()

    def _each(self, a, name, out):
        """One value per contact, apart from the memory of `out`."""
        if a is None and name != "v":
            return np.empty(0, dtype=self.dtype)
        a = _array(a, name)
        if a.ndim > 1 or a.size not in (1, self.size):
            raise InputError(f"{name}: has the shape {a.shape}, must be one number or have one per contact, {self.size}")
        with np.errstate(over="ignore"):  # too large for float32: refused as infinite
            return _apart(np.ascontiguousarray(np.broadcast_to(a, (self.size,)), dtype=self.dtype), out)

    def reset(self):
        """Back to rest."""
        with self._moving:
            self._batch.reset()

    def __len__(self):
        return self.size

    def __repr__(self):
        return f"<bristle.Batch of {self.size} {self.model}, {self.dtype}{', on a GPU' if self.device == 'gpu' else ''}>"


def _device(device, effects):
    """cpu or gpu."""
    if device not in ("cpu", "gpu", "auto"):
        raise InputError(f"device: is {device!r}, must be \"cpu\", \"gpu\" or \"auto\"")
    if device == "cpu" or (device == "auto" and (effects or _core.gpu_objection())):
        return "cpu"
    if why := _core.gpu_objection():
        raise DeviceError(f'device="gpu": {why}; device="cpu" is accepted')
    if effects:
        raise InputError('effects: not accepted on a GPU; device="cpu" accepts them')
    return "gpu"


def _on_gpu(a):
    """Whether it is an array in the memory of an NVIDIA GPU."""
    return hasattr(a, "__dlpack_device__") and a.__dlpack_device__()[0] in (2, 13)


def _of_library(v, made, batch):
    """The new array `made` in the library of v, which shares its memory."""
    name = type(v).__module__.split(".")[0]
    if name in ("torch", "cupy"):
        return sys.modules[name].from_dlpack(made)
    batch.wait()  # other libraries have streams of their own
    if name.startswith("jax"):
        return sys.modules["jax"].dlpack.from_dlpack(made)
    return made


def _count(size):
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)):
        raise InputError(f"size: is {size!r}, must be an integer")
    return int(size)


def _divided(values, kinds):
    """Values that are common to all contacts, and arrays with one value or row per contact."""
    common, varied = {}, {}
    for name, value in values.items():
        a = np.asarray(value) if not isinstance(value, (str, bool)) else None
        if a is not None and a.ndim == (2 if kinds.get(name) == "array" else 1):
            varied[name] = _array(a, name)
        else:
            common[name] = value
    return common, varied


def _first(varied):
    return {k: (a[0].tolist() if a.ndim == 2 else float(a[0])) for k, a in varied.items()}
