#include "scenario/prose.hpp"

#include <algorithm>
#include <array>

namespace bristle::scenario {

const char* const frame = R"toml([friction]
model = "coulomb"
Fc = 1.0
[system]
kind = "slider"
mass = 1.0
[solver]
duration = 10.0
)toml";

namespace {

struct Passage {
  std::string_view path;
  Prose prose;
};
constexpr std::array entries = std::to_array<Passage>({
    {"",
     {"A scenario is a TOML file: a contact ([friction]), a moving body ([system]), the motion or force that acts on it "
      "([drive]) and the length of the run ([solver]). Units are SI. Every key is checked; an unknown key is an error. "
      "'bristle simulate FILE' runs a scenario, 'bristle check FILE' reads it only, 'bristle init' writes one.",
      R"toml(schema = 1
title = "Stick-slip"

[friction]
model = "lugre"
Fc = 1.0               # N
Fs = 1.5               # N
vs = 0.001             # m/s
sigma0 = 1e5           # N/m
sigma1 = 316.0         # N s/m
kv = 0.4               # N s/m

[system]
kind = "slider"        # a mass on a spring
mass = 1.0             # kg
stiffness = 2.0        # N/m

[drive]                # the far end of the spring
kind = "ramp"
velocity = 0.1         # m/s

[solver]
duration = 20.0        # s

[[figure]]
y = ["x", "drive"]

[measure]
peak = "max(F)"
cycle = "period(slip+)"
)toml"}},
    {".units=linear", {"N, m, m/s"}},
    {".units=rotational", {"N m, rad, rad/s"}},
    {"friction",
     {"The contact. The parameters of the model are keys of this section: 'bristle models' lists the models, 'bristle models "
      "lugre' the parameters of one. Forces Fc, Fs... may be given as coefficients mu_c, mu_s... with normal_load. Several "
      "contacts on one body are sections [[friction]] with a name each.",
      R"toml([friction]
model = "lugre"
Fc = 1.0               # N; or mu_c = 0.1 with normal_load = 10.0
Fs = 1.5               # N
vs = 0.001             # m/s
sigma0 = 1e5           # N/m
sigma1 = 316.0         # N s/m
)toml"}},
    {"friction.initial",
     {"States of the model at t = 0, by name ('bristle models lugre' lists them); those at rest unless given.",
      R"toml([friction]
model = "lugre"
Fc = 1.0               # N
Fs = 1.5               # N
vs = 0.001             # m/s
sigma0 = 1e5           # N/m
sigma1 = 316.0         # N s/m
[friction.initial]
z = 1e-6               # m
)toml"}},
    {"friction.effects",
     {"Effects that any model accepts, each neutral by default. 'bristle identify --effects' fits them.",
      R"toml([friction.effects]
asymmetry = 0.1        # 10 % more friction in positive direction
ripple = 0.05
ripple_period = 0.01   # m
)toml"}},
    {"friction.negative",
     {"Parameters of the model with other values for negative motion; the others are those of [friction]. Elastic parameters "
      "must be the same in both directions. Not for gfm and generic2010.",
      R"toml([friction.negative]
Fc = 1.2               # N
)toml"}},
    {"friction.heat",
     {"Friction heats the contact, and its parameters follow the temperature T (degC, a column): capacity dT/dt = share F v - "
      "conductance (T - ambient), with a second node T_flash where friction acts if flash_capacity and flash_conductance are given. "
      "Dry friction is multiplied by 1 - dry_coefficient (T - T_ref) or exp(-dry_coefficient (T - T_ref)), viscous friction by "
      "exp(-viscous_coefficient (T - T_ref)) or exp(vogel_B/(T + vogel_theta) - vogel_B/(T_ref + vogel_theta)). ambient is that of "
      "[system] unless given, T_ref the ambient. Not for gfm, generic2010, haessig_friedland and rolling.",
      R"toml([friction]
model = "viscous"
kv = 50.0                     # N s/m
[friction.heat]
capacity = 20.0               # J/K
conductance = 0.5             # W/K
viscous = "exponential"
viscous_coefficient = 0.03    # 1/K
)toml"}},
    {"friction.distribution",
     {"Distributions of the parameters of asperities, one table each: h, kt, kn, mass, land, gap of gfm; wTe, wTp, rT, wNe, wNp, rN, "
      "dX, Fadh, R, wP, m, L of generic2010. Values are absolute, and replace the key of the parameter in [friction]. kind = "
      "\"constant\" (value), \"uniform\" (from, to), \"gaussian\" (mean, sd), \"exponential\" (mean, offset 0), \"lognormal\" "
      "(median, sd_log), \"weibull\" (scale, shape), \"table\" (values, or file and column of a CSV file: linear between the "
      "sorted values). from and to truncate all but the first two and the table.",
      R"toml([friction]
model = "gfm"
asperities = 1000
[friction.distribution]
h = { kind = "exponential", mean = 0.5 }                     # m
kt = { kind = "gaussian", mean = 16, sd = 4, from = 1 }      # N/m
)toml"}},
    {"load",
     {"Normal load divided by the nominal one, as a function of time; must not be negative. Without this section it is 1.",
      R"toml([load]
kind = "sine"
offset = 1.0
amplitude = 0.3
frequency = 0.5        # Hz
)toml"}},
    {"system",
     {"The moving body. F_app = stiffness (drive - x - rest_length) + damping (drive' - v) is the force of its spring and "
      "damper; m a = F_app - F.",
      ""}},
    {"system.kind=prescribed",
     {"the motion is given by [drive]; the run computes the friction force",
      R"toml([system]
kind = "prescribed"
[drive]
kind = "sine"
amplitude = 0.01       # m
frequency = 1.0        # Hz
)toml"}},
    {"system.kind=slider",
     {"a mass on a spring whose far end is the drive, or moved by a force or a [controller]",
      R"toml([system]
kind = "slider"
mass = 1.0             # kg
stiffness = 2.0        # N/m
)toml"}},
    {"system.kind=roller",
     {"a disk on a spring, rolling or slipping; friction acts at its rim",
      R"toml([system]
kind = "roller"
mass = 1.0             # kg
radius = 0.1           # m
stiffness = 10.0       # N/m
)toml"}},
    {"system.kind=chain",
     {"equal blocks in a row, coupled by springs, each with its own contact",
      R"toml([system]
kind = "chain"
blocks = 3
mass = 1.0             # kg, of each block
coupling = 10.0        # N/m
stiffness = 2.0        # N/m
)toml"}},
    {"system.preset=tomlinson", {"one atom on a spring in a periodic potential (Prandtl, Tomlinson)"}},
    {"system.preset=frenkel_kontorova",
     {"a ring of 89 atoms joined by springs in a periodic potential, spaced by the golden mean; the drive is a force"}},
    {"system.preset=frenkel_kontorova_tomlinson", {"the same, and each atom has a spring to the drive"}},
    {"system.preset=burridge_knopoff", {"200 blocks of a fault, each with a spring to the drive"}},
    {"system.potential",
     {"A periodic potential under each block of a chain, U = -U0 cos(2 pi s/period), with s = x + (number - 1) spacing. Its "
      "force is part of F; [friction] may be absent.",
      R"toml([system]
kind = "chain"
preset = "tomlinson"
mass = 1e-3            # kg
stiffness = 1.0        # N/m
damping = 1.0          # N s/m
[system.potential]
U0 = 0.1               # J
period = 1.0           # m
)toml"}},
    {"system.spread",
     {"Differences between the blocks of a chain: uniform distributions around the common values. Besides these keys, any "
      "number of [friction] is accepted, with a relative width.",
      R"toml([system]
kind = "chain"
blocks = 3
mass = 1.0             # kg
coupling = 10.0        # N/m
stiffness = 2.0        # N/m
pulled = "all"
[system.spread]
offset = 0.01          # m
mass = 0.1             # +-5 %
seed = 1
)toml"}},
    {"system.kind=multibody",
     {"a planar mechanism: [[body]], [[joint]], [[spring]], [[actuator]] and [[controller]]; gravity is a vector, in m/s^2",
      R"toml([system]
kind = "multibody"
gravity = [0.0, -9.81] # m/s^2
[[body]]
name = "bar"
mass = 1.0             # kg
inertia = 0.01         # kg m^2
position = [0.5, 0.0]  # m
[[joint]]
name = "pivot"
kind = "revolute"
bodies = ["ground", "bar"]
at = [0.0, 0.0]        # m
)toml"}},
    {"body",
     {"A rigid body of a mechanism, at t = 0. Columns NAME.x, NAME.y, NAME.angle, NAME.vx, NAME.vy, NAME.rate.",
      R"toml([system]
kind = "multibody"
[[body]]
name = "pendulum"
mass = 1.0             # kg
inertia = 0.01         # kg m^2
position = [0.5, 0.0]  # m
angle = 0.0            # rad
[[joint]]
name = "pivot"
kind = "revolute"
bodies = ["ground", "pendulum"]
at = [0.0, 0.0]        # m
)toml"}},
    {"joint",
     {"A joint between two bodies, or a body and ground, with friction in [joint.friction]: a friction block as in [friction]. "
      "The force is proportional to the reaction of the joint over normal_load. Columns NAME.s, NAME.v, NAME.F, NAME.N.",
      R"toml([system]
kind = "multibody"
[[body]]
name = "pendulum"
mass = 1.0             # kg
inertia = 0.01         # kg m^2
position = [0.5, 0.0]  # m
[[joint]]
name = "pivot"
kind = "revolute"
bodies = ["ground", "pendulum"]
at = [0.0, 0.0]        # m
radius = 0.02          # m, of the bearing
[joint.friction]
model = "coulomb"
mu_c = 0.2
normal_load = 10.0     # N
)toml"}},
    {"joint.kind=revolute", {"a pin; s is the angle, friction acts at `radius`"}},
    {"joint.kind=prismatic", {"a guide along `axis`; with a length the load of its two ends includes the moment"}},
    {"joint.kind=fixed", {"no relative motion"}},
    {"joint.kind=rolling", {"a disk of `radius` on a line along `axis`; friction acts against slip at the contact"}},
    {"joint.kind=point", {"a point on a line along `axis`, free to turn"}},
    {"spring",
     {"A spring and damper, between points of two bodies or on the coordinate s of a joint.",
      R"toml([system]
kind = "multibody"
[[body]]
name = "block"
mass = 1.0             # kg
inertia = 0.01         # kg m^2
position = [0.0, 0.0]  # m
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "block"]
at = [0.0, 0.0]        # m
axis = [1.0, 0.0]
[[spring]]
joint = "guide"
stiffness = 10.0       # N/m
[[spring]]
bodies = ["ground", "block"]
at = [[-1.0, 0.0], [0.0, 0.0]]  # m
stiffness = 5.0        # N/m
rest_length = 1.0      # m
)toml"}},
    {"actuator",
     {"A function of time with the kinds of [drive]: a force on a joint or a body, or the prescribed motion of a joint.",
      R"toml([system]
kind = "multibody"
[[body]]
name = "block"
mass = 1.0             # kg
inertia = 0.01         # kg m^2
position = [0.0, 0.0]  # m
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "block"]
at = [0.0, 0.0]        # m
axis = [1.0, 0.0]
[[actuator]]
joint = "guide"
acts = "force"
kind = "sine"
amplitude = 2.0        # N
frequency = 0.5        # Hz
[[actuator]]
body = "block"
at = [0.0, 0.0]        # m
direction = [1.0, 0.0]
kind = "constant"
value = 1.0            # N
)toml"}},
    {"actuator.acts=force", {"a force in N, or a torque in N m"}},
    {"actuator.acts=motion", {"the motion s(t) of the joint"}},
    {"controller",
     {"A servo that moves a slider instead of the spring: u = kp e + ki int(e) + kd de/dt + feedforward, with e = reference - "
      "x. The reference is [drive].",
      R"toml([controller]
kp = 3000.0            # N/m
ki = 1000.0            # N/(m s)
kd = 80.0              # N s/m
sample_time = 1e-3     # s
limit = 20.0           # N
[drive]
kind = "step"
at = 0.1               # s
size = 0.01            # m
)toml"}},
    {"controller.kind=pid", {"one loop: u = kp e + ki int(e) + kd de/dt"}},
    {"controller.kind=cascade", {"a proportional position loop around a proportional-integral velocity loop"}},
    {"controller.reference",
     {"The position that the servo of a joint follows: a function of time with the kinds of [drive]; without it 0, the "
      "position at the start. Columns NAME.u and NAME.reference of the joint.",
      R"toml([system]
kind = "multibody"
[[body]]
name = "arm"
mass = 1.0             # kg
inertia = 0.02         # kg m^2
position = [0.25, 0.0] # m
[[joint]]
name = "shoulder"
kind = "revolute"
bodies = ["ground", "arm"]
at = [0.0, 0.0]
[[controller]]
joint = "shoulder"
kp = 200.0             # N m/rad
kd = 10.0              # N m s/rad
[controller.reference]
kind = "sine"
amplitude = 0.5        # rad
frequency = 1.0        # Hz
)toml"}},
    {"controller.compensation",
     {"An estimate of friction from the measured motion that is added to u. Columns: Fhat, the estimated force, and the "
      "estimates. compensation = \"KIND\" in [controller] takes all defaults.",
      R"toml([controller]
kp = 3000.0            # N/m
kd = 80.0              # N s/m
sample_time = 1e-3     # s
[controller.compensation]
kind = "disturbance_observer"
filter = 0.01          # s
)toml"}},
    {"controller.compensation.kind=none", {"no compensation"}},
    {"controller.compensation.kind=feedforward", {"the force of the model along the reference, as feedforward does"}},
    {"controller.compensation.kind=lugre_observer",
     {"the LuGre model moves with the measured velocity, corrected by the position error; column z_hat"}},
    {"controller.compensation.kind=gms_observer",
     {"the GMS model moves with the measured velocity, corrected by the position error; columns f_hat1, f_hat2..."}},
    {"controller.compensation.kind=friedland_park",
     {"the level of Coulomb friction is observed and acts along the reference; column Fc"}},
    {"controller.compensation.kind=disturbance_observer",
     {"all force that a nominal inertia does not explain, through a low-pass; no model"}},
    {"controller.compensation.kind=ekf",
     {"extended Kalman filter of the states of the model and of chosen parameters; a column each"}},
    {"controller.compensation.kind=adaptive_rls",
     {"recursive least squares of Fc, kv, offset and asymmetry, which act along the reference; a column each"}},
    {"controller.compensation.kind=adaptive_lugre",
     {"a LuGre observer whose level follows the measured force; columns level, viscous_level"}},
    {"controller.sensor",
     {"The measured position and velocity that the controller receives.",
      R"toml([controller]
kp = 3000.0            # N/m
kd = 80.0              # N s/m
sample_time = 1e-3     # s
[controller.sensor]
step = 1e-6            # m
delay = 1e-3           # s
)toml"}},
    {"controller.sensor.velocity=exact", {"the velocity of the body"}},
    {"controller.sensor.velocity=difference", {"difference of two samples of the position"}},
    {"controller.sensor.velocity=filter", {"filtered difference"}},
    {"drive",
     {"A function of time. It is the position of the far end of the spring; for a prescribed motion the motion of the body; "
      "for a controller its reference. With of = \"force\" it acts on the body. Without this section it is 0.",
      ""}},
    {"drive.of=position", {"a position, in m"}},
    {"drive.of=velocity", {"a velocity, in m/s; the position starts at 0"}},
    {"drive.of=force", {"a force on the body, in N"}},
    {"drive.kind=constant",
     {"the same value at all times",
      R"toml([drive]
kind = "constant"
of = "force"
value = 0.8            # N
)toml"}},
    {"drive.kind=step",
     {"0 before the time `at`, then `size`",
      R"toml([drive]
kind = "step"
at = 1.0               # s
size = 0.01            # m
)toml"}},
    {"drive.kind=ramp",
     {"start + velocity t",
      R"toml([drive]
kind = "ramp"
velocity = 0.1         # m/s
)toml"}},
    {"drive.kind=sine",
     {"offset + amplitude sin(2 pi frequency t + phase)",
      R"toml([drive]
kind = "sine"
amplitude = 0.01       # m
frequency = 0.5        # Hz; or omega in rad/s
)toml"}},
    {"drive.kind=chirp",
     {"amplitude sin(2 pi (f0 t + (f1 - f0) t^2/(2 sweep_time))), then a sine of frequency f1",
      R"toml([drive]
kind = "chirp"
amplitude = 0.01       # m
f0 = 0.1               # Hz
f1 = 5.0               # Hz
sweep_time = 10.0      # s
)toml"}},
    {"drive.kind=triangle",
     {"straight lines between amplitude and -amplitude; starts at 0, rising",
      R"toml([drive]
kind = "triangle"
amplitude = 0.01       # m
frequency = 0.5        # Hz
)toml"}},
    {"drive.kind=table",
     {"linear between points, constant before the first and after the last",
      R"toml([drive]
kind = "table"
t = [0.0, 1.0, 3.0]          # s
value = [0.0, 0.01, 0.01]    # m
)toml"}},
    {"drive.kind=sum",
     {"the sum of several functions of time",
      R"toml([drive]
kind = "sum"
terms = [
  { kind = "ramp", velocity = 0.1 },
  { kind = "sine", amplitude = 0.001, frequency = 5.0 },
]
)toml"}},
    {"drive.kind=staircase",
     {"steps of equal size and duration",
      R"toml([drive]
kind = "staircase"
size = 0.001           # m
hold = 1.0             # s
count = 5
)toml"}},
    {"drive.kind=trapezoid",
     {"a move with a trapezoidal velocity",
      R"toml([drive]
kind = "trapezoid"
distance = 0.1         # m
velocity = 0.05        # m/s
acceleration = 0.2     # m/s^2
)toml"}},
    {"drive.kind=s_curve",
     {"a move with limited velocity, acceleration and jerk",
      R"toml([drive]
kind = "s_curve"
distance = 0.1         # m
velocity = 0.05        # m/s
acceleration = 0.2     # m/s^2
jerk = 2.0             # m/s^3
)toml"}},
    {"drive.kind=minimum_jerk",
     {"moves between points with the least integral of the squared jerk",
      R"toml([drive]
kind = "minimum_jerk"
points = [0.0, 0.1, 0.05]    # m
times = [0.0, 1.0, 2.0]      # s
)toml"}},
    {"drive.kind=point_to_point",
     {"moves between points at given times",
      R"toml([drive]
kind = "point_to_point"
points = [0.0, 0.1, 0.05]    # m
times = [0.0, 1.0, 2.0]      # s
)toml"}},
    {"drive.kind=prbs",
     {"pseudo-random binary sequence between amplitude and -amplitude",
      R"toml([drive]
kind = "prbs"
of = "force"
amplitude = 2.0        # N
bit_time = 0.1         # s
seed = 1
)toml"}},
    {"drive.terms", {"One function of a sum: the kinds and keys of [drive], except `sum` and `of`.", ""}},
    {"solver",
     {"Length, accuracy and output of the run. Columns of --csv: t, x, v, F, F_app, drive, then the states of the model, then "
      "those of the system: omega, phi, v_slip (roller); x2, v2... (chain); u, reference (controller).",
      R"toml([solver]
duration = 20.0        # s
rtol = 1e-9
output_step = 0.01     # s
)toml"}},
    {"solver.method=auto", {"rodas or explicit, whichever suits the model"}},
    {"solver.method=rodas", {"implicit Rosenbrock method for stiff equations"}},
    {"solver.method=explicit", {"explicit Runge-Kutta pair for equations that are not stiff"}},
    {"solver.method=cvode", {"CVODE of SUNDIALS, as a check"}},
    {"solver.method=fixed", {"steps of equal length, as in a real-time loop; requires step"}},
    {"figure",
     {"One panel of --plot and --report: columns against a column. Without this section Bristle chooses the panels.",
      R"toml([[figure]]
title = "Position"
y = ["x", "drive"]

[[figure]]
x = "x"
y = "F"
)toml"}},
    {"expect",
     {"Checks after the run; a violated one is status 1. A key is a function of the run, or the difference or quotient of "
      "two; a column may be a difference or product of two: \"max(reference - x)\".",
      R"toml([expect]
"max(F)" = { value = 1.0, rel = 0.02 }
"x(5)" = { value = 0.0, abs = 1e-6 }
"mean(F)" = { min = -1.0, max = 1.0, from = 2.0 }
)toml"}},
    {"expect.*",
     {"The bounds of one function: value with abs or rel, or min and max; from and to limit the time.", ""}},
    {"measure",
     {"Numbers of the run, printed with their units by simulate and written by --json. A key is a name; its value is a "
      "function of the run, as in [expect], or a table with a window.",
      R"toml([measure]
peak = "max(F)"
late = { of = "rms(v)", from = 5.0, to = 10.0 }
)toml"}},
    {"measure.*", {"A function of the run with a window of time.", ""}},
    {"tribometer",
     {"Settings of 'bristle characterize'; simulate ignores them. Defaults follow from the natural sizes of the contact: "
      "force F0, velocity V, travel X.",
      R"toml([tribometer]
velocity = 0.01        # m/s
[tribometer.curve]
fastest = 1.0          # m/s
)toml"}},
    {"fitted",
     {"Values that 'bristle identify' found together with friction, in its files MODEL.toml: u = mass a + F + gravity sin(x - "
      "gravity_phase) + offset. A slider takes mass and gravity from here unless [system] sets them.",
      R"toml([fitted]
mass = 1.2             # kg
offset = 0.1           # N
)toml"}},
    {"fitted.units=linear", {"N, m, m/s"}},
    {"fitted.units=rotational", {"N m, rad, rad/s"}},
    {"fitted.role=F", {"friction force"}},
    {"fitted.role=mu", {"friction coefficient"}},
    {"fitted.role=u", {"actuator force"}},
    {"fitted.role=x", {"motion of a simulated scenario"}},
    {"fitted.terms",
     {"Factors of the terms NAME=EXPR of --with, by name.",
      R"toml([fitted.terms]
elbow = 0.8
)toml"}},
    {"measured",
     {"Least and greatest values of the recordings behind a friction file; a run that leaves them prints a note.",
      R"toml([measured]
v = [-0.1, 0.1]        # m/s
)toml"}},
    {"sweep",
     {"Ranges of keys for 'bristle sweep'; simulate ignores them.",
      R"toml([sweep]
vary = { "drive.velocity" = { from = 0.01, to = 1.0, points = 20, scale = "log" } }
[drive]
kind = "ramp"
velocity = 0.1         # m/s
)toml"}},
    {"sweep.vary", {"The keys that vary, in quotes, each with its range.", ""}},
    {"sweep.vary.*", {"The range of one key.", ""}},
    {"sweep.vary.*.scale=linear", {"equal differences"}},
    {"sweep.vary.*.scale=log", {"equal ratios"}},
    {"sweep.curve", {"A curve that is drawn over the results.", ""}},
});

}  // namespace

const Prose* prose_of(std::string_view path) {
  // [load], [[actuator]] and the terms of a sum have the kinds of [drive].
  for (const std::string_view like :
       {"load.kind=", "drive.terms.kind=", "load.terms.kind=", "actuator.kind=", "actuator.terms.kind=",
        "controller.reference.kind=", "controller.reference.terms.kind="}) {
    if (path.starts_with(like)) {
      const std::string_view word = path.substr(like.size());
      const auto at = std::ranges::find_if(
          entries, [&](const Passage& e) { return e.path.starts_with("drive.kind=") && e.path.substr(11) == word; });
      return at == entries.end() ? nullptr : &at->prose;
    }
  }
  if (path == "load.terms" || path == "actuator.terms" || path == "controller.reference.terms") path = "drive.terms";
  const auto at = std::ranges::find(entries, path, &Passage::path);
  return at == entries.end() ? nullptr : &at->prose;
}

}  // namespace bristle::scenario
