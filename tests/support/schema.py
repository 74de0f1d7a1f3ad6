"""Compares the JSON schema of the command with its reader. Usage: schema.py BRISTLE ROOT"""
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import tomllib

import jsonschema

bristle, root = sys.argv[1], pathlib.Path(sys.argv[2])
schema = json.loads(subprocess.run([bristle, "schema"], capture_output=True, check=True).stdout)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
failures = 0


def fail(text):
    global failures
    failures += 1
    print("FAILED:", text)


def toml(value):
    """Text of a value; all tables inside a section are written in braces."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    return repr(value)


def text(tree):
    return "".join(f"{json.dumps(k)} = {toml(v)}\n" for k, v in tree.items())


def accepted_by_reader(trees):
    """Which of the files the command accepts."""
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for i, tree in enumerate(trees):
            path = pathlib.Path(folder) / f"{i}.toml"
            path.write_text(text(tree))
            names.append(str(path))
        out = subprocess.run([bristle, "check", *names], capture_output=True, text=True).stdout
        return [f"{n}: no problems" in out.splitlines() for n in names]


# Files of the tree.
trees = []
for file in sorted([*root.glob("examples/**/*.toml"), *root.glob("papers/*/*.toml")]):
    if file.name == "paper.toml":
        continue
    tree = tomllib.loads(file.read_text())
    for error in validator.iter_errors(tree):
        fail(f"{file.relative_to(root)}: {list(error.path)}: {error.message[:200]}")
    if "paper" not in tree and not any("file" in str(k) for k in tree.get("friction", {})):
        trees.append(tree)

# Wrong files.
base = tomllib.loads((root / "examples/init/servo.toml").read_text())
sine = {"drive": {"kind": "sine", "amplitude": 0.01, "frequency": 1.0}}
wrong = {
    "unknown section": {"drvie": {}}, "unknown key": {"solver": {"duration": 1, "rtl": 1e-8}},
    "type": {"solver": {"duration": "long"}}, "range": {"solver": {"duration": -1}}, "integer": {"schema": 2},
    "missing": {"solver": {}}, "word": {"drive": {"kind": "sien", "amplitude": 1, "frequency": 1}},
    "key of another kind": {"drive": {"kind": "sine", "amplitude": 1, "frequency": 1, "f0": 3}},
    "missing in a kind": {"drive": {"kind": "sine", "amplitude": 1}},
    "model": {"friction": {"model": "lugra"}}, "parameter": {"friction": base["friction"] | {"sigma_0": 1}},
    "parameter range": {"friction": base["friction"] | {"Fc": -1}},
    "missing parameter": {"friction": {"model": "lugre", "Fc": 1}},
    "effect": {"friction": base["friction"] | {"effects": {"riple": 0.1}}},
    "effect range": {"friction": base["friction"] | {"effects": {"ripple": 2}}},
    "state": {"friction": base["friction"] | {"initial": {"y": 0}}},
    "term": {"drive": {"kind": "sum", "terms": [{"kind": "sine", "amplitude": 1}]}},
    "bounds": {"expect": {"max(F)": {"vale": 1, "rel": 1}}}, "bounds form": {"expect": {"max(F)": 1}},
    "measure": {"measure": {"a": 3}}, "figure": {"figure": [{"x": "t", "y": 3}]}, "limits": {"figure": [{"y": "x", "xlim": [1]}]},
    "controller": {"controller": {"kp": "large"}}, "tribometer": {"tribometer": {"curve": {"per_decade": 1.5}}},
    "measured": {"measured": {"v": [1, 2, 3]}}, "roller": {"system": {"kind": "roller", "mass": 1}},
    "gravity of a roller": {"system": {"kind": "roller", "mass": 1, "radius": 1, "gravity": 3}},
}
for name, change in wrong.items():
    if validator.is_valid(base | change):
        fail(f"accepts a wrong file: {name}")
right = {"sine": sine, "omega": {"drive": {"kind": "sine", "amplitude": 1, "omega": 2}},
         "mu": {"friction": {"model": "coulomb", "mu_c": 0.1, "normal_load": 10}}, "inf": {"controller": {"kp": 1, "limit": float("inf")}}}
for (name, change), good in zip(right.items(), accepted_by_reader([base | c for c in right.values()])):
    if not good or not validator.is_valid(base | change):
        fail(f"refuses a correct file: {name}")

# The law: what the reader accepts is valid. Random changes of the files, with keys and values of the others.
chance = random.Random(1)
count = int(sys.argv[3]) if len(sys.argv) > 3 else 400
values = [0, 1, 2.5, -1, 1e-3, 1e6, True, "x", "t", "model", [1, 2], [0.5], ["x", "v"], float("inf")]


def places(tree):
    out = []
    for k, v in tree.items():
        out.append((tree, k))
        for inner in v if isinstance(v, list) else [v]:
            if isinstance(inner, dict):
                out += places(inner)
    return out


pool = [p for t in trees for p in places(t)]
changed = []
while len(changed) < count:
    tree = copy.deepcopy(chance.choice(trees))
    for _ in range(chance.choice([1, 1, 2])):
        if not tree:
            break
        table, key = chance.choice(places(tree))
        other_table, other_key = chance.choice(pool)
        what = chance.randrange(4)
        if what == 0:
            del table[key]
        elif what == 1:
            table[key] = chance.choice(values)
        elif what == 2:
            table[other_key] = copy.deepcopy(other_table[other_key])
        else:
            table[key] = copy.deepcopy(other_table[other_key])
    changed.append(tree)
both = 0
for tree, good in zip(changed, accepted_by_reader(changed)):
    valid = validator.is_valid(tree)
    both += good and valid
    if good and not valid:
        fail(f"the reader accepts, the schema does not: {text(tree)} {[e.message[:200] for e in validator.iter_errors(tree)]}")
if both < count / 20:
    fail(f"only {both} of {count} changed files are correct: too few to compare")
print(f"{len(trees)} files, {len(wrong)} wrong ones, {count} changed ones of which {both} are correct")
sys.exit(1 if failures else 0)
