"""Checks of the MuJoCo plugin; usage: mujoco_check.py PLUGIN [--cost]. Prints a table; the status is 1 if a check fails."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import mujoco
import numpy as np

root = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("bristle_mujoco", root / "python/bristle/mujoco.py")
os.environ["BRISTLE_MUJOCO"] = str(pathlib.Path(sys.argv[1]).resolve())
temporary = tempfile.TemporaryDirectory()
os.chdir(temporary.name)  # MuJoCo writes MUJOCO_LOG.TXT where it runs
spec.loader.exec_module(importlib.util.module_from_spec(spec))
failed = 0


def check(name, value, limit):
    global failed
    good = bool(value <= limit)
    failed += not good
    print(f"{name}: {value:.3g} (at most {limit:.3g}){'' if good else '  FAILED'}", flush=True)


LUGRE = dict(Fc=1, Fs=1.5, vs=0.001, sigma0=1e5, sigma1=10, kv=0)


def friction(joint, model="lugre", **p):
    keys = "".join(f'<config key="{k}" value="{v}"/>' for k, v in (p or LUGRE).items())
    return f'<plugin plugin="bristle.friction" joint="{joint}"><config key="model" value="{model}"/>{keys}</plugin>'


def scene(bodies, actuators, h, integrator="Euler", more=""):
    return (
        f'<mujoco><option timestep="{h}" integrator="{integrator}" {more}/>'
        '<extension><plugin plugin="bristle.friction"/></extension>'
        f"<worldbody>{bodies}</worldbody><actuator>{actuators}</actuator></mujoco>"
    )


def arm(n, length=0.2, mass=0.5, more=""):
    text = ""
    for i in range(n):
        at = 0 if i == 0 else length
        text += (
            f'<body pos="{at} 0 0"><joint name="j{i}" type="hinge" axis="0 1 0" {more}/>'
            f'<geom type="capsule" fromto="0 0 0 {length} 0 0" size="0.02" mass="{mass}" contype="0" conaffinity="0"/>'
        )
    return text + "</body>" * n


def holding(n, h, integrator="Euler", model="lugre", motors="", more="", **p):
    # Enough friction for the weight of the links beyond each joint.
    frictions = ""
    for i in range(n):
        q = dict(p or LUGRE)
        if not p:
            beyond = n - i
            load = 0.5 * 9.81 * 0.2 * sum(k + 0.5 for k in range(beyond))
            q.update(Fc=1.3 * load, Fs=1.5 * load, sigma1=500)
        frictions += friction(f"j{i}", model, **q)
    return mujoco.MjModel.from_xml_string(scene(arm(n, more=more), motors + frictions, h, integrator))


def drift(m, begin=1, end=10):
    d = mujoco.MjData(m)
    while d.time < begin - 1e-9:
        mujoco.mj_step(m, d)
    at = d.qpos.copy()
    worst = 0
    while d.time < end - 1e-9:
        mujoco.mj_step(m, d)
        worst = max(worst, np.abs(d.qpos - at).max())
    return worst if np.isfinite(d.qpos).all() else np.inf


HINGE = '<body><joint name="j" type="hinge" axis="0 1 0"/><inertial pos="0.2 0 0" mass="0.4" diaginertia="1e-3 1e-3 1e-3"/></body>'
for integrator in ("Euler", "implicitfast", "RK4"):
    for h in (1e-3, 2e-3, 5e-3):
        m = mujoco.MjModel.from_xml_string(scene(HINGE, friction("j"), h, integrator))
        check(f"drift of a hinge under gravity in 9 s, {integrator}, {h * 1e3:g} ms, rad", drift(m), 1e-10)
for n in (3, 7):
    for integrator in ("Euler", "implicitfast", "RK4"):
        for h in (1e-3, 5e-3):
            check(f"drift of {n} links, {integrator}, {h * 1e3:g} ms, rad", drift(holding(n, h, integrator), 1, 4), 1e-10)
for model, p in {
    "coulomb": dict(Fc=2, Fs=2.5),
    "stribeck": dict(Fc=2, Fs=2.5, vs=0.01),
    "karnopp": dict(Fc=2, Fs=2.5, vs=0.01),
    "gms": dict(Fc=2, Fs=2.5, vs=0.01, k="1e4 2e4 4e4", nu="0.3 0.3 0.4", C=50, kv=0.1),
    "maxwell_slip": dict(k="1e4 2e4 4e4", W="0.6 0.7 0.8"),
}.items():
    m = mujoco.MjModel.from_xml_string(scene(HINGE, friction("j", model, **p), 2e-3))
    check(f"drift of a hinge with {model}, 2 ms, rad", drift(m, 1, 4), 1e-10)

# An arm that rests on a floor: contact forces are not known before the step.
floor = '<geom type="plane" size="2 2 .1" pos="0 0 -0.15"/>'
rest = floor + arm(2).replace('contype="0" conaffinity="0"', "")
m = mujoco.MjModel.from_xml_string(scene(rest, friction("j0", **{**LUGRE, "Fc": 0.3, "Fs": 0.4}) + friction("j1", **{**LUGRE, "Fc": 0.2, "Fs": 0.3}), 1e-3))
check("drift of an arm on a floor, 1 ms, from 5 s to 10 s, rad", drift(m, 5, 10), 1e-9)

# Momentum: without gravity, joint friction between two free bodies changes neither momentum nor angular momentum.
free = (
    '<body><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/>'
    '<body pos=".2 0 0"><joint name="j" type="hinge" axis="0 1 0"/><geom type="box" size=".1 .05 .05" mass=".5"/></body></body>'
)
m = mujoco.MjModel.from_xml_string(scene(free, friction("j", **{**LUGRE, "Fc": 0.01, "Fs": 0.015, "sigma0": 100, "sigma1": 0.1}), 1e-4, "RK4", 'gravity="0 0 0"'))
d = mujoco.MjData(m)
d.qvel[6] = 3
mujoco.mj_forward(m, d)


def momenta():
    mujoco.mj_subtreeVel(m, d)
    return np.concatenate([d.subtree_linvel[0] * m.body_subtreemass[0], d.subtree_angmom[0]])


before = momenta()
for _ in range(20000):
    mujoco.mj_step(m, d)
mujoco.mj_forward(m, d)
check("momentum of two free bodies with friction between them", np.abs(momenta() - before).max(), 1e-6)
check("relative velocity at the end: friction stops it, rad/s", abs(d.qvel[6]), 1e-6)

# Energy: constant friction of a disk, w = w0 - Fc t/J while it slides, and rest afterwards.
disk = '<body><joint name="j" type="hinge" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 .01"/></body>'
for integrator in ("Euler", "implicitfast"):
    m = mujoco.MjModel.from_xml_string(scene(disk, friction("j", "coulomb", Fc=0.02), 1e-3, integrator))
    d = mujoco.MjData(m)
    d.qvel[0], work = 3.0, 0.0
    while d.time < 1 - 1e-9:
        v = d.qvel[0]
        mujoco.mj_step(m, d)
        work += -d.actuator_force[0] * (d.qvel[0] + v) / 2 * m.opt.timestep
    check(f"velocity of a disk after 1 s of sliding, {integrator}, rad/s", abs(d.qvel[0] - 1.0), 1e-11)
    check(f"energy of the disk and work of friction, {integrator}, J", abs(0.005 * (9 - d.qvel[0] ** 2) - work), 1e-12)
    while d.time < 2:
        mujoco.mj_step(m, d)
    check(f"velocity of the disk after it stopped, {integrator}, rad/s", abs(d.qvel[0]), 0)

# mj_copyData and states: continued runs have the same bits.
m = holding(3, 2e-3, motors="".join(f'<motor joint="j{i}"/>' for i in range(3)))


def driven(d, steps):
    out = []
    for _ in range(steps):
        d.ctrl[:3] = 6 * np.sin(7 * d.time + np.arange(3))
        mujoco.mj_step(m, d)
        out.append(np.concatenate([d.qpos, d.qvel]))
    return np.array(out)


a = mujoco.MjData(m)
driven(a, 300)
b, c = mujoco.MjData(m), mujoco.MjData(m)
mujoco.mj_copyData(b, m, a)
state = np.empty(mujoco.mj_stateSize(m, mujoco.mjtState.mjSTATE_INTEGRATION))
mujoco.mj_getState(m, a, state, mujoco.mjtState.mjSTATE_INTEGRATION)
mujoco.mj_setState(m, c, state, mujoco.mjtState.mjSTATE_INTEGRATION)
runs = [driven(x, 300) for x in (a, b, c)]
check("difference of a copied run", np.abs(runs[1] - runs[0]).max(), 0)
check("difference of a run from a state vector", np.abs(runs[2] - runs[0]).max(), 0)
check("motion in these runs is none, rad", -np.ptp(runs[0][:, 0]), -1e-3)

# Random elements on a disk under a load that swings, compared with the FMU of the same body, which is `couple` of the library. Rounding
# may differ; what it may do to the motion is what a change of the load by 1e-15 does in the FMU, for some laws release amplifies it.
command = pathlib.Path(os.environ["BRISTLE_MUJOCO"]).parents[4] / "bin/bristle"


def with_fmu(file, mass, loads, h):
    fmu = file.with_suffix(".fmu")
    subprocess.run([command, "export", "fmu", file, "-o", fmu, "--version", "2", "--kind", "body"], check=True, capture_output=True)
    description, folder = read_model_description(str(fmu)), extract(str(fmu))
    vr = {v.name: v.valueReference for v in description.modelVariables}
    slave = FMU2Slave(guid=description.guid, unzipDirectory=folder, modelIdentifier="bristle", instanceName="one")
    slave.instantiate()
    slave.setReal([vr["mass"], vr["max_step"]], [mass, 1])
    slave.setupExperiment(startTime=0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    out = []
    for i, load in enumerate(loads):
        slave.setReal([vr["F_app"]], [load])
        slave.doStep(i * h, h)
        out.append(slave.getReal([vr["x"]])[0])
    slave.terminate()
    slave.freeInstance()
    shutil.rmtree(folder)
    return np.array(out)


def compare_elements(seeds, h=1e-3, n=2000):
    worst = 0.0
    for seed in seeds:
        g = np.random.default_rng(seed)
        log = lambda x: x * 10 ** g.uniform(-1, 1)
        elements = int(g.integers(1, 7))
        Fc, nu = log(1), g.uniform(0.1, 1, elements)
        p = dict(Fc=Fc, Fs=Fc * g.uniform(1, 2.5), vs=log(0.01), k=[log(1e4) for _ in nu], nu=list(nu / nu.sum()), C=log(50), kv=g.uniform(0, 1))
        mass, A, w = log(0.1), p["Fs"] * g.uniform(1.05, 2), g.uniform(2, 40)
        file = pathlib.Path(f"gms{seed}.toml")
        file.write_text('[friction]\nmodel = "gms"\n' + "".join(f"{k} = {[float(e) for e in v] if isinstance(v, list) else float(v)!r}\n" for k, v in p.items()))
        q = {k: " ".join(repr(float(e)) for e in v) if isinstance(v, list) else repr(float(v)) for k, v in p.items()}
        body = f'<body><joint name="j" type="hinge" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="{mass!r} {mass!r} {mass!r}"/></body>'
        m = mujoco.MjModel.from_xml_string(scene(body, '<motor joint="j"/>' + friction("j", "gms", **q), h, more='gravity="0 0 0"'))
        d, x, loads = mujoco.MjData(m), [], A * np.sin(w * h * np.arange(n))
        for load in loads:
            d.ctrl[0] = load
            mujoco.mj_step(m, d)
            x.append(d.qpos[0])
        ours = with_fmu(file, mass, loads, h)
        rounded = with_fmu(file, mass, loads * (1 + 1e-15 * g.choice([-1, 0, 1], n)), h)
        size = np.abs(ours).max()
        worst = max(worst, np.abs(ours - np.array(x)).max() / (1e-10 * size + 1e3 * np.abs(rounded - ours).max()))
    return worst


BLOCKS = {
    "gms with curves of its own": 'model = "gms"\nvs = 0.01\nk = [1e4, 2e4]\nFc_i = [0.2, 0.8]\nFs_i = [0.3, 1.2]\nC_i = [10, 30]\nsigma = [1, 2]',
    "film": 'model = "film"\nFc = 0.2\nFs = 1.5\nvs = 0.01\nkf = 2\nsqueeze_length = 0.01',
    "film under transmitted load": 'model = "film"\nFc = 0.2\nFs = 1.5\nvs = 0.01\nkf = 2\nsqueeze_length = 0.01\n[friction.effects]\nload_drive = 0.1\nload_backdrive = 0.2',
    "velocity_weakening": 'model = "velocity_weakening"\nFs = 1.5\ndrop = 0.3\nvw = 0.05\nkv = 0.2\nkv_exponent = 0.7',
    "bouc_wen": 'model = "bouc_wen"\nFc = 1\nsigma0 = 1e4\nn = 2\nbeta = 0.6\nkv = 0.2',
    "iwan": 'model = "iwan"\nFc = 1\nsigma0 = 1e4\nchi = -0.3\nk_end = 1e3\nkv = 0.2',
    "lugre with effects": 'model = "lugre"\nFc = 1\nFs = 1.5\nvs = 0.01\nsigma0 = 1e4\nsigma1 = 10\nkv = 0.4\n[friction.effects]\n'
    "curve_x = [0.0, 0.1]\ncurve_F = [0.0, 0.1]\nload_offset = 0.2\nripple = 0.1\nripple_period = 0.02\n[friction.negative]\nFc = 0.8",
}


def compare_blocks(mass=0.3, h=1e-3, n=2000):
    """The actuator of `bristle export mujoco` on a disk, compared with the FMU of the same file."""
    loads = 2 * np.sin(9 * h * np.arange(n))
    body = f'<body><joint name="j" type="hinge" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="{mass} {mass} {mass}"/></body>'
    for name, text in BLOCKS.items():
        file = pathlib.Path("block.toml")
        file.write_text("[friction]\n" + text + "\n")
        snippet = subprocess.run([command, "export", "mujoco", file, "--joint", "j"], check=True, capture_output=True, text=True).stdout
        actuator = snippet[snippet.index("<plugin", snippet.index("<actuator>")) : snippet.index("</actuator>")]
        m = mujoco.MjModel.from_xml_string(scene(body, '<motor joint="j"/>' + actuator, h, more='gravity="0 0 0"'))
        d, x = mujoco.MjData(m), []
        for load in loads:
            d.ctrl[0] = load
            mujoco.mj_step(m, d)
            x.append(d.qpos[0])
        ours = with_fmu(file, mass, loads, h)
        rounded = with_fmu(file, mass, loads * (1 + 1e-15 * np.random.default_rng(1).choice([-1, 0, 1], n)), h)
        limit = 1e-10 * np.abs(ours).max() + 1e3 * np.abs(rounded - ours).max()
        check(f"difference of {name} from its FMU, rad", np.abs(ours - np.array(x)).max(), limit)


if command.exists():
    from fmpy import extract, read_model_description
    from fmpy.fmi2 import FMU2Slave

    check("difference of 60 random gms from the FMU, over what rounding does to them", compare_elements(range(60)), 1)
    compare_blocks()
else:
    print(f"skipped: random gms, {command} does not exist")

# Messages: wrong input is refused with a reason.
for what, text in {
    "unknown model": friction("j", "lugra"),
    "must be": friction("j", **{**LUGRE, "Fc": -1}),
    "do not fit together": friction("j", **{**LUGRE, "Fs": 0.5}),
    "missing parameter": friction("j", "lugre", Fc=1),
    "unknown parameter": friction("j", "coulomb", Fc=1, sigma0=1),
    "random": friction("j", "coulomb", Fc=1, **{"effects.noise": 1}),
}.items():
    message = ""
    try:
        mujoco.MjData(mujoco.MjModel.from_xml_string(scene(HINGE, text, 1e-3)))
    except Exception as e:
        message = str(e)
    check(f"refusal with '{what}' is missing", 0 if what in message else 1, 0)

if "--cost" in sys.argv:
    for n in (1, 7):
        rows = {}
        chain = arm(n)
        rows["bare"] = mujoco.MjModel.from_xml_string(scene(chain, "", 1e-3))
        rows["frictionloss"] = mujoco.MjModel.from_xml_string(scene(arm(n, more='frictionloss="3"'), "", 1e-3))
        rows["bristle lugre"] = holding(n, 1e-3)
        try:
            motors = "".join(f'<dcmotor joint="j{i}" motorconst="0.05" resistance="1" lugre="1e5 10 0.01 0.05"/>' for i in range(n))
            rows["dcmotor lugre"] = mujoco.MjModel.from_xml_string(scene(chain, motors, 1e-3))
        except Exception as e:
            print("dcmotor:", str(e).splitlines()[0])
        best = dict.fromkeys(rows, np.inf)
        for _ in range(5):
            for name, m in rows.items():
                d = mujoco.MjData(m)
                mujoco.mj_step(m, d, 200)
                t = time.process_time()
                mujoco.mj_step(m, d, 2000)
                best[name] = min(best[name], (time.process_time() - t) / 2000)
        for name, t in best.items():
            print(f"cost of a step, {n} joints, {name}: {t * 1e6:.1f} us")
        check(f"plugin: cost of a step, {n} joints, us", best["bristle lugre"] * 1e6, 20)
print("failed:" if failed else "all held", failed or "")
sys.exit(1 if failed else 0)
