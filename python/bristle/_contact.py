"""Contacts: one class per model of the registry, arrays in and out."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from . import _core
from ._errors import InputError

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

_INFO = {m["name"]: m for m in _core.models()}
_EFFECTS = _core.effects()
_HEAT = _core.heat()
_SECTIONS = ("negative", "heat", "distribution")  # below [friction] of a file, besides effects and initial
_NONE = np.empty(0)


class Coupled(NamedTuple):
    """One implicit step of a mass with a contact: velocity and force at its end, the slope of the force, and whether the
    contact holds the mass."""

    v: float
    F: float
    dFdv: float
    holds: bool


def _array(a, name):
    """A contiguous array of doubles; the array itself where it is one. Complex numbers, texts and masked values are refused."""
    if isinstance(a, np.ma.MaskedArray) and np.ma.is_masked(a):
        raise InputError(f"{name}: has masked values, must have numbers only")
    a = np.asarray(a)
    if a.dtype.kind not in "fiub":
        raise TypeError(f"{name}: numbers are required, not {a.dtype}")
    return np.ascontiguousarray(a, dtype=np.float64) if a.ndim else a.astype(np.float64)


def _vector(a, name, n=None):
    a = _array(a, name)
    if a.ndim == 0 and n is not None:
        return np.full(n, float(a))
    if a.ndim != 1:
        raise InputError(f"{name}: has {a.ndim} dimensions, must have one")
    return a


def _output(out, n):
    if out is None:
        return np.empty(n)
    if not (isinstance(out, np.ndarray) and out.dtype == np.float64 and out.flags.c_contiguous and out.flags.writeable):
        raise InputError("out: must be a writable, contiguous array of float64")
    if out.shape != (n,):
        raise InputError(f"out: has the shape {out.shape}, must have {(n,)}")
    return out


def _apart(a, out):
    """The array, or a copy if writing to `out` would change it."""
    return a.copy() if a is not None and np.may_share_memory(a, out) else a


def _uniform(t):
    """The step of times that are equally spaced within their rounding, else None."""
    n = t.size
    if n < 3:
        return None
    h = (t[-1] - t[0]) / (n - 1)
    if not h > 0:
        return None
    worst = np.max(np.abs(t - (t[0] + h * np.arange(n)))) if n < 4096 else _worst(t, h)
    return h if worst <= 4 * np.finfo(float).eps * max(abs(t[0]), abs(t[-1])) else None


def _worst(t, h):
    """In blocks that stay in the cache."""
    worst = 0.0
    ramp = h * np.arange(4096)
    for i in range(0, t.size, 4096):
        part = t[i : i + 4096]
        worst = np.maximum(worst, np.max(np.abs(part - (t[0] + (h * i + ramp[: part.size])))))  # keeps NaN
    return worst


class Contact(_core.Contact):
    """A friction model with its state. ``bristle.make`` and the classes of the models create contacts.

    A contact remembers its motion: `step`, `along` and `couple` advance it, `reset` returns to the start.
    Forces are in N (or N m) and resist: they have the sign of the velocity in sliding."""

    _model: str | None = None

    def __init__(self, /, *, effects: Mapping[str, Any] | None = None, initial: Mapping[str, Any] | None = None,
                 negative: Mapping[str, Any] | None = None, heat: Mapping[str, Any] | None = None,
                 distribution: Mapping[str, Any] | None = None, **parameters: Any) -> None:
        if self._model is None:
            raise TypeError("Contact has no model; use bristle.make(name, ...) or a class such as bristle.LuGre")
        sections = {"effects": effects, "initial": initial, "negative": negative, "heat": heat, "distribution": distribution}
        wrong = [f"{k}: is {v!r}, must be a dict of names and values" for k, v in sections.items()
                 if v is not None and not isinstance(v, Mapping)]
        if heat is not None and not wrong and not heat:
            wrong = ["heat: is empty; capacity and conductance are required"]
        if wrong:
            raise InputError(wrong)
        super().__init__(self._model, _plain(parameters), _sections(sections), _plain(initial or {}))

    @property
    def state(self) -> NDArray[np.float64]:
        """All that the contact remembers, modes too, as an array."""
        return _core.Contact.state.__get__(self)

    @state.setter
    def state(self, values: ArrayLike) -> None:
        _core.Contact.state.__set__(self, _vector(values, "state"))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the model by name."""
        return {k: v for k, v in self._settings().items() if "." not in k and v != []}

    @property
    def effects(self) -> dict[str, Any]:
        """The effects that differ from their defaults."""
        neutral = {f["name"]: f["value"] for f in _EFFECTS}
        named = ((k[8:], v) for k, v in self._settings().items() if k.startswith("effects."))
        return {k: v for k, v in named if v != neutral.get(k) and v != []}

    @property
    def negative(self) -> dict[str, Any]:
        """Parameters of their own in negative motion."""
        return {k[9:]: v for k, v in self._settings().items() if k.startswith("negative.")}

    @property
    def heat(self) -> dict[str, Any]:
        """Heat: the values that turn friction power into temperature; empty without."""
        return {k[5:]: v for k, v in self._settings().items() if k.startswith("heat.")}

    @property
    def distribution(self) -> dict[str, Any]:
        """Distributions of the parameters of a population: a value, or a dict, by name."""
        out = {}
        for k, v in self._settings().items():
            if k.startswith("distribution."):
                name, _, part = k[13:].partition(".")
                if part:
                    out.setdefault(name, {})[part] = v
                else:
                    out[name] = v
        return out

    def set(self, **values: Any) -> Self:
        """Change parameters or effects; the state stays. All are checked together, and nothing changes if one is refused."""
        self._set(_plain(values))
        return self

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            settings = self._settings()
            if name in settings:
                return settings[name]
        raise AttributeError(f"{type(self).__name__} has no attribute or parameter {name!r}")

    def __setattr__(self, name, value):
        if name.startswith("_") or hasattr(type(self), name):
            super().__setattr__(name, value)
        elif name in self._settings():
            self.set(**{name: value})
        else:  # a misspelt parameter would change nothing
            near = difflib.get_close_matches(name, self._settings(), 1)
            hint = f", did you mean {near[0]!r}?" if near else ""
            raise AttributeError(f"{type(self).__name__} has no attribute or parameter {name!r}{hint}")

    def __dir__(self):
        return [*super().__dir__(), *self.parameters]

    @overload
    def steady(self, v: float, out: None = None) -> float: ...
    @overload
    def steady(self, v: ArrayLike, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]: ...
    def steady(self, v, out=None):
        """Force of steady sliding at each velocity; the state does not matter and stays.

        v may have any shape; the result has the same one."""
        v = _array(v, "v")
        flat = v.reshape(-1)
        F = _output(out, flat.size)
        if out is not None:
            flat = _apart(flat, F)
        self._steady(flat, F)
        return float(F[0]) if v.ndim == 0 else F.reshape(v.shape)

    def along(self, t: ArrayLike, *, v: ArrayLike | None = None, x: ArrayLike | None = None, load: ArrayLike | None = None,
              temperature: ArrayLike | None = None, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Force along a motion; the contact advances.

        t : times of the samples, strictly increasing, or one number: the step between them.
        v : velocity, held over the interval that ends at its sample; or
        x : position: the velocity is then that of the straight line between samples. With both, x is read by effects alone.
        load : normal load over nominal load. temperature : degrees Celsius. One number or one per sample.
        out : array for the result.

        With times, the first sample is where the contact is now and begins no interval. Values must be finite; arrays
        of float64 are read in place, in any other form they are copied. Interrupted or refused, the contact stays as it was."""
        if v is None and x is None:
            raise InputError("along: a motion is required, v or x")
        step = np.ndim(t) == 0
        n = np.size(v if v is not None and np.ndim(v) else x if x is not None else t)
        v = None if v is None else _vector(v, "v", n)
        x = None if x is None else _vector(x, "x")
        load = _NONE if load is None else _vector(load, "load", n)
        temperature = _NONE if temperature is None else _vector(temperature, "temperature", n)
        t = _array(t, "t")
        _same_length({"t": None if step else t, "v": v, "x": x, "load": load, "temperature": temperature}, n)
        F = _output(out, n)
        if n == 0:
            return F
        if out is not None:
            t, v, x, load, temperature = (_apart(a, F) for a in (t, v, x, load, temperature))
        dt = t.reshape(1) if step else self._intervals(t)
        if v is None:
            v = _velocity(x, dt, step, self.x)
        if step:
            self._along(dt, v, _NONE if x is None else x, load, temperature, F)
            return F
        at_start = {"load": load[0] if load.size else 1.0, "temperature": temperature[0] if temperature.size else 20.0}
        F[0] = self.force(v[0], x=None if x is None else x[0], **at_start)
        if n > 1:
            rest = [a[1:] if a is not None and a.size else _NONE for a in (v, x, load, temperature)]
            self._along(dt, *rest, F[1:])
        return F

    @staticmethod
    def _intervals(t):
        h = _uniform(t)
        if h is not None:
            return np.array([h])
        dt = np.diff(t)
        if not np.all(dt > 0) or not np.all(np.isfinite(dt)):
            i = int(np.argmin((dt > 0) & np.isfinite(dt)))
            raise InputError(f"t[{i + 1}] = {t[i + 1]} s after t[{i}] = {t[i]} s: times must be finite and increase strictly")
        return dt

    def couple(self, v: float, F_app: float, mass: float, dt: float, *, load: float = 1.0, temperature: float = 20.0,
               x: float | None = None) -> Coupled:
        """One implicit step of a mass at velocity v under the force F_app: mass (v' - v)/dt = F_app - F. Stable and
        without drift in stick for any dt."""
        return Coupled(*self._couple(v, F_app, mass, dt, load, temperature, x))

    def snapshot(self) -> dict[str, NDArray[np.float64]]:
        """The asperities of a population at this moment as arrays by name; empty for other models."""
        return self._snapshot()

    def to_dict(self) -> dict[str, Any]:
        """The friction block of a scenario."""
        out = {"model": self.model, **self.parameters}
        initial = self._initial()
        sections = {"effects": self.effects, "negative": self.negative, "heat": self.heat, "distribution": self.distribution}
        if initial:
            usual = _core.Contact(self.model, self.parameters, _sections(sections), {})._initial()
            initial = {k: v for k, v in initial.items() if v != usual.get(k)}
        for name, part in (*sections.items(), ("initial", initial)):
            if part:
                out[name] = part
        return out

    def copy(self) -> Self:
        """A contact with the same parameters and state that moves on its own."""
        other = type(self).__new__(type(self))
        _core.Contact.__init__(other, self.model, _typical(self.model), {}, {})
        other._assign(self)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Self:
        return self.copy()

    def __reduce__(self):
        return _restored, (self.model, self._text(), self._place())

    def _value(self):
        """Numbers, not texts: -0 equals 0. An effect at its default equals one that was not given."""
        return self.model, self.parameters, self.effects, self.negative, self.heat, self.distribution, self._initial(), self._place()

    def __eq__(self, other: object) -> bool:
        """Whether both have the same parameters and state, and therefore give the same forces from here on."""
        if not isinstance(other, Contact):
            return NotImplemented
        return self._value() == other._value() and np.array_equal(self.state, other.state, equal_nan=True)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self):
        block = self.to_dict()
        info = _INFO[block.pop("model")]
        usual = {f["name"]: f["value"] for f in info["parameters"] if not f["required"] and not f["follows"]}
        given = (f"{k}={_shown(v)}" for k, v in block.items() if k not in usual or v != usual[k])
        return f"bristle.{info['class']}({', '.join(given)})"


def _shown(v):
    """repr, with an infinity that can be pasted."""
    if isinstance(v, dict):
        return "{" + ", ".join(f"{k!r}: {_shown(e)}" for k, e in v.items()) + "}"
    return f"float('{v}')" if isinstance(v, float) and abs(v) == float("inf") else repr(v)


def _plain(values):
    """Arrays of NumPy as lists, its numbers as those of Python."""
    wrong = [f"{k!r}: a name must be a text" for k in values if not isinstance(k, str)]
    if wrong:
        raise InputError(wrong)
    out = {}
    for k, v in values.items():
        if isinstance(v, np.ndarray):
            v = v.tolist()
        elif isinstance(v, np.generic):
            v = v.item()
        elif isinstance(v, (tuple, range)):
            v = list(v)
        out[k] = v
    return out


def _sections(sections):
    """Effects, and the keys of the other sections with their prefix, as the library takes them."""
    out = _plain(sections.get("effects") or {})
    for name in _SECTIONS:
        for key, value in _plain(sections.get(name) or {}).items():
            if isinstance(value, Mapping):
                out.update({f"{name}.{key}.{k}": v for k, v in _plain(value).items()})
            else:
                out[f"{name}.{key}"] = value
    return out


def _same_length(arrays, n):
    wrong = [f"{k}: has {a.size} values, must have {n}" for k, a in arrays.items() if a is not None and a.size not in (0, n)]
    wrong += [f"{k}: is empty, must have {n} values" for k, a in arrays.items() if k in "tvx" and a is not None and a.size == 0 and n]
    if wrong:
        raise InputError(wrong)


def _velocity(x, dt, step, start):
    """Velocities of the intervals that end at x; with a constant step the first one begins where the contact is."""
    v = np.empty(x.size)
    with np.errstate(over="ignore", invalid="ignore"):  # refused as a velocity that is not finite
        if step:
            v[0] = (x[0] - start) / dt[0]
            v[1:] = np.diff(x) / dt[0]
        else:
            v[1:] = np.diff(x) / dt
            v[0] = v[1] if x.size > 1 else 0.0
    return v


def _typical(model):
    return {f["name"]: f["value"] for f in _INFO[model]["parameters"] if f["required"]}


def _restored(model, text, place):
    contact = _CLASSES[model].__new__(_CLASSES[model])
    _core.Contact.__init__(contact, model, _typical(model), {}, {})
    contact._restore(text, *place)
    return contact


def _describe(field):
    accepted = field["accepted"]
    accepted = "one of " + ", ".join(accepted) if isinstance(accepted, list) else accepted
    unit = "" if field["unit"] in ("1", "") else f" in {field['unit']}"
    default = f"{field['follows']}" if field["follows"] else repr(field["value"])
    default = "required" if field["required"] else f"default {default}"
    return f"{field['name']} : {field['kind']}{unit}, {accepted}, {default}\n    {field['meaning']}"


_SECTION_TEXTS = {
    "effects": "effects on the force, see bristle.effects()",
    "initial": "initial states",
    "negative": "parameters of their own in negative motion",
    "heat": "temperature from friction: " + ", ".join(f["name"] for f in _HEAT),
    "distribution": "of populations (Gfm, Generic2010): distributions of their parameters, as in [friction.distribution]",
}


def _doc(info):
    parts = [info["title"] + ".", "", "Parameters", "----------"]
    parts += [_describe(f) for f in info["parameters"]]
    parts += [f"{name} : dict, {text}" for name, text in _SECTION_TEXTS.items()]
    if info["states"]:
        parts += ["", "States", "------"] + [f"{f['name']} ({f['unit']})\n    {f['meaning']}" for f in info["states"]]
    if info["relations"]:
        parts += ["", "Conditions: " + "; ".join(r[0] for r in info["relations"]) + "."]
    parts += ["", "Equations", "---------", info["equations"], "", "Notes", "-----", info["notes"]]
    parts += ["", "References", "----------", *info["references"]]
    return "\n".join(parts)


def _signature(info):
    word = inspect.Parameter.KEYWORD_ONLY
    given = [inspect.Parameter(f["name"], word, default=inspect.Parameter.empty if f["required"] else f["value"])
             for f in sorted(info["parameters"], key=lambda f: not f["required"])]
    given += [inspect.Parameter(n, word, default=None) for n in _SECTION_TEXTS]
    return inspect.Signature(given)


def _class(info):
    return type(info["class"], (Contact,), {"__doc__": _doc(info), "__module__": "bristle", "_model": info["name"],
                                            "__signature__": _signature(info)})


_CLASSES = {name: _class(info) for name, info in _INFO.items()}


def models() -> dict[str, dict[str, Any]]:
    """The models by name, with title, class, parameters, states, properties, equations and references."""
    return {name: dict(info) for name, info in _INFO.items()}


def effects() -> list[dict[str, Any]]:
    """The effects that any model accepts: name, unit, meaning, range and default of each."""
    return [dict(f) for f in _EFFECTS]


def make(model: str, /, **parameters: Any) -> Contact:
    """A contact of the named model: ``make("lugre", Fc=1, Fs=1.5, vs=1e-3, sigma0=1e5, sigma1=300)``.

    A block of a scenario works too: ``make(**block)`` with a key ``model`` is written ``make(block.pop("model"), **block)``."""
    if not isinstance(model, str):
        raise InputError(f"model: is {model!r}, must be the name of a model")
    if model not in _CLASSES:
        _core.Contact(model, {}, {}, {})  # refuses with the nearest name
    return _CLASSES[model](**parameters)


def load(block: str | os.PathLike[str] | Mapping[str, Any]) -> Contact:
    """The contact of a friction file or scenario: a path, TOML text or dict with [friction], such as the files of ``identify``."""
    from . import _toml

    if isinstance(block, dict) and "friction" not in block:
        block = {"friction": block}
    model, text = _core.load_contact(*_toml.source(block))
    return _restored(model, text, (0.0, 0.0, 0.0))


def couple_all(contacts: Sequence[Contact], mass: ArrayLike, v: ArrayLike, F_app: ArrayLike, dt: float, *,
               inverse: bool = False) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """One implicit step of many contacts on one mechanism with a mass matrix (or, with ``inverse``, the block of its inverse
    that belongs to the contacts). Returns velocities, forces, and which contacts hold."""
    mass = _array(mass, "mass")
    n = len(contacts)
    if mass.shape != (n, n):
        raise InputError(f"mass: has the shape {mass.shape}, must have {(n, n)}, a row and a column per contact")
    v, F_app = (_vector(a, name, n) for a, name in ((v, "v"), (F_app, "F_app")))
    if not np.allclose(mass, mass.T, rtol=1e-9, atol=1e-12 * np.max(np.abs(mass), initial=0.0)):
        raise InputError("mass: must be symmetric")
    w, F, holds = _core.couple_all(list(contacts), mass.reshape(-1), inverse, v, F_app, dt)
    return w, F, np.array(holds, dtype=bool)
