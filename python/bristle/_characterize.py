"""The virtual tribometer."""

from . import _core, _plot, _progress, _toml
from ._contact import Contact
from ._simulate import _write


class Characterization:
    """Properties of contacts, measured. properties and quantities : tables; failed : experiments without result."""

    def __init__(self, core):
        self._core = core
        self.failed = core.failures()

    @property
    def properties(self):
        import pandas as pd

        return pd.DataFrame(self._core.properties(), columns=["contact", "property", "holds", "number", "threshold", "declared",
                                                              "rule", "detail"])

    @property
    def quantities(self):
        import pandas as pd

        return pd.DataFrame(self._core.quantities(), columns=["contact", "experiment", "quantity", "value", "unit", "meaning"])

    def plot(self, experiment="loops", axes=None, **options):
        """One experiment: loops, curve, lag, steps, hold, breakaway, dwell, reversal, drift, stick_slip, cycles, energy."""
        return _plot.draw(self._core.figure(experiment), axes, **options)

    def report(self, path):
        _write(path, self._core.page())

    def _repr_html_(self):
        return self.properties.pivot(index="property", columns="contact", values="holds").to_html()

    def __repr__(self):
        return f"<bristle.Characterization of {', '.join(self.properties['contact'].unique())}>"


def characterize(contacts, *, threads=0, progress=None):
    """Runs the standard experiments on a contact, a friction block (dict, TOML text or path), or on {label: block}."""
    if isinstance(contacts, dict) and "model" not in contacts and "friction" not in contacts:
        blocks = contacts.items()
    else:
        blocks = [("", contacts)]
    given = []
    for label, block in blocks:
        if isinstance(block, Contact):
            label = label or block.model
            block = {"friction": _nested(block)}
        elif isinstance(block, dict) and "friction" not in block:
            block = {"friction": block}
        given.append((str(label), *_toml.source(block)))
    return Characterization(_core.characterize(given, threads, _progress.callback(progress)))


def _nested(contact):
    """The block of a file, in which the negative direction belongs to the friction section."""
    return contact.to_dict()
