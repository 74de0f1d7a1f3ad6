"""The virtual tribometer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core, _plot, _progress, _toml
from ._contact import Contact
from ._simulate import _write

if TYPE_CHECKING:
    import pandas as pd


class Characterization:
    """Properties of contacts, measured. properties and quantities : tables; failed : experiments without result; notes : remarks."""

    failed: list[tuple[str, str, str]]
    notes: list[tuple[str, str]]

    def __init__(self, core: Any) -> None:
        self._core = core
        self.failed = core.failures()
        self.notes = core.notes()

    @property
    def properties(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(self._core.properties(), columns=["contact", "property", "holds", "number", "threshold", "declared",
                                                              "rule", "detail"])

    @property
    def quantities(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(self._core.quantities(), columns=["contact", "experiment", "quantity", "value", "unit", "meaning"])

    def plot(self, experiment: str = "loops", axes: Any = None, **options: Any) -> Any:
        """One experiment: loops, curve, lag, steps, hold, breakaway, dwell, reversal, drift, stick_slip, cycles, energy."""
        return _plot.draw(self._core.figure(experiment), axes, **options)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page, one self-contained HTML file."""
        _write(path, self._core.page())

    def _repr_html_(self):
        return self.properties.pivot(index="property", columns="contact", values="holds").to_html()

    def __repr__(self):
        return f"<bristle.Characterization of {', '.join(self.properties['contact'].unique())}>"


def characterize(contacts: Any, *, own: bool = False, threads: int = 0, progress: Any = None) -> Characterization:
    """Runs the standard experiments on a contact, a friction block (dict, TOML text or path), a list of these or {label: block}.

    Several contacts are measured side by side with the velocity, travel and mass of the first one, as by the command;
    own=True : each at its own scales."""
    given = []
    for label, block in _labelled(contacts):
        if isinstance(block, Contact):
            block = block.to_dict()
        if isinstance(block, dict) and "friction" not in block:
            block = {"friction": block}
        if isinstance(block, dict) and isinstance(block["friction"], dict):
            label = label or block["friction"].get("model", "")
        given.append((str(label), *_toml.source(block)))
    return Characterization(_core.characterize(_apart(given), own, threads, _progress.callback(progress)))


def _labelled(contacts):
    if isinstance(contacts, dict) and "model" not in contacts and "friction" not in contacts:
        return list(contacts.items())
    return [("", c) for c in contacts] if isinstance(contacts, (list, tuple)) else [("", contacts)]


def _apart(given):
    """Contacts with the same label get a number, as the rows of tables are told apart by it."""
    seen, out = set(), []
    for label, text, path in given:
        label = label or Path(path).stem
        name, n = label, 2
        while name in seen:
            name, n = f"{label} ({n})", n + 1
        seen.add(name)
        out.append((name, text, path))
    return out
