"""The Windows binary of FMUs under wine, compared with that of Linux: windows_check.py BRISTLE WORK. Status 1 if a model differs by more than
rounding; a line that begins with "skipped" if wine or the cross compiler is missing."""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree as tree
import zipfile

bristle, work = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
root = pathlib.Path(__file__).resolve().parents[2]
work.mkdir(parents=True, exist_ok=True)
wine = shutil.which("wine64") or shutil.which("wine") or ("/usr/lib/wine/wine64" if os.path.exists("/usr/lib/wine/wine64") else None)
cross = shutil.which("x86_64-w64-mingw32-gcc-posix") or shutil.which("x86_64-w64-mingw32-gcc")
if not wine or not cross:
    sys.exit(print(f"skipped: the Windows binary was not run; {'wine' if not wine else 'the cross compiler'} is not installed"))
environment = {**os.environ, "WINEPREFIX": str(work / "prefix"), "WINEDEBUG": "-all", "DISPLAY": ""}
source = [str(root / "tests/ship/unit.c"), f"-I{root / 'export/fmu/fmi'}", "-std=gnu99", "-O1", "-Wall", "-Wextra"]
subprocess.run(["gcc", *source, "-o", work / "unit", "-ldl"], check=True)
subprocess.run([cross, *source, "-Wno-cast-function-type", "-o", work / "unit.exe"], check=True)


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, env=environment, timeout=300)


def forces(done, what):
    if done.returncode:
        print(f"{what}: {done.stderr.strip()[:300]}")
        return None
    return [struct.unpack(">d", bytes.fromhex(line.strip()))[0] for line in done.stdout.split()]


failed, models = 0, json.loads(run(bristle, "models", "--json").stdout)
for model in models:
    name = model["name"]
    info = json.loads(run(bristle, "models", name, "--json").stdout)
    info = info[0] if isinstance(info, list) else info
    block = "\n".join(f"{p['name']} = {json.dumps(p['typical'])}" for p in info["parameters"] if p["required"])
    (work / f"{name}.toml").write_text(f'[friction]\nmodel = "{name}"\n{block}\n')
    fmu, folder = work / f"{name}.fmu", work / f"{name} unit"  # with a blank, as users have it
    fmu.unlink(missing_ok=True)
    made = run(bristle, "export", "fmu", work / f"{name}.toml", "-o", fmu, "--version", "2")
    if made.returncode == 2 and any(reason in made.stderr for reason in ("random", "population", "state equation")):
        continue
    with zipfile.ZipFile(fmu) as z:
        z.extractall(folder)
    description = tree.parse(folder / "modelDescription.xml").getroot()
    reference = {v.get("name"): v.get("valueReference") for v in description.iter("ScalarVariable")}
    rest = [description.get("guid"), reference["v"], reference["F"]]
    here = forces(run(work / "unit", next(folder.glob("binaries/linux64/*")), f"file://{folder}/resources".replace(" ", "%20"), *rest), name)
    there = forces(run(wine, work / "unit.exe", f"Z:{next(folder.glob('binaries/win64/*'))}".replace("/", "\\"),
                       f"file:///Z:{folder}/resources".replace(" ", "%20"), *rest), f"{name} under wine")
    if here is None or there is None or len(here) != 400 or len(there) != 400:
        failed += 1
        continue
    largest = max(map(abs, here)) or 1.0
    apart = max(abs(a - b) for a, b in zip(here, there)) / largest
    good = apart <= 1e-12
    failed += not good
    print(f"{name}: Windows {'has the bits of Linux' if apart == 0 else f'differs from Linux by {apart:.1e} of the largest force'}"
          f"{'' if good else '  FAILED'}", flush=True)
print("failed:" if failed else "all held", failed or "")
sys.exit(1 if failed else 0)
