"""Measured surfaces: roughness, summits, contact, populations of asperities."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _plot, _progress
from ._contact import Contact
from ._contact import load as _load
from ._errors import InputError
from ._simulate import _write

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike


class Surface:
    """Numbers of a surface. values : {name: number}, NaN where undefined; table : with units and meanings; contact :
    pressure, area and contacts over the separation; summits : the local maxima; gfm, generic2010 : populations as contacts,
    or None with the reason in `without`; warnings, notes : remarks."""

    values: dict[str, float]
    warnings: list[str]
    notes: list[str]
    without: dict[str, str]

    def __init__(self, core: Any) -> None:
        self._core = core
        self._rows = core.values()
        self.values = {name: value for name, value, _, _ in self._rows}
        self.warnings = core.warnings()
        self.notes = core.notes()
        self.without = {k: v for k, v in zip(("gfm", "generic2010"), core.without()) if v}

    @property
    def table(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(self._rows, columns=["name", "value", "unit", "meaning"]).set_index("name")

    @property
    def contact(self) -> pd.DataFrame:
        import pandas as pd

        return pd.read_csv(io.StringIO(self._core.contact_csv()))

    @property
    def summits(self) -> pd.DataFrame:
        import pandas as pd

        return pd.read_csv(io.StringIO(self._core.summits_csv()))

    @property
    def gfm(self) -> Contact | None:
        text = self._core.gfm()
        return _load(text) if text else None

    @property
    def generic2010(self) -> Contact | None:
        text = self._core.generic2010()
        return _load(text) if text else None

    def plot(self, figure: int = 0, axes: Any = None, **options: Any) -> Any:
        """Figure 0: heights with the highest summits; 1: heights and spectrum; 2: contact over the separation."""
        figures = self._core.figures()
        if not 0 <= figure < len(figures):
            raise InputError(f"figure: is {figure}, must be from 0 to {len(figures) - 1}")
        return _plot.draw(figures[figure], axes, **options)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of the surface, one self-contained HTML file."""
        _write(path, self._core.page())

    def _repr_html_(self):
        return self.table.to_html()

    def __str__(self):
        return self._core.text()

    def __repr__(self):
        return f"<bristle.Surface: Sq {self.values.get('Sq', self.values.get('Rq', float('nan'))):.4g} m>"


def _heights(z, spacing, name):
    if spacing is None:
        steps = ()
    else:
        try:
            steps = tuple(float(d) for d in np.atleast_1d(spacing))
        except (TypeError, ValueError):
            steps = (float("nan"),)
        if len(steps) not in (1, 2) or not all(0 < d < float("inf") for d in steps):
            raise InputError(f"spacing: is {spacing!r}, must be DX or (DX, DY) with lengths > 0 in m")
    dx, dy = (*steps, *steps)[:2] if steps else (0.0, 0.0)
    if isinstance(z, (str, os.PathLike)):
        path = os.fspath(z)
        if not os.path.exists(path):
            raise FileNotFoundError(f"{path}: no such file")
        return _core.surface_file(path, dx, dy)
    a = np.ma.filled(z.astype(float), np.nan) if isinstance(z, np.ma.MaskedArray) else np.asarray(z)
    if a.dtype.kind not in "fiu" or a.ndim not in (1, 2) or a.size == 0:
        raise InputError(f"{name}: has the type {a.dtype} and the shape {a.shape}; one row (a profile) or a matrix of heights in m is required")
    if not steps:
        raise InputError(f"spacing: is missing; an array of {name} requires the distance of its points in m")
    return _core.surface_array(np.ascontiguousarray(a, dtype=float).reshape(-1), a.shape[0] if a.ndim == 2 else 1, dx, dy)


def surface(heights: str | os.PathLike[str] | ArrayLike, spacing: float | tuple[float, float] | None = None, *,
            counter: str | os.PathLike[str] | ArrayLike | None = None, threads: int = 0, progress: Any = None, **settings: Any) -> Surface:
    """Roughness, summits and contact of a measured surface, and populations of asperities; see docs/surface.md.

    heights : array of heights in m, a row (profile) or a matrix with rows along x, NaN where not measured; or a path (CSV, SDF).
    spacing : distance of the points in m, DX or (DX, DY). counter : the other surface, which determines the wavelength.
    settings : as the options of ``bristle surface``: level, cutoff, short, summits, E, poisson, hardness, density, shear,
    area, load, separation, mass."""
    known = ("level", "cutoff", "short", "summits", "E", "poisson", "hardness", "density", "shear", "area", "load", "separation", "mass")
    unknown = [f"{k}: unknown setting; accepted: {', '.join(known)}" for k in settings if k not in known]
    if unknown:
        raise InputError(unknown)
    own = _heights(heights, spacing, "heights")
    other = None if counter is None else _heights(counter, spacing, "counter")
    given = {k: v for k, v in settings.items() if v is not None}
    return Surface(_core.surface(own, other, given, threads, _progress.callback(progress)))
