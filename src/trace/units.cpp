#include "trace/shared/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <numbers>

#include "base/number.hpp"

namespace bristle::identify {
namespace {

using Units = std::map<std::string, Unit, std::less<>>;

struct Named {
  const char* name;
  double factor;
};

constexpr double pi = std::numbers::pi;
constexpr Named lengths[]{{"m", 1},         {"mm", 1e-3},     {"cm", 1e-2},     {"dm", 0.1},      {"um", 1e-6},
                          {"nm", 1e-9},     {"km", 1e3},      {"in", 0.0254},   {"inch", 0.0254}, {"ft", 0.3048},
                          {"mil", 2.54e-5}, {"micron", 1e-6}, {"microns", 1e-6}};
constexpr Named angles[]{{"rad", 1},
                         {"mrad", 1e-3},
                         {"urad", 1e-6},
                         {"deg", pi / 180},
                         {"rev", 2 * pi},
                         {"turn", 2 * pi},
                         {"turns", 2 * pi},
                         {"degrees", pi / 180},
                         {"degree", pi / 180},
                         {"Grad", pi / 180},
                         {"revolutions", 2 * pi},
                         {"arcmin", pi / 10800},
                         {"arcsec", pi / 648000}};
constexpr Named times[]{{"s", 1}, {"sec", 1}, {"min", 60}, {"h", 3600}};
constexpr Named more_times[]{{"ms", 1e-3},          {"us", 1e-6},    {"ns", 1e-9},           {"seconds", 1},
                             {"second", 1},         {"secs", 1},     {"msec", 1e-3},         {"usec", 1e-6},
                             {"nsec", 1e-9},        {"nsecs", 1e-9}, {"milliseconds", 1e-3}, {"microseconds", 1e-6},
                             {"nanoseconds", 1e-9}, {"Sek", 1},      {"Sekunden", 1}};
constexpr Named forces[]{
    {"N", 1},         {"mN", 1e-3},      {"uN", 1e-6}, {"nN", 1e-9}, {"kN", 1e3}, {"MN", 1e6}, {"lbf", 4.4482216152605},
    {"kgf", 9.80665}, {"gf", 9.80665e-3}};
constexpr Named torques[]{{"Nm", 1},           {"mNm", 1e-3},        {"uNm", 1e-6},       {"kNm", 1e3},
                          {"Nmm", 1e-3},       {"Ncm", 1e-2},        {"mNmm", 1e-6},      {"ozin", 7.0615518e-3},
                          {"lbft", 1.3558179}, {"lbin", 0.11298483}, {"ftlb", 1.3558179}, {"inlb", 0.11298483},
                          {"cNm", 1e-2},       {"kgfcm", 0.0980665}, {"kgcm", 0.0980665}, {"kgfm", 9.80665},
                          {"gfcm", 9.80665e-5}};
constexpr Named stresses[]{{"Pa", 1}, {"kPa", 1e3}, {"MPa", 1e6}, {"GPa", 1e9}, {"bar", 1e5}, {"psi", 6894.757}};
constexpr Named currents[]{{"A", 1}, {"mA", 1e-3}, {"Amp", 1}, {"amps", 1}};
constexpr Named voltages[]{{"V", 1}, {"mV", 1e-3}, {"volt", 1}, {"volts", 1}};
constexpr Named ratios[]{
    {"1", 1},           {"-", 1},           {"pct", 0.01}, {"%", 0.01}, {"percent", 0.01}, {"\xE2\x80\xB0", 1e-3},
    {"permille", 1e-3}, {"promille", 1e-3}, {"01%", 1e-3}, {"pu", 1}};

Units make_units() {
  Units out;
  auto add = [&](const auto& list, Quantity q) {
    for (const Named& u : list) out[u.name] = {q, u.factor};
  };
  add(lengths, Quantity::length);
  add(angles, Quantity::angle);
  add(times, Quantity::time);
  add(more_times, Quantity::time);
  add(forces, Quantity::force);
  add(torques, Quantity::torque);
  add(stresses, Quantity::stress);
  add(currents, Quantity::current);
  add(voltages, Quantity::voltage);
  add(ratios, Quantity::ratio);
  auto rates = [&](const auto& list, Quantity q) {
    for (const Named& way : list) {
      for (const Named& time : times) {
        for (const char* spelling : {"{}/{}", "{}p{}", "{}_{}", "{}_per_{}", "{} per {}", "{}{}-1"}) {
          out.try_emplace(fmt::format(fmt::runtime(spelling), way.name, time.name), Unit{q, way.factor / time.factor});
        }
      }
    }
  };
  rates(lengths, Quantity::speed);
  rates(angles, Quantity::angular_speed);
  for (const char* name :
       {"rpm", "1/min", "U/min", "min-1", "r/min", "tr/min", "giri/min", "\xE8\xBD\xAC/\xE5\x88\x86"})
    out[name] = {Quantity::angular_speed, 2 * pi / 60};
  for (const char* name : {"rps", "Hz"}) out[name] = {Quantity::angular_speed, 2 * pi};
  out["dps"] = {Quantity::angular_speed, pi / 180};
  for (const char* name : {"degC", "C", "Celsius"}) out[name] = {Quantity::temperature, 1};
  for (const char* name : {"K", "Kelvin"}) out[name] = {Quantity::temperature, 1, -273.15};
  for (const char* name : {"degF", "Fahrenheit"}) out[name] = {Quantity::temperature, 5.0 / 9, -160.0 / 9};
  return out;
}
const Units& units() {
  static const Units all = make_units();
  return all;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// Units in other case: RPM for rpm, KN for kN; except names that differ only in case (mN, MN).
const Units& lower_units() {
  static const Units all = [] {
    Units out;
    std::map<std::string, int, std::less<>> count;
    for (const auto& [name, unit] : units()) ++count[lower(name)];
    for (const auto& [name, unit] : units()) {
      if (name.size() > 1 && count[lower(name)] == 1) out[lower(name)] = unit;
    }
    return out;
  }();
  return all;
}

/// Replaces µ, °, ², dots and blanks by ASCII spellings.
std::string plain(std::string_view text) {
  constexpr std::array<std::array<std::string_view, 2>, 10> spellings{{{"\xC2\xB5", "u"},
                                                                       {"\xCE\xBC", "u"},
                                                                       {"\xC2\xB0", "deg"},
                                                                       {"\xC2\xB7", ""},
                                                                       {"\xE2\x8B\x85", ""},
                                                                       {"\xE2\x81\xBB\xC2\xB9", "-1"},
                                                                       {"\xC2\xB2", "2"},
                                                                       {"*", ""},
                                                                       {"^", ""},
                                                                       {".", ""}}};
  std::string out;
  while (!text.empty()) {
    bool found = false;
    for (const auto& [from, to] : spellings) {
      if (!text.starts_with(from)) continue;
      out += to;
      text.remove_prefix(from.size());
      found = true;
      break;
    }
    if (found) continue;
    const bool hyphen = text.front() == '-' && !out.empty() && text.size() > 1 &&
                        std::isalpha(static_cast<unsigned char>(text[1])) != 0;  // N-m
    if (text.front() != ' ' && !hyphen) out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

/// Brackets of any style as those of ASCII.
std::string name_with_brackets(std::string_view name) {
  std::string out(name);
  for (const auto& [from, to] :
       {std::pair{"\xEF\xBC\x88", "("}, {"\xEF\xBC\x89", ")"}, {"\xE3\x80\x90", "["}, {"\xE3\x80\x91", "]"}}) {
    for (std::size_t at = out.find(from); at != std::string::npos; at = out.find(from)) out.replace(at, 3, to);
  }
  return out;
}

struct Parts {
  std::string base, unit;
};
/// The name and the text in brackets: a unit anywhere, or unknown text at the end. An index such as q[0] belongs to the name.
std::optional<Parts> units_in_brackets(std::string_view name) {
  std::optional<Parts> last;
  for (const auto& [open, close] : {std::pair{'[', ']'}, {'(', ')'}, {'<', '>'}, {'{', '}'}}) {
    const std::size_t at = name.rfind(open), end = name.find(close, at == std::string_view::npos ? 0 : at);
    if (at == std::string_view::npos || at == 0 || end == std::string_view::npos) continue;
    const std::string_view text = name.substr(at + 1, end - at - 1);
    const bool index = name[at - 1] != ' ' && name[at - 1] != '_' && !text.empty() &&
                       std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (index) continue;
    std::string base(trimmed(name.substr(0, at), " _\t"));
    if (const auto rest = trimmed(name.substr(end + 1)); !rest.empty()) base += " " + std::string(rest);
    Parts parts{std::move(base), std::string(text)};
    if (find_unit(text)) return parts;
    if (end + 1 == name.size()) last = std::move(parts);
  }
  return last;
}

}  // namespace

std::optional<Unit> find_unit(std::string_view text) {
  const std::string name = plain(text);
  if (const auto found = units().find(name); found != units().end()) return found->second;
  if (const auto found = lower_units().find(lower(name)); found != lower_units().end()) return found->second;
  if (name.find('%') != std::string::npos) return Unit{Quantity::ratio, 0.01};  // % of a rated value
  return {};
}

std::string_view si(Quantity quantity) {
  constexpr std::string_view names[]{"", "s", "m", "rad", "m/s", "rad/s", "N", "N m", "Pa", "degC", "A", "V", ""};
  return names[static_cast<std::size_t>(quantity)];
}

Header header_of(const Column& column) {
  const std::string plain_name = name_with_brackets(trimmed(column.name));
  const std::string_view name = plain_name;
  if (!column.unit.empty()) {
    const auto unit = find_unit(column.unit);
    return {std::string(name), column.unit, unit.value_or(Unit{}), unit.has_value()};
  }
  if (const auto parts = units_in_brackets(name)) {
    const auto unit = find_unit(parts->unit);
    return {parts->base, parts->unit, unit.value_or(Unit{}), unit.has_value()};
  }
  const std::size_t last = name.rfind('_'),
                    before = last == 0 || last == std::string_view::npos ? last : name.rfind('_', last - 1);
  for (const std::size_t at : {before, last}) {  // speed_rad_s before speed_s
    if (at == std::string_view::npos || at == 0) continue;
    const std::string_view rest = name.substr(at + 1);
    if (const auto unit = find_unit(rest); unit && rest != "1" && rest != "in")
      return {std::string(name.substr(0, at)), std::string(rest), *unit};
  }
  for (std::size_t at = name.find_first_of("/ ,", 1); at != std::string_view::npos;
       at = name.find_first_of("/ ,", at + 1)) {
    std::string_view rest =
        trimmed(name.substr(at + 1), " \t");  // t/s; the longest unit: v in mm/s, Friction force, MN
    if (rest.starts_with("in ")) rest = trimmed(rest.substr(3), " \t");
    if (const auto unit = find_unit(rest); unit && rest != "1")
      return {std::string(trimmed(name.substr(0, at), " \t,:-")), std::string(rest), *unit};
  }
  return {std::string(name)};
}

}  // namespace bristle::identify
