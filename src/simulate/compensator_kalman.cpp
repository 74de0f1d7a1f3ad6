#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bristle/control/kalman.hpp"
#include "compensator_parts.hpp"
#include "registry/shared/visit.hpp"

namespace bristle {
namespace {

constexpr std::size_t most_estimates = 12;  // states of the model and parameters

template <class C> struct Kalman {
  control::KalmanObserver<C, most_estimates> law{};
  std::vector<Column> shown{};
  std::vector<Column> names() const { return shown; }
  void values(double* out) const {
    for (const Variable& s : shown_states(law.s)) *out++ = s.value;
    for (std::size_t k = 0; k < law.count; ++k) *out++ = law.parameter(law.parameters[k].place);
  }
};

/// The chosen parameters; without a choice the levels of dry and viscous friction that the model has.
std::vector<std::string> estimates_of(const CompensationParams& p) {
  if (!p.estimate.empty()) return p.estimate;
  std::vector<std::string> out;
  for (const Variable& v : p.model->parameters()) {
    if ((v.name == "Fc" || v.name == "Fs" || v.name == "kv") && v.value > 0) out.push_back(v.name);
  }
  return out;
}

template <class C> Kalman<C> kalman_of(const C& model, const CompensationParams& p, const CompensatorNumbers& n) {
  Kalman<C> out;
  auto& law = out.law;
  law.model = model;
  law.inertia = n.inertia;
  law.velocity_noise = n.velocity_noise;
  law.force_noise = n.force_noise;
  law.excitation = {n.least_velocity, n.settle};
  if (!law.begin()) return out;
  for (const Variable& s : shown_states(law.s)) out.shown.push_back({s.name + "_hat", s.unit});
  const auto all = p.model->parameters();
  for (const std::string& name : estimates_of(p)) {
    const std::size_t place = law.place_of(name);
    const double value = law.parameter(place);
    law.estimate(place, 0.2 * value, CompensatorNumbers::least_level * value, CompensatorNumbers::most_level * value,
                 p.drift * value);
    const auto at = std::ranges::find(all, name, &Variable::name);
    out.shown.push_back({name, at != all.end() ? at->unit : "1"});
  }
  return out;
}

}  // namespace

std::unique_ptr<Compensator> make_kalman(const CompensationParams& p, const CompensatorNumbers& n) {
  std::unique_ptr<Compensator> out;
  visit_contact(*p.model, [&](const auto& box) {
    using C = ModelOf<std::remove_cvref_t<decltype(box.contact)>>;
    if constexpr (Flow<C>) out = wrapped(kalman_of(model_of(box.contact), p, n), p);
  });
  return out;
}

std::string objection_to_kalman(const CompensationParams& p) {
  std::string out;
  const bool known = visit_contact(*p.model, [&](const auto& box) {
    using C = ModelOf<std::remove_cvref_t<decltype(box.contact)>>;
    if constexpr (Flow<C>) {
      control::KalmanObserver<C, most_estimates> law;
      law.model = model_of(box.contact);
      std::size_t states = 0;
      auto rest = law.model.rest();
      each_scalar(rest, [&](const auto&, int, double&) { ++states; });
      const auto chosen = estimates_of(p);
      for (const std::string& name : chosen) {
        std::vector<std::string> names;
        for (const Variable& v : p.model->parameters()) {
          if (v.name.find('.') == std::string::npos) names.push_back(v.name);
        }
        const std::size_t place = law.place_of(name);
        if (place > 1000) {
          out = fmt::format("estimate = \"{}\" is not a real parameter of {}; accepted: {}", name, C::card.name,
                            fmt::join(names, ", "));
        } else if (!(law.parameter(place) > 0 && law.parameter(place) < limit::most)) {
          out = fmt::format(
              "estimate = \"{}\" requires a value > 0 in the model of the ekf: its size is that of its uncertainty",
              name);
        }
      }
      if (out.empty() && states + chosen.size() > most_estimates)
        out = fmt::format("an ekf has at most {} states and parameters; {} with {} states and {} parameters has more",
                          most_estimates, C::card.name, states, chosen.size());
    } else {
      out = fmt::format("an ekf requires a model with a state equation (level flow or hybrid), not {}", C::card.name);
    }
  });
  return known ? out
               : fmt::format("an ekf requires a model with a state equation (level flow or hybrid), not {}",
                             p.model->model());
}

}  // namespace bristle
