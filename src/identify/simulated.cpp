#include <algorithm>
#include <cmath>

#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "identify/free_values.hpp"
#include "identify/replay.hpp"
#include "simulate/shared/fixed_body.hpp"

namespace bristle::identify {
namespace {

/// A body that leaves the range stays at the limit. Leapfrog: velocities belong to the middle of a step, the error with
/// forces at its beginning is of second order.
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

/// Evaluator of a replay.
class Simulated final : public Evaluator {
 public:
  Simulated(const Replay& replay, std::unique_ptr<Evaluator> model, Table effects)
      : replay_(replay), model_(std::move(model)), effects_(std::move(effects)), scalars_(model_->scalars()) {
    values_ = model_->values();
    friction_ = scalars_.size();
    for (const FieldInfo& f : effect_infos()) {
      if (!is_in(replay.fitted_effects_, f.name)) continue;
      scalars_.push_back(
          {f.name, f.name, f.unit, 0, f.range, f.fitted ? role::optional : role::optional | role::fixed});
      const double *given = number_in(effects_, f.name), *usual = f.value.as<double>();
      values_.push_back(given ? *given : usual ? *usual : 0);
    }
    system_ = scalars_.size();
    BodyParams body = replay.rig_.experiment.body;
    auto controller = replay.rig_.experiment.controller;
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

  void evaluate(const Series&, const Point& at, const Sink& sink) const override {
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
        for (const double sign :
             {1.0, -1.0}) {  // backward difference if the forward one leaves the range of a parameter
          h = sign * difference;
          for (std::size_t i = 0; i < parameters; ++i) p[i] = at.p[i] + h * at.slopes[i * n + j];
          if (fly(flight, p.data(), moved)) break;
        }
        for (std::size_t i = 0; i < rows; ++i) slopes[i * n + j] = (moved[i] - x[i]) / h;
      }
      constexpr std::size_t block = 256;  // the size that readers of rows expect
      for (std::size_t from = 0; from < rows; from += block) {
        const std::size_t count = std::min(block, rows - from);
        if (!sink({replay_.from_[k] + from, count, n, x.data() + from, slopes.data() + from * n})) return;
      }
    }
  }

  /// Positions at the samples; false for invalid parameters.
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
  static constexpr double difference = 1e-4;  // coordinates are logarithms or of order 1
  const Replay& replay_;
  std::unique_ptr<Evaluator> model_;
  Table effects_;
  std::vector<Scalar> scalars_;
  std::vector<double> values_{};
  std::size_t friction_ = 0, system_ = 0;  // first index of the effects, of the values of the system
};

Experiment Replay::experiment(const Flight& f, std::unique_ptr<AnyContact> contact) const {
  Experiment e;
  e.body = rig_.experiment.body;
  e.controller = rig_.experiment.controller;
  e.body.x0 = f.x0;
  e.body.v0 = f.v0;
  e.body.temperature = f.temperature;
  e.drive = f.drive;
  e.load = f.load;
  e.contacts.push_back({"", std::move(contact)});
  return e;
}

double Replay::change_by_finer_steps(const Evaluator& w, const double* p) const {
  const auto& simulated = dynamic_cast<const Simulated&>(w);
  double squares = 0, rows = 0;
  for (const Flight& f : flights_) {
    std::vector<double> coarse(f.t.size()), fine(f.t.size());
    simulated.fly(f, p, coarse);
    simulated.fly(f, p, fine, 2);
    for (std::size_t i = 0; i < fine.size(); ++i) squares += (fine[i] - coarse[i]) * (fine[i] - coarse[i]);
    rows += static_cast<double>(fine.size());
  }
  return std::sqrt(squares / rows);
}

bool Replay::refine(const Evaluator& w, const double* p, double error) {
  const int before = steps_;
  while (steps_ < most_steps && !(change_by_finer_steps(w, p) < error)) steps_ *= 2;
  return steps_ > before;
}

std::unique_ptr<Evaluator> Replay::evaluator(std::string_view model, const Table& given, const Table& effects) const {
  return std::make_unique<Simulated>(*this, identify::evaluator(model, given), effects.empty() ? effects_ : effects);
}

}  // namespace bristle::identify
