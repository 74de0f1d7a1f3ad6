#include "identify/effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "identify/residue.hpp"
#include "identify/warming.hpp"

namespace bristle::identify {
namespace {

bool varies(const std::vector<double>& series) {
  const auto [least, most] = std::ranges::minmax(series);
  return most > least;
}

const double* given_number(const Options& options, std::string_view name) {
  const auto at = std::ranges::find(options.fixed, name, &Entry::key);
  return at == options.fixed.end() ? nullptr : at->value.as<double>();
}

bool is_in(const Table& table, std::string_view key) {
  return std::ranges::find(table, key, &Entry::key) != table.end();
}

/// Where phases count from: far from the travel, a phase could not be separated from the period. 0 if it is in the travel.
double wave_origin(const Candidate& c, const Series& m, const Options& options) {
  const auto known = std::ranges::find(c.shape.effects, "reference_position", &Entry::key);
  if (known != c.shape.effects.end()) return *known->value.as<double>();
  const auto [least, most] = std::ranges::minmax(m.x);
  const bool given = given_number(options, "ripple_phase") || given_number(options, "cogging_phase");
  if (given || (least <= 0 && most >= 0)) return 0;
  const double digit = std::pow(10.0, std::floor(std::log10(most - least)) - 1);
  return std::round(0.5 * (least + most) / digit) * digit;
}

std::size_t knots_of(const Candidate& c) {
  const auto curve = std::ranges::find(c.shape.effects, "curve_x", &Entry::key);
  return curve == c.shape.effects.end() ? 0 : curve->value.as<std::vector<double>>()->size();
}

}  // namespace

std::vector<std::string> visible_effects(const Series& s) {
  std::vector<std::string> out;
  const bool both = std::ranges::any_of(s.v, [](double v) { return v > 0; }) &&
                    std::ranges::any_of(s.v, [](double v) { return v < 0; });
  if (both) out.insert(out.end(), {"asymmetry", "directions"});
  if (both && !s.inverse) out.emplace_back("offset");
  if (!s.steady() && varies(s.x)) out.insert(out.end(), {"ripple", "cogging", "curve", "curve_load"});
  if (s.loaded) out.insert(out.end(), {"load_exponent", "load_offset"});
  if (varies(s.load) || s.inverse) out.emplace_back("load_drive");
  if (varies(s.T)) out.emplace_back("temperature_coefficient");
  return out;
}

std::vector<std::string> named_effects(const Options& options, const Series& s) {
  const std::vector<std::string> visible = visible_effects(s);
  std::vector<std::string> out;
  for (const std::string& given : options.effects) {
    if (given == "auto" || given == "none") continue;
    if (given == heat_effect) {
      require_warming(options, s);
      if (std::ranges::find(out, given) == out.end()) out.push_back(given);
      continue;
    }
    const std::string name = given.starts_with("ripple")    ? "ripple"
                             : given.starts_with("cogging") ? "cogging"
                             : given == "curve_load"        ? "curve_load"
                             : given.starts_with("curve")   ? "curve"
                             : given == "load_backdrive"    ? "load_drive"
                                                            : given;
    if (std::ranges::find(visible, name) == visible.end()) {
      const char* why = name == "temperature_coefficient" ? "requires a varying temperature T"
                        : name == "load_drive"            ? "requires a transmitted force, u or load"
                        : name.starts_with("load_")       ? "requires a varying normal load N"
                        : name == "offset" && s.inverse   ? "with u, the offset of the body is fitted instead"
                        : name == "asymmetry" || name == "offset" || name == "directions"
                            ? "requires motion in both directions"
                        : is_wave(name) || is_curve(name) ? "requires a varying position x"
                                                          : "is a setting, not a quantity to fit";
      throw BadInput(fmt::format("effect '{}' cannot be fitted; {}", given, why));
    }
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  }
  return out;
}

bool is_curve(const std::string& effect) { return effect == "curve" || effect == "curve_load"; }
bool is_wave(const std::string& effect) { return effect == "ripple" || effect == "cogging"; }

Table hint(const std::string& effect, const Candidate& c, const Setting& s, bool wanted) {
  if (effect == "directions") return {{effect, true}};
  if (effect == heat_effect) return warming_hint(c.shape.model, s);
  const Residue left(c, s);
  const Series& m = left.motion();
  auto start = [](double value, double least, double most) {  // the slope vanishes at 0
    return std::clamp(std::abs(value) > least ? value : least, -most, most);
  };
  if (effect == "asymmetry")
    return {{effect, start(left.slope_on([&](std::size_t i) { return std::abs(left.F[i]); }), 1e-4, 0.5)}};
  if (effect == "offset")
    return {{effect, start(left.slope_on([](std::size_t) { return 1.0; }), 1e-6 * s.features.force, inf)}};
  if (effect == "temperature_coefficient") {
    double mean = 0;
    for (const double T : m.T) mean += T / static_cast<double>(m.T.size());
    const double slope = left.slope_on([&](std::size_t i) { return left.F[i] * (m.T[i] - mean); });
    return {{effect, start(slope, 1e-5, 0.05)}, {"reference_temperature", std::round(mean)}};
  }
  if (effect == "load_drive") {
    const auto fit = left.on<2>([&](std::size_t i) {
      const double product = left.F[i] * std::abs(m.load[i]);
      return m.load[i] * left.F[i] > 0 ? Eigen::Vector2d(product, 0) : Eigen::Vector2d(0, product);
    });
    const double least = 1e-3 / s.features.force;
    return {{"load_drive", std::max(fit.factors[0], least)}, {"load_backdrive", std::max(fit.factors[1], least)}};
  }
  if (effect == "load_exponent") {
    const double slope = left.slope_on([&](std::size_t i) { return left.F[i] * std::log(std::max(m.r[i], 1e-3)); });
    return {{effect, 1 + start(slope, 1e-3, 0.9)}};
  }
  if (effect == "load_offset")
    return {
        {effect, start(left.slope_on([&](std::size_t i) { return left.F[i] / std::max(m.r[i], 0.1); }), 1e-3, 0.9)}};
  if (is_curve(effect))
    return curve_hint(left, s, s.data.inverse || is_in(c.shape.effects, "offset"), effect == "curve_load");
  const double* period = given_number(s.options, effect + "_period");
  const bool of_friction = effect == "ripple";
  const double origin = wave_origin(c, m, s.options);
  const Wave w =
      period ? wave_of(left, of_friction, *period, origin) : strongest_wave(left, of_friction, origin, knots_of(c), s);
  if (!period && !w.stands_out && !wanted) return {};
  const double unit = of_friction ? 1 : s.features.force;
  Table out{
      {effect, start(w.size, 1e-4 * unit, 0.5 * unit)}, {effect + "_period", w.period}, {effect + "_phase", w.phase}};
  if (origin != 0) out.push_back({"reference_position", origin});
  return out;
}

std::vector<std::string> directed_parameters(const std::string& model, bool levels) {
  Table typical;
  std::vector<std::string> out;
  const std::vector<FieldInfo>& all = find_variant(model).model->parameters;
  for (const FieldInfo& f : all) {
    if (f.required) typical.push_back({f.name, f.value});
  }
  for (const FieldInfo& f : all) {
    const bool level = f.start.part == Part::force || f.start.part == Part::static_force ||
                       f.start.part == Part::static_rise || f.start.part == Part::viscous;
    const double* value = f.value.as<double>();
    if (level != levels || (!level && !f.required) || !value || !f.fitted) continue;
    if (make(model, typical, {{std::string(of_negative) + f.name, 1.01 * *value + 1e-6}}).contact)
      out.push_back(f.name);
  }
  return out;
}

/// Values of their own for negative motion, from those of positive motion.
Table directed(const Candidate& c) {
  std::vector<double> p(c.space.parameters());
  c.space.parameters_at(c.best.q.data(), p.data(), nullptr);
  Table out;
  for (const std::string& name : directed_parameters(c.shape.model, true)) {
    const auto at = std::ranges::find(c.evaluator->scalars(), name, &Scalar::name);
    out.push_back({std::string(of_negative) + name, p[static_cast<std::size_t>(at - c.evaluator->scalars().begin())]});
  }
  return out;
}

std::unique_ptr<Candidate> extended(const Candidate& c, const Table& effects, const Setting& s,
                                    const std::vector<std::string>& known) {
  Shape shape = c.shape;
  auto add = [&](const Entry& e) {
    if (!is_in(shape.effects, e.key)) shape.effects.push_back(e);
  };
  for (const Entry& e : effects) {
    if (e.key == "directions") {
      std::ranges::for_each(directed(c), add);
    } else {
      add(e);
    }
  }
  shape.known.insert(shape.known.end(), known.begin(), known.end());
  return reshaped(c, std::move(shape), s);
}

std::unique_ptr<Candidate> reshaped(const Candidate& c, Shape shape, const Setting& s) {
  auto out = std::make_unique<Candidate>();
  out->shape = std::move(shape);
  out->evaluator = evaluator_of(out->shape, s.data);
  out->start = start_of(out->shape, *out->evaluator, s.data, s.features, s.options);
  // By name: effects come after the parameters of the model and before those of the body.
  std::vector<double> before(c.space.parameters()), p;
  c.space.parameters_at(c.best.q.data(), before.data(), nullptr);
  const auto &old_scalars = c.evaluator->scalars(), &scalars = out->evaluator->scalars();
  for (std::size_t i = 0; i < out->start.guesses.size(); ++i) {
    if (i >= scalars.size()) {
      p.push_back(before[old_scalars.size() + (i - scalars.size())]);
    } else {
      const auto at = std::ranges::find(old_scalars, scalars[i].name, &Scalar::name);
      p.push_back(at == old_scalars.end() ? out->start.guesses[i].value
                                          : before[static_cast<std::size_t>(at - old_scalars.begin())]);
    }
  }
  out->space = make_space(out->shape.model, scalars, out->start.guesses.size() - scalars.size(), out->start.guesses,
                          out->start.held, out->start.beliefs);
  out->best = {out->space.coordinates_at(p), inf, false};
  out->scale = c.scale;
  out->hopeless = c.hopeless;
  if (out->space.size() + 1 >= s.data.used)
    out->failure = fmt::format("{} rows are too few for {} parameters", s.data.used, out->space.size());
  return out;
}

}  // namespace bristle::identify
