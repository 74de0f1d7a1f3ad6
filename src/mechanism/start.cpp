#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechanism/runner.hpp"

/// Initial positions and velocities, sizes, rows.
namespace bristle::mechanism {
namespace {

/// The same joints between bodies of other masses, without friction, with or without prescribed motions.
struct Twin {
  template <class Weigh>
  Twin(const Equations& of, const double* y, bool driven, Weigh&& weigh)
      : m(copy(of, driven, weigh)), eq(m, none_given), at(eq.start()), size(3 * of.bodies) {
    eq.inside = of.inside;
    std::copy_n(y, size, at.begin());
    eq.find_dependent(at.data());
    for (std::size_t i = 0; i < eq.joints.size(); ++i)
      eq.joints[i].rolls = eq.joints[i].rolls && of.m.joints[i].contact < 0;
  }
  template <class Weigh> static Mechanism copy(const Equations& of, bool driven, Weigh&& weigh) {
    Mechanism out;
    out.gravity = of.m.gravity;
    out.bodies = of.m.bodies;
    out.joints = of.m.joints;
    if (driven) out.actuators = of.m.actuators;
    for (MechanismBody& b : out.bodies) weigh(b);
    for (MechanismJoint& j : out.joints) j.contact = -1;
    return out;
  }
  Mechanism m;
  Experiment none_given{};
  Equations eq;
  std::vector<double> at;  // positions and velocities
  std::size_t size;
};

/// Velocities nearest to the given ones; those that are not given cost nothing.
void complete_velocities(Equations& eq, std::vector<double>& y) {
  Twin light(eq, y.data(), true, [](MechanismBody& b) {
    if (!b.velocity_given) b.mass *= 1e-12;
    if (!b.rate_given) b.inertia *= 1e-12;
  });
  light.eq.project_velocity(0, light.at.data());
  std::copy_n(light.at.begin() + static_cast<std::ptrdiff_t>(light.size), light.size,
              y.begin() + static_cast<std::ptrdiff_t>(light.size));
}

/// Joints that cannot move at these positions: a force along them accelerates nothing.
std::vector<char> held(Equations& eq, const double* y) {
  std::vector<char> out(eq.joints.size());
  const std::vector<double> still(eq.w_size);
  eq.linearise(0, y, still.data());
  if (!eq.factor(Equations::Matrix::projection)) return out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const JointState& j = eq.joints[i];
    const auto D = eq.linear_of(i).D;
    std::vector<double> x(eq.w_size);
    double alone = 0, together = 0;  // accelerations of s
    const auto each = [&](auto&& f) {
      for (std::size_t c = 0; c < 6; ++c) {
        const int b = c < 3 ? j.of->first : j.of->second;
        if (b >= 0) f(D[c], 3 * static_cast<std::size_t>(b) + c % 3);
      }
    };
    each([&](double d, std::size_t at) { x[at] = d, alone += d * d / eq.mass_of(at); });
    eq.solve(x.data());
    each([&](double d, std::size_t at) { together += d * x[at]; });
    out[i] = together < 1e-10 * alone ? 1 : 0;
  }
  return out;
}

}  // namespace

std::vector<char> locked_joints(const Equations& eq, const double* y) {
  // Equal masses: a light wheel moves.
  Twin even(eq, y, false, [&](MechanismBody& b) {
    b.mass = 1;
    b.inertia = 0.1 * eq.extent * eq.extent;
  });
  std::vector<char> out = held(even.eq, even.at.data());
  if (std::ranges::find(out, 1) == out.end()) return out;
  // A dead centre holds a joint in one position alone.
  for (std::size_t i = 0; i < even.size; ++i)
    even.at[i] += 0.02 * std::sin(1 + 7 * static_cast<double>(i)) * (i % 3 == 2 ? 1 : eq.extent);
  const bool assembled = even.eq.project_position(0, even.at.data()) < inf;
  even.eq.follow_dependent(even.at.data());
  const std::vector<char> also = held(even.eq, even.at.data());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = assembled && out[i] && also[i] ? 1 : 0;
  return out;
}

std::string demands_of(const Equations& eq) {
  std::string names;
  int count = 0;
  for (const JointState& j : eq.joints) {
    if (j.motion) names += (count++ > 0 ? ", " : "") + j.of->name;
  }
  if (count == 0) return "all joints";
  return fmt::format("all joints together with the prescribed motion{} of {}", count > 1 ? "s" : "", names);
}

std::vector<double> assembled(Equations& eq, std::vector<std::string>& notes) {
  std::vector<double> y = eq.start();
  const std::size_t n = 3 * eq.bodies;
  const std::vector<double> given = y;
  eq.find_dependent(y.data());
  if (!(eq.project_position(0, y.data()) < inf))
    throw RunFailed("the bodies cannot be assembled: no positions satisfy " + demands_of(eq));
  eq.follow_dependent(y.data());
  double moved = 0;
  for (std::size_t i = 0; i < n; ++i) moved = std::max(moved, std::abs(y[i] - given[i]) / (i % 3 == 2 ? 1 : eq.extent));
  if (moved > 1e-9)
    notes.push_back(fmt::format("initial positions moved by {:.2g} of the size of the mechanism", moved));
  complete_velocities(eq, y);
  const std::vector<double> wanted = y;
  if (!(eq.project_velocity(0, y.data()) < inf)) throw RunFailed("no velocities satisfy " + demands_of(eq));
  double change = 0, size = 0;
  std::string where;
  for (std::size_t i = 0; i < n; ++i) {
    const MechanismBody& b = eq.m.bodies[i / 3];
    const double unit = i % 3 == 2 ? eq.extent : 1;
    size = std::max(size, unit * std::max(std::abs(y[n + i]), std::abs(given[n + i])));
    if (!(i % 3 == 2 ? b.rate_given : b.velocity_given)) continue;
    if (const double c = unit * std::abs(y[n + i] - given[n + i]); c > change) {
      change = c;
      where = fmt::format("{} of {} from {:.6g} to {:.6g}",
                          i % 3 == 2   ? "rate"
                          : i % 3 == 0 ? "vx"
                                       : "vy",
                          b.name, given[n + i], y[n + i]);
    }
  }
  if (change > 1e-9 * size)
    notes.push_back(
        fmt::format("{}initial velocities contradict the joints and were projected, by {:.2g} of the largest: {}",
                    change > 0.01 * size ? "warning: " : "", change / size, where));
  if (!eq.dependent.empty()) {
    bool loaded = false;
    for (const JointState& j : eq.joints) loaded = loaded || (j.flow && j.loaded);
    notes.push_back(
        fmt::format("warning: {} of {} constraints follow from others: the reactions are not unique, those of "
                    "least forces are used{}",
                    eq.dependent.size(), eq.rows,
                    loaded ? "; friction depends on them, so the motion may not be unique either" : ""));
  }
  return y;
}

void examine_compensation(Equations& eq, const double* y, std::vector<std::string>& notes) {
  const std::vector<double> zero(eq.w_size);
  for (const JointState& j : eq.joints) {
    if (!j.servo || j.servo->of->params.compensation.kind == CompensationKind::none) continue;
    eq.linearise(0, y, zero.data());
    if (!eq.factor(Equations::Matrix::projection)) continue;
    const auto D = Kinematics<double>(j.frame, eq.pair(j, y, zero.data())).travel().gradient;
    std::vector<double> x(eq.w_size);  // force towards +s, then the acceleration by it
    auto each = [&](auto&& f) {
      for (std::size_t c = 0; c < 6; ++c) {
        const int b = c < 3 ? j.of->first : j.of->second;
        if (b >= 0) f(j.slip * D[c], x[3 * static_cast<std::size_t>(b) + c % 3]);
      }
    };
    each([](double d, double& to) { to = d; });
    eq.solve(x.data());
    double mobility = 0;
    each([&](double d, double a) { mobility += d * a; });
    if (!(mobility > 1e-9 * j.mobility) || !std::isfinite(mobility)) continue;
    ControllerParams c = j.servo->of->params;  // as the surface of a bearing feels it
    for (double* gain : {&c.kp, &c.ki, &c.kd, &c.velocity_gain, &c.velocity_integral, &c.compensation.inertia})
      *gain /= j.slip * j.slip;
    std::vector<std::string> remarks;
    if (const auto objection = objection_to_compensation(c, 1 / mobility, &remarks)) remarks.push_back(objection->text);
    for (const std::string& r : remarks)
      notes.push_back(
          fmt::format("warning: joint {} with its inertia at the start, {:.4g} kg: {}", j.of->name, 1 / mobility, r));
  }
}

std::vector<double> sizes_of(const Equations& eq, const Experiment& e, const double* y, const double* w) {
  const std::size_t n = 3 * eq.bodies;
  const double L = eq.extent, T = e.solver.duration;
  double speed = L / T, push = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double unit = i % 3 == 2 ? L : 1;
    speed = std::max(speed, unit * std::abs(y[n + i]));
    push = std::max(push, unit * std::abs(w[i]));
  }
  speed = std::max(speed, std::min(std::sqrt(push * L), push * T));
  std::vector<double> out(eq.y_size);
  for (std::size_t i = 0; i < n; ++i) {
    const double unit = i % 3 == 2 ? 1 / L : 1;
    out[i] = 0.1 * L * unit;
    out[n + i] = 0.1 * speed * unit;
  }
  // Contacts with a displacement or velocity of their own set the scale of the bodies that they connect.
  for (const JointState& j : eq.joints) {
    if (!j.flow) continue;
    const ContactFlow::Traits& traits = j.flow->traits();
    for (std::size_t k = 0; k < traits.states.size(); ++k) out[j.z + k] = traits.state_scale[k];
    if (j.states > j.flow->size()) out[j.z + j.flow->size()] = L;
    const bool turns = j.of->kind == JointKind::revolute;
    const double x = traits.scales.displacement / j.slip * (turns ? L : 1),
                 v = traits.scales.velocity / j.slip * (turns ? L : 1);
    for (const int b : {j.of->first, j.of->second}) {
      if (b < 0) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i = 3 * static_cast<std::size_t>(b) + k;
        const double unit = k == 2 ? 1 / L : 1;
        if (x > 0) out[i] = std::min(out[i], x * unit);
        if (v > 0) out[n + i] = std::min(out[n + i], 3 * v * unit);
      }
    }
  }
  for (const JointState& j : eq.joints) {
    if (!j.servo || j.servo->states == 0) continue;
    const ContinuousServo& law = j.servo->law;
    const double size = j.of->kind == JointKind::revolute ? 0.1 : 0.1 * L, reset = law.c.stiffness() / law.c.integral();
    if (law.integrates())
      out[j.servo->at] = size * (reset != 0 && std::isfinite(reset) ? std::min(std::abs(reset), T) : T);
    if (law.filters()) out[j.servo->at + j.servo->states - 1] = size;
  }
  return out;
}

Rows::Rows(std::vector<Column> columns, std::vector<double> times) : times_(std::move(times)) {
  trace.columns = std::move(columns);
  for (Column& c : trace.columns) c.values.resize(times_.size());
}
void Rows::put(const double* row) {
  for (std::size_t i = 0; i < trace.columns.size(); ++i) trace.columns[i].values[next_] = row[i];
  ++next_;
}

void finish_limits(const SolverParams& solver, Limits& limits, Run& run) {
  if (limits.full() < inf)
    run.summary.notes.push_back(
        fmt::format("limits at events and corners are kept until t = {:.6g} s ({} pairs); after that, [expect] and "
                    "measures see the rows alone",
                    limits.full(), limits.trace.rows() / 2));
  run.limits = std::move(limits.trace);
  if (solver.event_rows) run.trace = with_limits(run);
}

std::vector<Column> columns_of(const Mechanism& m, const Experiment& e) {
  std::vector<Column> out{{"t", "s"}};
  for (const MechanismBody& b : m.bodies) {
    for (const auto& [name, unit] :
         {std::pair{"x", "m"}, {"y", "m"}, {"angle", "rad"}, {"vx", "m/s"}, {"vy", "m/s"}, {"rate", "rad/s"}})
      out.push_back({b.name + "." + name, unit});
  }
  for (std::size_t i = 0; i < m.joints.size(); ++i) {
    const MechanismJoint& j = m.joints[i];
    const bool turns = j.kind == JointKind::revolute;
    for (const auto& [name, unit] : {std::pair{"s", turns ? "rad" : "m"},
                                     {"v", turns ? "rad/s" : "m/s"},
                                     {"N", "N"},
                                     {"F", "N"},
                                     {"Fx", "N"},
                                     {"Fy", "N"},
                                     {"M", "N m"}})
      out.push_back({j.name + "." + name, unit});
    if (j.contact >= 0) {
      for (const Variable& s : e.contacts[static_cast<std::size_t>(j.contact)].contact->states())
        out.push_back({j.name + "." + s.name, s.unit});
    }
    for (const MechanismActuator& a : m.actuators) {
      if (a.motion && a.joint == static_cast<int>(i)) out.push_back({j.name + ".drive", turns ? "N m" : "N"});
    }
    for (const MechanismController& c : m.controllers) {
      if (c.joint != static_cast<int>(i)) continue;
      out.push_back({j.name + ".u", turns ? "N m" : "N"});
      out.push_back({j.name + ".reference", turns ? "rad" : "m"});
      for (const Column& column : compensation_columns(c.params, 0))
        out.push_back({j.name + "." + column.name, column.unit});
    }
  }
  return out;
}

void row_of(const Equations& eq, double t, const double* y, const double* w, double* out) {
  const std::size_t n = 3 * eq.bodies;
  *out++ = t;
  for (std::size_t b = 0; b < eq.bodies; ++b) {
    for (std::size_t k = 0; k < 3; ++k) *out++ = y[3 * b + k];
    for (std::size_t k = 0; k < 3; ++k) *out++ = y[n + 3 * b + k];
  }
  for (const JointState& j : eq.joints) {
    const Equations::Slip s = eq.slip_of(j, y, w);
    *out++ = s.s;
    *out++ = j.stuck() ? 0 : s.rate;
    *out++ = eq.true_load(j, w);
    *out++ = eq.friction_of(j, w);
    for (const double x : eq.reaction_of(j, y, w)) *out++ = x;
    for (std::size_t k = 0; j.flow && k < j.flow->size(); ++k) *out++ = y[j.z + k];
    if (j.drive != none) *out++ = w[j.drive];
    if (!j.servo) continue;
    *out++ = eq.servo_force(j, t, y, w);
    *out++ = eq.reference_of(j, t);
    if (const Compensator* c = j.servo->sampled.compensator()) {
      c->estimates(out);
      out += c->size();
    }
  }
}

}  // namespace bristle::mechanism

namespace bristle {

std::vector<Column> Mechanism::columns(const Experiment& e) const { return mechanism::columns_of(*this, e); }

Run Mechanism::run(const Experiment& e, const RunOptions& options) const {
  return e.method == Method::fixed ? mechanism::run_fixed(*this, e, options)
                                   : mechanism::run_variable(*this, e, options);
}

}  // namespace bristle
