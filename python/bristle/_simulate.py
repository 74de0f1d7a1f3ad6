"""Runs of scenarios and their results."""

from __future__ import annotations

import html
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from . import _core, _plot, _progress, _toml
from ._errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import xarray as xr
    from numpy.typing import NDArray

Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]  # a path, TOML text or a dict


class Event(NamedTuple):
    t: float
    event: str  # stick, slip+, slip-
    body: str


class Energy(NamedTuple):
    """Work of the drive = kinetic + spring + damper + friction, in J; `error`: relative residual."""

    drive: float
    kinetic: float
    spring: float
    damper: float
    friction: float
    error: float


class Check(NamedTuple):
    """One line of [expect]."""

    quantity: str
    computed: float
    expected: str
    held: bool


class Result(Mapping[str, "NDArray[np.float64]"]):
    """A finished run: columns by item (``r["x"]``) and by attribute (``r.x``), as arrays that share the memory of the solver.

    units : {column: unit}; events : list of Event; energy : Energy; measures : {name: value}, NaN where undefined;
    undefined : {name: reason}; checks : list of Check; summary : dict of the solver; notes : list of remarks."""

    units: dict[str, str]
    events: list[Event]
    energy: Energy
    measures: dict[str, float]
    undefined: dict[str, str]
    checks: list[Check]
    summary: dict[str, Any]
    notes: list[str]
    population: dict[str, NDArray[np.float64]]

    def __init__(self, run: Any) -> None:
        self._run = run
        self._take(run.parts())

    def _take(self, parts):
        self._columns = parts["columns"]
        self.units = parts["units"]
        self.events = [Event(*e) for e in parts["events"]]
        self.energy = Energy(**parts["energy"])
        self.measures = {k: v[0] for k, v in parts["measures"].items()}
        self.undefined = {k: v[2] for k, v in parts["measures"].items() if v[2]}
        self.checks = [Check(*c) for c in parts["checks"]]
        self.summary = parts["summary"]
        self.notes = self.summary["notes"]
        self.population = parts["population"]
        self._parts = parts

    @property
    def title(self) -> str:
        return self.summary["title"]

    @property
    def passed(self) -> bool:
        """Whether all expectations hold."""
        return all(c.held for c in self.checks)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(f"no column {name!r}; there are {', '.join(self._columns)}") from None

    def __getattr__(self, name: str) -> NDArray[np.float64]:
        if not name.startswith("_") and name in self._columns:
            return self._columns[name]
        raise AttributeError(f"Result has no attribute or column {name!r}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __dir__(self):
        return [*super().__dir__(), *(c for c in self._columns if c.isidentifier())]

    def to_pandas(self) -> pd.DataFrame:
        """A DataFrame over time that shares the memory of the run; units in ``attrs["units"]``."""
        import pandas as pd

        frame = pd.DataFrame({k: v for k, v in self._columns.items() if k != "t"},
                             index=pd.Index(self["t"], name="t", copy=False), copy=False)
        frame.attrs["units"] = dict(self.units)
        return frame

    def to_xarray(self) -> xr.Dataset:
        """A Dataset over t with the units of each variable."""
        import xarray as xr

        data = {k: ("t", v, {"units": self.units[k]}) for k, v in self._columns.items() if k != "t"}
        return xr.Dataset(data, {"t": ("t", self["t"], {"units": "s"})}, {"title": self.title})

    def plot(self, axes: Any = None, **options: Any) -> Any:
        """The panels of the scenario in matplotlib, as the command draws them; returns the figure."""
        return _plot.draw(self._run.figure(), axes, **options)

    def svg(self) -> str:
        """The figure of the command as SVG text."""
        return self._run.svg()

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of the run, one self-contained HTML file."""
        _write(path, self._run.page())

    def __getstate__(self):
        # Without the run itself: what other processes need is computed before.
        return {"parts": {**self._parts, "columns": {k: v.copy() for k, v in self._columns.items()},
                          "population": {k: v.copy() for k, v in self.population.items()}},
                "run": _Stored(self._run.figure(), self._run.svg(), self._run.page())}

    def __setstate__(self, state):
        self._run = state["run"]
        self._take(state["parts"])

    def __repr__(self):
        s = self.summary
        return (f"<bristle.Result {self.title!r}: {len(self['t'])} rows, {s['duration']:g} s, {len(self.events)} events, "
                f"{s['steps']} steps of {s['method']}>")

    def _repr_html_(self):
        rows = {"columns": ", ".join(f"{k} ({u})" if u not in ("", "1") else k for k, u in self.units.items()),
                "events": len(self.events), "energy error": f"{self.energy.error:.2g}", "steps": self.summary["steps"],
                **{k: f"{v:.6g}" for k, v in self.measures.items()},
                **{c.quantity: f"{c.computed:.6g}, expected {c.expected}: {'holds' if c.held else 'violated'}" for c in self.checks}}
        cells = "".join(f"<tr><th style='text-align:left'>{html.escape(str(k))}</th><td style='text-align:left'>"
                        f"{html.escape(str(v))}</td></tr>" for k, v in rows.items())
        return f"<b>{html.escape(self.title)}</b><table>{cells}</table>{self.svg()}"


class _Stored:
    """Figure and page of a run that was sent from another process."""

    def __init__(self, figure, svg, page):
        self._figure, self._svg, self._page = figure, svg, page

    def figure(self):
        return self._figure

    def svg(self):
        return self._svg

    def page(self):
        return self._page


def _write(path, text):
    from pathlib import Path

    Path(path).write_text(text, encoding="utf-8")


def simulate(scenario: Scenario, *, set: Mapping[str, Any] | None = None, measures: Mapping[str, str] | None = None,
             progress: Any = None) -> Result:
    """Runs a scenario: a path, a TOML text or a dict.

    set : {"friction.Fc": 1.2}, changes of keys. measures : {"peak": "max(F)"}, in addition to those of [measure].
    progress : True, a tqdm class or a function of (done, total).

    Raises InputError with all problems of the scenario, RunFailed if the solver cannot continue. A violated line of [expect]
    raises nothing; see ``Result.checks`` and ``passed``."""
    given = _toml.scenario(scenario, set, measures)
    return Result(_core.simulate(given, _progress.callback(progress)))


class Comparison(Mapping[str, Result]):
    """Runs side by side, by name. measures : table; differences : table of the columns against the first run."""

    def __init__(self, core: Any) -> None:
        self._core = core
        failures = core.failures()
        self.failed = {n: f for n, f in zip(core.names(), failures) if f}
        self._runs = {n: Result(core.run(i)) for i, n in enumerate(core.names()) if not failures[i]}

    def __getitem__(self, name: str) -> Result:
        return self._runs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    @property
    def measures(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame({n: r.measures for n, r in self._runs.items()}).T

    @property
    def differences(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(self._core.differences(), columns=["run", "column", "unit", "largest", "rms", "relative"])

    def plot(self, axes: Any = None, **options: Any) -> Any:
        """The curves over each other in matplotlib; returns the figure."""
        return _plot.draw(self._core.figure(), axes, **options)

    def svg(self) -> str:
        """The figure of the command as SVG text."""
        return self._core.svg()

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of the comparison, one self-contained HTML file."""
        _write(path, self._core.page())

    def _repr_html_(self):
        return self.measures.to_html() + self.svg()

    def __repr__(self):
        return f"<bristle.Comparison of {', '.join(self._runs)}>"


def compare(scenarios: Scenario | Iterable[Scenario] | Mapping[str, Scenario], *, set_each: Mapping[str, Sequence[Any]] | None = None,
            set: Mapping[str, Any] | None = None, measures: Mapping[str, str] | None = None, progress: Any = None) -> Comparison:
    """Runs scenarios side by side on all cores.

    scenarios : {name: scenario}, a list, or one scenario with set_each={"friction.model": ["lugre", "dahl"]}, of which
    every combination is run. In one run of several, a failure is listed in ``failed``."""
    if isinstance(scenarios, dict) and not all(isinstance(v, dict) and ("friction" in v or "system" in v) or isinstance(v, str) and
                                               (("\n" in v) or v.endswith(".toml")) for v in scenarios.values()):
        scenarios = [scenarios]
    elif isinstance(scenarios, str) or hasattr(scenarios, "__fspath__"):
        scenarios = [scenarios]
    if not isinstance(scenarios, dict):
        scenarios = _named(scenarios)
    if not scenarios:
        raise InputError("compare: no scenario; at least one is required")
    keys = list(set_each or {})
    empty = [f"{k}: no values; at least one is required" for k in keys if len(set_each[k]) == 0]
    if empty:
        raise InputError(empty)
    given = []
    for name, scenario in scenarios.items():
        for values in itertools.product(*(set_each[k] for k in keys)) if keys else [()]:
            label = ", ".join(([name] if len(scenarios) > 1 else []) + [f"{k}={v}" for k, v in zip(keys, values)]) or name
            given.append((label, _toml.scenario(scenario, {**(set or {}), **dict(zip(keys, values))}, measures)))
    return Comparison(_core.compare(given, _progress.callback(progress)))


def _named(scenarios):
    """By name; equal names get a number, so that no run replaces another."""
    out = {}
    for i, s in enumerate(scenarios):
        name = _name(s, i)
        out[name if name not in out else f"{name} ({i + 1})"] = s
    return out


def _name(scenario, i):
    if isinstance(scenario, dict):
        return str(scenario.get("title", f"run {i + 1}"))
    return f"run {i + 1}" if "\n" in str(scenario) else str(scenario).rsplit("/", 1)[-1].removesuffix(".toml")
