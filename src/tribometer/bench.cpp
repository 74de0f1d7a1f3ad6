#include "tribometer/bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bristle/registry/describe.hpp"
#include "registry/shared/generic2010.hpp"

namespace bristle::tribometer {
namespace {

/// Load far above friction in the direction of a prescribed motion.
constexpr double plenty = 1e30;

/// Rows and probes of a run with fixed steps.
class Recorder {
 public:
  explicit Recorder(const std::vector<double>& probes) : wanted_(probes) {
    std::sort(wanted_.begin(), wanted_.end());
    for (Trace* t : {&out.trace, &out.probes}) {
      t->columns = {{"t", "s"}, {"x", "m"}, {"v", "m/s"}, {"F", "N"}, {"F_app", "N"}, {"drive", "1"}};
    }
  }
  struct Row {
    double t, x, v, F, F_app, drive;
  };
  void add(const Row& row, bool shown) {
    for (; next_ < wanted_.size() && wanted_[next_] <= row.t * (1 + 1e-12); ++next_)
      put(out.probes, row, wanted_[next_]);
    if (shown) put(out.trace, row, row.t);
  }
  Run out{};

 private:
  static void put(Trace& trace, const Row& row, double t) {
    const double values[]{t, row.x, row.v, row.F, row.F_app, row.drive};
    for (std::size_t i = 0; i < trace.columns.size(); ++i) trace.columns[i].values.push_back(values[i]);
  }
  std::vector<double> wanted_;
  std::size_t next_ = 0;
};

Run run_fixed(const Specimen& s, const Plan& plan) {
  const int pieces = plan.kind == SystemKind::prescribed       ? 2
                     : draft(s) && takes_steps_only(s.contact) ? 4
                                                               : 6;  // per row
  const auto n = static_cast<std::size_t>(plan.rows) * static_cast<std::size_t>(pieces);
  const double dt = plan.duration / static_cast<double>(n);
  const BodyParams& b = plan.body;
  Recorder out(plan.probes);
  Mover mover(s);
  Body body(s, b.mass + dt * b.damping + dt * dt * b.stiffness);
  double work = 0;
  mover.x = body.x =
      plan.kind == SystemKind::prescribed && plan.drive.of == DriveOf::position ? plan.drive.at(0).value : 0;
  const double start = plan.drive.at(0).value;
  out.add({0, mover.x, 0, 0, 0, start}, true);
  for (std::size_t i = 1; i <= n; ++i) {
    const double t = static_cast<double>(i) * dt, middle = t - 0.5 * dt;
    const Signal d = plan.drive.at(t, middle);
    const bool shown = i % static_cast<std::size_t>(pieces) == 0;
    if (plan.kind == SystemKind::prescribed) {
      const double v = plan.drive.of == DriveOf::velocity ? plan.drive.at(middle).value
                                                          : (d.value - plan.drive.at(t - dt, middle).value) / dt;
      mover.move(v, dt);
      work += mover.F * v * dt;
      const double v_end = plan.drive.of == DriveOf::velocity ? d.value : d.rate;
      if (shown) mover.move(v_end, 1e-9 * dt);  // force at the velocity of the row
      out.add({t, mover.x, v_end, mover.F, mover.F, d.value}, shown);
      continue;
    }
    const bool pulled = plan.drive.of == DriveOf::position;
    const double load =
        pulled ? b.stiffness * (d.value - body.x - dt * body.v) + b.damping * (d.rate - body.v) : d.value;
    body.push(load, dt);
    work += body.F * body.v * dt;
    const double F_app = pulled ? b.stiffness * (d.value - body.x) + b.damping * (d.rate - body.v) : d.value;
    out.add({t, body.x, body.v, body.F, F_app, d.value}, shown);
    if (body.v > plan.fastest) break;
  }
  out.out.summary.method = "fixed";
  out.out.summary.energy.friction = work;
  return std::move(out.out);
}

}  // namespace

bool takes_steps_only(const AnyContact& contact) {
  const ModelInfo* info = find_model(contact.model());
  return info && info->level == "contact";
}
double own_step(const AnyContact& contact) {
  const auto* box = dynamic_cast<const BoxedGeneric2010*>(&contact);
  return box ? box->step_size() : 0;
}
bool takes_small_steps(const AnyContact& contact) {
  const ModelInfo* info = find_model(contact.model());
  return !info || takes_steps_only(contact) || info->has.random;
}

std::vector<double> logarithmic(double a, double b, std::size_t n) {
  std::vector<double> out(n, a);
  for (std::size_t i = 1; i < n; ++i) out[i] = a * std::pow(b / a, static_cast<double>(i) / static_cast<double>(n - 1));
  return out;
}

void look_for_stop(const Specimen& s) {
  if (s.stop && s.stop->load(std::memory_order_relaxed)) throw Stopped();
}

Mover::Mover(const Specimen& s) : s_(s), contact_(s.contact.clone()), own_step_(own_step(s.contact)) {
  contact_->reset();
}
Mover::Mover(const Mover& o)
    : x(o.x),
      t(o.t),
      path(o.path),
      v(o.v),
      F(o.F),
      work(o.work),
      s_(o.s_),
      contact_(o.contact_->clone()),
      own_step_(o.own_step_) {}

double Mover::move(double velocity, double dt) {
  v = velocity;
  x += v * dt;
  t += dt;
  path += std::abs(v) * dt;
  const double F_app = v == 0 ? F : std::copysign(plenty, v);
  double speed = v;
  if (own_step_ > 0) {
    const Sizes& z = s_.sizes;
    const double way = v * dt, far = std::abs(way) / z.velocity;
    const double longest = v == 0 ? 1000 * z.time() : std::max(20 * far, 20 * own_step_);
    dt = std::max({std::min(dt, longest), 0.1 * far, 2 * own_step_});
    speed = way / dt;
  }
  F = contact_->step({.x = x, .v = speed, .F_app = F_app, .path = path, .t = t}, dt);
  return F;
}

void Mover::leg(double velocity, double dt, bool counts) {
  const double before = F;
  move(velocity, dt);
  if (counts) work += 0.5 * (before + F) * v * dt;
}

void Mover::settle(double velocity) {
  look_for_stop(s_);
  const double size = s_.sizes.force > 0 ? s_.sizes.force : 1;
  double dt = 0.05 * s_.sizes.travel / std::abs(velocity);
  for (int i = 0, still = 0; i < 60 && still < 6; ++i, dt *= 1.6) {
    const double before = F;
    move(velocity, dt);
    still = std::abs(F - before) <= 1e-14 * size ? still + 1 : 0;
    if (takes_steps_only(*contact_) && std::abs(velocity) * dt > (own_step_ > 0 ? 2 : 200) * s_.sizes.travel)
      break;  // a fluctuating force is never steady
  }
}

double Mover::released(double load, double mass, double dt) const {
  return contact_->clone()->couple({.x = x, .v = 0, .F_app = load, .path = path, .t = t}, mass, dt).v;
}

Steady steady_force(const Specimen& s, double v) {
  constexpr int few = 8;
  const int many = own_step(s.contact) > 0 ? 50 : 2000;
  Mover mover(s);
  mover.settle(v);
  const double dt = 1.37 * s.sizes.travel / std::abs(v);  // incommensurate with periods
  double sum = 0, squares = 0;
  const double start = mover.F;
  int n = 0;
  auto sample = [&] {
    const double d = mover.move(v, dt) - start;
    sum += d;
    squares += d * d;
    ++n;
  };
  while (n < few) sample();
  if (squares > 1e-18 * start * start) {
    while (n < many) sample();
  }
  const double mean = sum / n;
  return {start + mean, n > few ? std::sqrt(std::max(0.0, squares / n - mean * mean) / n) : 0};
}

Body::Body(const Specimen& s, double mass)
    : contact_(s.contact.clone()), mass_(mass), longest_(own_step(s.contact) > 0 ? 2 * s.sizes.time() : inf) {
  contact_->reset();
}

void Body::push(double force, double dt) {
  const double h = std::min(dt, longest_);
  const auto out = contact_->couple({.x = x, .v = v, .F_app = force, .path = path, .t = t}, mass_, h);
  v = out.v;
  F = out.F;
  x += v * h;
  path += std::abs(v) * h;
  t += dt;
}

Run run(const Specimen& s, const Plan& plan) {
  look_for_stop(s);
  if (takes_small_steps(s.contact)) return run_fixed(s, plan);
  bristle::Experiment e;
  e.kind = plan.kind;
  e.drive = plan.drive;
  e.body = plan.body;
  e.solver.duration = plan.duration;
  e.solver.output_step = plan.duration / plan.rows;
  e.solver.rtol = s.rtol;
  if (draft(s)) e.solver.max_steps = 2e5;  // a second or two
  e.contacts.push_back({"", s.contact.clone()});
  return simulate(e, {.probes = plan.probes, .stop = s.stop, .rows = plan.trace});
}

const std::vector<double>& column(const Trace& trace, const char* name) { return trace.find(name)->values; }

std::string text(const char* name, double value, const char* unit) {
  return fmt::format("{} = {:.3g} {}", name, value, unit);
}

}  // namespace bristle::tribometer
