#include <algorithm>
#include <cmath>

#include "bristle/sweep/analyze.hpp"
#include "sweep/analyze/subject.hpp"
#include "sweep/folder.hpp"

namespace bristle::analysis {
namespace {

Number number_or(double value, const std::string& reason) {
  return std::isnan(value) ? Number{undefined, {}, reason.empty() ? "not defined" : reason} : Number{value, {}, {}};
}

bool has(const std::vector<What>& what, What one) { return std::ranges::find(what, one) != what.end(); }

std::string names_of(const std::vector<What>& what) {
  std::string out;
  for (const What w : what) out += (out.empty() ? "" : ",") + std::string(choices(w)[static_cast<std::size_t>(w)]);
  return out;
}

/// The critical stiffness of a spring with rate-and-state friction (Rice and Ruina 1983), if nothing else resists.
double rate_state_stiffness(const Experiment& e) {
  if (e.contacts.size() != 1 || e.contacts.front().contact->model() != "rate_state") return undefined;
  const AnyContact& c = *e.contacts.front().contact;
  auto p = [&](const char* key) { return *c.parameter(key).as<double>(); };
  if (c.has_effects() || p("kv") != 0 || e.body.damping != 0 || e.controller) return undefined;
  const double V = sliding_velocity(e), N = p("normal_load") * load_ratio(e), a = p("a"), Dc = p("Dc");
  return (p("b") - a) * N / Dc * (1 + e.body.mass * V * V / (N * a * Dc));
}

/// A curve of values of one key over the other, along a finer grid of it.
SweepCurve curve_over(ScenarioFamily& family, const sweep::Design& design, std::size_t solved, const std::string& label,
                      const std::function<double(const Experiment&)>& value) {
  const std::size_t given = 1 - solved;
  SweepCurve out{.label = label};
  const Varied &over = design.keys[given], &key = design.keys[solved];
  constexpr int points = 160;
  const double lo = std::min(key.from, key.to), hi = std::max(key.from, key.to);
  for (int i = 0; i < points; ++i) {
    std::vector<double> at(2);
    at[given] = over.at(i, points - 1);
    at[solved] = key.from;
    const Loaded loaded = family.at(at);
    const double y = loaded.scenario ? value(loaded.scenario->experiment) : undefined;
    const bool within = y >= lo && y <= hi;
    at[solved] = within ? y : undefined;
    out.x.push_back(at[0]);
    out.y.push_back(at[1]);
  }
  return out;
}
bool is_drawn(const SweepCurve& c) {
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < c.x.size(); ++i) drawn += std::isnan(c.x[i]) || std::isnan(c.y[i]) ? 0U : 1U;
  return drawn > 1;
}
/// A plan is written as TOML, which has no gaps in a line: the parts outside the map are left out.
void drop_gaps(SweepCurve& c) {
  SweepCurve out{.label = c.label};
  for (std::size_t i = 0; i < c.x.size(); ++i) {
    if (std::isnan(c.x[i]) || std::isnan(c.y[i])) continue;
    out.x.push_back(c.x[i]);
    out.y.push_back(c.y[i]);
  }
  c = std::move(out);
}

std::vector<SweepCurve> map_curves(ScenarioFamily& family, const sweep::Design& design) {
  std::vector<SweepCurve> out;
  if (design.keys.size() != 2) return out;
  auto add = [&](std::size_t k, const char* label, const std::function<double(const Experiment&)>& value) {
    SweepCurve c = curve_over(family, design, k, label, value);
    if (!is_drawn(c)) return;
    drop_gaps(c);
    out.push_back(std::move(c));
  };
  auto linear = [](const Experiment& e) { return linearize(e, sliding_velocity(e)).linear; };
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string& key = design.keys[k].key;
    if (key == "system.stiffness") {
      add(k, "k_{c} = (b − a)N/D_{c} (1 + mV²/(NaD_{c}))", rate_state_stiffness);
      if (!out.empty()) continue;
      add(k, "critical stiffness", [&](const Experiment& e) {
        if (!objection(e, What::stability).empty()) return undefined;
        const auto l = linear(e);
        return l ? critical_stiffness(*l).stiffness : undefined;
      });
    } else if (key == "system.damping") {
      add(k, "damping = −dF/dv", [&](const Experiment& e) {
        if (e.controller || !objection(e, What::stability).empty()) return undefined;
        const auto l = linear(e);
        return l && l->F_z.empty() ? -l->F_v : undefined;
      });
    } else if (key == "controller.ki") {  // Routh: kp (kd + kv) = m ki
      add(k, "linear loop: m k_{i} = k_{p} (k_{d} + k_{v})", [](const Experiment& e) {
        if (!e.controller || e.controller->cascade() || e.controller->sampled()) return undefined;
        double kv = 0;
        for (const NamedContact& c : e.contacts) {
          if (*c.contact->parameter("kv_exponent").as<double>() != 1) return undefined;
        }
        for (const NamedContact& c : e.contacts) kv += *c.contact->parameter("kv").as<double>();
        return e.controller->kp * (e.controller->kd + kv) / e.body.mass;
      });
    }
  }
  return out;
}

}  // namespace

std::vector<sweep::MeasureColumn> map_columns(const std::vector<What>& what, bool servo) {
  std::vector<sweep::MeasureColumn> out;
  if (has(what, What::stability)) {
    out.push_back({"damping_ratio", "of the leading eigenvalue of steady sliding; negative: unstable", "1"});
    out.push_back({"growth_rate", "largest real part of the eigenvalues of steady sliding", "1/s"});
    out.push_back({"frequency", "frequency of that eigenvalue", "Hz"});
    out.push_back({"critical_stiffness", "stiffness at which stability changes", "N/m"});
  }
  if (has(what, What::limit_cycle)) {
    if (servo) out.push_back({"hunting", "1: limit cycle, 0: none", "1"});
    out.push_back({"period", "period of the limit cycle", "s"});
    out.push_back({"amplitude", "half of the range of drive - x in the limit cycle", "m"});
    if (!servo) out.push_back({"multiplier", "largest Floquet multiplier of the limit cycle", "1"});
  }
  if (has(what, What::describing) && servo) {
    out.push_back({"predicted_amplitude", "amplitude of the limit cycle by harmonic balance", "m"});
    out.push_back({"predicted_frequency", "its frequency", "Hz"});
  }
  return out;
}

std::vector<Number> map_numbers(const Experiment& e, const std::vector<What>& what, const std::atomic<bool>* stop) {
  std::vector<Number> out;
  const bool servo = e.controller.has_value();
  if (has(what, What::stability)) {
    const std::string why = objection(e, What::stability);
    const StabilityPoint p = why.empty() ? stability_at(e, sliding_velocity(e)) : StabilityPoint{.reason = why};
    const double size = p.eigenvalues.empty() ? undefined : std::abs(p.eigenvalues.front());
    out.push_back(number_or(size > 0 ? -p.growth_rate / size : undefined, p.reason));
    out.push_back(number_or(p.growth_rate, p.reason));
    out.push_back(number_or(p.omega / turn, p.reason));
    out.push_back(number_or(p.critical.stiffness, why.empty() ? p.critical.reason : why));
  }
  if (has(what, What::limit_cycle)) {
    const std::string why = objection(e, What::limit_cycle);
    const CycleRead read = !why.empty() ? CycleRead{{}, why} : servo ? hunting(e, stop) : limit_cycle(e, nullptr, stop);
    const Cycle c = read.cycle.value_or(Cycle{});
    if (servo) out.push_back(number_or(read.decided() ? (read.cycle ? 1.0 : 0.0) : undefined, read.reason));
    out.push_back(number_or(c.period, read.reason));
    out.push_back(number_or(c.amplitude, read.reason));
    if (!servo) out.push_back(number_or(c.multiplier(), read.reason));
  }
  if (has(what, What::describing) && servo) {
    const std::string why = objection(e, What::describing);
    const DescribingRead read =
        why.empty() ? describing(e, {.stop = stop, .threads = 1}) : DescribingRead{.reason = why};
    const auto best = std::ranges::find_if(read.cycles, &Predicted::stable);
    const bool found = best != read.cycles.end();
    const std::string none = read.cycles.empty() ? read.reason : "harmonic balance predicts unstable cycles only";
    out.push_back(number_or(found ? best->amplitude : undefined, none));
    out.push_back(number_or(found ? best->omega / turn : undefined, none));
  }
  return out;
}

sweep::PlanRead make_plan(ScenarioFamily& family, const SweepSpec& spec, const std::vector<What>& what,
                          const std::vector<std::string>& changes) {
  sweep::PlanRead out =
      sweep::plan_with(family, spec, {}, changes, [&](Scenario& s, sweep::Plan& plan, Problems& problems) {
        plan.measures = map_columns(what, s.experiment.controller.has_value());
        if (plan.measures.empty())
          problems.push_back({family.path(), "--what describing has a map for a servo only; stability or limit_cycle "
                                             "is required with --vary for a spring"});
      });
  if (out.plan) {
    out.plan->analysis = names_of(what);
    out.plan->curves = map_curves(family, out.plan->design);
  }
  return out;
}

}  // namespace bristle::analysis
