"""Writes the type stubs of the package next to the built module: `stubs.py FOLDER`.

The classes of the models exist at run time only; their stubs come from the same field lists."""

import pathlib
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(folder))
import _core  # noqa: E402

subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "_core", "-i", str(folder), "-o", str(folder / "_core.pyi")],
               check=True)

SECTIONS = ("effects", "initial", "negative", "heat", "distribution")
TYPES = {"real": "float", "integer": "int", "boolean": "bool", "choice": "str", "array": "Sequence[float]"}
lines = [line
         for line in (pathlib.Path(__file__).parent / "bristle" / "__init__.py").read_text().splitlines()
         if line.startswith("from ._")]
out = ["from collections.abc import Mapping, Sequence", "from typing import Any", ""]
for line in lines:
    module, names = line.removeprefix("from ").split(" import ")
    out += [f"from {module} import {n} as {n}" for n in names.split(", ")]
out += ["from ._sklearn import FrictionRegressor as FrictionRegressor", "", "__version__: str", ""]
for model in _core.models():
    fields = sorted(model["parameters"], key=lambda f: not f["required"])
    given = "".join(f", {f['name']}: {TYPES[f['kind']]}{'' if f['required'] else ' = ...'}" for f in fields)
    common = "".join(f", {n}: Mapping[str, Any] | None = ..." for n in SECTIONS)
    out += [f"class {model['class']}(Contact):", f'    """{model["title"]}."""', "",
            f"    def __init__(self, *{given}{common}) -> None: ..."]
    out += [f"    {f['name']}: {TYPES[f['kind']]}" for f in fields] + [""]
(folder / "__init__.pyi").write_text("\n".join(out))
