#include "identify/space.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "bristle/registry/describe.hpp"

namespace bristle::identify {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

class Builder {
 public:
  Builder(const std::vector<Scalar>& scalars, const std::vector<Guess>& guesses, const std::vector<bool>& held)
      : scalars_(scalars), guesses_(guesses), held_(held) {
    space.rules.resize(guesses.size());
    for (std::size_t i = 0; i < guesses.size(); ++i) space.rules[i].value = guesses[i].value;
  }
  Space space;

  /// Place of the first scalar of a field.
  std::size_t at(std::string_view field) const {
    return static_cast<std::size_t>(std::ranges::find(scalars_, field, &Scalar::field) - scalars_.begin());
  }
  std::size_t length(std::string_view field) const {
    return static_cast<std::size_t>(std::ranges::count(scalars_, field, &Scalar::field));
  }
  bool follows(std::size_t i) const { return held_[i] && guesses_[i].follows >= 0; }
  void below(std::size_t i, double limit) { guesses_[i].hi = std::min(guesses_[i].hi, limit); }

  void own(std::size_t i) {
    const Guess& g = guesses_[i];
    if (follows(i)) {
      space.rules[i] = {.kind = Rule::equal, .value = g.factor, .base = static_cast<std::size_t>(g.follows)};
      return;
    }
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
      const bool positive_only = i < scalars_.size() && scalars_[i].range.lo > 0;
      if (positive_only && g.lo == 0) c.lo = 1e-6 * c.hi;
    }
    space.rules[i] = {.kind = Rule::own, .coordinate = add(c)};
  }
  /// i = base + y, y >= 0, or y > 0.
  void above(std::size_t i, std::size_t base, bool strictly) {
    const Guess& g = guesses_[i];
    if (follows(i)) return own(i);
    if (held_[i]) return limit(base, g.value);
    if (strictly) {
      const Coordinate c{scalars_[i].name, true, 1, std::log(1e-4 * g.hi), std::log(g.hi)};
      space.rules[i] = {.kind = Rule::above, .coordinate = add(c), .base = base};
      return;
    }
    const double unit = std::max(std::abs(guesses_[base].value), 1e-300);
    space.rules[i] = {
        .kind = Rule::above, .coordinate = add({scalars_[i].name, false, unit, 0, g.hi / unit}), .base = base};
  }
  /// i = y base/over, 0 < y < 1.
  void part(std::size_t i, std::size_t base, std::size_t over) {
    if (held_[i]) return;
    const double lo = scalars_[i].range.lo > 0 ? 1e-3 : 0;
    space.rules[i] = {
        .kind = Rule::part, .coordinate = add({scalars_[i].name, false, 1, lo, 0.999}), .base = base, .over = over};
  }
  /// Scalars `from` to `from + n - 1` are shares, of 1 or of `whole`.
  void shares(std::size_t from, std::size_t n, std::size_t whole) {
    if (n == 0 || held_[from]) return;
    const std::size_t first = space.coordinates.size();
    for (std::size_t k = 0; k < n; ++k) {
      space.rules[from + k] = {.kind = whole == none ? Rule::share : Rule::share_of,
                               .coordinate = first + k,
                               .base = whole,
                               .first = first,
                               .count = n};
      if (k + 1 < n) add({scalars_[from + k].name, false, 1, -12, 12});
    }
  }

 private:
  std::size_t add(const Coordinate& c) {
    space.coordinates.push_back(c);
    return space.coordinates.size() - 1;
  }
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
  std::vector<Guess> guesses_;
  const std::vector<bool>& held_;
};

/// Each parameter after its base.
std::vector<std::size_t> order_of(const std::vector<Rule>& rules) {
  std::vector<std::size_t> out;
  std::vector<bool> done(rules.size(), false);
  while (out.size() < rules.size()) {
    const std::size_t before = out.size();
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const Rule& r = rules[i];
      const bool alone = r.kind == Rule::constant || r.kind == Rule::own || r.kind == Rule::share;
      const bool ready = alone || (done[r.base] && (r.kind != Rule::part || r.over == none || done[r.over]));
      if (done[i] || !ready) continue;
      done[i] = true;
      out.push_back(i);
    }
    if (out.size() == before) throw std::logic_error("relations between parameters go in a circle");
  }
  return out;
}

}  // namespace

Space make_space(std::string_view model, const std::vector<Scalar>& scalars, std::size_t body,
                 const std::vector<Guess>& guesses, const std::vector<bool>& held, const std::vector<Belief>& beliefs) {
  Builder b(scalars, guesses, held);
  b.space.beliefs = beliefs;
  std::vector<RelationInfo> relations = find_variant(model).model->relations;
  for (RelationInfo r : find_variant(model).model->relations) {  // in negative motion
    for (std::string& field : r.fields) {
      const std::string own = std::string(of_negative) + field;
      if (b.length(own) > 0) field = own;
    }
    if (r.fields.front().starts_with(of_negative)) relations.push_back(std::move(r));
  }
  std::erase_if(relations, [&](const RelationInfo& r) { return b.length(r.fields.front()) == 0; });
  // Those that follow from others; their bases come first.
  std::vector<bool> linked(scalars.size() + body, false);
  for (const RelationInfo& r : relations) {
    const std::size_t at = b.at(r.fields.front());
    const bool by_rule = r.bond == Bond::above || r.bond == Bond::strictly_above || r.bond == Bond::fraction ||
                         r.bond == Bond::sum_to_one || r.bond == Bond::shares;
    for (std::size_t k = 0; k < b.length(r.fields.front()) && by_rule; ++k) linked[at + k] = true;
    if (r.bond == Bond::below_one) b.below(at, 0.999);
  }
  for (std::size_t i = 0; i < linked.size(); ++i) {
    if (!linked[i]) b.own(i);
  }
  for (const RelationInfo& r : relations) {
    auto at = [&](std::size_t k) { return k < r.fields.size() ? b.at(r.fields[k]) : none; };
    const std::size_t n = b.length(r.fields.front());
    if (r.bond == Bond::above || r.bond == Bond::strictly_above) b.above(at(0), at(1), r.bond == Bond::strictly_above);
    if (r.bond == Bond::fraction) b.part(at(0), at(1), at(2));
    if (r.bond == Bond::sum_to_one) b.shares(at(0), n, none);
    if (r.bond == Bond::shares) b.shares(at(0), n, at(1));
  }
  b.space.order = order_of(b.space.rules);
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
  for (const std::size_t i : order) {
    const Rule& r = rules[i];
    auto follow = [&](std::size_t base, double factor) {
      if (!slopes) return;
      for (std::size_t j = 0; j < n; ++j) row(i)[j] += factor * row(base)[j];
    };
    switch (r.kind) {
      case Rule::constant: p[i] = r.value; break;
      case Rule::own:
        p[i] = coordinate(r.coordinate);
        if (slopes) row(i)[r.coordinate] = slope(r.coordinate, p[i]);
        break;
      case Rule::equal:
        p[i] = r.value * p[r.base];
        follow(r.base, r.value);
        break;
      case Rule::above: {
        const double y = coordinate(r.coordinate);
        p[i] = p[r.base] + y;
        follow(r.base, 1);
        if (slopes) row(i)[r.coordinate] += slope(r.coordinate, y);
        break;
      }
      case Rule::part: {
        const double y = coordinate(r.coordinate), over = r.over == none ? 1 : p[r.over];
        p[i] = y * p[r.base] / over;
        follow(r.base, y / over);
        if (r.over != none) follow(r.over, -p[i] / over);
        if (slopes) row(i)[r.coordinate] += slope(r.coordinate, y) * p[r.base] / over;
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
      case Rule::part: set(r.coordinate, p[i] * (r.over == none ? 1 : p[r.over]) / p[r.base]); break;
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
  std::vector<BodyScalar> out;
  if (s.inverse) out = {{"inertia", "kg", true}, {gravity == Gravity::constant ? "gravity" : "offset", "N"}};
  if (s.inverse && gravity == Gravity::sine) out.insert(out.end(), {{"gravity_sin", "N"}, {"gravity_cos", "N"}});
  for (const Term& term : s.terms) out.push_back({term.name, ""});
  return out;
}

void sort_elements(const std::vector<Scalar>& scalars, std::vector<double>& p) {
  std::vector<std::vector<std::size_t>> arrays;  // places of the elements
  std::size_t k = none, limit = none;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    if (scalars[i].index == 1) {
      if (scalars[i].part == Part::stiffness) k = arrays.size();
      if (scalars[i].part == Part::force || scalars[i].part == Part::knee) limit = arrays.size();
      arrays.emplace_back();
    }
    if (scalars[i].index > 0) arrays.back().push_back(i);
  }
  if (k == none || limit == none || arrays[k].size() != arrays[limit].size()) return;
  std::vector<std::size_t> sorted(arrays[k].size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::ranges::sort(sorted, {}, [&](std::size_t e) { return std::pair(p[arrays[limit][e]] / p[arrays[k][e]], e); });
  const std::vector<double> before = p;
  for (const auto& places : arrays) {
    for (std::size_t e = 0; e < sorted.size() && places.size() == sorted.size(); ++e)
      p[places[e]] = before[places[sorted[e]]];
  }
}

}  // namespace bristle::identify
