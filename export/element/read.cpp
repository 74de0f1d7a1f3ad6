#include "read.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace bristle::element {
namespace {

std::string_view trimmed(std::string_view s) {
  const auto from = s.find_first_not_of(" \t\r\n"), to = s.find_last_not_of(" \t\r\n");
  return from == std::string_view::npos ? std::string_view{} : s.substr(from, to - from + 1);
}

/// Numbers between brackets, commas or blanks; false if anything else is among them.
bool numbers(std::string_view s, std::vector<double>& out) {
  s = trimmed(s);
  if (s.size() >= 2 && s.front() == '[' && s.back() == ']') s = s.substr(1, s.size() - 2);
  while (!(s = trimmed(s)).empty()) {
    const auto end = std::min(s.find_first_of(", \t"), s.size());
    double x = 0;
    if (!parse(s.substr(0, end), x)) return false;
    out.push_back(x);
    s.remove_prefix(end);
    if (!(s = trimmed(s)).empty() && s.front() == ',') s.remove_prefix(1);
  }
  return true;
}

std::string_view unquoted(std::string_view s) {
  return s.size() >= 2 && s.front() == '"' && s.back() == '"' ? s.substr(1, s.size() - 2) : s;
}

/// Gives the parameters of one name their value; "" or what is wrong with it.
std::string give(const std::vector<Parameter>& all, std::string_view field, const std::string& name,
                 std::string_view value) {
  std::vector<const Parameter*> named;
  for (const Parameter& p : all) {
    if (field == p.slot.field) named.push_back(&p);
  }
  const Parameter& first = *named.front();
  if (!first.choices.empty()) {
    for (std::size_t i = 0; i < first.choices.size(); ++i) {
      if (unquoted(value) == first.choices[i]) {
        first.slot.set(first.slot.at, 0, static_cast<double>(i));
        return "";
      }
    }
    std::string accepted;
    for (const char* c : first.choices) accepted += (accepted.empty() ? "" : ", ") + std::string(c);
    return name + " = " + std::string(value) + " must be one of " + accepted;
  }
  if (value == "true" || value == "false") value = value == "true" ? "1" : "0";
  std::vector<double> x;
  if (!numbers(value, x) || x.size() != named.size())
    return name + " = " + std::string(value) + " must be " + (first.length > 0 ? "numbers" : "a number");
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Slot& s = named[i]->slot;
    if (std::string wrong = complaint(name, s.unit, s.range, s.whole, x[i]); !wrong.empty()) return wrong;
    s.set(s.at, s.index, x[i]);
  }
  return "";
}

bool has(const std::vector<Parameter>& all, std::string_view field) {
  return std::any_of(all.begin(), all.end(), [&](const Parameter& p) { return field == p.slot.field; });
}

}  // namespace

bool parse(std::string_view s, double& x) {
  s = trimmed(s);
  if (!s.empty() && s.front() == '+') s.remove_prefix(1);
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), x);
  return error == std::errc{} && end == s.data() + s.size() && x == x;
}

std::string text_of(double x) {
  char out[32];
  return {out, std::to_chars(out, out + sizeof out, x).ptr};
}

std::string complaint(const std::string& name, const char* unit, const Range& range, bool whole, double x) {
  if (range.contains(x) && !(whole && x != std::floor(x))) return "";
  const std::string of_unit = std::string_view(unit) == "1" ? "" : std::string(" ") + unit;
  const std::string must =
      whole && range.contains(x) ? "a whole number" : "from " + text_of(range.lo) + " to " + text_of(range.hi);
  return name + " = " + text_of(x) + of_unit + " must be " + must;
}

std::string split(std::string_view text, const char* what, Keys& out) {
  int line = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view one = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line;
    if (one.empty() || one.front() == '#') continue;
    const auto equal = one.find('=');
    const std::string where = std::string(what) + ":" + std::to_string(line) + ": ";
    if (equal == std::string_view::npos) return where + "'key = value' is required";
    std::string key(trimmed(one.substr(0, equal)));
    for (const auto& [old, value] : out) {
      if (old == key) return where + "key '" + key + "' is given twice";
    }
    out.emplace_back(std::move(key), trimmed(one.substr(equal + 1)));
  }
  return "";
}

Made build(std::string_view model, const Keys& keys) {
  Made out;
  auto wrong = [&](std::string text) {
    Made refused;
    refused.error = std::move(text);
    return refused;
  };
  out.element = make(model);
  if (!out.element) {
    std::string all;
    for (const char* n : names())
      if (!make(n)->random()) all += (all.empty() ? "" : ", ") + std::string(n);
    return wrong("unknown model '" + std::string(model) + "'; accepted: " + all);
  }
  Element& e = *out.element;
  const std::string owner = std::string(model) + ": ";
  // Lengths first, so that every number has its place.
  for (const auto& [key, value] : keys) {
    if (key.starts_with("initial.") || key.starts_with("negative.")) continue;
    if (!e.is_array(key)) continue;
    std::vector<double> x;
    if (!numbers(value, x) || x.empty() || !e.resize(key, x.size()))
      return wrong(owner + key + " = " + value + " must be a list of 1 to 64 numbers (32 for effects)");
  }
  std::vector<std::string> given;
  for (const auto& [key, value] : keys) {
    const bool effect = key.starts_with("effects.");
    if (key.starts_with("initial.") || key.starts_with("negative.")) continue;
    const std::string field = effect ? key.substr(8) : key;
    const auto all = effect ? e.effects() : e.parameters();
    if (const char* other = effect ? nullptr : e.replaced_by(field))
      return wrong(owner + field + " and " + other + " are both given; one is accepted");
    if (!has(all, field)) {
      std::string accepted;
      for (const Parameter& p : all) {
        if (p.slot.index <= 1) accepted += (accepted.empty() ? "" : ", ") + std::string(p.slot.field);
      }
      return wrong(owner + "unknown parameter '" + key + "'; accepted: " + accepted);
    }
    if (std::string text = give(all, field, key, value); !text.empty()) return wrong(owner + text);
    if (!effect) given.push_back(field);
  }
  for (const Parameter& p : e.parameters()) {
    if (!p.optional && std::find(given.begin(), given.end(), p.slot.field) == given.end())
      return wrong(owner + "missing parameter '" + p.slot.field + "'; required: " + p.text + " in " + p.slot.unit);
  }
  e.complete(given);
  for (const auto& [key, value] : keys) {
    if (!key.starts_with("negative.")) continue;
    const std::string field = key.substr(9);
    std::vector<double> x;
    if (e.is_array(key) && (!numbers(value, x) || x.empty() || !e.resize(key, x.size())))
      return wrong(owner + key + " = " + value + " must be a list of 1 to 64 numbers");
    if (!has(e.negative(), field)) return wrong(owner + "unknown parameter '" + key + "'");
    if (std::string text = give(e.negative(), field, key, value); !text.empty()) return wrong(owner + text);
    out.negative.push_back(field);
  }
  if (std::string text = e.broken(); !text.empty()) return wrong(owner + text);
  e.rest();
  const Slots state = e.state();
  for (const auto& [key, value] : keys) {
    if (!key.starts_with("initial.")) continue;
    const std::string field = key.substr(8);
    std::vector<const Slot*> named;
    for (const Slot& s : state) {
      if (field == s.field) named.push_back(&s);
    }
    std::vector<double> x;
    if (named.empty() || !numbers(value, x) || x.size() != named.size())
      return wrong(owner + key + " = " + value + " is not a state of it");
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!std::isfinite(x[i])) return wrong(owner + key + " = " + value + " must be finite");
      out.initial.emplace_back(named[i]->name(), x[i]);
    }
  }
  if (e.steps_only())
    return wrong(owner + "has no state equation and cannot be exported; another lumped model is accepted");
  if (e.random()) return wrong(owner + "draws random numbers from a seed; a law without them is required");
  for (const Parameter& p : e.effects()) {
    if (std::string_view(p.slot.field) == "noise" && p.slot.value() != 0)
      return wrong(owner + "noise is random; noise = 0 is required");
  }
  return out;
}

Made read(std::string_view canonical) {
  Keys all, keys;
  std::string error = split(canonical, "friction.txt", all), model;
  bool known = false;
  for (auto& [key, value] : all) {
    if (key == "bristle_contact") {
      known = value == "1";
    } else if (key == "model") {
      model = unquoted(value);
    } else if (key.starts_with("friction.")) {
      keys.emplace_back(key.substr(9), value);
    } else if (key.starts_with("effects.") || key.starts_with("negative.") || key.starts_with("initial.")) {
      keys.emplace_back(key, value);
    } else if (key != "state" && error.empty()) {
      error = "friction.txt: unknown key '" + key + "'";
    }
  }
  if (error.empty() && !known) error = "friction.txt: the line 'bristle_contact = 1' is required";
  if (!error.empty()) {
    Made refused;
    refused.error = std::move(error);
    return refused;
  }
  return build(model, keys);
}

}  // namespace bristle::element
