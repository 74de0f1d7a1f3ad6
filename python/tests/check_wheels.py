"""Wheels in environments without a compiler: `check_wheels.py FOLDER`. Size, libraries, licence, and a run in a bare environment."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

LICENCES = list((pathlib.Path(__file__).parents[1] / "licenses").glob("*.txt"))  # of the libraries inside
ALLOWED = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2"}
TRY = """
import bristle, numpy as np
c = bristle.LuGre(Fc=1, Fs=1.5, vs=1e-3, sigma0=1e5, sigma1=300)
assert np.isfinite(c.along(1e-3, v=np.ones(10))).all()
s = {"friction": c.to_dict(), "system": {"kind": "slider", "mass": 1.0, "stiffness": 2.0},
     "drive": {"kind": "ramp", "velocity": 0.1}, "solver": {"duration": 5.0}}
assert len(bristle.simulate(s)["t"]) == 1001
t = np.arange(2000) * 1e-3
v = 0.02 * np.sin(9 * t)
f = bristle.fit({"t": t, "v": v, "F": c.along(t, v=v)}, "lugre")
print("bristle", bristle.__version__, f)
"""


def interpreters():
    root = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    for version in ("3.10", "3.11", "3.12", "3.13", "3.14"):
        for python in [*map(str, root.glob(f"{version}.*/bin/python")), f"python{version}"]:
            try:
                if subprocess.run([python, "-c", "import ensurepip"], capture_output=True).returncode == 0:
                    yield version, python
                    break
            except FileNotFoundError:
                continue


def fits(wheel, version):
    tag = "cp" + version.replace(".", "")
    return f"-{tag}-{tag}-" in wheel.name or ("-cp312-abi3-" in wheel.name and int(version[2:]) >= 12)


def main(folder):
    wheels = sorted(pathlib.Path(folder).glob("*.whl"))
    assert wheels, f"{folder}: no wheels"
    for wheel in wheels:
        assert wheel.stat().st_size <= 8e6, f"{wheel.name}: {wheel.stat().st_size} bytes, at most 8 MB"
        with zipfile.ZipFile(wheel) as z, tempfile.TemporaryDirectory() as work:
            names = z.namelist()
            assert {"bristle/py.typed", "bristle/__init__.pyi", "bristle/_core.pyi"} <= set(names), names
            texts = {n.rsplit("/", 1)[1] for n in names if ".dist-info/licenses/" in n}
            missing = ({"LICENSE"} | {f.name for f in LICENCES}) - texts
            assert LICENCES and not missing, f"{wheel.name}: without the licences {missing}"
            libraries = [n for n in names if ".so" in n]
            assert len(libraries) == 1, libraries  # nothing of others inside
            text = subprocess.run(["readelf", "-d", z.extract(libraries[0], work)], capture_output=True, text=True, check=True).stdout
            needed = set(re.findall(r"NEEDED.*\[(.*)\]", text))
            assert needed <= ALLOWED, f"{wheel.name}: needs {needed - ALLOWED}"
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, needs {', '.join(sorted(needed))}")
    for version, python in interpreters():
        wheel = next((w for w in wheels if fits(w, version)), None)
        if wheel is None:
            print(f"Python {version}: no wheel: skipped")
            continue
        with tempfile.TemporaryDirectory() as work:
            subprocess.run([python, "-m", "venv", work], check=True)
            subprocess.run([f"{work}/bin/pip", "install", "-q", "--disable-pip-version-check", str(wheel.resolve())], check=True)
            bare = {"PATH": "/nonexistent", "HOME": work}  # no compiler, no cmake
            out = subprocess.run([f"{work}/bin/python", "-c", TRY], check=True, capture_output=True, text=True, env=bare, cwd=work).stdout
        print(f"Python {version}: {out.strip()}")


main(sys.argv[1])
