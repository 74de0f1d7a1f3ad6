"""A two-link servo arm that moves, and then holds with its motors off: MuJoCo's own friction and Bristle's LuGre model.

Usage: python servo_arm.py [OUT.svg]    requires mujoco, matplotlib and bristle.mujoco
"""

import sys

import bristle.mujoco  # noqa: F401  loads the plugin
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import mujoco
import numpy as np

FRICTION = {"shoulder": (6.0, 7.5), "elbow": (2.0, 2.5)}  # Fc, Fs in N m


def arm(kind):
    loss = {j: f'frictionloss="{Fc}"' if kind == "mujoco" else "" for j, (Fc, _) in FRICTION.items()}
    plugins = "".join(
        f'<plugin plugin="bristle.friction" joint="{j}"><config key="model" value="lugre"/>'
        f'<config key="Fc" value="{Fc}"/><config key="Fs" value="{Fs}"/><config key="vs" value="0.01"/>'
        '<config key="sigma0" value="1e5"/><config key="sigma1" value="200"/><config key="kv" value="0.1"/></plugin>'
        for j, (Fc, Fs) in FRICTION.items()
    )
    return mujoco.MjModel.from_xml_string(f"""<mujoco>
  <option timestep="0.002" integrator="implicitfast"/>
  <extension><plugin plugin="bristle.friction"/></extension>
  <worldbody><body>
    <joint name="shoulder" axis="0 1 0" {loss["shoulder"]}/>
    <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" mass="1"/>
    <body pos="0.4 0 0">
      <joint name="elbow" axis="0 1 0" {loss["elbow"]}/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.025" mass="0.4" contype="0" conaffinity="0"/>
    </body></body></worldbody>
  <actuator><motor name="s" joint="shoulder"/><motor name="e" joint="elbow"/>{plugins if kind == "bristle" else ""}</actuator>
</mujoco>""")


def run(kind):
    model = arm(kind)
    data = mujoco.MjData(model)
    rows = []
    while data.time < 12:
        goal = np.array([-0.6, 0.9]) * min(1, data.time / 1.5)
        weight = data.qfrc_bias[:2]
        on = data.time < 2  # then the motors are switched off: friction alone carries the arm
        data.ctrl[:2] = (weight + [300, 120] * (goal - data.qpos) - [12, 5] * data.qvel) if on else 0
        mujoco.mj_step(model, data)
        rows.append([data.time, *data.qpos])
    return np.array(rows)


out = sys.argv[1] if len(sys.argv) > 1 else "servo_arm.svg"
figure, panels = plt.subplots(2, 1, sharex=True, figsize=(7, 4.6), constrained_layout=True)
for kind, label, style in (("mujoco", "MuJoCo, frictionloss", "C1"), ("bristle", "Bristle, lugre", "C0")):
    rows = run(kind)
    held = rows[rows[:, 0] >= 3]
    drift = np.abs(held[-1, 1:] - held[0, 1:]).max()
    print(f"{label}: drift from 3 s to 12 s {drift:.2g} rad")
    for i, panel in enumerate(panels):
        panel.plot(rows[:, 0], rows[:, 1 + i], style, label=f"{label}: drift {drift:.1g} rad from 3 s on")
for panel, name in zip(panels, ("shoulder", "elbow")):
    panel.axvline(2, color="0.6", lw=0.8)
    panel.set_ylabel(f"{name} (rad)")
    panel.grid(alpha=0.25)
panels[0].set_title("Servo arm under gravity; motors off from 2 s on")
panels[0].legend(frameon=False, fontsize=8, loc="best")
panels[1].set_xlabel("t (s)")
figure.savefig(out)
