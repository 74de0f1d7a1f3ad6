#include "identify/guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/random.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"

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

/// Names mean the same in every model, so one list serves all.
Guess guess(const std::string& name, const Features& f, double load) {
  const double soft = f.force / (10 * f.travel), hard = 100 * f.force / f.shortest;
  const double slowest = std::max(0.1 * f.v_low, 1e-6 * f.v_high);
  const double dry = std::max(f.Fs - f.Fc, 0.05 * f.Fc);
  const double damping = 0.1 * f.Fc / f.vs, most_damping = 1e3 * f.force / slowest;
  if (name == "Fc") return {f.Fc, 1e-3 * f.force, 10 * f.force};
  if (name == "Fs") return {f.Fc + dry, 0, 10 * f.force};
  if (name == "vs") return {std::clamp(f.vs, slowest, f.v_high), slowest, 10 * f.v_high};
  if (name == "kv") return {std::max(f.kv, 1e-3 * f.force / f.v_high), 0, 100 * f.force / f.v_high};
  if (name == "alpha") return {2, 0.3, 4};
  if (name == "sigma0") return {0.5 * f.stiffness, soft, hard};
  if (name == "ks") return {f.stiffness, soft, hard};
  if (name == "sigma1" || name == "ds") return {damping, 0, most_damping};
  if (name == "i") return {1, 0, 5};
  if (name == "n") return {2, 1, 8};
  if (name == "delta") return {f.reach, 0.01 * f.shortest, 10 * f.travel};
  if (name == "k_sat" || name == "k_tanh") return {10 / f.vs, 0.1 / f.v_high, 100 / slowest};
  if (name == "z_ba") return {0.7 * f.Fc / (0.5 * f.stiffness), 0, 0};  // limits: those of its rule
  if (name == "dFs_a") return {0.5 * dry, 0, 10 * f.force};
  if (name == "dFs_inf") return {1.2 * dry, 0, 10 * f.force};
  if (name == "gamma") return {0.1 * f.duration, f.dt, 10 * f.duration, 2};
  if (name == "tau_L" || name == "tau_r") return {3 * f.dt, 0.1 * f.dt, 0.1 * f.duration, 2};
  if (name == "tau_del")
    return {10 * f.dt, 5 * f.dt, 0.1 * f.duration, 2};  // shorter is not seen, and costs many substeps
  if (name == "f2") return {std::max(dry, 0.2 * f.Fc), 0, 10 * f.force};
  if (name == "f1") return {std::max(dry, 0.2 * f.Fc) + f.Fc, 1e-3 * f.force, 10 * f.force};
  if (name == "eta") return {0.3, 0.01, 0.999};
  if (name == "eps_f") return {3 * f.reach, 0.1 * f.shortest, 10 * f.travel};
  if (name == "delta_s") return {1.5 * f.reach, 0.1 * f.shortest, 10 * f.travel};
  if (name == "mu0") return {std::clamp(f.Fc / load, 1e-3, 10.0), 0, 10};
  if (name == "a") return {0.01, 1e-5, 1};
  if (name == "b") return {0.01, -1, 1, 4};  // of either sign
  if (name == "Dc") return {0.1 * f.travel, 0.1 * f.shortest, 10 * f.travel, 2.5};
  if (name == machine_stiffness)
    return {10 * f.force / f.travel, 1e-3 * f.force / f.travel, 1e6 * f.force / f.travel, 2};
  if (name == trend) return {0, -10 * f.force / f.travel, 10 * f.force / f.travel};
  if (name == "C") return {10 * f.force / (100 * f.dt), 0.1 * f.force / f.duration, 1e3 * f.force / f.dt, 2.5};
  return {1, 1e-6, 1e6};
}

/// Of an effect, from a starting value.
Guess effect_guess(const std::string& name, double value, const Features& f) {
  auto around = [&](double reach, double unit) {
    return Guess{.value = value, .lo = value - reach, .hi = value + reach, .unit = unit};
  };
  if (name == "asymmetry") return {.value = value, .lo = -0.9, .hi = 0.9, .unit = 0.1};
  if (name == "offset") return around(10 * f.force, 0.1 * f.force);
  if (name == "ripple") return {.value = value, .lo = 0, .hi = 0.95, .unit = 0.1};
  if (name == "cogging") return {.value = value, .lo = 0, .hi = 10 * f.force, .unit = 0.1 * f.force};
  if (name.ends_with("_phase")) return around(two_pi, 1);
  if (name.ends_with("_period"))  // a cycle more or less over the travel is another peak
    return around(std::min(0.5 * value, value * value / f.travel), value * value / f.travel);
  if (name == "load_exponent") return {.value = value, .lo = 0, .hi = 4, .unit = 1};
  if (name.starts_with("load_"))  // 1/N of the transmitted force
    return {.value = value, .lo = 0, .hi = 1e3 / f.force, .unit = 0.1 / f.force};
  return {.value = value, .lo = -0.1, .hi = 0.1, .unit = 0.01};  // temperature_coefficient
}

double rounded(double x) {  // to one digit
  const double decade = std::pow(10.0, std::floor(std::log10(x)));
  return std::round(x / decade) * decade;
}

/// Speed at the beginning: rate and state friction starts from steady sliding at V0.
double first_speed(const Series& s, const Features& f) {
  double sum = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < std::max<std::size_t>(s.size() / 50, 5) && i < s.size(); ++i, ++n)
    sum += std::abs(s.v[i]);
  const double mean = sum / static_cast<double>(n);
  return mean > 0.01 * std::max(f.v_low, 1e-3 * f.v_high) ? mean : rounded(0.1 * f.v_high);
}

}  // namespace

std::vector<Shape> shapes_of(const std::string& model, const Series& s, const Features& f, const Options& options) {
  const ModelInfo& info = *find_model(model);
  Table given;
  std::vector<std::string> arrays;
  for (const FieldInfo& field : info.parameters) {
    if (const Value* value = find(options.fixed, field.name)) given.push_back({field.name, *value});
    if (field.kind == Kind::array && field.required) arrays.push_back(field.name);
  }
  if (model == "rate_state") {
    if (!find(given, "V0")) given.push_back({"V0", first_speed(s, f)});
    if (!find(given, "normal_load"))
      given.push_back({"normal_load", s.coefficient ? 1.0 : s.normal_load > 0 ? s.normal_load : f.Fc / 0.6});
    const bool law_given = find(given, "law") != nullptr;
    std::vector<Shape> out;
    const bool one_way = !s.steady() && !s.inverse && f.reversals == 0;
    const bool spring_given = find(options.fixed, machine_stiffness), trend_given = find(options.fixed, trend);
    if ((spring_given || trend_given) && !one_way)
      throw BadInput(fmt::format("{} cannot be fixed; it requires measured friction and motion in one direction",
                                 spring_given ? machine_stiffness : trend));
    for (const bool trending : {false, true}) {
      for (const char* law : {"ageing", "slip"}) {
        if (law_given && law == std::string_view("slip")) continue;
        for (const bool compliant : {false, true}) {  // was the motion measured that of the contact, or the load point?
          if ((compliant || trending) && !one_way) continue;
          if ((spring_given && !compliant) || (trend_given && !trending)) continue;
          out.push_back({model, given, 0, compliant, trending});
          if (!law_given) out.back().given.push_back({"law", law});
        }
      }
    }
    return out;
  }
  if (arrays.empty()) return {{model, given}};
  std::vector<std::size_t> counts = options.elements;
  for (const std::string& array : arrays) {
    if (const Value* value = find(given, array)) {
      if (const auto* numbers = value->as<std::vector<double>>()) counts = {numbers->size()};
    }
  }
  std::vector<Shape> out;
  for (const std::size_t n : counts) {
    if (n == 0 || n > Vec<double>::capacity) continue;
    out.push_back({model, given, n});
    for (const std::string& array : arrays) {
      if (!find(given, array))
        out.back().given.push_back({array, std::vector<double>(n, 1.0 / static_cast<double>(n))});
    }
  }
  return out;
}

std::unique_ptr<Walker> walker_of(const Shape& shape, const Series& s) {
  std::unique_ptr<Walker> out =
      shape.compliant ? compliant_walker(shape.given) : walker(shape.model, shape.given, shape.effects);
  if (shape.trending) out = trending_walker(std::move(out));
  return seen_by(s, std::move(out));
}

Start start_of(const Shape& shape, const Walker& w, const Series& s, const Features& f, const Options& options) {
  Start out;
  const Value* load_given = find(shape.given, "normal_load");
  const double load = load_given && load_given->as<double>() ? *load_given->as<double>() : 1;
  const Spread spread = elements_along(f, std::max<std::size_t>(shape.elements, 1));
  double whole = 0;
  for (const double e : spread.W) whole += e;
  const std::vector<double> values = w.values();
  for (std::size_t i = 0; i < w.scalars().size(); ++i) {
    const Scalar& p = w.scalars()[i];
    Guess g = guess(p.name, f, load);
    if (p.index > 0) {
      const auto k = static_cast<std::size_t>(p.index - 1);
      const double limit = 1e4;  // from the guess, both ways
      if (p.field == "k") g = {spread.k[k], spread.k[k] / limit, spread.k[k] * limit};
      if (p.field == "W") g = {spread.W[k], spread.W[k] / limit, 10 * f.force};
      if (p.field == "W" && shape.model == "leuven")
        g = {spread.W[k] / whole * (f.Fc + std::max(f.Fs - f.Fc, 0.05 * f.Fc)), 0, 0};
      if (p.field == "nu") g = {spread.W[k] / whole, 0, 0};
    }
    if (shape.model == "haessig_friedland" && p.name == "sigma0") { g.value *= 2 / 25.0, g.lo /= 25, g.hi /= 25; }
    if (p.range.lo == 0 && p.name == "Fc") g.lo = 0;
    const bool chosen = std::ranges::find(options.free, p.field) != options.free.end();
    const bool given_by_user = find(options.fixed, p.field) != nullptr;
    const bool unseen = shape.compliant && p.name == "kv";  // the spring of the machine stands in the same place
    const bool effect = find(shape.effects, p.name) != nullptr;
    if (effect) g = effect_guess(p.name, values[i], f);
    const bool held = unseen || (p.role & fixed) != 0 ||
                      ((p.role & optional) != 0 && p.field != "kv" && !chosen && !effect) || given_by_user ||
                      std::ranges::find(shape.known, p.name) != shape.known.end();
    if (held) g.value = shape.model == "coulomb" && p.name == "Fs" && !given_by_user ? 0 : values[i];
    if (const Value* outside = effect || is_beside(p.name) ? find(options.fixed, p.name) : nullptr)
      g.value = *outside->as<double>();
    out.guesses.push_back(g);
    out.held.push_back(held);
  }
  for (const BodyScalar& b : body_of(s, options.gravity)) {
    Guess g{f.offset, -100 * f.y_rms, 100 * f.y_rms};
    if (b.name == "inertia") g = {std::max(f.inertia, 1e-9), 0, 100 * std::max(f.inertia, 1e-6)};
    if (b.name == "gravity_sin") g.value = f.gravity_sin;
    if (b.name == "gravity_cos") g.value = f.gravity_cos;
    const Value* given = find(options.fixed, b.name);
    const double* number = given ? given->as<double>() : nullptr;
    if (number) g.value = *number;
    out.guesses.push_back(g);
    out.held.push_back(number != nullptr);
  }
  return out;
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
