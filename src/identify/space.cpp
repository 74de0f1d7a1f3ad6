#include "identify/space.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bristle::identify {
namespace {

/// Place of a scalar, or the number of scalars.
std::size_t place(const std::vector<Scalar>& scalars, std::string_view name) {
  const auto at = std::ranges::find(scalars, name, &Scalar::name);
  return static_cast<std::size_t>(at - scalars.begin());
}

class Builder {
 public:
  Builder(const std::vector<Scalar>& scalars, const std::vector<Guess>& guesses, const std::vector<bool>& held)
      : scalars_(scalars), guesses_(guesses), held_(held) {
    space.rules.resize(guesses.size());
    for (std::size_t i = 0; i < guesses.size(); ++i) space.rules[i].value = guesses[i].value;
  }
  Space space;

  bool has(std::string_view name) const { return place(scalars_, name) < scalars_.size(); }
  std::size_t at(std::string_view name) const { return place(scalars_, name); }
  bool held(std::size_t i) const { return held_[i]; }

  void own(std::size_t i) {
    const Guess& g = guesses_[i];
    if (held_[i]) return;
    const bool logarithmic = g.lo > 0 && !(g.unit > 0);
    Coordinate c{.name = i < scalars_.size() ? scalars_[i].name : "", .logarithmic = logarithmic};
    if (logarithmic) {
      c.lo = std::log(g.lo);
      c.hi = std::log(g.hi);
    } else {
      c.unit = unit_of(g);
      c.lo = g.lo / c.unit;
      c.hi = g.hi / c.unit;
    }
    space.rules[i] = {.kind = Rule::own, .coordinate = add(c)};
  }
  /// i = base + y, y >= 0; with a lower limit of its own, y > 0.
  void above(std::size_t i, std::size_t base) {
    const Guess& g = guesses_[i];
    if (held_[i]) {
      limit(base, g.value);
      return;
    }
    if (g.lo > 0) {
      const Coordinate c{scalars_[i].name, true, 1, std::log(g.lo), std::log(g.hi)};
      space.rules[i] = {.kind = Rule::above, .coordinate = add(c), .base = base};
      return;
    }
    const double unit = std::max(std::abs(guesses_[base].value), 1e-300);
    space.rules[i] = {.kind = Rule::above,
                      .coordinate = add({scalars_[i].name, false, unit, 0, guesses_[i].hi / unit}),
                      .base = base};
  }
  /// i = y base/over with y in the limits.
  void part(std::size_t i, std::size_t base, std::size_t over, double lo, double hi) {
    if (held_[i]) return;
    space.rules[i] = {
        .kind = Rule::part, .coordinate = add({scalars_[i].name, false, 1, lo, hi}), .base = base, .over = over};
  }
  /// Scalars `from` to `from + n - 1` are shares, of 1 or of `whole`.
  void shares(std::size_t from, std::size_t n, Rule::Kind kind, std::size_t whole) {
    if (held_[from] || n == 0) return;
    const std::size_t first = space.coordinates.size();
    for (std::size_t k = 0; k < n; ++k) {
      space.rules[from + k] = {.kind = kind, .coordinate = first + k, .base = whole, .first = first, .count = n};
      if (k + 1 < n) add({scalars_[from + k].name, false, 1, -12, 12});
    }
  }
  std::size_t length(std::string_view field) const {
    return static_cast<std::size_t>(std::ranges::count(scalars_, field, &Scalar::field));
  }
  std::size_t add(const Coordinate& c) {
    space.coordinates.push_back(c);
    return space.coordinates.size() - 1;
  }

 private:
  static double unit_of(const Guess& g) {
    if (g.unit > 0) return g.unit;
    const double size = std::abs(g.value), span = g.hi - g.lo;
    return size > 1e-6 * span ? size : std::max(1e-3 * span, 1e-300);
  }
  void limit(std::size_t i, double most) {
    const Rule& r = space.rules[i];
    if (r.kind != Rule::own) return;
    Coordinate& c = space.coordinates[r.coordinate];
    c.hi = std::min(c.hi, c.logarithmic ? std::log(most) : most / c.unit);
    c.lo = std::min(c.lo, c.hi);
  }
  const std::vector<Scalar>& scalars_;
  const std::vector<Guess>& guesses_;
  const std::vector<bool>& held_;
};

}  // namespace

Space make_space(std::string_view model, const std::vector<Scalar>& scalars, std::size_t body,
                 const std::vector<Guess>& guesses, const std::vector<bool>& held) {
  Builder b(scalars, guesses, held);
  std::vector<bool> done(scalars.size() + body, false);
  auto linked = [&](std::string_view field) {
    for (std::size_t i = 0; i < scalars.size(); ++i) {
      if (scalars[i].field == field) done[i] = true;
    }
  };
  // Those that follow from others; their bases come first.
  const bool above_Fc = b.has("Fs") && b.has("Fc"), above_a = b.has("dFs_inf"), above_f2 = b.has("f1");
  const bool inside = b.has("z_ba");
  const std::size_t nu = b.length("nu"), W = model == "leuven" ? b.length("W") : 0;
  if (above_Fc) linked("Fs");
  if (above_a) linked("dFs_inf");
  if (above_f2) linked("f1");
  if (inside) linked("z_ba");
  if (nu > 0) linked("nu");
  if (W > 0) linked("W");
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (!done[i]) b.own(i);
  }
  if (above_Fc) {
    const std::size_t Fs = b.at("Fs"), Fc = b.at("Fc");
    if (model == "coulomb" && b.held(Fs) && !b.held(Fc) && guesses[Fs].value <= guesses[Fc].value) {
      b.space.rules[Fs] = {.kind = Rule::equal, .base = Fc};
    } else {
      b.above(Fs, Fc);
    }
  }
  if (above_a) b.above(b.at("dFs_inf"), b.at("dFs_a"));
  if (above_f2) b.above(b.at("f1"), b.at("f2"));
  if (inside) b.part(b.at("z_ba"), b.at("Fc"), b.at("sigma0"), 1e-3, 0.999);
  if (nu > 0) b.shares(b.at("nu1"), nu, Rule::share, 0);
  if (W > 0) b.shares(b.at("W1"), W, Rule::share_of, b.at("Fs"));
  return std::move(b.space);
}

void Space::parameters_at(const double* q, double* p, double* slopes) const {
  const std::size_t n = size();
  if (slopes) std::fill(slopes, slopes + parameters() * n, 0.0);
  auto row = [&](std::size_t i) { return slopes + i * n; };
  auto coordinate = [&](std::size_t j) {
    return coordinates[j].logarithmic ? std::exp(q[j]) : q[j] * coordinates[j].unit;
  };
  auto slope = [&](std::size_t j, double y) { return coordinates[j].logarithmic ? y : coordinates[j].unit; };
  for (std::size_t i = 0; i < parameters(); ++i) {
    const Rule& r = rules[i];
    if (r.kind == Rule::constant) p[i] = r.value;
    if (r.kind != Rule::own) continue;
    p[i] = coordinate(r.coordinate);
    if (slopes) row(i)[r.coordinate] = slope(r.coordinate, p[i]);
  }
  for (const bool last : {false, true}) {  // shares of another one need that one first
    for (std::size_t i = 0; i < parameters(); ++i) {
      const Rule& r = rules[i];
      if (r.kind == Rule::constant || r.kind == Rule::own || (r.kind == Rule::share_of) != last) continue;
      auto follow = [&](std::size_t base, double factor) {
        if (!slopes) return;
        for (std::size_t j = 0; j < n; ++j) row(i)[j] += factor * row(base)[j];
      };
      switch (r.kind) {
        case Rule::equal:
          p[i] = p[r.base];
          follow(r.base, 1);
          break;
        case Rule::above: {
          const double y = coordinate(r.coordinate);
          p[i] = p[r.base] + y;
          follow(r.base, 1);
          if (slopes) row(i)[r.coordinate] += slope(r.coordinate, y);
          break;
        }
        case Rule::part: {
          const double y = coordinate(r.coordinate);
          p[i] = y * p[r.base] / p[r.over];
          follow(r.base, y / p[r.over]);
          follow(r.over, -p[i] / p[r.over]);
          if (slopes) row(i)[r.coordinate] += slope(r.coordinate, y) * p[r.base] / p[r.over];
          break;
        }
        case Rule::share:
        case Rule::share_of: {
          double sum = 1;
          for (std::size_t k = 0; k + 1 < r.count; ++k) sum += std::exp(q[r.first + k]);
          const std::size_t own = r.coordinate - r.first;
          const double mine = (own + 1 < r.count ? std::exp(q[r.coordinate]) : 1.0) / sum;
          const double whole = r.kind == Rule::share ? 1.0 : p[r.base];
          p[i] = mine * whole;
          if (r.kind == Rule::share_of) follow(r.base, mine);
          for (std::size_t k = 0; slopes && k + 1 < r.count; ++k)
            row(i)[r.first + k] += whole * mine * ((k == own ? 1.0 : 0.0) - std::exp(q[r.first + k]) / sum);
          break;
        }
        default: break;
      }
    }
  }
}

std::vector<double> Space::coordinates_at(const std::vector<double>& p) const {
  std::vector<double> q(size(), 0.0);
  auto set = [&](std::size_t j, double y) {
    q[j] = coordinates[j].logarithmic ? std::log(std::max(y, 1e-300)) : y / coordinates[j].unit;
  };
  for (std::size_t i = 0; i < parameters(); ++i) {
    const Rule& r = rules[i];
    switch (r.kind) {
      case Rule::own: set(r.coordinate, p[i]); break;
      case Rule::above: set(r.coordinate, p[i] - p[r.base]); break;
      case Rule::part: set(r.coordinate, p[i] * p[r.over] / p[r.base]); break;
      case Rule::share:
      case Rule::share_of:
        if (r.coordinate - r.first + 1 < r.count) {
          const std::size_t end = i + (r.count - 1 - (r.coordinate - r.first));
          q[r.coordinate] = std::log(std::max(p[i], 1e-300) / std::max(p[end], 1e-300));
        }
        break;
      default: break;
    }
  }
  clamp(q);
  return q;
}

void Space::clamp(std::vector<double>& q) const {
  for (std::size_t j = 0; j < size(); ++j) q[j] = std::clamp(q[j], coordinates[j].lo, coordinates[j].hi);
}

std::ptrdiff_t Space::coordinate_of(std::size_t parameter) const {
  return rules[parameter].kind == Rule::own ? static_cast<std::ptrdiff_t>(rules[parameter].coordinate) : -1;
}

std::vector<BodyScalar> body_of(const Series& s, Gravity gravity) {
  if (!s.inverse) return {};
  std::vector<BodyScalar> out{{"inertia", "kg", true}, {gravity == Gravity::constant ? "gravity" : "offset", "N"}};
  if (gravity == Gravity::sine) {
    out.push_back({"gravity_sin", "N"});
    out.push_back({"gravity_cos", "N"});
  }
  return out;
}

void sort_elements(const std::vector<Scalar>& scalars, std::vector<double>& p) {
  std::vector<std::size_t> k, limit;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    if (scalars[i].field == "k") k.push_back(i);
    if (scalars[i].field == "nu" || scalars[i].field == "W") limit.push_back(i);
  }
  if (k.size() < 2 || k.size() != limit.size()) return;
  std::vector<std::size_t> order(k.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::size_t e) { return std::pair(p[limit[e]] / p[k[e]], e); });
  const std::vector<double> before = p;
  for (std::size_t e = 0; e < order.size(); ++e) {
    p[k[e]] = before[k[order[e]]];
    p[limit[e]] = before[limit[order[e]]];
  }
}

}  // namespace bristle::identify
