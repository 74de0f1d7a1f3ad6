"""Many runs of one scenario: a table of values in, a table of measures out."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _progress, _toml
from ._errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from ._simulate import Scenario

CHUNK = 200  # runs of a task on a cluster: the scheduler takes 5 ms per task


def grid(vary: Mapping[str, ArrayLike]) -> pd.DataFrame:
    """The table of all combinations of {key: values}; the last key varies fastest."""
    import pandas as pd

    columns = {k: np.atleast_1d(v) for k, v in vary.items()}
    empty = [f"{k}: no values; at least one is required" for k, v in columns.items() if len(v) == 0]
    if empty:
        raise InputError(empty)
    rows = list(itertools.product(*columns.values()))
    return pd.DataFrame({k: [r[i] for r in rows] for i, k in enumerate(columns)})


def sample(ranges: Mapping[str, tuple[float, float] | tuple[float, float, str]], n: int) -> pd.DataFrame:
    """A Sobol sample of n points of {key: (from, to)} or (from, to, "log")."""
    import pandas as pd

    box = []
    for key, r in ranges.items():
        if len(r) not in (2, 3) or (len(r) == 3 and r[2] not in ("log", "linear")):
            raise InputError(f"{key}: must be (from, to) or (from, to, \"log\"), not {r!r}")
        box.append((key, float(r[0]), float(r[1]), len(r) == 3 and r[2] == "log"))
    return pd.DataFrame(dict(zip(ranges, _core.sobol(box, int(n)))))


def _same_lengths(columns):
    lengths = {k: np.size(c) for k, c in columns.items() if np.ndim(c)}
    if len(set(lengths.values())) > 1:
        raise InputError(f"columns have different lengths: {', '.join(f'{k} {n}' for k, n in lengths.items())}")


def _numeric(column):
    return np.asarray(column).dtype.kind in "fiu"


def _split(columns):
    """Names of the columns that are no numbers, of the others, and the distinct rows of the former."""
    words = [k for k, c in columns.items() if not _numeric(c)]
    numbers = [k for k in columns if k not in words]
    return words, numbers, list(dict.fromkeys(zip(*(columns[k] for k in words)))) if words else [()]


def _chosen(columns, words, kind):
    chosen = np.ones(len(next(iter(columns.values()))), dtype=bool)
    for k, v in zip(words, kind):
        chosen &= np.array([e == v for e in columns[k]], dtype=bool)
    return chosen


def _family(text, path, set, measure, words, kind, numbers, first):
    return _core.read_family(text, path, set + _toml.changes(dict(zip(words, kind))), measure, numbers, first)


def _first_rows(text, path, set, measure, columns):
    """The numbers of the first row of each kind. They are read here: problems of the scenario are raised before any run."""
    words, numbers, kinds = _split(columns)
    first, names = {}, {}
    for kind in kinds:
        at = int(np.argmax(_chosen(columns, words, kind)))
        first[kind] = [float(columns[k][at]) for k in numbers]
        names.update(dict.fromkeys(_family(text, path, set, measure, words, kind, numbers, first[kind]).measures))
    taken = [f"measure {n}: the table has a column of this name; another name is required"
             for n in names if n in columns or n in ("status", "message")]
    if taken:
        raise InputError(taken)
    return first


def _runs(text, path, set, measure, columns, first, threads, progress=False, device="cpu"):
    """Measures, status and message of each row; columns that are no numbers change the scenario like `set`."""
    words, numbers, kinds = _split(columns)
    rows = len(next(iter(columns.values())))
    measures, status, message = {}, np.empty(rows, dtype=object), np.empty(rows, dtype=object)
    for kind in kinds:
        chosen = _chosen(columns, words, kind)
        arrays = [np.ascontiguousarray(np.asarray(columns[k])[chosen], dtype=float) for k in numbers]
        count = int(chosen.sum())
        family = _family(text, path, set, measure, words, kind, numbers, first[kind])
        on_gpu, note = _core.place_of(family, device, first[kind])
        if note:
            warnings.warn(note, stacklevel=3)
        values, done, why = (_core.sweep_on_gpu if on_gpu else _core.sweep)(family, arrays, count, threads, progress)
        for name, v in values.items():
            measures.setdefault(name, np.full(rows, np.nan))[chosen] = v
        status[chosen], message[chosen] = done, why
    return measures, status, message


def sweep(scenario: Scenario, table: pd.DataFrame | Mapping[str, Any] | None = None, *, vary: Mapping[str, ArrayLike] | None = None,
          measures: Mapping[str, str] | None = None, set: Mapping[str, Any] | None = None, threads: int = 0, client: Any = None,
          chunk: int = CHUNK, progress: Any = None,
          device: str | None = None) -> pd.DataFrame:
    """Runs a scenario once per row of a table; returns the table with its index, and with the measures, `status` and
    `message` of each run.

    scenario : path, TOML text or dict. table : DataFrame (or dict of columns) whose columns are keys of the scenario,
    ``"friction.Fs"``; or vary={"friction.Fs": [1, 2, 3]}, all combinations; see `grid` and `sample`.
    measures : {"peak": "max(F)"}, in addition to [measure]. set : changes for all runs.
    threads : 0 for all cores. client : a dask.distributed.Client; rows are then sent in tasks of `chunk` runs, which are pure
    and keyed by their input: a task of a lost worker runs again, with the same bits.
    device : "gpu" runs sliders with one contact on an NVIDIA GPU and refuses what it cannot run, "auto" then takes the
    processor and warns; unless given that of [solver], which is "cpu" by default.

    A run that fails has the status failed or diverged and NaN; undefined measures are NaN with the reason in `message`."""
    import pandas as pd

    if client is not None and device not in (None, "cpu"):
        raise InputError(f"device: is {device!r}, must be \"cpu\" with a client, whose workers have devices of their own")
    if (table is None) == (vary is None):
        raise InputError("sweep: either a table or vary={key: values} is required")
    if isinstance(table, dict):
        _same_lengths(table)
    frame = grid(vary) if table is None else pd.DataFrame(table).copy()
    names = [str(k) for k in frame.columns]
    twice = [f"{k}: more than one column has this name" for k in dict.fromkeys(names) if names.count(k) > 1]
    if twice:
        raise InputError(twice)
    if frame.shape[0] == 0 or frame.shape[1] == 0:
        raise InputError(f"sweep: the table has {frame.shape[0]} rows and {frame.shape[1]} columns; at least one of each is required")
    text, path = _toml.source(scenario)
    changes, measure = _toml.changes(set), [f"{k}={v}" for k, v in (measures or {}).items()]
    columns = {str(k): frame[k].to_numpy() for k in frame}
    bad = [f"{k}[{int(np.argmin(np.isfinite(c)))}]: must be a finite number" for k, c in columns.items()
           if _numeric(c) and not np.all(np.isfinite(c))]
    if bad:
        raise InputError(bad)
    first = _first_rows(text, path, changes, measure, columns)
    if client is None:
        parts = [_runs(text, path, changes, measure, columns, first, threads, _progress.callback(progress, len(frame), "runs"), device or "")]
    else:
        parts = _on_cluster(client, text, path, changes, measure, columns, first, chunk, _progress.callback(progress, len(frame), "runs"))
    names = list(dict.fromkeys(n for p in parts for n in p[0]))
    for name in names:
        frame[name] = np.concatenate([p[0].get(name, np.full(len(p[1]), np.nan)) for p in parts])
    frame["status"] = np.concatenate([p[1] for p in parts])
    frame["message"] = np.concatenate([p[2] for p in parts])
    return frame


def _on_cluster(client, text, path, changes, measure, columns, first, chunk, progress):
    from dask.distributed import as_completed

    rows = len(next(iter(columns.values())))
    pieces = [{k: c[i : i + chunk] for k, c in columns.items()} for i in range(0, rows, chunk)]
    futures = [client.submit(_runs, text, path, changes, measure, p, {k: first[k] for k in _split(p)[2]}, 1, pure=True, retries=3)
               for p in pieces]
    out, done = {}, 0
    for future, result in as_completed(futures, with_results=True):
        out[future.key] = result
        done += len(result[1])
        if progress:
            progress(done / rows)
    return [out[f.key] for f in futures]
