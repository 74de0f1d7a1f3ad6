#include "data/roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/vocabulary.hpp"

namespace bristle::identify {
namespace {

const std::vector<std::string> names{"t", "x", "v", "F", "mu", "u", "N", "T", "sigma", "ref", "on", "load"};

struct Accepted {
  std::vector<Quantity> quantities{};  // besides an unknown one
  int unit_alone = 0;                  // points if only the unit matches
};
using enum Quantity;
const Accepted& accepted(Role role) {
  static const Accepted all[role_count]{{{Quantity::time}, 4},
                                        {{length, angle}, 3},
                                        {{speed, angular_speed}, 4},
                                        {{force, torque}},
                                        {{ratio}},
                                        {{force, torque, current}},
                                        {{force, stress}},
                                        {{temperature}, 3},
                                        {{force, torque}},
                                        {{length, angle}},
                                        {},
                                        {}};
  return all[static_cast<std::size_t>(role)];
}

int score(Role role, const Header& h) {
  const Quantity q = h.unit.quantity;
  const auto& quantities = accepted(role).quantities;
  if (role == Role::on || role == Role::load) return 0;
  if (q != unknown && std::ranges::find(quantities, q) == quantities.end()) return 0;
  const Words words(h.base);
  if ((role != Role::ref && words.has(Tag::other)) || (role != Role::sigma && words.has(Tag::spread))) return 0;
  const bool coefficient = words.has(Tag::coefficient);
  int points = words.points(role);
  if (role == Role::mu && q == ratio) points = std::max(points, words.points(Role::F) / 2);
  if (role == Role::F && (coefficient || words.has(Tag::not_friction))) return 0;
  if (role == Role::u && words.points(Role::N) >= 12) return 0;
  if ((role == Role::x || role == Role::v) && words.pull()) return 0;
  if (role == Role::N && words.pull() && words.has(Tag::across)) return 9;
  if (role == Role::mu && q == unknown && !coefficient) return 0;
  if (points == 0) return q == unknown ? 0 : accepted(role).unit_alone;
  if (q == current) return points / 2;
  return points + (q == unknown ? 0 : 3) + (words.has(Tag::measured) ? 2 : 0);
}

double size_of(const Column& c, double q) {
  std::vector<double> sizes;
  for (const double x : c.values) {
    if (std::isfinite(x)) sizes.push_back(std::abs(x + c.origin));
  }
  if (sizes.empty()) return 0;
  const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(sizes.size() - 1));
  std::nth_element(sizes.begin(), at, sizes.end());
  return *at;
}

class Guess {
 public:
  Guess(const Trace& trace, const std::vector<Header>& headers, Roles& roles)
      : trace_(trace), headers_(headers), roles_(roles), taken_(headers.size()) {
    for (const auto& given : roles.of) {
      if (!given) continue;
      for (const std::size_t c : given->columns()) taken_[c] = true;
    }
  }

  void all(bool motion) {
    stamp();
    for (const Role r : {Role::t, Role::x, Role::v}) guess(r);
    const bool target = roles_[Role::F] || roles_[Role::mu] || roles_[Role::u];
    if (motion) {
      for (const Role r : {Role::u, Role::ref}) guess(r);
    } else if (!target) {
      guess(Role::F);
      coefficient();
      if (!roles_[Role::F]) guess(Role::mu);
      if (!roles_[Role::F] && !roles_[Role::mu]) guess(roles_[Role::t] ? Role::u : Role::F, Role::u);
      if (!roles_[Role::F] && !roles_[Role::mu] && !roles_[Role::u]) stresses();
    }
    for (const Role r : {Role::N, Role::T}) guess(r);
    if (!roles_[Role::t]) guess(Role::sigma);
    epoch();
  }

 private:
  void guess(Role role) { guess(role, role); }
  /// Guesses with the words of another role: for steady points a motor torque is the friction.
  void guess(Role role, Role by) {
    const auto r = static_cast<std::size_t>(role);
    if (roles_.of[r] || roles_.given[r]) return;
    std::vector<std::size_t> equals;
    int most = 0;
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      const int points = taken_[i] || (role == Role::sigma && !is_spread_of_target(i)) ? 0 : score(by, headers_[i]);
      if (points == 0 || points < most) continue;
      if (points > most) equals.clear();
      most = points;
      equals.push_back(i);
    }
    if (equals.empty()) return;
    assign(role, equals.front());
    std::string others;
    // A copy of the column is no other one; missing values are not equal to themselves.
    auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    for (const std::size_t i : equals) {
      if (std::ranges::equal(trace_.columns[i].values, trace_.columns[equals[0]].values, same)) continue;
      others += (others.empty() ? "" : ", ") + trace_.columns[i].name;
    }
    if (!others.empty()) {
      roles_.findings.push_back(
          {true, fmt::format("{0} = {1}, but {2} {3} as well: --column '{0}=\"...\"' chooses", name_of(role),
                             roles_.text[r], others.substr(0, 200), equals.size() > 2 ? "fit" : "fits")});
    }
  }
  void assign(Role role, std::size_t column) {
    const auto r = static_cast<std::size_t>(role);
    roles_.text[r] = trace_.columns[column].name;
    roles_.of[r] = Expression::of_column(column, trace_, headers_);
    taken_[column] = true;
  }
  void assign(Role role, const std::string& text, const std::string& shown) {
    const auto r = static_cast<std::size_t>(role);
    auto parsed = Expression::parse(text, trace_, headers_);
    if (!parsed.problem.empty()) return;
    roles_.text[r] = shown;
    roles_.of[r] = std::move(parsed.expression);
    for (const std::size_t c : roles_.of[r]->columns()) taken_[c] = true;
  }
  std::string place(std::size_t column) const { return fmt::format("${}", column_number(trace_, column)); }

  /// The spread of a velocity is not that of the force.
  bool is_spread_of_target(std::size_t column) const {
    const Words rest = Words(headers_[column].base).without_statistics();
    if (rest.empty()) return true;
    return rest.pull() || rest.has(Tag::coefficient) || rest.points(Role::u) > 0;
  }
  /// Seconds and nanoseconds in two columns, as in messages of ROS.
  void stamp() {
    if (roles_.is_given(Role::t)) return;
    for (std::size_t s = 0; s < headers_.size(); ++s) {
      const std::string& name = trace_.columns[s].name;
      const std::string prefix = name.substr(0, name.find_last_of("._/ ") + 1), last = name.substr(prefix.size());
      if (!Words(last).has(Tag::seconds)) continue;
      for (std::size_t n = 0; n < headers_.size(); ++n) {
        const std::string& other = trace_.columns[n].name;
        if (!other.starts_with(prefix) || !Words(other.substr(prefix.size())).has(Tag::nanoseconds)) continue;
        const double scale = headers_[n].unit.quantity == Quantity::time ? 1 : 1e-9;
        return assign(Role::t, fmt::format("{} + {}*{}", place(s), scale, place(n)),
                      scale == 1 ? fmt::format("{} + {}", name, other) : fmt::format("{} + 1e-9*{}", name, other));
      }
    }
  }
  /// A time without a unit that is a date: its size shows the unit.
  void epoch() {
    const auto& t = roles_[Role::t];
    if (!t || t->columns().size() != 1 || t->unit().quantity != unknown || t->scale() != 1) return;
    const std::size_t column = t->columns()[0];
    const double first = size_of(trace_.columns[column], 0.5);
    for (const auto& [seconds, unit] : {std::pair{1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}) {
      if (first * seconds < 3e8 || first * seconds > 4e9) continue;  // 1979 to 2096
      const std::string name = roles_.text_of(Role::t);
      assign(Role::t, fmt::format("{} [{}]", place(column), unit), fmt::format("{} [{}]", name, unit));
      roles_.findings.push_back({false, fmt::format("{} has no unit, but is a date since 1970 in {}", name, unit)});
      return;
    }
  }
  std::optional<std::size_t> normal_load() const {
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      if (!taken_[i] && score(Role::N, headers_[i]) >= 8) return i;
    }
    return {};
  }
  bool is_stress(std::size_t column) const {
    const Quantity q = headers_[column].unit.quantity;
    return q == stress || (q == unknown && Words(headers_[column].base).has(Tag::stress));
  }
  /// Friction without a unit next to a normal stress is a coefficient; next to a normal force it may be one.
  void coefficient() {
    const auto& f = roles_[Role::F];
    if (!f || roles_.is_given(Role::F) || f->unit().quantity != unknown) return;
    const std::size_t column = f->columns()[0];
    const std::string name = roles_.text_of(Role::F);
    const auto load = normal_load();
    if (!load || size_of(trace_.columns[column], 0.99) > 3) return;
    if (is_stress(*load)) {
      roles_[Role::F].reset();
      assign(Role::mu, column);
      roles_.findings.push_back(
          {false, fmt::format("{} has no unit and the size of a coefficient next to the normal stress {}; "
                              "if it is a force: --column F='\"{}\" [N]'",
                              name, trace_.columns[*load].name, name)});
    } else if (size_of(trace_.columns[*load], 0.5) > 3) {
      roles_.findings.push_back(
          {true, fmt::format("{0} has no unit and is used as a force; if it is a coefficient: --column "
                             "mu='\"{0}\"'",
                             name)});
    }
  }
  /// The ratio of a shear stress and a normal stress is a coefficient.
  void stresses() {
    const auto load = normal_load();
    for (std::size_t i = 0; i < headers_.size() && load && is_stress(*load); ++i) {
      if (taken_[i] || i == *load || !is_stress(i) || !Words(headers_[i].base).has(Tag::shear)) continue;
      return assign(Role::mu, fmt::format("{} / {}", place(i), place(*load)),
                    fmt::format("{} / {}", trace_.columns[i].name, trace_.columns[*load].name));
    }
  }

  const Trace& trace_;
  const std::vector<Header>& headers_;
  Roles& roles_;
  std::vector<bool> taken_;
};

}  // namespace

const std::string& name_of(Role role) { return names[static_cast<std::size_t>(role)]; }
std::vector<std::string> role_names() { return names; }

int time_points(const Header& header) { return score(Role::t, header); }
int force_points(const Header& header) {
  return std::max({score(Role::F, header), score(Role::mu, header), score(Role::u, header)});
}

Roles roles_of(const Trace& trace, const std::vector<Header>& headers,
               const std::vector<std::pair<std::string, std::string>>& given, const std::string& path, bool motion) {
  Roles out;
  for (const auto& [role, text] : given) {
    const std::string where = path.empty() ? "--column" : path;
    const auto found = std::find(names.begin(), names.end(), role);
    if (found == names.end()) {
      out.problems.push_back({fmt::format("--column {}={}", role, text),
                              fmt::format("unknown role '{}'; accepted: {}", role, fmt::join(names, ", "))});
      continue;
    }
    const auto r = static_cast<std::size_t>(found - names.begin());
    if (out.given[r]) {
      out.problems.push_back({fmt::format("--column {}={}", role, text),
                              fmt::format("role {} is given twice; one expression per role is accepted", role)});
      continue;
    }
    out.given[r] = true;
    if (text == "none" && !trace.find("none")) continue;
    auto parsed = Expression::parse(text, trace, headers);
    if (!parsed.problem.empty()) {
      out.problems.push_back({where, fmt::format("--column {}={}: {}", role, text, parsed.problem)});
      continue;
    }
    out.text[r] = text;
    out.of[r] = std::move(parsed.expression);
  }
  if (out.problems.empty()) Guess(trace, headers, out).all(motion);
  return out;
}

}  // namespace bristle::identify
