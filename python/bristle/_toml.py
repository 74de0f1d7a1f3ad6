"""Scenarios as paths, TOML text or dicts."""

import json
import os
from pathlib import Path

import numpy as np

from . import _core
from ._errors import InputError


def value(x):
    """The TOML text of a value."""
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    if isinstance(x, str):
        return json.dumps(x, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(x, (int, np.integer)):
        if not abs(int(x)) < 2**1024:
            raise InputError("an integer of more than 1024 bits; a number of at most 1e30 is accepted")
        return repr(int(x)) if -(2**63) <= x < 2**63 else repr(float(x))
    if isinstance(x, (float, np.floating)):
        return repr(float(x))
    if isinstance(x, dict):
        return "{ " + ", ".join(f"{key(k)} = {value(v)}" for k, v in x.items()) + " }"
    if isinstance(x, os.PathLike):
        return value(os.fspath(x))
    if isinstance(x, np.ndarray):
        x = x.tolist()
        if not isinstance(x, list):
            return value(x)
    if hasattr(x, "__iter__"):
        return "[" + ", ".join(value(v) for v in x) + "]"
    raise InputError(f"{x!r}: must be a number, a boolean, a text, a list or a dict")


def key(k):
    if not isinstance(k, str):
        raise InputError(f"key {k!r}: must be a text")
    return k if k and all(c.isalnum() and c.isascii() or c in "_-" for c in k) else value(k)


def text(d):
    """The TOML text of a dict; its dicts become sections. All values that have no text are reported together."""
    top, sections, problems = [], [], []

    def line(path, k, v):
        try:
            return f"{key(k)} = {value(v)}"
        except InputError as e:
            problems.extend(f"{path}{k}: {p}" for p in e.problems)
            return ""

    def section(path, table):
        rest = []
        lines = [f"[{path}]"]
        for k, v in table.items():
            if isinstance(v, dict):
                rest.append((f"{path}.{key(k)}", v))
            else:
                lines.append(line(f"{path}.", k, v))
        sections.append("\n".join(lines))
        for path, v in rest:
            section(path, v)

    for k, v in d.items():
        if isinstance(v, dict):
            section(key(k), v)
        elif hasattr(v, "model") and hasattr(v, "to_dict"):
            section(key(k), v.to_dict())
        else:
            top.append(line("", k, v))
    if problems:
        raise InputError(problems)
    return "\n".join(top + sections) + "\n"


def source(scenario):
    """(text, path) of a path, TOML text or dict. A text has a line break or an equals sign, a path has not."""
    if isinstance(scenario, dict):
        return text(scenario), "dict"
    if isinstance(scenario, str) and not scenario.strip():
        raise InputError("the scenario is an empty text; a path, a TOML text or a dict is required")
    if isinstance(scenario, str) and ("\n" in scenario or "=" in scenario and not os.path.exists(scenario)):
        return scenario, "text"
    if not isinstance(scenario, (str, os.PathLike)):
        raise TypeError(f"a scenario is a path, a TOML text or a dict, not {type(scenario).__name__}")
    path = os.fspath(scenario)
    try:
        return Path(path).read_text(encoding="utf-8"), path
    except UnicodeDecodeError as e:
        raise InputError(f"{path}: byte {e.start} is not UTF-8; a TOML text is required") from None


def changes(values):
    """{"friction.Fc": 1.2} as the command takes it after --set."""
    if values is not None and not hasattr(values, "items"):
        raise InputError(f"set: is {values!r}, must be a dict such as {{'friction.Fc': 1.2}}")
    problems, out = [], []
    for k, v in (values or {}).items():
        try:
            out.append(f"{k}={value(v)}")
        except InputError as e:
            problems += [f"{k}: {p}" for p in e.problems]
    if problems:
        raise InputError(problems)
    return out


def scenario(given, set=None, measures=None):
    content, path = source(given)
    return _core.Scenario(content, path, changes(set), [f"{k}={v}" for k, v in (measures or {}).items()])
