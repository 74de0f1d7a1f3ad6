#include "identify/guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bristle/random.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "identify/statistics.hpp"
#include "identify/warming.hpp"

namespace bristle::identify {
namespace {

const Value* find(const Table& table, std::string_view key) {
  for (const Entry& e : table) {
    if (e.key == key) return &e.value;
  }
  return nullptr;
}

/// Elements whose sum follows the virgin curve: breakpoints between a fifth and all of the force.
struct Spread {
  std::vector<double> k, W;
};
Spread elements_along(const Features& f, std::size_t n) {
  const double top = f.curve_f.empty() ? f.Fc : *std::max_element(f.curve_f.begin(), f.curve_f.end());
  const double length = std::max(0.5 * f.reach, f.shortest);
  auto force_at = [&](double x) {
    if (f.curve_x.size() < 4) return top * -std::expm1(-1.6 * x / length);
    const auto upper = std::ranges::upper_bound(f.curve_x, x);
    if (upper == f.curve_x.begin()) return f.curve_f.front() * x / f.curve_x.front();
    if (upper == f.curve_x.end()) return f.curve_f.back();
    const auto i = static_cast<std::size_t>(upper - f.curve_x.begin());
    const double part = (x - f.curve_x[i - 1]) / (f.curve_x[i] - f.curve_x[i - 1]);
    return f.curve_f[i - 1] + part * (f.curve_f[i] - f.curve_f[i - 1]);
  };
  double first = length, last = length;
  for (double x = 0.01 * length; x < 20 * length; x *= 1.1) {
    if (force_at(x) < 0.2 * top) first = x;
    if (force_at(x) < 0.95 * top) last = x;
  }
  last = std::max(last, 1.5 * first);
  std::vector<double> x(n), slope(n + 1, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double part = n == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(n - 1);
    x[i] = first * std::pow(last / first, part);
    const double before = i == 0 ? 0 : x[i - 1];
    slope[i] =
        std::max((i + 1 == n ? top : force_at(x[i])) - (i == 0 ? 0 : force_at(before)), 1e-3 * top) / (x[i] - before);
  }
  if (n == 1) slope[0] = top / x[0];
  Spread out;
  for (std::size_t i = 0; i < n; ++i) {
    const double k = std::max(slope[i] - slope[i + 1], 0.02 * slope[0]);
    out.k.push_back(k);
    out.W.push_back(k * x[i]);
  }
  double sum = 0;
  for (const double w : out.W) sum += w;
  for (std::size_t i = 0; i < n; ++i) {  // the level is what is seen most of the time
    out.W[i] *= top / sum;
    out.k[i] *= top / sum;
  }
  return out;
}

/// From the data, for the part of a parameter in the force, with the limits within which they could show it.
Guess guess(const FieldInfo& field, const Features& f, double load) {
  const double soft = f.force / (10 * f.travel), hard = 100 * f.force / f.shortest;
  const double slowest = std::max(0.1 * f.v_low, 1e-6 * f.v_high);
  const double dry = std::max(f.Fs - f.Fc, 0.05 * f.Fc), least_force = field.range.lo > 0 ? 1e-3 * f.force : 0;
  const auto [part, times, lowest] = field.start;
  switch (part) {
    case Part::force: return {times * f.Fc, least_force, 10 * f.force};
    case Part::static_force: return {f.Fc + times * dry, 0, 10 * f.force};
    case Part::static_rise: return {times * dry, 0, 10 * f.force};
    case Part::stiffness: return {times * f.stiffness, soft, hard};
    case Part::spring: return {1e-2 * times * f.force / f.travel, 0, 100 * f.force / f.travel};
    case Part::viscous: return {std::max(times * f.kv, 1e-3 * f.force / f.v_high), 0, 100 * f.force / f.v_high};
    case Part::damping: return {0.1 * times * f.Fc / f.vs, 0, 1e3 * f.force / slowest};
    case Part::fall_velocity: return {std::clamp(times * f.vs, slowest, f.v_high), slowest, 10 * f.v_high};
    case Part::steepness: return {10 * times / f.vs, 0.1 / f.v_high, 100 / slowest};
    case Part::reach: return {times * f.reach, 0.01 * f.shortest, 10 * f.travel};
    case Part::evolution: return {0.1 * times * f.travel, 0.1 * f.shortest, 10 * f.travel, 2.5};
    case Part::lag: return {times * f.dt, (lowest > 0 ? lowest : 0.1) * f.dt, 0.1 * f.duration, 2};
    case Part::dwell: return {0.1 * times * f.duration, f.dt, 10 * f.duration, 2};
    case Part::attraction: return {0.1 * times * f.force / f.dt, 0.1 * f.force / f.duration, 1e3 * f.force / f.dt, 2.5};
    case Part::coefficient: return {std::clamp(times * f.Fc / load, 1e-3, 10.0), 0, 10};
    case Part::number:
    case Part::knee:
    case Part::fall:
      if (const double* typical = field.value.as<double>())
        return {times * *typical, field.range.lo, field.range.hi, field.range.lo < 0 ? 4 : 1.2};  // 4: of either sign
      return {1, field.range.lo, field.range.hi};  // an array, see elements
    case Part::load:
    case Part::first_speed:
    case Part::by_unit: break;  // not fitted, see CheckedModel
  }
  return {};
}

/// Of a force that is not of the friction law.
Guess guess_beside(std::string_view name, const Features& f) {
  const double slope = f.force / f.travel;
  return name == machine_stiffness ? Guess{10 * slope, 1e-3 * slope, 1e6 * slope, 2}
                                   : Guess{0, -10 * slope, 10 * slope};
}

/// Of an effect, from a starting value.
Guess effect_guess(const FieldInfo& field, double value, const Features& f) {
  auto around = [&](double reach, double unit) {
    return Guess{.value = value, .lo = value - reach, .hi = value + reach, .unit = unit};
  };
  if (field.unit == "N" && field.range.lo < 0) return around(10 * f.force, 0.1 * f.force);
  if (field.unit == "N") return {.value = value, .lo = 0, .hi = 10 * f.force, .unit = 0.1 * f.force};
  if (field.unit == "1/N") return {.value = value, .lo = 0, .hi = 1e3 / f.force, .unit = 0.1 / f.force};
  if (field.unit == "rad") return around(two_pi, 1);
  if (field.unit == "m")  // a cycle more or less over the travel is another peak
    return around(std::min(0.5 * value, value * value / f.travel), value * value / f.travel);
  const auto [lo, hi] = field.range;  // both ends may be singular: a force that vanishes
  return {.value = value, .lo = lo < 0 ? 0.95 * lo : lo, .hi = 0.95 * hi, .unit = 0.1 * hi};
}

Guess term_guess(const Term& term, double factor, const Features& f) {
  const double unit = f.y_rms / std::max(rms(term.values), 1e-300);
  return {.value = factor, .lo = -1e3 * unit, .hi = 1e3 * unit, .unit = unit};
}

double rounded(double x) {  // to one digit
  const double decade = std::pow(10.0, std::floor(std::log10(x)));
  return std::round(x / decade) * decade;
}

/// Mean size of the first values of a series.
double first_of(const std::vector<double>& series) {
  const std::size_t n = std::min(std::max<std::size_t>(series.size() / 50, 5), series.size());
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::abs(series[i]);
  return sum / static_cast<double>(n);
}

/// Speed at the beginning: a law with a reference velocity starts from steady sliding at it.
double first_speed(const Series& s, const Features& f) {
  const double mean = first_of(s.v);
  return mean > 0.01 * std::max(f.v_low, 1e-3 * f.v_high) ? mean : rounded(0.1 * f.v_high);
}

/// Load of which nothing is known: the one with a typical coefficient at the first speed.
double assumed_load(const Series& s, const Features& f) {
  const double force = s.inverse ? f.Fc : first_of(s.y);
  return (force > 0.3 * f.Fc ? force : f.Fc) / typical_coefficient;
}

}  // namespace

std::vector<Shape> shapes_of(const std::string& model, const Series& s, const Features& f, const Options& options) {
  Table given;
  std::vector<std::size_t> counts{0};
  auto add = [&](const std::string& key, const Value& value) { given.push_back({key, value}); };
  std::vector<std::string> arrays;
  const auto [info, choice] = find_variant(model);
  for (const FieldInfo& field : info->parameters) {
    const bool array = field.kind == Kind::array && field.required;
    if (array && arrays.empty()) counts = options.elements;
    if (const Value* chosen = find(choice, field.name)) {
      add(field.name, *chosen);
    } else if (const Value* value = find(options.fixed, field.name)) {
      add(field.name, *value);
      if (const auto* numbers = array ? value->as<std::vector<double>>() : nullptr) counts = {numbers->size()};
    } else if (field.start.part == Part::first_speed) {
      add(field.name, first_speed(s, f));
    } else if (field.start.part == Part::load) {
      add(field.name, s.coefficient ? 1.0 : s.normal_load > 0 ? s.normal_load : assumed_load(s, f));
    }
    if (array) arrays.push_back(field.name);
  }
  const bool one_way = may_be_compliant(model) && !s.steady() && !s.inverse && f.reversals == 0;
  const bool spring_given = find(options.fixed, machine_stiffness), trend_given = find(options.fixed, trend);
  if ((spring_given || trend_given) && may_be_compliant(model) && !one_way)
    throw BadInput(fmt::format("{} cannot be fixed; it requires measured friction and motion in one direction",
                               spring_given ? machine_stiffness : trend));
  std::vector<Shape> out;
  for (const bool trending : {false, true}) {
    for (const bool compliant : {false, true}) {  // was the motion measured that of the contact, or the load point?
      if ((compliant || trending) && !one_way) continue;
      if (one_way && ((spring_given && !compliant) || (trend_given && !trending))) continue;
      for (const std::size_t n : counts) {
        if (!arrays.empty() && (n == 0 || n > Vec<double>::capacity)) continue;
        out.push_back({model, given, n, compliant, trending});
        for (const std::string& array : arrays) {
          if (!find(given, array))
            out.back().given.push_back({array, std::vector<double>(n, 1.0 / static_cast<double>(n))});
        }
      }
    }
  }
  return out;
}

std::unique_ptr<Evaluator> evaluator_of(const Shape& shape, const Series& s) {
  Table heat, effects;
  for (const Entry& e : shape.effects) (is_warming(e.key) ? heat : effects).push_back(e);
  std::unique_ptr<Evaluator> out =
      shape.compliant ? compliant_evaluator(shape.model, shape.given) : evaluator(shape.model, shape.given, effects);
  if (shape.trending) out = trending_evaluator(std::move(out));
  if (!heat.empty()) out = warming_evaluator(std::move(out), heat, s);
  return seen_by(s, std::move(out));
}

namespace {

/// Starting values that a relation decides: elements divide a whole as the virgin curve tells, a fraction is the typical one.
void start_related(const ModelInfo& info, const std::vector<Scalar>& scalars, const Spread& elements,
                   std::vector<Guess>& guesses) {
  auto at = [&](const std::string& field) {
    return static_cast<std::size_t>(std::ranges::find(scalars, field, &Scalar::field) - scalars.begin());
  };
  auto typical = [&](const std::string& field) {
    return *std::ranges::find(info.parameters, field, &FieldInfo::name)->value.as<double>();
  };
  const double sum = std::accumulate(elements.W.begin(), elements.W.end(), 0.0);
  for (const RelationInfo& r : info.relations) {
    const std::size_t first = at(r.fields.front());
    if (first == scalars.size()) continue;
    if (r.bond == Bond::fraction) {
      double ratio = typical(r.fields[0]) / typical(r.fields[1]), whole = guesses[at(r.fields[1])].value;
      if (r.fields.size() > 2) ratio *= typical(r.fields[2]), whole /= guesses[at(r.fields[2])].value;
      guesses[first].value = ratio * whole;
    }
    if (r.bond == Bond::sum_to_one || r.bond == Bond::shares) {
      const double whole = r.bond == Bond::shares ? guesses[at(r.fields[1])].value : 1;
      for (std::size_t k = 0; k < elements.W.size(); ++k) guesses[first + k].value = elements.W[k] / sum * whole;
    }
  }
}

/// For negative motion, the scalar that a parameter follows by default, as it does in positive motion; -1 if it is free.
std::ptrdiff_t copied_in_negative(const Scalar& p, const ModelInfo& info, const std::vector<Scalar>& scalars,
                                  const Options& options, const Shape& shape) {
  if (!p.field.starts_with(of_negative)) return -1;
  const std::string name(without_direction(p.field));
  const auto field = std::ranges::find(info.parameters, name, &FieldInfo::name);
  const bool chosen = std::ranges::find(options.free, name) != options.free.end() ||
                      std::ranges::find(options.free, p.field) != options.free.end() ||
                      std::ranges::find(shape.freed, name) != shape.freed.end() || find(options.fixed, name) != nullptr;
  if (field == info.parameters.end() || field->follows.empty() || chosen) return -1;
  const auto base = std::ranges::find(scalars, std::string(of_negative) + field->follows, &Scalar::field);
  return base == scalars.end() ? -1 : base - scalars.begin();
}

}  // namespace

StartingPoint start_of(const Shape& shape, const Evaluator& w, const Series& s, const Features& f,
                       const Options& options) {
  StartingPoint out;
  const ModelInfo& info = *find_variant(shape.model).model;
  const std::vector<Scalar>& scalars = w.scalars();
  const std::vector<double> values = w.values();
  double load = 1;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    if (scalars[i].part == Part::load) load = values[i];
  }
  const bool logarithmic =
      std::ranges::any_of(scalars, [](const Scalar& p) { return p.part == Part::coefficient; });  // in the speed
  const Spread elements = elements_along(f, std::max<std::size_t>(shape.elements, 1));
  for (const Scalar& p : scalars) {
    const auto field = std::ranges::find(info.parameters, without_direction(p.field), &FieldInfo::name);
    Guess g = field == info.parameters.end() ? guess_beside(p.name, f) : guess(*field, f, load);
    if (p.index > 0) {
      const auto k = static_cast<std::size_t>(p.index - 1) % elements.k.size();
      const double limit = 1e4;  // from the guess, both ways
      if (p.part == Part::stiffness) g = {elements.k[k], elements.k[k] / limit, elements.k[k] * limit};
      if (p.part == Part::force) g = {elements.W[k], elements.W[k] / limit, 10 * f.force};
    }
    out.guesses.push_back(g);
  }
  start_related(info, scalars, elements, out.guesses);
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const Scalar& p = scalars[i];
    Guess& g = out.guesses[i];
    const bool chosen = std::ranges::find(options.free, p.field) != options.free.end() ||
                        std::ranges::find(shape.freed, p.field) != shape.freed.end();
    const bool given_by_user = find(options.fixed, p.field) != nullptr;
    // The spring of the machine stands in the same place; a coefficient of friction with a logarithm of speed has none.
    const bool unseen = p.part == Part::viscous && !chosen && (shape.compliant || (s.coefficient && logarithmic));
    const bool effect = find(shape.effects, p.field) != nullptr;
    const bool usual = (p.role & role::optional) == 0 || (p.role & role::sought) != 0;
    const auto of_effect = std::ranges::find(effect_infos(), p.field, &FieldInfo::name);
    if (effect && of_effect != effect_infos().end()) {
      g = effect_guess(*of_effect, values[i], f);
    } else if (is_warming(p.field)) {
      g = warming_guess(p.field, values[i]);
    } else if (effect) {
      g.value = values[i];
    }
    // The first knot: a constant is part of the offset, or of the friction.
    const bool anchored = p.name == "curve_gain1" || p.name == "curve_load1" ||
                          (p.name == "curve_F1" && (s.inverse || find(shape.effects, "offset") != nullptr));
    // Fs of Coulomb is Fc in positive motion, and so it is in negative motion.
    const std::ptrdiff_t copies =
        effect && !usual && !given_by_user ? copied_in_negative(p, info, scalars, options, shape) : -1;
    const bool held = copies >= 0 || unseen || anchored || (p.role & role::fixed) != 0 ||
                      (!usual && !chosen && !effect) || given_by_user ||
                      std::ranges::find(shape.known, p.name) != shape.known.end();
    if (held) g.value = values[i];
    const auto field = std::ranges::find(info.parameters, p.field, &FieldInfo::name);
    if (held && !given_by_user && field != info.parameters.end() && !field->follows.empty()) {
      g.follows = std::ranges::find(scalars, field->follows, &Scalar::name) - scalars.begin();
      g.factor = field->factor;
    }
    if (copies >= 0) {
      g.follows = copies;
      g.factor = std::ranges::find(info.parameters, without_direction(p.field), &FieldInfo::name)->factor;
    }
    if (const Value* outside = effect || is_beside(p.name) ? find(options.fixed, p.name) : nullptr)
      g.value = *outside->as<double>();
    out.held.push_back(held);
  }
  separate(shape.model, scalars, out);
  const double a = rms(s.a),
               all_inertia = a > 1e-9 * f.v_high / f.duration ? f.y_rms / a : 1;  // explains all of the force
  for (const BodyScalar& b : body_of(s, options.gravity)) {
    Guess g{f.offset, -100 * f.y_rms, 100 * f.y_rms};
    if (b.name == "inertia") {
      const double usual = std::max(f.inertia, 1e-3 * all_inertia);
      g = {usual, 0, 100 * std::max(usual, all_inertia)};
    }
    if (b.name == "gravity_sin") g.value = f.gravity_sin;
    if (b.name == "gravity_cos") g.value = f.gravity_cos;
    const auto term = std::ranges::find(s.terms, b.name, &Term::name);
    if (term != s.terms.end()) g = term_guess(*term, f.terms[static_cast<std::size_t>(term - s.terms.begin())], f);
    const Value* given = find(options.fixed, b.name);
    const double* number = given ? given->as<double>() : nullptr;
    if (number) g.value = *number;
    out.guesses.push_back(g);
    out.held.push_back(number != nullptr);
  }
  out.beliefs = beliefs_of(options, scalars, body_of(s, options.gravity));
  return out;
}

std::vector<Belief> beliefs_of(const Options& options, const std::vector<Scalar>& scalars,
                               const std::vector<BodyScalar>& body) {
  std::vector<Belief> out;
  for (const Prior& prior : options.priors) {
    for (std::size_t i = 0; i < scalars.size() + body.size(); ++i) {
      const std::string& name = i < scalars.size() ? scalars[i].name : body[i - scalars.size()].name;
      if (name == prior.name) out.push_back({i, prior.mean, prior.sigma});
    }
  }
  return out;
}

void separate(const std::string& model, const std::vector<Scalar>& scalars, StartingPoint& start) {
  auto at = [&](const std::string& field) {
    return static_cast<std::size_t>(std::ranges::find(scalars, field, &Scalar::field) - scalars.begin());
  };
  for (const RelationInfo& r : find_variant(model).model->relations) {
    if (r.bond != Bond::above && r.bond != Bond::strictly_above) continue;
    const std::size_t i = at(r.fields[0]), base = at(r.fields[1]);
    if (i >= scalars.size() || base >= scalars.size() || start.held[i] == start.held[base]) continue;
    Guess &above = start.guesses[i], &below = start.guesses[base];
    constexpr double apart = 1.3;
    if (above.value > below.value || above.follows >= 0) continue;
    if (start.held[base]) above.value = apart * below.value, above.hi = std::max(above.hi, 10 * below.value);
    if (start.held[i] && above.value > 0) below.value = above.value / apart;
  }
}

std::vector<std::vector<double>> scattered(const Space& space, const std::vector<Guess>& guesses, std::size_t count,
                                           std::uint64_t seed) {
  std::vector<double> p(guesses.size());
  std::ranges::transform(guesses, p.begin(), &Guess::value);
  const std::vector<double> centre = space.coordinates_at(p);
  std::vector<double> spread(space.size(), 1.2);
  for (std::size_t i = 0; i < guesses.size(); ++i) {
    const Rule& r = space.rules[i];
    if (r.kind == Rule::own || r.kind == Rule::above) spread[r.coordinate] = guesses[i].spread;
  }
  std::vector<std::vector<double>> out;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<double> q = centre;
    for (std::size_t j = 0; j < q.size() && k > 0; ++j) {
      const Coordinate& c = space.coordinates[j];
      auto draw = [&](std::uint64_t i) { return uniform(seed, 100 + i, k, j); };
      const double normal = std::sqrt(-2 * std::log1p(-draw(0))) * std::cos(two_pi * draw(1));
      if (c.logarithmic) {
        q[j] += spread[j] * normal;
      } else if (c.lo == 0) {
        q[j] = std::max(q[j], 1e-3) * std::exp(spread[j] * normal);
      } else {
        q[j] += 0.4 * spread[j] * normal * std::min(1.0, 0.2 * (c.hi - c.lo));
      }
    }
    space.clamp(q);
    out.push_back(std::move(q));
  }
  return out;
}

}  // namespace bristle::identify
