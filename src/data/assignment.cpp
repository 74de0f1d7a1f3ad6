#include "data/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/vocabulary.hpp"

namespace bristle::identify {
namespace {

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < 20; ++i) out += (i == 0 ? "" : ", ") + names[i];
  return out + (names.size() > 20 ? "..." : "");
}

constexpr Role moving[]{Role::x, Role::v, Role::F, Role::u};

std::string_view assumed(Role role, bool turning) {
  switch (role) {
    case Role::t: return "s";
    case Role::x:
    case Role::ref: return turning ? "rad" : "m";
    case Role::v: return turning ? "rad/s" : "m/s";
    case Role::F:
    case Role::u: return turning ? "N m" : "N";
    default: return "";
  }
}

/// The words of the columns of a role.
template <class Has>
bool any_column(const Roles& roles, Role role, const std::vector<Header>& headers, const Has& has) {
  return roles[role] &&
         std::ranges::any_of(roles[role]->columns(), [&](std::size_t c) { return has(Words(headers[c].base)); });
}

/// Units of the roles as read from the headers, and those that are assumed.
void say_units(const Roles& roles, const std::vector<Header>& headers, bool turning, Findings& findings) {
  std::vector<std::string> known, unknown;
  for (std::size_t r = 0; r < role_count; ++r) {
    const auto role = static_cast<Role>(r);
    if (!roles.of[r]) continue;
    const Quantity q = roles.quantity(role);
    const auto& columns = roles.of[r]->columns();
    if (q != Quantity::unknown) {
      const bool plain = columns.size() == 1 && !roles.of[r]->own_unit() && !headers[columns[0]].unit_text.empty();
      known.push_back(fmt::format("{} in {}", name_of(role),
                                  plain                  ? headers[columns[0]].unit_text
                                  : q == Quantity::ratio ? "1"
                                                         : std::string(si(q))));
    } else if (!assumed(role, turning).empty()) {
      unknown.push_back(fmt::format("{} in {}", name_of(role), assumed(role, turning)));
    }
  }
  if (unknown.empty() && known.empty()) return;
  findings.push_back(
      {false, fmt::format("units: {}{}{}{}", list_of(known), known.empty() || unknown.empty() ? "" : "; ",
                          unknown.empty() ? "" : "without a unit in the header, assumed: ", list_of(unknown))});
}

/// Actuators measured in A or in percent give results in these units.
void question_actuator(const Roles& roles, Findings& findings) {
  if (roles[Role::u] && !roles.is_given(Role::u) && roles.text_of(Role::u) != "u") {
    findings.push_back({false, fmt::format("{} is used as actuator force; if it is friction: --column F={}",
                                           roles.text_of(Role::u), roles.text_of(Role::u))});
  }
  for (const Role role : {Role::u, Role::F}) {
    if (!roles[role] || std::abs(roles[role]->scale()) != 1) continue;  // a factor converts to a force
    const std::string& text = roles.text_of(role);
    if (roles.quantity(role) == Quantity::current)
      findings.push_back(
          {true, fmt::format("{0} is a current: forces are in A; with torque constant K: --column {1}=K*{0}", text,
                             name_of(role))});
    if (roles.quantity(role) == Quantity::ratio)
      findings.push_back(
          {true, fmt::format("{0} is in percent: forces are fractions of the rated value, not N or N m; with "
                             "the rated value M: --column {1}=M*{0}",
                             text, name_of(role))});
  }
}

/// Columns that would have a role if their unit were accepted.
std::string refused(const Trace& trace, const std::vector<Header>& headers) {
  for (std::size_t c = 0; c < headers.size(); ++c) {
    const Words words(headers[c].base);
    const bool force = words.points(Role::u) > 0 || words.points(Role::F) > 0 || words.points(Role::N) == 5;
    if (headers[c].unit.quantity != Quantity::ratio || words.has(Tag::other) || !force) continue;
    return fmt::format("{0} is in {1}: with the rated value M, --column u='M*\"{0}\"' is accepted; ",
                       trace.columns[c].name, headers[c].unit_text);
  }
  return {};
}

}  // namespace

std::vector<Header> headers_of(const Trace& trace) {
  std::vector<Header> out;
  out.reserve(trace.columns.size());
  for (const Column& c : trace.columns) out.push_back(header_of(c));
  return out;
}

void say_roles(const Roles& roles, const Trace& trace, const std::vector<Header>& headers, Findings& findings) {
  std::vector<std::string> parts;
  std::vector<bool> used(trace.columns.size());
  Findings doubts;
  for (std::size_t r = 0; r < role_count; ++r) {
    if (!roles.of[r]) continue;
    parts.push_back(fmt::format("{} = {}", name_of(static_cast<Role>(r)), roles.text[r]));
    for (const std::size_t c : roles.of[r]->columns()) {
      used[c] = true;
      const Header& h = headers[c];
      if (!h.unit_known) {
        doubts.push_back(
            {true, fmt::format("unknown unit '{}' of {}: numbers used as SI", h.unit_text, trace.columns[c].name)});
      }
      const std::string& text = roles.text[r];
      if (h.unit_text.find('%') != std::string::npos &&
          (text.find("/100") != std::string::npos || text.find("/ 100") != std::string::npos ||
           text.find("0.01") != std::string::npos))
        doubts.push_back({true, fmt::format("{} = {}: {} is divided by 100 twice, by its header and by the expression",
                                            name_of(static_cast<Role>(r)), text, trace.columns[c].name)});
      const double scale = std::abs(roles.of[r]->scale()), factor = h.unit.factor;
      if (factor != 1 && roles.of[r]->columns().size() == 1 && std::abs(scale - factor) < 1e-3 * factor) {
        doubts.push_back({true, fmt::format("{} = {}: {} is converted to {} twice, by its header and by the expression",
                                            name_of(static_cast<Role>(r)), roles.text[r], trace.columns[c].name,
                                            si(h.unit.quantity))});
      }
    }
  }
  std::vector<std::string> others;
  for (std::size_t c = 0; c < used.size(); ++c) {
    if (!used[c]) others.push_back(trace.columns[c].name);
  }
  findings.push_back({false, list_of(parts) + (others.empty() ? "" : "; not used: " + list_of(others))});
  Findings unused;
  say_units(roles, headers, is_rotational(roles, headers, unused), findings);
  findings.insert(findings.end(), doubts.begin(), doubts.end());
  findings.insert(findings.end(), roles.findings.begin(), roles.findings.end());
  question_actuator(roles, findings);
}

bool is_rotational(const Roles& roles, const std::vector<Header>& headers, Findings& findings) {
  std::string turning, sliding, bare;
  const auto add = [](std::string& list, const std::string& name) { list += (list.empty() ? "" : ", ") + name; };
  for (const Role r : moving) {
    const Quantity q = roles.quantity(r);
    if (rotational(q)) add(turning, name_of(r));
    if (linear(q)) add(sliding, name_of(r));
    const bool says =
        any_column(roles, r, headers, [](const Words& w) { return w.has(Tag::turning) || w.has(Tag::joint); });
    if (q == Quantity::unknown && roles[r] && says) add(bare, roles.text_of(r));
  }
  if (!turning.empty() && !sliding.empty()) {
    findings.push_back(
        {true, fmt::format("{} in rotational units, {} in linear units: parameters in mixed units", turning, sliding)});
  }
  if (!turning.empty())
    return sliding.empty() || rotational(roles.quantity(Role::v)) || rotational(roles.quantity(Role::x));
  if (bare.empty()) return false;
  // No unit tells: the names do, unless some of them are those of a translation.
  const bool straight = !sliding.empty() || std::ranges::any_of(moving, [&](Role r) {
    return any_column(roles, r, headers, [](const Words& w) { return w.has(Tag::straight); });
  });
  findings.push_back(
      {true, straight ? fmt::format("{} without a unit, other columns of a translation: results in m and N; --column "
                                    "'x=... [rad]' sets a unit",
                                    bare)
                      : fmt::format("{} without a unit: taken as a rotation in rad and N m; --column 'x=... [deg]' or "
                                    "'x=... [m]' sets a unit",
                                    bare)});
  return !straight;
}

void check_roles(const Roles& roles, const Trace& trace, const std::vector<Header>& headers, const std::string& path,
                 bool motion, Problems& problems) {
  const std::string columns = list_of(trace.names());
  if (motion) {
    for (const auto& [role, what] : {std::pair{Role::t, "time t"}, {Role::x, "position x"}}) {
      if (roles[role]) continue;
      problems.push_back(
          {path, fmt::format("no column for {}, required with a scenario; --column {}=COLUMN is accepted, columns: {}",
                             what, name_of(role), columns)});
    }
    for (const Role role : {Role::F, Role::mu}) {
      if (!roles.is_given(role) || !roles[role]) continue;
      problems.push_back(
          {path,
           fmt::format("--column {}={}: friction cannot be given with a scenario; the force of the actuator has role u",
                       name_of(role), roles.text_of(role))});
    }
    return;
  }
  const int targets =
      int(roles[Role::F].has_value()) + int(roles[Role::mu].has_value()) + int(roles[Role::u].has_value());
  if (targets == 0) {
    problems.push_back(
        {path,
         fmt::format("no column for friction F, coefficient mu or actuator force u; {}--column F=COLUMN is accepted, "
                     "columns: {}",
                     refused(trace, headers), columns)});
  }
  if (targets > 1) problems.push_back({path, "more than one of F, mu and u is given; one is accepted"});
  if (!roles[Role::x] && !roles[Role::v]) {
    problems.push_back(
        {path,
         fmt::format("no column for position x or velocity v; --column x=COLUMN is accepted, columns: {}", columns)});
  } else if (!roles[Role::t] && !roles[Role::v]) {
    problems.push_back(
        {path, fmt::format("no column for time t (--column t=COLUMN) or, for steady points, velocity v; columns: {}",
                           columns)});
  }
  if (roles[Role::u] && !roles[Role::t])
    problems.push_back({path, "an actuator force u requires time t; for steady points use role F"});
}

void question_units(const Roles& roles, const Recording& r, Findings& findings) {
  if (r.x.size() > 1 && roles.quantity(Role::x) == Quantity::unknown) {
    const auto [low, high] = std::ranges::minmax_element(r.x);
    const double travel = *high - *low, most = r.rotational ? 100 : 20;
    if (travel > most && travel < 1000)  // more is implausible in any case
      findings.push_back(
          {true, fmt::format("{0} has no unit and travels {1:.3g} {2}: possibly {3}; --column \"x={0} [deg]\" "
                             "sets the unit",
                             roles.text_of(Role::x), travel, r.rotational ? "rad" : "m",
                             r.rotational ? "in deg" : "an angle, or in mm")});
  }
  if (r.t.size() > 50 && roles.quantity(Role::t) == Quantity::unknown && !roles.is_given(Role::t)) {
    const bool whole = std::ranges::all_of(r.t, [](double t) { return t == std::floor(t); });
    const double step = (r.t.back() - r.t.front()) / static_cast<double>(r.t.size() - 1);
    if (whole && step >= 1 && step <= 100)
      findings.push_back(
          {true, fmt::format("{0} has no unit and counts in whole numbers, taken as s; --column \"t={0} [ms]\" "
                             "sets the unit",
                             roles.text_of(Role::t))});
  }
}

}  // namespace bristle::identify
