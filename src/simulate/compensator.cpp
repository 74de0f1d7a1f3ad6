#include "compensator.hpp"

#include <algorithm>
#include <cmath>

#include "bristle/control/adaptive_lugre.hpp"
#include "bristle/control/disturbance_observer.hpp"
#include "bristle/control/friedland_park.hpp"
#include "bristle/control/gms_observer.hpp"
#include "bristle/control/least_squares.hpp"
#include "compensator_parts.hpp"
#include "registry/shared/visit.hpp"

namespace bristle {
namespace {

using control::Interval;

struct Observed {
  control::LuGreObserver<double> law;
  std::vector<Column> names() const { return {{"z_hat", "m"}}; }
  void values(double* out) const { out[0] = law.z; }
};
struct ObservedElements {
  control::GmsObserver<double> law;
  std::vector<Column> names() const {
    std::vector<Column> out(law.model.p.k.n);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = {"f_hat" + std::to_string(i + 1), "N"};
    return out;
  }
  void values(double* out) const { std::copy(law.s.f.begin(), law.s.f.end(), out); }
};
struct Level {
  control::FriedlandPark<double> law;
  std::vector<Column> names() const { return {{"Fc", "N"}}; }
  void values(double* out) const { out[0] = law.level; }
};
struct Disturbance {
  control::DisturbanceObserver<double> law;
  std::vector<Column> names() const { return {}; }
  void values(double* /*out*/) const {}
};
struct Linear {
  control::FrictionLeastSquares<double> law;
  std::vector<Column> names() const {
    std::vector<Column> out;
    for (std::size_t i = 0; i < least_squares_names.size(); ++i) {
      if (law.estimated[i]) out.push_back({least_squares_names[i], i % 2 == 0 ? "N" : "N s/m"});
    }
    return out;
  }
  void values(double* out) const {
    for (std::size_t i = 0; i < law.value.size(); ++i) {
      if (law.estimated[i]) *out++ = law.value[i];
    }
  }
};
struct Scaled {
  control::AdaptiveLuGre<double> law;
  std::vector<Column> names() const {
    if (law.factors == 1) return {{"level", "1"}};
    return {{"level", "1"}, {"viscous_level", "1"}};
  }
  void values(double* out) const {
    out[0] = law.level;
    if (law.factors == 2) out[1] = law.viscous;
  }
};

control::LuGreObserver<double> lugre_observer(const CompensationParams& p) {
  control::LuGreObserver<double> out{.gain = p.gain};
  visit_contact(*p.model, [&](const auto& box) {
    if constexpr (std::is_same_v<ModelOf<std::remove_cvref_t<decltype(box.contact)>>, LuGre<double>>)
      out.model = model_of(box.contact);
  });
  return out;
}
control::GmsObserver<double> gms_observer(const CompensationParams& p) {
  control::GmsObserver<double> out{.gain = p.gain};
  visit_contact(*p.model, [&](const auto& box) {
    if constexpr (std::is_same_v<ModelOf<std::remove_cvref_t<decltype(box.contact)>>, Gms<double>>)
      out.model = model_of(box.contact);
  });
  out.s = out.model.rest();
  return out;
}

control::FrictionLeastSquares<double> least_squares(const CompensationParams& p, const CompensatorNumbers& n) {
  control::FrictionLeastSquares<double> out;
  out.inertia = n.inertia;
  out.filter = n.filter;
  out.forgetting = n.forgetting;
  out.speed = n.speed;
  out.smooth = n.smooth;
  out.excitation = {n.least_velocity, n.settle};
  out.value = {n.Fc, n.kv, 0, 0};
  const double viscous = std::max(n.kv, 0.1 * n.Fc / n.speed);
  out.weight = {1, viscous * n.speed / n.Fc, 0.1, 0.1 * viscous * n.speed / n.Fc};
  out.lowest = {CompensatorNumbers::least_level * n.Fc, 0, -n.Fc, -viscous};
  out.highest = {CompensatorNumbers::most_level * n.Fc, CompensatorNumbers::most_level * viscous, n.Fc, viscous};
  for (std::size_t i = 0; i < out.estimated.size(); ++i)
    out.estimated[i] =
        p.estimate.empty() ? i < 2 : std::ranges::find(p.estimate, least_squares_names[i]) != p.estimate.end();
  return out;
}

}  // namespace

bool reads(CompensationKind kind, std::string_view key) {
  using K = CompensationKind;
  auto any = [&](std::initializer_list<K> kinds) { return std::ranges::find(kinds, kind) != kinds.end(); };
  if (kind == K::none) return false;
  if (key == "model") return kind != K::disturbance_observer;
  if (kind == K::feedforward) return false;
  if (key == "start" || key == "blend") return true;
  if (key == "gain") return any({K::lugre_observer, K::gms_observer, K::adaptive_lugre});
  if (key == "inertia")
    return any({K::friedland_park, K::disturbance_observer, K::ekf, K::adaptive_rls, K::adaptive_lugre});
  if (key == "filter") return any({K::disturbance_observer, K::adaptive_rls, K::adaptive_lugre});
  if (key == "adaptation_time") return any({K::friedland_park, K::adaptive_lugre});
  if (key == "forgetting") return kind == K::adaptive_rls;
  if (key == "least_velocity") return any({K::friedland_park, K::ekf, K::adaptive_rls, K::adaptive_lugre});
  if (key == "velocity_noise" || key == "force_noise" || key == "drift") return kind == K::ekf;
  if (key == "factors") return kind == K::adaptive_lugre;
  if (key == "estimate") return any({K::ekf, K::adaptive_rls});
  return false;
}

CompensatorNumbers::CompensatorNumbers(const ControllerParams& c, double body) {
  const CompensationParams& p = c.compensation;
  const double T = c.sample_time;
  auto given = [](double value, double otherwise) { return value > 0 ? value : otherwise; };
  inertia = given(p.inertia, body);
  filter = given(p.filter, 10 * T);
  adaptation_time = given(p.adaptation_time, 100 * T);
  forgetting = given(p.forgetting, 100 * T);
  settle = 20 * T;
  const Scales<double> scales = p.model ? p.model->scales() : Scales<double>{};
  Fc = scales.force;
  if (p.model) {
    for (const Variable& v : p.model->parameters()) {
      if (v.name == "Fc") Fc = v.value;
      if (v.name == "kv") kv = v.value;
    }
  }
  Fc = std::max(Fc, limit::least);
  const double step = std::max(c.resolution(), 2 * c.sensor.noise);
  // A law without a velocity of its own: two samples of friction stop the body from it.
  const double own = given(scales.velocity, given(2 * Fc * T / inertia, 1));
  least_velocity = given(p.least_velocity, std::max(5 * own, 2 * step / T));
  smooth = std::max(own / 5, step / T);
  speed = 10 * least_velocity;
  // A velocity from samples is late: its error in fast changes counts as noise.
  velocity_noise = given(p.velocity_noise, std::max(0.4 * step / T, 0.05 * least_velocity));
  force_noise = given(p.force_noise, 0.02 * std::max(scales.force, limit::least));
}

std::unique_ptr<Compensator> make_compensator(const ControllerParams& c, double inertia) {
  const CompensationParams& p = c.compensation;
  const CompensatorNumbers n(c, inertia);
  switch (p.kind) {
    case CompensationKind::none:
    case CompensationKind::feedforward: return {};
    case CompensationKind::lugre_observer: return wrapped(Observed{lugre_observer(p)}, p);
    case CompensationKind::gms_observer: return wrapped(ObservedElements{gms_observer(p)}, p);
    case CompensationKind::friedland_park:
      return wrapped(Level{{.inertia = n.inertia,
                            .gain = n.inertia / n.adaptation_time,
                            .kv = n.kv,
                            .least = n.least_velocity,
                            .smooth = n.smooth,
                            .lowest = CompensatorNumbers::least_level * n.Fc,
                            .highest = CompensatorNumbers::most_level * n.Fc,
                            .level = n.Fc}},
                     p);
    case CompensationKind::disturbance_observer:
      return wrapped(Disturbance{{.inertia = n.inertia, .filter = n.filter, .bound = c.limit}}, p);
    case CompensationKind::ekf: return make_kalman(p, n);
    case CompensationKind::adaptive_rls: return wrapped(Linear{least_squares(p, n)}, p);
    case CompensationKind::adaptive_lugre: {
      control::AdaptiveLuGre<double> law{.observer = lugre_observer(p),
                                         .factors = p.factors,
                                         .inertia = n.inertia,
                                         .filter = n.filter,
                                         .adaptation_time = n.adaptation_time,
                                         .lowest = CompensatorNumbers::least_level,
                                         .highest = CompensatorNumbers::most_level};
      law.excitation = {n.least_velocity, n.settle};
      return wrapped(Scaled{law}, p);
    }
  }
  return {};
}

}  // namespace bristle
