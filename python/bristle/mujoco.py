"""Friction of Bristle in MuJoCo: `import bristle.mujoco` finds and loads the plugin "bristle.friction".

    import bristle.mujoco
    import mujoco
    model = mujoco.MjModel.from_xml_path("arm.xml")   # <plugin plugin="bristle.friction" joint="elbow">...

The text of the actuator comes from `bristle export mujoco FILE --joint NAME`.
"""

import ctypes
import os
import pathlib
import shutil

NAME = "bristle_mujoco.so"
PLUGIN = "bristle.friction"
_loaded = None


def find():
    """The path of the plugin: BRISTLE_MUJOCO, next to this file, or in the resources of the command `bristle`."""
    here = pathlib.Path(__file__).resolve().parent
    places = [here / NAME, here / "resources" / "mujoco" / NAME]
    if "BRISTLE_MUJOCO" in os.environ:
        places.insert(0, pathlib.Path(os.environ["BRISTLE_MUJOCO"]))
    command = shutil.which("bristle")
    roots = [pathlib.Path(command).resolve().parent.parent] if command else []
    # The module in python/ of the sources, or in build/python.
    roots += [here.parent.parent / "build", here.parent.parent, pathlib.Path("/usr/local"), pathlib.Path("/usr")]
    places += [root / "share/bristle/resources/mujoco" / NAME for root in roots]
    for place in places:
        if place.is_file():
            return str(place)
    raise FileNotFoundError(
        f"{NAME} not found; set BRISTLE_MUJOCO to its path, or install the command bristle built with MuJoCo"
    )


def load(path=None):
    """Registers the plugin with MuJoCo, once; returns the path of the library."""
    global _loaded
    if _loaded:
        return _loaded
    import mujoco

    folder = pathlib.Path(mujoco.__file__).resolve().parent
    # The plugin is not linked with one release of MuJoCo: its symbols come from the library of the wheel.
    for library in sorted(folder.glob("libmujoco.so*")):
        ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)
    path = path or find()
    mujoco.mj_loadPluginLibrary(path)
    _loaded = path
    return path


load()
