#include "identify/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bristle/effects.hpp"

namespace bristle::identify {
namespace {

/// Adds the unit of the field list; rotational data and coefficients have other units.
std::string quantity(double x, const std::string& unit, const Series& data) {
  const bool plain = unit == "1" || unit.empty() || data.rotational || data.coefficient;
  return plain ? fmt::format("{:.3g}", x) : fmt::format("{:.3g} {}", x, unit);
}

/// The model's parameters by what they do.
struct Fitted {
  const Candidate& c;
  const std::vector<double>& p;

  const Scalar* scalar(std::string_view name) const {
    const auto& scalars = c.evaluator->scalars();
    const auto at = std::ranges::find(scalars, name, &Scalar::name);
    return at == scalars.end() ? nullptr : &*at;
  }
  /// The value of the first that is fitted.
  const double* value(Part part) const {
    const auto& scalars = c.evaluator->scalars();
    for (std::size_t i = 0; i < scalars.size(); ++i) {
      if (scalars[i].part == part && scalars[i].index == 0 && (scalars[i].role & role::fixed) == 0) return &p[i];
    }
    return nullptr;
  }
};

constexpr double beyond = 1.2;  // noise, and friction between two samples

bool is_one_of(Part part, std::initializer_list<Part> parts) { return std::ranges::find(parts, part) != parts.end(); }

/// The value of a parameter that may be zero whose contribution equals the rest of the force.
double noticeable(const Fitted& parts, const Setting& s, const Estimate& e) {
  const Features& f = s.features;
  const Scalar* scalar = parts.scalar(e.name);
  const double* vs = parts.value(Part::fall_velocity);
  if (scalar && scalar->part == Part::viscous) return f.force / f.v_high;
  if (scalar && scalar->part == Part::damping) return f.force / (vs ? *vs : f.v_low);
  if (e.unit == "N/m") return f.force / f.travel;
  if (e.unit == "1" || e.unit == "1/K") return 1;
  return e.unit == "rad" ? inf : f.force;
}

/// The reason why the data do not determine a parameter.
std::string reason(const Fitted& parts, const Setting& s, const Estimate& e, const std::string& partner) {
  const Features& f = s.features;
  const Scalar* scalar = parts.scalar(e.name);
  const Part part = scalar ? scalar->part : Part::by_unit;
  const bool element = scalar && scalar->index > 0;
  const double *vs = parts.value(Part::fall_velocity), *Fs = parts.value(Part::static_force),
               *Fc = parts.value(Part::force);
  const bool presliding = element || is_one_of(part, {Part::stiffness, Part::damping, Part::reach, Part::evolution,
                                                      Part::attraction, Part::knee});
  const double reach = parts.c.evaluator->scales(parts.p.data()).displacement;
  if (presliding && s.data.steady()) return "steady points do not show pre-sliding";
  if (presliding && f.reversals == 0 && part != Part::evolution) return "the motion does not reverse";
  if (part == Part::damping && vs && f.v_low > 10 * *vs)
    return fmt::format("no motion below 10 vs = {}", quantity(10 * *vs, "m/s", s.data));
  if (presliding && reach > 0 && reach < f.shortest)
    return fmt::format("pre-sliding ({}) lies between two samples", quantity(reach, "m", s.data));
  if (is_one_of(part, {Part::fall_velocity, Part::static_force, Part::fall}) && vs && f.v_low > *vs)
    return fmt::format("no motion slower than {}", quantity(f.v_low, "m/s", s.data));
  if (is_one_of(part, {Part::fall_velocity, Part::fall}) && Fs && Fc && *Fs < 1.02 * *Fc)
    return "friction does not decrease with speed";
  if (is_one_of(part, {Part::force, Part::static_force, Part::static_rise}) && !f.sliding) return "no sliding";
  if (part == Part::viscous && f.v_high < 3 * f.v_low) return "almost constant speed";
  if (part == Part::steepness) return "the slope at rest lies between two samples";
  if (part == Part::lag) return "shorter than the sampling interval, or almost without effect";
  if (is_one_of(part, {Part::dwell, Part::static_rise}) && parts.value(Part::dwell))
    return "too few pauses of different length";
  if (!partner.empty()) return fmt::format("only a combination with {} is identifiable", partner);
  return "its effect on the force is below the noise";
}

}  // namespace

namespace {

/// The relative change of friction along x of a fit: of all friction or of its dry part.
class Tightness {
 public:
  explicit Tightness(const Table& effects) {
    for (const Entry& e : effects) {
      if (e.key == "curve_x") copy(e, curve_.curve_x);
      if (e.key == "curve_gain" || e.key == "curve_load") copy(e, curve_.curve_gain);
      if (e.key == "curve_period") curve_.curve_period = *e.value.as<double>();
    }
  }
  double at(double x) const { return 1 + curve_.curve(curve_.curve_gain, x); }

 private:
  static void copy(const Entry& e, Effects<double>::Knots& to) {
    for (const double x : *e.value.as<std::vector<double>>()) to[to.n++] = x;
  }
  Effects<double> curve_{};
};

}  // namespace

bool is_level(Part part) { return is_one_of(part, {Part::force, Part::static_force, Part::static_rise}); }

double largest_force(const Candidate& c, const Setting& s) {
  if (s.data.motion) return inf;
  std::vector<double> p(c.space.parameters());
  c.space.parameters_at(c.best.q.data(), p.data(), nullptr);
  const std::vector<BodyScalar> names = body_of(s.data, s.options.gravity);
  Features body;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double value = p[c.evaluator->scalars().size() + i];
    (names[i].name == "inertia"       ? body.inertia
     : names[i].name == "gravity_sin" ? body.gravity_sin
     : names[i].name == "gravity_cos" ? body.gravity_cos
                                      : body.offset) = value;
  }
  const Tightness tight(c.evaluator->effects(p.data()));
  double most = 0;
  for (std::size_t i = 0; i < s.data.size(); ++i) {
    if (!(s.data.weight[i] > 0)) continue;
    const double r = s.data.r[i] * (s.data.x.empty() ? 1 : tight.at(s.data.x[i]));
    const double rest = s.data.inverse ? body.body_force(s.data.x[i], s.data.a[i]) : 0;
    constexpr double light = 0.1;  // of the nominal load, to which the law refers: the force is little more than noise
    if (r > light) most = std::max(most, std::abs(s.data.y[i] - rest) / r);
  }
  return beyond * most;
}

double largest_steady(const Candidate& c, const Setting& s) {
  std::vector<double> p(c.space.parameters());
  c.space.parameters_at(c.best.q.data(), p.data(), nullptr);
  const double low = std::max(s.features.v_low, 1e-6 * s.features.v_high);
  double most = 0;
  for (int k = 0; k <= 20; ++k)
    most = std::max(most, c.evaluator->steady(p.data(), low * std::pow(s.features.v_high / low, k / 20.0)));
  return most;
}

void diagnose(Candidate& c, const Setting& s, const std::vector<double>& p) {
  const double largest = largest_force(c, s);
  Fit& fit = c.fit;
  const Fitted parts{c, p};
  const std::size_t count = fit.friction.size() + fit.body.size();
  for (std::size_t i = 0; i < count; ++i) {
    Estimate& e = i < fit.friction.size() ? fit.friction[i] : fit.body[i - fit.friction.size()];
    if (e.dropped) continue;
    std::size_t partner = i;
    for (std::size_t j = 0; j < count; ++j) {
      const double now = std::abs(fit.correlation[i * count + j]);
      if (j != i && now > 0.95 && (partner == i || now > std::abs(fit.correlation[i * count + partner]))) partner = j;
    }
    const std::string partner_name = partner == i                    ? ""
                                     : partner < fit.friction.size() ? fit.friction[partner].name
                                                                     : fit.body[partner - fit.friction.size()].name;
    const double error = c.behind[i].error, size = std::abs(e.value);
    const bool may_vanish = e.low <= 0 && e.high >= 0 && i < fit.friction.size();
    // A parameter that may be zero is determined if its largest value is negligible.
    const bool vague =
        may_vanish ? e.high > 0.02 * noticeable(parts, s, e) : error > 0.75 * size && i < fit.friction.size();
    if (e.at_bound) {
      const Rule& rule = c.space.rules[c.behind[i].parameter];
      const Coordinate& limit = c.space.coordinates[rule.coordinate];
      const bool low = c.best.q[rule.coordinate] - limit.lo < limit.hi - c.best.q[rule.coordinate];
      if (rule.kind == Rule::above && low) {
        const std::string base = c.evaluator->scalars()[rule.base].name;
        e.diagnosis =
            fmt::format("{0} is at its lower limit {1}: no visible difference between {0} and {1}", e.name, base);
      } else if (low && e.value == 0) {
        e.diagnosis = fmt::format("{} is at its lower limit 0: no visible effect", e.name);
      } else {
        e.diagnosis = fmt::format("{} is at its {} limit {}: {}", e.name, low ? "lower" : "upper",
                                  quantity(e.value, e.unit, s.data), reason(parts, s, e, ""));
        e.identifiable = false;
      }
    } else if (const Scalar* scalar = parts.scalar(e.name);
               scalar && scalar->index == 0 && is_level(scalar->part) && e.value > largest) {
      e.identifiable = false;
      e.diagnosis =
          fmt::format("{} exceeds the largest measured force {}", e.name, quantity(largest / beyond, "N", s.data));
    } else if (vague) {
      e.identifiable = false;
      e.diagnosis = fmt::format("{} is not identifiable from {}: {}", e.name,
                                s.data.stretches.size() > 1 ? "these recordings" : "this recording",
                                reason(parts, s, e, partner_name));
    } else if (may_vanish) {
      e.diagnosis =
          fmt::format("{} is not significantly different from 0: at most {}", e.name, quantity(e.high, e.unit, s.data));
    } else if (!partner_name.empty()) {
      e.diagnosis = fmt::format("{} and {} are strongly correlated ({:.2f})", e.name, partner_name,
                                fit.correlation[i * count + partner]);
    }
  }
}

std::vector<ResidualTest> residual_tests(const Series& data, const std::vector<double>& residuals, double scale) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    if (data.weight[i] > 0) used.push_back(i);
  }
  auto value = [&](std::size_t i) { return std::clamp(residuals[i] * data.weight[i], -4 * scale, 4 * scale); };
  const auto n = static_cast<double>(used.size());
  double variance = 0;
  for (const std::size_t i : used) variance += value(i) * value(i) / n;
  std::vector<ResidualTest> out;
  if (!(variance > 0) || used.size() < 30) return out;

  if (!data.steady()) {  // Ljung-Box over 20 lags
    double statistic = 0, first = 0;
    for (std::size_t lag = 1; lag <= 20 && lag < used.size(); ++lag) {
      double sum = 0;
      for (std::size_t k = lag; k < used.size(); ++k) sum += value(used[k]) * value(used[k - lag]);
      const double rho = sum / (n * variance);
      if (lag == 1) first = rho;
      statistic += n * (n + 2) * rho * rho / (n - static_cast<double>(lag));
    }
    ResidualTest test{"white", statistic, chi_squared_beyond(statistic, 20)};
    test.text = test.p < 0.01 ? fmt::format("the residual is not white: correlation of neighbours {:.2f}", first)
                              : "the residual is white";
    out.push_back(test);
  }
  // Means over ten classes of equal count; the variance within the classes gives the uncertainty of a mean.
  auto depends = [&](const char* name, const char* what, const std::vector<double>& by) {
    std::vector<std::size_t> order(used.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(by[used[i]], i); });
    if (by[used[order.front()]] == by[used[order.back()]]) return;
    constexpr std::size_t classes = 10;
    std::vector<double> left(used.size());
    double squares = 0;  // sum of count times mean squared
    for (std::size_t k = 0; k < classes; ++k) {
      const std::size_t from = k * order.size() / classes, to = (k + 1) * order.size() / classes;
      double sum = 0;
      for (std::size_t i = from; i < to; ++i) sum += value(used[order[i]]);
      const double mean = sum / static_cast<double>(to - from);
      squares += sum * mean;
      for (std::size_t i = from; i < to; ++i) left[order[i]] = value(used[order[i]]) - mean;
    }
    const Autoregression process = data.steady() ? Autoregression{} : autoregression(left, {0}, 24);
    double rest = 0;
    for (const double e : left) rest += e * e / n;
    const double statistic = squares / (std::max(rest, 1e-300) * std::max(1.0, process.inflation()));
    ResidualTest test{name, statistic, chi_squared_beyond(statistic, classes)};
    test.text = test.p < 0.01 ? fmt::format("the residual depends on {}: {:.1f} % of its variance", what,
                                            100 * squares / (variance * n))
                              : fmt::format("the residual does not depend on {}", what);
    out.push_back(test);
  };
  depends("velocity", "velocity", data.v);
  if (!data.steady()) {
    depends("position", "position", data.x);
    std::vector<double> time(data.size());
    for (std::size_t i = 1; i < time.size(); ++i) time[i] = time[i - 1] + std::max(data.dt[i], 1e-300);
    depends("time", "time", time);
  }
  return out;
}

}  // namespace bristle::identify
