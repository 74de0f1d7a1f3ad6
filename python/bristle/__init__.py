"""Friction models, simulation, identification: ``help(bristle.LuGre)``, ``bristle.simulate("stick_slip.toml")``.

Forces in N, displacements in m, times in s (or N m and rad). Wrong input raises InputError with all problems at once."""

from . import _contact, _core
from ._batch import Batch
from ._characterize import Characterization, characterize
from ._contact import Contact, Coupled, couple_all, effects, load, make, models
from ._errors import DeviceError, InputError, RunDiverged, RunFailed
from ._identify import Fit, Identification, Score, fit, identify, score
from ._simulate import Comparison, Event, Result, compare, simulate
from ._surface import Surface, surface
from ._sweep import grid, sample, sweep

__version__ = _core.__version__
_MODEL_CLASSES = {c.__name__: c for c in _contact._CLASSES.values()}
globals().update(_MODEL_CLASSES)

__all__ = ["Batch", "Characterization", "Comparison", "Contact", "Coupled", "DeviceError", "Event", "Fit", "FrictionRegressor", "Identification",
           "InputError", "Result", "RunDiverged", "RunFailed", "Score", "Surface", "characterize", "compare", "couple_all", "effects", "fit",
           "grid", "identify", "load", "make", "models", "sample", "score", "simulate", "surface", "sweep", *sorted(_MODEL_CLASSES)]


def __getattr__(name):
    if name == "FrictionRegressor":  # scikit-learn takes seconds to import
        from ._sklearn import FrictionRegressor

        return FrictionRegressor
    raise AttributeError(f"module 'bristle' has no attribute {name!r}")
