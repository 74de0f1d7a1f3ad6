#include "data/roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>

namespace bristle::identify {
namespace {

const std::vector<std::string> names{"t", "x", "v", "F", "mu", "u", "N", "T", "sigma", "ref", "on", "load"};

struct Word {
  const char* word;
  int points;
};
struct Vocabulary {
  std::span<const Word> words;
  std::span<const Quantity> quantities;  // accepted quantities
  int unit_alone;                        // points if only the unit matches
};

using enum Quantity;
constexpr Word t_words[]{{"t", 10},    {"time", 10}, {"timestamp", 9}, {"elapsed", 5},
                         {"zeit", 10}, {"clock", 5}, {"sec", 6},       {"seconds", 8}};
constexpr Word x_words[]{{"x", 10},     {"q", 9},        {"pos", 9},     {"position", 10}, {"displacement", 9},
                         {"disp", 9},   {"angle", 9},    {"theta", 9},   {"phi", 8},       {"stroke", 7},
                         {"travel", 7}, {"distance", 6}, {"encoder", 6}, {"weg", 8},       {"winkel", 8},
                         {"s", 4},      {"y", 3},        {"z", 2},       {"slip", 4}};
constexpr Word v_words[]{{"v", 10},    {"vel", 10}, {"velocity", 10}, {"speed", 10},   {"qd", 9},
                         {"dq", 9},    {"dx", 9},   {"xd", 9},        {"xdot", 9},     {"qdot", 9},
                         {"omega", 9}, {"w", 5},    {"rpm", 8},       {"drehzahl", 9}, {"geschwindigkeit", 9}};
constexpr Word F_words[]{{"friction", 12}, {"fric", 11},      {"ff", 8},  {"F", 10},
                         {"f", 6},         {"tangential", 8}, {"ft", 7},  {"traction", 6},
                         {"reibung", 12},  {"reibkraft", 12}, {"drag", 5}};
constexpr Word mu_words[]{{"mu", 12}, {"cof", 12}, {"coeff", 8}, {"coefficient", 8}, {"reibwert", 12}, {"coef", 8}};
constexpr Word u_words[]{{"u", 9},        {"tau", 8},    {"torque", 7}, {"force", 7},      {"motor", 3},
                         {"actuator", 3}, {"effort", 6}, {"app", 4},    {"current", 4},    {"i", 2},
                         {"moment", 5},   {"thrust", 6}, {"kraft", 7},  {"drehmoment", 7}, {"m", 2}};
constexpr Word N_words[]{{"normal", 12}, {"N", 10},   {"fn", 9},       {"fz", 8},
                         {"preload", 8}, {"load", 5}, {"pressure", 4}, {"normalkraft", 12}};
constexpr Word T_words[]{{"temp", 10}, {"temperature", 10}, {"T", 9}, {"temperatur", 10}};
constexpr Word sigma_words[]{{"std", 8}, {"sigma", 8}, {"sd", 7}, {"stddev", 8}, {"uncertainty", 7}};
constexpr Word ref_words[]{{"ref", 10},     {"reference", 10}, {"goal", 9}, {"target", 8}, {"desired", 9},
                           {"setpoint", 9}, {"command", 7},    {"cmd", 7},  {"soll", 9}};

constexpr Quantity t_units[]{unknown, Quantity::time}, x_units[]{unknown, length, angle},
    v_units[]{unknown, speed, angular_speed}, F_units[]{unknown, force, torque}, mu_units[]{unknown, ratio},
    u_units[]{unknown, force, torque, current}, N_units[]{unknown, force, stress}, T_units[]{unknown, temperature};
constexpr Vocabulary vocabularies[role_count]{{t_words, t_units, 4},
                                              {x_words, x_units, 3},
                                              {v_words, v_units, 4},
                                              {F_words, F_units, 0},
                                              {mu_words, mu_units, 0},
                                              {u_words, u_units, 0},
                                              {N_words, N_units, 0},
                                              {T_words, T_units, 3},
                                              {sigma_words, F_units, 0},
                                              {ref_words, x_units, 0},
                                              {},
                                              {}};

/// Words for references, limits and derived quantities, which are not measured.
constexpr const char* others[]{"ref",      "reference", "goal",  "target", "desired", "des",  "cmd",    "command",
                               "setpoint", "set",       "error", "err",    "enable",  "flag", "status", "state",
                               "mode",     "limit",     "min",   "max",    "noise",   "soll", "pulse",  "index",
                               "sample",   "count",     "id",    "pred",   "model",   "fit",  "est",    "drive"};
constexpr const char* not_friction[]{"app", "applied", "motor", "actuator", "normal", "n", "z", "N"};
constexpr const char* spreads[]{"std", "sigma", "sd", "stddev", "uncertainty", "var"};

/// Splits friction_N, MotorTorque or pos2 into words, in lower case except single letters.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> out(1);
  char before = 0;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = std::isalpha(byte) != 0 || byte > 127;
    const bool hump = std::isupper(byte) != 0 && std::islower(static_cast<unsigned char>(before)) != 0;
    if ((!letter || hump) && !out.back().empty()) out.emplace_back();
    if (letter) out.back() += c;
    before = c;
  }
  std::erase(out, "");
  for (std::string& w : out) {
    if (w.size() > 1)
      std::transform(w.begin(), w.end(), w.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  }
  return out;
}

template <class List> bool any_of(const std::vector<std::string>& words, const List& list) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& w) {
    return std::any_of(std::begin(list), std::end(list), [&](const char* other) { return w == other; });
  });
}

int score(Role role, const Header& h) {
  const Vocabulary& v = vocabularies[static_cast<std::size_t>(role)];
  const std::vector<std::string> words = words_of(h.base);
  const Quantity q = h.unit.quantity;
  if (std::find(v.quantities.begin(), v.quantities.end(), q) == v.quantities.end()) return 0;
  if ((role != Role::ref && any_of(words, others)) || (role != Role::sigma && any_of(words, spreads))) return 0;
  int points = 0;
  for (const std::string& w : words) {
    for (const Word& known : v.words) {
      const bool letter = w.size() == 1 && std::isalpha(static_cast<unsigned char>(w[0])) != 0;
      const bool same =
          w == known.word || (letter && known.word[1] == 0 && (role == Role::x || role == Role::v || role == Role::u) &&
                              std::tolower(static_cast<unsigned char>(w[0])) == known.word[0]);
      if (same) points = std::max(points, known.points - (words.size() > 1 && letter ? 1 : 0));
    }
  }
  const bool coefficient = any_of(words, std::vector<const char*>{"coeff", "coefficient", "cof", "mu", "coef"});
  const bool pull = any_of(words, std::vector<const char*>{"F", "f", "force", "torque", "friction"});
  if (role == Role::F && (coefficient || any_of(words, not_friction))) return 0;
  if ((role == Role::x || role == Role::v) && pull) return 0;
  if (role == Role::N && pull && any_of(words, std::vector<const char*>{"n", "z"})) return 9;
  if (role == Role::mu && q == unknown && !coefficient) return 0;
  if (points == 0) return q == unknown ? 0 : v.unit_alone;
  if (q == current) return points / 2;
  return points + (q == unknown ? 0 : 3) +
         (any_of(words, std::vector<const char*>{"meas", "measured", "actual", "act", "ist"}) ? 2 : 0);
}

/// The column that fits best; empty if none fits.
std::optional<std::size_t> best(Role role, const std::vector<Header>& headers, const std::vector<bool>& taken) {
  std::optional<std::size_t> out;
  int most = 0;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const int points = taken[i] ? 0 : score(role, headers[i]);
    if (points <= most) continue;
    most = points;
    out = i;
  }
  return out;
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
    for (const Role r : {Role::t, Role::x, Role::v}) guess(r);
    const bool target = roles_[Role::F] || roles_[Role::mu] || roles_[Role::u];
    if (motion) {
      for (const Role r : {Role::u, Role::ref}) guess(r);
    } else if (!target) {
      guess(Role::F);
      if (!roles_[Role::F]) guess(Role::mu);
      if (!roles_[Role::F] && !roles_[Role::mu]) guess(roles_[Role::t] ? Role::u : Role::F, Role::u);
    }
    for (const Role r : {Role::N, Role::T}) guess(r);
    if (!roles_[Role::t]) guess(Role::sigma);
  }

 private:
  void guess(Role role) { guess(role, role); }
  /// Guesses with the words of another role: for steady points a motor torque is the friction.
  void guess(Role role, Role by) {
    const auto r = static_cast<std::size_t>(role);
    if (roles_.of[r] || roles_.given[r]) return;
    const auto column = best(by, headers_, taken_);
    if (!column) return;
    roles_.text[r] = trace_.columns[*column].name;
    roles_.of[r] = Expression::parse(roles_.text[r], trace_, headers_).expression;
    taken_[*column] = true;
  }

  const Trace& trace_;
  const std::vector<Header>& headers_;
  Roles& roles_;
  std::vector<bool> taken_;
};

}  // namespace

const std::string& name_of(Role role) { return names[static_cast<std::size_t>(role)]; }
std::vector<std::string> role_names() { return names; }

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
