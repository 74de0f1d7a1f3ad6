"""The examples run; the notebook has the code of the first one."""

import json
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
QUICK = sorted(p.name for p in FOLDER.glob("*.py") if p.name != "cluster.py")


@pytest.mark.parametrize("name", QUICK)
def test_example(name, tmp_path):
    subprocess.run([sys.executable, FOLDER / name], check=True, cwd=tmp_path, capture_output=True, text=True, timeout=120)


def test_notebook():
    cells = json.loads((FOLDER / "first_steps.ipynb").read_text())["cells"]
    code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    compile(code, "first_steps.ipynb", "exec")
    scope = {}
    exec(code, scope)
    assert scope["run"].measures["peak"] < 1.5
