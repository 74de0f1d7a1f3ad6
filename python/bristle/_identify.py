"""Models from measurements."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _plot, _progress, _toml
from ._contact import _CLASSES, Contact
from ._errors import InputError
from ._simulate import _write

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from ._simulate import Scenario

_GRAVITY = ["none", "constant", "sine", "auto"]
_LOSS = ["squares", "huber"]


def _is_one(data):
    return hasattr(data, "columns") or isinstance(data, (dict, str, os.PathLike)) or getattr(getattr(data, "dtype", None), "names", None)


def _recordings(data, columns=None, terms=None, bandwidth=0.0, rate=0.0, motion=False):
    """Recordings of a frame, a dict of arrays, a path, or a list of these."""
    out = _core.Recordings()
    words = [(str(k), str(v)) for k, v in (columns or {}).items()]
    terms = [(str(k), str(v)) for k, v in (terms or {}).items()]
    for i, one in enumerate([data] if _is_one(data) else list(data)):
        if isinstance(one, (str, os.PathLike)):
            path = os.fspath(one)
            if not os.path.exists(path):
                raise FileNotFoundError(f"{path}: no such file")
            out.add_file(path, words, terms, bandwidth, rate, motion)
            continue
        names, series = _columns(one)
        out.add_columns("data" if i == 0 else f"data {i + 1}", names, series, words, terms, bandwidth, rate, motion)
    return out


def _clean(frame):
    """A recording that needs no preparation: the columns t, v and F (or mu), perhaps x, N and T, all of them finite, t
    strictly increasing. Else None."""
    try:
        names, series = _columns(frame)
    except InputError:
        return None
    data = dict(zip(names, series))
    target = "F" if "F" in data else "mu"
    if not {"t", "v", target} <= set(data) <= {"t", "v", target, "x", "N", "T"} or len(data["t"]) < 3:
        return None
    if not all(np.isfinite(c).all() for c in series) or not (np.diff(data["t"]) > 0).all():
        return None
    if "x" not in data:
        dx = 0.5 * (data["v"][1:] + data["v"][:-1]) * np.diff(data["t"])
        data["x"] = np.concatenate([[0.0], np.cumsum(dx)])
    out = _core.Recordings()
    none = np.empty(0)
    out.add_clean("data", data["t"], data["v"], data["x"], data[target], data.get("N", none), data.get("T", none), target == "mu")
    return out


def _columns(frame):
    if getattr(getattr(frame, "dtype", None), "names", None):
        items = [(n, frame[n]) for n in frame.dtype.names]
    else:
        items = [(k, frame[k]) for k in frame]
    index = getattr(frame, "index", None)
    kind = getattr(getattr(index, "dtype", None), "kind", "")
    name = getattr(index, "name", None) or ("t" if kind in "mM" and kind else None)  # rows with dates are in time, named or not
    if name and name not in dict(items):
        items.insert(0, (name, index))
    names, series, problems = [], [], []
    for name, values in items:
        a = _seconds(_filled(values))
        if a.dtype.kind not in "fiub":
            if str(name) in _SIGNALS:
                problems.append(f"{name}: has values of type {a.dtype}, must have numbers or dates")
            continue  # other texts are no signals
        if a.ndim != 1:
            problems.append(f"{name}: has {a.ndim} dimensions, must have one")
            continue
        names.append(str(name))
        series.append(np.ascontiguousarray(a, dtype=float))
    lengths = {len(s) for s in series}
    if len(lengths) > 1:
        problems.append(f"columns have different lengths: {', '.join(f'{n} {len(s)}' for n, s in zip(names, series))}")
    if not series:
        problems.append("no column of numbers; t, v or x, and F, mu or u are required")
    if problems:
        raise InputError(problems)
    return names, series


_SIGNALS = ("t", "time", "x", "v", "F", "mu", "u")  # without these, rows would get another meaning


def _filled(values):
    """An array with NaN, a missing number, where values are masked; dates with a time zone in UTC."""
    if getattr(getattr(values, "dtype", None), "tz", None) is not None:
        return values.to_numpy(dtype="datetime64[ns]")
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.filled(values.astype(float), np.nan) if np.ma.is_masked(values) else values.data
    return np.asarray(values)


def _seconds(a):
    """Dates and durations as seconds, dates since the first one: numbers of nanoseconds since 1970 would lose digits."""
    if a.dtype.kind == "M" and a.size:
        a = a - np.nanmin(a)
    if a.dtype.kind != "m":
        return a
    return np.where(np.isnat(a), np.nan, a / np.timedelta64(1, "s"))


def _choice(name, value, words):
    if value not in words:
        raise InputError(f"{name} = {value!r}: must be one of {', '.join(words)}")
    return words.index(value)


class Score(dict[str, float]):
    """Errors of a model on recordings: rows, rmse, relative_percent, mean_abs, r_squared.

    each : errors per recording; predicted : the predicted force per recording; notes : remarks, such as that a recording
    leaves the range of the measurements behind the model."""

    each: list[dict[str, float]]
    predicted: list[NDArray[np.float64]]
    notes: list[str]

    def __init__(self, parts: Any = None) -> None:
        errors, self.each, self.predicted, self.notes = parts or ({}, [], [], [])
        super().__init__(errors)


class Fit:
    """One fitted model. model : name; parameters : the friction block; values : {name: fitted value}; errors: rmse,
    relative_percent, r_squared, bic, held_out_rmse; contact : a contact with these parameters."""

    model: str
    parameters: dict[str, Any]
    effects: dict[str, Any]
    rmse: float
    relative_percent: float
    r_squared: float
    bic: float
    held_out_rmse: float
    converged: bool
    message: str
    used: int

    def __init__(self, core: Any, i: int, parts: Any = None, kept: Any = None) -> None:
        self._core, self._i, self._kept = core, i, kept
        self._parts = parts or core.fit(i)
        for k in ("model", "parameters", "rmse", "relative_percent", "r_squared", "bic", "held_out_rmse", "converged", "message", "used"):
            setattr(self, k, self._parts[k])
        self.effects = {k: v for k, v in self._parts["effects"].items() if v != []}

    @property
    def values(self) -> dict[str, float]:
        """The fitted numbers by name, those of friction and of the body."""
        return {e["name"]: e["value"] for part in ("friction", "body") for e in self._parts[part]}

    @property
    def intervals(self) -> pd.DataFrame:
        """Value and 95 % interval of each fitted number, as a table."""
        import pandas as pd

        frame = pd.DataFrame([e for part in ("friction", "body") for e in self._parts[part]])
        return frame.set_index("name") if len(frame) else frame

    @property
    def contact(self) -> Contact:
        """A contact with the fitted parameters, at rest."""
        law = next((m for m in sorted(_CLASSES, key=len, reverse=True) if self.model == m or self.model.startswith(m + "_")), self.model)
        block = {k: v for k, v in self.parameters.items() if v != []}
        return _CLASSES[law](**block, effects=self.effects or None)

    def predict(self, data: Any, **reading: Any) -> Any:
        """The predicted force (or actuator force) along a recording; one array per recording of a list."""
        predicted = self._core.predict(self._i, _recordings(data, **reading))
        return predicted[0] if _is_one(data) else predicted

    def score(self, data: Any, **reading: Any) -> Score:
        """Errors on other recordings, nothing fitted."""
        return Score(self._core.score(self._i, _recordings(data, **reading)))

    @property
    def predicted(self) -> list[NDArray[np.float64]]:
        """Predictions of the fitted recordings."""
        return self._kept[1] if self._kept else self._core.predicted(self._i)

    def toml(self) -> str:
        """A complete scenario with the friction block and its intervals as comments."""
        return self._kept[0] if self._kept else self._core.toml(self._i)

    def __reduce__(self):
        # The recordings stay behind: figures require them.
        return _restored, (self._parts, self.toml(), self.predicted)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes `toml()`."""
        _write(path, self.toml())

    def plot(self, recording: int = 0, axes: Any = None, **options: Any) -> Any:
        """Measured and fitted values over time with the residual."""
        return _plot.draw(self._core.figure(self._i, recording), axes, **options)

    def _repr_html_(self):
        return f"<b>{self.model}</b>, rmse {self.rmse:.4g}" + self.intervals[["value", "low", "high", "unit"]].to_html()

    def __repr__(self):
        values = ", ".join(f"{k}={v:.6g}" for k, v in self.values.items())
        return f"<bristle.Fit {self.model}: {values}; rmse {self.rmse:.4g}>"


def _with_file(text, use):
    """use(path) of a file with this text."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "friction.toml")
        _write(path, text)
        return use(path)


def _restored(parts, toml, predicted):
    return Fit(_with_file(toml, _core.fitted_of_file), 0, parts, (toml, predicted))


class Identification:
    """Fitted models, best first. ranking : table; best : the recommended Fit (else the first); fits : {model: Fit};
    failed : {model: reason}; intervals : of the best; why : reason of the recommendation; notes, findings : remarks."""

    fits: dict[str, Fit]
    failed: dict[str, str]
    recommended: str
    why: str
    notes: list[str]
    findings: list[list[str]]
    stopped: bool

    def __init__(self, core: Any, recordings: Any) -> None:
        self._core = core
        self.fits = {}
        for i in range(core.size()):
            fit = Fit(core, i)
            self.fits[fit.model] = fit
        self.failed = core.failed()
        self.recommended, self.why = core.recommended()
        self.notes = core.notes()
        self.findings = recordings.findings()
        self.stopped = core.stopped()

    @property
    def best(self) -> Fit:
        """The recommended fit, or the first one if none is recommended."""
        if not self.fits:
            raise RuntimeError("no model could be fitted: " + "; ".join(f"{k}: {v}" for k, v in self.failed.items()))
        return self.fits.get(self.recommended) or next(iter(self.fits.values()))

    @property
    def ranking(self) -> pd.DataFrame:
        """One row per model, as ranking.csv of the command."""
        import pandas as pd

        return pd.read_csv(io.StringIO(self._core.csv()))

    @property
    def intervals(self) -> pd.DataFrame:
        """95 % intervals of the best fit."""
        return self.best.intervals

    def predict(self, data: Any, **reading: Any) -> Any:
        """The force that the best fit predicts along a recording."""
        return self.best.predict(data, **reading)

    def plot(self, recording: int = 0, axes: Any = None, **options: Any) -> Any:
        """Measured and fitted values of the best fit."""
        return self.best.plot(recording, axes, **options)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of the ranking, one self-contained HTML file."""
        _write(path, self._core.page())

    def _repr_html_(self):
        return self.ranking.to_html() + f"<p>{self.why}</p>"

    def __repr__(self):
        return f"<bristle.Identification of {len(self.fits)} models, recommended: {self.recommended or 'none'}>"


def _options(gravity, loss, fixed, priors, others):
    out = {k: v for k, v in others.items() if v is not None}
    out["gravity"] = _choice("gravity", gravity, _GRAVITY)
    out["loss"] = _choice("loss", loss, _LOSS)
    out["fixed"] = dict(fixed or {})
    out["priors"] = [(k, float(m), float(s)) for k, (m, s) in (priors or {}).items()]
    return out


def identify(data: Any, models: str | Sequence[str] | None = None, *, columns: Mapping[str, str] | None = None,
             terms: Mapping[str, str] | None = None, effects: str | Sequence[str] | None = "auto", gravity: str = "auto", loss: str = "huber",
             fixed: Mapping[str, Any] | None = None, free: Sequence[str] = (), priors: Mapping[str, tuple[float, float]] | None = None,
             validate: Any = None, scenario: Scenario | None = None, train: float = 1.0, elements: int | None = None, starts: int = 4,
             folds: int = 5, profiles: bool = True, seconds: float = 300.0, threads: int = 0, seed: int = 1, bandwidth: float = 0.0,
             rate: float = 0.0, progress: Any = None) -> Identification:
    """Fits models to recordings and ranks them by their cross-validation error.

    data : DataFrame, dict of arrays, structured array, path (CSV, JSON, MAT), or a list of these, with t; x or v; and F
    (friction), mu (coefficient) or u (actuator force); optional N (normal load) and T (temperature). Without t: steady points.
    Column names are guessed (units in names, "speed_rpm", are understood); columns={"F": "-torque_Nm"} sets them.
    models : names, default all that the data can distinguish. effects : "auto", "none" or names. fixed : {name: value}.
    priors : {name: (mean, sigma)}. validate : recordings to predict without fitting them. scenario : experiment, for a
    fit by simulation. seconds : time limit of all models together."""
    effects = [] if effects in (None, "none") else [effects] if isinstance(effects, str) else list(effects)
    rig = _toml.source(scenario) if scenario is not None else ("", "")
    reading = {"columns": columns, "terms": terms, "bandwidth": bandwidth, "rate": rate, "motion": scenario is not None}
    recordings = _recordings(data, **reading)
    validation = _recordings(validate, **reading) if validate is not None else _core.Recordings()
    models = [] if models is None else [models] if isinstance(models, str) else list(models)
    options = _options(gravity, loss, fixed, priors,
                       {"models": models, "effects": effects if scenario is None else [e for e in effects if e != "auto"],
                        "free": list(free), "elements": elements, "starts": starts, "folds": folds, "profiles": profiles,
                        "seconds": float(seconds), "threads": threads, "seed": seed, "train": float(train)})
    return Identification(_core.identify(recordings, validation, options, rig, _progress.callback(progress)), recordings)


def fit(data: Any, model: str, *, start: Mapping[str, Any] | None = None, columns: Mapping[str, str] | None = None,
        terms: Mapping[str, str] | None = None, gravity: str = "auto", loss: str = "squares", fixed: Mapping[str, Any] | None = None,
        free: Sequence[str] = (), priors: Mapping[str, tuple[float, float]] | None = None, intervals: bool = False, seconds: float = 300.0,
        bandwidth: float = 0.0, rate: float = 0.0, progress: Any = None) -> Fit:
    """Fits one model from one starting point, in milliseconds; `identify` also searches, validates and ranks.

    start : {parameter: value}; others start from the data. intervals : whether to compute 95 % intervals.
    Other arguments as for `identify`."""
    plain = not (columns or terms or bandwidth or rate) and _is_one(data) and not isinstance(data, (str, os.PathLike))
    recordings = (_clean(data) if plain else None) or _recordings(data, columns, terms, bandwidth, rate)
    start = {k: (v.tolist() if isinstance(v, np.ndarray) else v) for k, v in (start or {}).items()}
    options = _options(gravity, loss, fixed, priors, {"free": list(free), "seconds": float(seconds)})
    return Fit(_core.fit(recordings, model, start, options, intervals, _progress.callback(progress)), 0)


def score(model: Any, data: Any, **reading: Any) -> Score:
    """Errors of a Fit, a Contact, a friction block (dict) or a friction file on recordings; nothing is fitted."""
    if isinstance(model, Identification):
        model = model.best
    if isinstance(model, Fit):
        return model.score(data, **reading)
    recordings = _recordings(data, **reading)
    if isinstance(model, (Contact, dict)):
        block = model.to_dict() if isinstance(model, Contact) else model
        block = block if "friction" in block else {"friction": block}
        return _with_file(_toml.text(block), lambda path: Score(_core.score(path, recordings)))
    path = os.fspath(model)
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path}: no such file")
    return Score(_core.score(path, recordings))
