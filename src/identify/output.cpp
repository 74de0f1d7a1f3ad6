#include "identify/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/boundary/any.hpp"
#include "bristle/boundary/describe.hpp"
#include "bristle/boundary/view.hpp"
#include "simulate/fixed_body.hpp"

namespace bristle::identify {
namespace {

/// Values of [system] and [controller] that a recording of motion can tell.
const std::vector<std::string> system_names{"mass", "stiffness", "damping", "rest_length", "gravity", "gravity_phase"},
    controller_names{"kp", "ki", "kd", "limit", "derivative_weight"};

bool is_in(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}
const double* number_in(const Table& table, std::string_view key) {
  const auto at = std::ranges::find(table, key, &Entry::key);
  return at == table.end() ? nullptr : at->value.as<double>();
}

/// A view of the value of that name, which the experiment may not have.
std::vector<FieldView> free_views(BodyParams& body, std::optional<ControllerParams>& controller) {
  std::vector<FieldView> out;
  for (FieldView& f : views(body)) {
    if (is_in(system_names, f.name)) out.push_back(std::move(f));
  }
  if (!controller) return out;
  for (FieldView& f : views(*controller)) {
    if (is_in(controller_names, f.name)) out.push_back(std::move(f));
  }
  return out;
}

std::vector<std::string> effects() {
  std::vector<std::string> out;
  for (const FieldInfo& f : effect_infos()) {
    if (f.fitted && f.kind == Kind::real) out.push_back(f.name);
  }
  return out;
}

bool is_parameter(std::string_view name) {
  return std::ranges::any_of(model_infos(), [&](const ModelInfo& m) {
    return std::ranges::find(m.parameters, name, &FieldInfo::name) != m.parameters.end();
  });
}

double mean(const std::vector<double>& x) {
  double sum = 0;
  for (const double e : x) sum += e;
  return sum / static_cast<double>(x.size());
}
double rms(const std::vector<double>& x) {
  double sum = 0;
  for (const double e : x) sum += e * e;
  return std::sqrt(sum / static_cast<double>(x.size()));
}

/// No [drive] in the scenario: the reader puts a constant 0 there.
bool rests(const Drive& drive) {
  const auto* constant = drive.terms.size() == 1 ? std::get_if<Constant>(&drive.terms.front().shape) : nullptr;
  return drive.terms.empty() || (constant && constant->value == 0);
}

void check_scenario(const Scenario& s) {
  const Experiment& e = s.experiment;
  if (e.kind != SystemKind::slider)
    throw BadInput(fmt::format("{}: a fit by simulation needs kind = \"slider\" in [system]", s.path));
  if (e.contacts.size() != 1)
    throw BadInput(fmt::format("{}: a fit by simulation takes one contact, not {}", s.path, e.contacts.size()));
  if (e.feedforward)
    throw BadInput(fmt::format("{}: feedforward would hide what is to be fitted: leave it out", s.path));
}

/// What drives the simulation of one recording: the force or reference it holds, or the drive of the scenario.
enum class Source { force, reference, scenario };
Source source_of(const Scenario& s, const Recording& r) {
  const Experiment& e = s.experiment;
  const bool follows = e.controller || e.body.stiffness > 0;
  if (!e.controller && !r.u.empty()) return Source::force;
  if (follows && !r.ref.empty()) return Source::reference;
  if (!rests(e.drive)) return Source::scenario;
  throw BadInput(
      follows ? fmt::format("{}: no column is known as the reference that {} follows: name one, --column ref=COLUMN, "
                            "or give the scenario a [drive]",
                            r.name, s.path)
              : fmt::format("{}: no column is known as the force u on the body: name one, --column u=COLUMN, or give "
                            "{} a [drive], or a [controller] and the recording a reference (--column ref=COLUMN)",
                            r.name, s.path));
}

Drive history(DriveOf of, const std::vector<double>& t, const std::vector<double>& y) {
  return {of, {{Points{t, y}, 0}}, 0};
}

/// The friction that a scenario's contact would show along the recording, slowly varying: for first sizes.
std::vector<double> steady_friction(const Scenario& s, const Recording& r) {
  const auto contact = s.experiment.contacts.front().contact->clone();
  std::vector<double> out(r.v.size());
  double path = 0;
  for (std::size_t i = 1; i < out.size(); ++i) {
    const double dt = r.t[i] - r.t[i - 1];
    path += std::abs(r.v[i]) * dt;
    if (r.v[i] != 0) out[i] = contact->step({.x = r.x[i], .v = r.v[i], .path = path, .t = r.t[i]}, dt);
  }
  return out;
}

/// A body that runs away stays at the limit it reached. Velocities belong to the middle of a step (leapfrog): with forces
/// of its beginning the error is of second order.
void simulate(const Experiment& e, const Flight& f, int steps, std::vector<double>& x) {
  FixedBody body(e);
  EnergyBalance unused;
  x[0] = body.x();
  const bool sampled = e.controller && e.controller->sample_time > 0;
  for (std::size_t k = 1; k < x.size(); ++k) {
    const double h = (f.t[k] - f.t[k - 1]) / steps;
    body.engage(f.on.empty() || f.on[k - 1] > 0.5);
    for (int s = 0; s < steps; ++s) {
      const double begin = f.t[k - 1] + (sampled ? s : s - 1) * h;
      body.advance(begin, begin + h, unused);
    }
    if (!(body.x() > f.least && body.x() < f.most)) {
      std::fill(x.begin() + static_cast<std::ptrdiff_t>(k), x.end(), body.x() <= f.least ? f.least : f.most);
      return;
    }
    x[k] = body.x();
  }
}

}  // namespace

/// The walker of a replay.
class Simulated final : public Walker {
 public:
  Simulated(const Replay& replay, std::unique_ptr<Walker> model, Table effects)
      : replay_(replay), model_(std::move(model)), effects_(std::move(effects)), scalars_(model_->scalars()) {
    values_ = model_->values();
    friction_ = scalars_.size();
    for (const FieldInfo& f : effect_infos()) {
      if (!is_in(replay.fitted_effects_, f.name)) continue;
      scalars_.push_back({f.name, f.name, f.unit, 0, f.range, f.fitted ? optional : optional | fixed});
      const double *given = number_in(effects_, f.name), *usual = f.value.as<double>();
      values_.push_back(given ? *given : usual ? *usual : 0);
    }
    system_ = scalars_.size();
    BodyParams body = replay.scenario_.experiment.body;
    auto controller = replay.scenario_.experiment.controller;
    for (const FieldView& f : free_views(body, controller)) {
      if (!is_in(replay.free_, f.name)) continue;
      scalars_.push_back({f.name, f.name, f.unit, 0, f.range, f.role, true});
      values_.push_back(*f.get().as<double>());
    }
  }
  std::string_view name() const override { return model_->name(); }
  const std::vector<Scalar>& scalars() const override { return scalars_; }
  std::vector<double> values() const override { return values_; }
  Table table(const double* p) const override { return model_->table(p); }
  Table effects(const double* p) const override {
    Table out;
    for (const Entry& e : effects_) {
      if (!is_in(replay_.fitted_effects_, e.key)) out.push_back(e);
    }
    for (std::size_t i = friction_; i < system_; ++i) out.push_back({scalars_[i].name, p[i]});
    return out;
  }
  Scales<double> scales(const double* p) const override { return model_->scales(p); }
  double steady(const double* p, double v) const override { return model_->steady(p, v); }

  void walk(const Series&, const Point& at, const Sink& sink) const override {
    const std::size_t n = at.directions, parameters = scalars_.size();
    std::vector<double> x, moved, slopes, p(parameters);
    for (std::size_t k = 0; k < replay_.flights_.size(); ++k) {
      const Flight& flight = replay_.flights_[k];
      const std::size_t rows = flight.t.size();
      x.resize(rows);
      fly(flight, at.p, x);
      slopes.resize(rows * n);
      for (std::size_t j = 0; j < n; ++j) {
        moved.resize(rows);
        double h = difference;
        for (const double sign : {1.0, -1.0}) {  // forwards, unless that leaves the range of a parameter
          h = sign * difference;
          for (std::size_t i = 0; i < parameters; ++i) p[i] = at.p[i] + h * at.slopes[i * n + j];
          if (fly(flight, p.data(), moved)) break;
        }
        for (std::size_t i = 0; i < rows; ++i) slopes[i * n + j] = (moved[i] - x[i]) / h;
      }
      constexpr std::size_t block = 256;  // as large as the readers of rows expect
      for (std::size_t from = 0; from < rows; from += block) {
        const std::size_t count = std::min(block, rows - from);
        if (!sink({replay_.from_[k] + from, count, n, x.data() + from, slopes.data() + from * n})) return;
      }
    }
  }

  /// Positions at the samples; false where there is no such experiment.
  bool fly(const Flight& f, const double* p, std::vector<double>& x, int finer = 1) const {
    Made made = make(name(), table(p), effects(p));
    if (!made.contact) {
      std::fill(x.begin(), x.end(), f.most);
      return false;
    }
    Experiment e = replay_.experiment(f, std::move(made.contact));
    std::size_t i = system_;
    bool good = true;
    for (const FieldView& v : free_views(e.body, e.controller)) {
      if (!is_in(replay_.free_, v.name)) continue;
      good = good && v.range.contains(p[i]);
      v.set(p[i++]);
    }
    if (good) {
      simulate(e, f, replay_.steps_ * finer, x);
    } else {
      std::fill(x.begin(), x.end(), f.most);
    }
    return good;
  }

 private:
  static constexpr double difference = 1e-4;  // of coordinates that are logarithms or of order 1
  const Replay& replay_;
  std::unique_ptr<Walker> model_;
  Table effects_;
  std::vector<Scalar> scalars_;
  std::vector<double> values_{};
  std::size_t friction_ = 0, system_ = 0;  // where the effects begin, and the values of the system
};

Replay::Replay(const Scenario& scenario, const std::vector<Recording>& recordings, const Options& options)
    : scenario_(scenario) {
  check_scenario(scenario);
  const Experiment& e = scenario.experiment;
  const AnyContact& contact = *e.contacts.front().contact;
  model_ = contact.model();
  for (const Variable& v : contact.parameters()) {
    const auto effect = std::ranges::find(effect_infos(), v.name, &FieldInfo::name);
    if (effect == effect_infos().end()) {
      friction_.push_back({v.name, v.value});
    } else if (const double* usual = effect->value.as<double>();
               std::isfinite(v.value) && !(usual && *usual == v.value)) {
      effects_.push_back({v.name, v.value});
    }
  }
  for (const std::string& name : options.effects) {
    const auto effect = std::ranges::find(effect_infos(), name, &FieldInfo::name);
    if (effect == effect_infos().end() || !effect->fitted || effect->kind != Kind::real)
      throw BadInput(
          fmt::format("--effects {}: with a scenario these can be fitted: {}", name, fmt::join(effects(), ", ")));
    fitted_effects_.push_back(name);
  }
  BodyParams body = e.body;
  auto controller = e.controller;
  std::vector<std::string> known;
  for (const FieldView& f : free_views(body, controller)) known.push_back(f.name);
  for (const std::string& name : options.free) {
    if (is_in(known, name)) {
      free_.push_back(name);
    } else if (is_in(controller_names, name)) {
      throw BadInput(fmt::format("--free {}: {} has no [controller]", name, scenario.path));
    } else if (!is_parameter(name)) {
      throw BadInput(fmt::format("--free {}: must be an optional parameter of a model, or one of {}", name,
                                 fmt::join(known, ", ")));
    }
  }

  bool inverse = true;
  std::vector<Recording> by_force = recordings;
  std::vector<double> forces;
  std::size_t at = 0;
  for (Recording& r : by_force) {
    const Source source = source_of(scenario, r);
    const auto [least, most] = std::ranges::minmax(r.x);
    const double span = most > least ? most - least : 1;
    for (std::size_t k = 0; k < r.stretches.size(); ++k) {
      const std::size_t from = r.stretches[k], to = k + 1 < r.stretches.size() ? r.stretches[k + 1] : r.size();
      auto part = [&](const std::vector<double>& series) {
        return std::vector<double>(series.begin() + static_cast<std::ptrdiff_t>(from),
                                   series.begin() + static_cast<std::ptrdiff_t>(to));
      };
      Flight f{.t = part(r.t), .x0 = r.x[from], .v0 = r.v[from], .least = least - 10 * span, .most = most + 10 * span};
      const double begin = source == Source::scenario ? r.t.front() : f.t.front();
      for (double& t : f.t) t -= begin;
      if (source == Source::scenario) {
        f.drive = e.drive;
      } else {
        const bool force = source == Source::force;
        f.drive = history(force ? DriveOf::force : DriveOf::position, f.t, part(force ? r.u : r.ref));
      }
      if (!r.on.empty()) f.on = part(r.on);
      if (!r.T.empty()) f.temperature = mean(part(r.T));
      if (!r.N.empty() && mean(r.N) > 0) {
        std::vector<double> ratio = part(r.N);
        for (double& n : ratio) n = std::max(0.0, n / mean(r.N));
        f.load = history(DriveOf::position, f.t, ratio);
      } else {
        f.load = e.load;
      }
      from_.push_back(at);
      at += to - from;
      flights_.push_back(std::move(f));
    }
    inverse = inverse && !r.u.empty() && !r.a.empty();
  }
  for (Recording& r : by_force) {
    r.motion = false;
    r.F = inverse ? std::vector<double>{} : steady_friction(scenario, r);
    if (!inverse) r.u.clear();
    forces.insert(forces.end(), r.u.begin(), r.u.end());
  }
  features_ = features_of(joined(by_force, 2), e.body.gravity > 0 ? Gravity::sine : Gravity::none);
  transmitted_ = std::max(forces.empty() ? features_.force : rms(forces), 1e-300);
  std::vector<double> all;
  for (const Recording& r : recordings) all.insert(all.end(), r.x.begin(), r.x.end());
  features_.y_rms = std::max(rms(all), 1e-300);
}

Experiment Replay::experiment(const Flight& f, std::unique_ptr<AnyContact> contact) const {
  Experiment e;
  e.body = scenario_.experiment.body;
  e.controller = scenario_.experiment.controller;
  e.body.x0 = f.x0;
  e.body.v0 = f.v0;
  e.body.temperature = f.temperature;
  e.drive = f.drive;
  e.load = f.load;
  e.contacts.push_back({"", std::move(contact)});
  return e;
}

bool Replay::refine(const Walker& w, const double* p, double error) {
  const auto& simulated = dynamic_cast<const Simulated&>(w);
  const int before = steps_;
  for (; steps_ < most_steps; steps_ *= 2) {
    double squares = 0, rows = 0;
    for (const Flight& f : flights_) {
      std::vector<double> coarse(f.t.size()), fine(f.t.size());
      simulated.fly(f, p, coarse);
      simulated.fly(f, p, fine, 2);
      for (std::size_t i = 0; i < fine.size(); ++i) squares += (fine[i] - coarse[i]) * (fine[i] - coarse[i]);
      rows += static_cast<double>(fine.size());
    }
    if (std::sqrt(squares / rows) < error) break;
  }
  return steps_ > before;
}

std::unique_ptr<Walker> Replay::walker(std::string_view model, const Table& given, const Table& effects) const {
  return std::make_unique<Simulated>(*this, identify::walker(model, given), effects.empty() ? effects_ : effects);
}

Start Replay::start(const Shape& shape, const Walker& w, const Series& s, const Options& options) const {
  const Features& f = features_;
  const std::unique_ptr<Walker> friction = identify::walker(shape.model, shape.given);
  Start out = start_of(shape, *friction, s, f, options);
  // Names mean the same in every model, so the scenario tells where to begin.
  for (std::size_t i = 0; i < out.guesses.size(); ++i) {
    const Scalar& p = friction->scalars()[i];
    const double* known = number_in(friction_, p.name);
    if (!known || out.held[i] || !(*known > 0) || !std::isfinite(*known)) continue;
    if (p.index > 0 && shape.model != model_) continue;
    Guess& g = out.guesses[i];
    g = {*known, std::min(g.lo, *known / 100), std::max(g.hi, *known * 100), 0.7};
  }
  const std::vector<double> values = w.values();
  for (std::size_t i = out.guesses.size(); i < w.scalars().size(); ++i) {
    const Scalar& p = w.scalars()[i];
    const double value = values[i];
    Guess g;
    if (p.body) {
      const double force = std::max(f.force, transmitted_);
      const bool place = p.name == "gravity_phase" || p.name == "rest_length";
      if (value > 0 && !place) {
        g = {value, value / 100, value * 100, 0.3};
      } else {
        const double size = p.name == "damping"   ? force / f.v_high
                            : p.name == "gravity" ? force
                            : p.range.lo >= 0     ? 100 * force / f.travel
                            : p.unit == "rad"     ? 1
                                                  : f.travel;
        g = {value, std::max(p.range.lo, value - size), std::min(p.range.hi, value + size)};
      }
    } else if (p.name == "load_drive" || p.name == "load_backdrive") {
      g = {value > 0 ? value : 1 / transmitted_, 1e-3 / transmitted_, 1e3 / transmitted_};
    } else if (p.name == "transmission_exponent") {
      g = {value, 0.3, 4, 0.3};
    } else {
      const double size = p.name == "offset"          ? f.force
                          : p.name == "ripple_period" ? f.travel
                          : p.name == "ripple_phase"  ? two_pi
                                                      : std::min(p.range.hi, 10.0);
      g = {value, std::max(p.range.lo, -size), std::min(p.range.hi, size)};
    }
    g.value = std::clamp(g.value, g.lo, g.hi);
    out.guesses.push_back(g);
    out.held.push_back(false);
  }
  return out;
}

}  // namespace bristle::identify
