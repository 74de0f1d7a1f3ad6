#include <algorithm>
#include <cmath>

#include "identify/replay.hpp"

namespace bristle::identify {
namespace {

/// Simulated motion of a fit.
std::vector<double> simulated(const Fit& fit, const Recording& recording, const Rig& rig, const Series& data) {
  Options options;
  for (const Estimate& e : fit.body) options.free.push_back(e.name);
  Replay replay(rig, {recording}, options);
  replay.finest();
  const std::unique_ptr<Evaluator> model = replay.evaluator(fit.model, fit.parameters, fit.effects);
  std::vector<double> p = model->values(), out(data.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto known = std::ranges::find(fit.body, model->scalars()[i].name, &Estimate::name);
    if (model->scalars()[i].body && known != fit.body.end()) p[i] = known->value;
  }
  model->evaluate(data, {p.data()}, [&](const Rows& rows) {
    std::copy(rows.F, rows.F + rows.n, out.begin() + static_cast<std::ptrdiff_t>(rows.from));
    return true;
  });
  return out;
}

}  // namespace

std::vector<double> predict(const Fit& fit, const Recording& recording, const Rig* rig) {
  Series data = joined({recording}, 2, fit.normal_load);
  if (rig) return simulated(fit, recording, *rig, data);
  const auto spring = std::ranges::find(fit.body, machine_stiffness, &Estimate::name);
  const auto rise = std::ranges::find(fit.body, trend, &Estimate::name);
  const std::unique_ptr<Evaluator> model = evaluator_of({.model = fit.model,
                                                         .given = fit.parameters,
                                                         .compliant = spring != fit.body.end(),
                                                         .trending = rise != fit.body.end(),
                                                         .effects = fit.effects},
                                                        data);
  std::vector<double> p = model->values();
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (model->scalars()[i].name == machine_stiffness) p[i] = spring->value;
    if (model->scalars()[i].name == trend) p[i] = rise->value;
  }
  auto body = [&](std::string_view name) {
    const auto at = std::ranges::find(fit.body, name, &Estimate::name);
    return at == fit.body.end() ? 0.0 : at->value;
  };
  const bool sine = std::ranges::find(fit.body, "gravity_phase", &Estimate::name) != fit.body.end();
  Features rigid = features_of(data.fine ? data.fine->whole : data, sine ? Gravity::sine : Gravity::none);
  rigid.inertia = body("inertia");
  rigid.offset = body("offset") + (sine ? 0 : body("gravity"));
  rigid.gravity_sin = sine ? body("gravity") * std::cos(body("gravity_phase")) : 0;
  rigid.gravity_cos = sine ? -body("gravity") * std::sin(body("gravity_phase")) : 0;
  rigid.terms.clear();
  for (const Term& term : data.terms) rigid.terms.push_back(body(term.name));
  transmit(data, rigid);
  estimate_initial_states(data, rigid, fit.start_speed);
  std::vector<double> out(data.size());
  model->evaluate(data, {p.data()}, [&](const Rows& rows) {
    std::copy(rows.F, rows.F + rows.n, out.begin() + static_cast<std::ptrdiff_t>(rows.from));
    return true;
  });
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += rigid.beside(data, i);
  return out;
}

}  // namespace bristle::identify
