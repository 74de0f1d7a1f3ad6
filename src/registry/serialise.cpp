/// A contact as text and back. The text is TOML of the plainest kind, one value per line:
///   bristle_contact = 1
///   model = "lugre"
///   friction.Fc = 1
///   effects.offset = 0.3
///   initial.z = 0
///   state = [1.5e-05]
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "bristle/registry/any.hpp"
#include "bristle/registry/sections.hpp"

namespace bristle {
namespace {

constexpr std::string_view magic = "bristle_contact", model_key = "model", state_key = "state", of_model = "friction.",
                           of_initial = "initial.";
constexpr double version = 1;

void write(std::string& out, std::string_view prefix, std::string_view key, const Value& value) {
  if (const auto* a = value.as<std::vector<double>>(); a && a->empty() && key != state_key) return;  // absent
  out.append(prefix).append(key).append(" = ").append(value.text()).append("\n");
}

std::string_view trimmed(std::string_view s) {
  const auto from = s.find_first_not_of(" \t\r"), to = s.find_last_not_of(" \t\r");
  return from == std::string_view::npos ? std::string_view{} : s.substr(from, to - from + 1);
}
std::optional<double> number_in(std::string_view s) {
  s = trimmed(s);
  double x = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), x);
  if (error != std::errc{} || end != s.data() + s.size() || x != x) return std::nullopt;
  return x;
}
std::optional<Value> value_in(std::string_view s) {
  if (s == "true" || s == "false") return Value(s == "true");
  if (s.size() >= 2 && s.front() == '"' && s.back() == '"') {
    const std::string_view word = s.substr(1, s.size() - 2);
    if (word.find_first_of("\"\\") != std::string_view::npos) return std::nullopt;
    return Value(std::string(word));
  }
  if (s.size() < 2 || s.front() != '[' || s.back() != ']') {
    const auto x = number_in(s);
    return x ? std::optional<Value>(*x) : std::nullopt;
  }
  std::vector<double> all;
  s = trimmed(s.substr(1, s.size() - 2));
  while (!s.empty()) {
    const auto comma = s.find(',');
    const auto x = number_in(s.substr(0, comma));
    if (!x) return std::nullopt;
    all.push_back(*x);
    if (comma == std::string_view::npos) break;
    s.remove_prefix(comma + 1);
  }
  return Value(std::move(all));
}

/// The lines of a text, sorted.
struct Text {
  std::optional<Entry> magic_line, model, state;
  Table parameters, effects, initial;
  Problems problems;

  Text(std::string_view text, const std::string& where) {
    for (std::size_t line = 1; !text.empty() && problems.size() < 20; ++line) {
      const auto end = text.find('\n');
      const std::string_view s = trimmed(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (s.empty() || s.front() == '#') continue;
      const std::string at = fmt::format("{}{}{}", where, where.empty() ? "line " : ":", line);
      const auto equals = s.find('=');
      const auto value = equals == std::string_view::npos ? std::nullopt : value_in(trimmed(s.substr(equals + 1)));
      if (!value) {
        problems.push_back({at, fmt::format("'{}' is not of the form key = value", s.substr(0, 60))});
      } else {
        place({std::string(trimmed(s.substr(0, equals))), *value, at});
      }
    }
  }

 private:
  void place(Entry e) {
    auto once = [&](std::optional<Entry>& to) {
      if (to) problems.push_back({e.where, fmt::format("key '{}' is given twice", e.key)});
      to = std::move(e);
    };
    if (e.key == magic) return once(magic_line);
    if (e.key == model_key) return once(model);
    if (e.key == state_key) return once(state);
    if (of_section(e.key)) {
      effects.push_back(std::move(e));
      return;
    }
    for (auto [prefix, table] : {std::pair{of_model, &parameters}, {of_effects, &effects}, {of_initial, &initial}}) {
      if (!e.key.starts_with(prefix)) continue;
      e.key.erase(0, prefix.size());
      table->push_back(std::move(e));
      return;
    }
    problems.push_back(
        {e.where, fmt::format("unknown key '{}'; a contact has model, friction.*, effects.*, negative.*, "
                              "distribution.*, heat.*, initial.*, state",
                              e.key.substr(0, 60))});
  }
};

Made refused(const std::string& where, std::string text) { return {nullptr, {{where, std::move(text)}}, {}}; }

}  // namespace

std::string serialise(const AnyContact& contact) {
  std::string out;
  write(out, "", magic, version);
  write(out, "", model_key, std::string(contact.model()));
  for (const Entry& e : contact.settings()) {
    const bool plain = !e.key.starts_with(of_effects) && !of_section(e.key);
    write(out, plain ? of_model : "", e.key, e.value);
  }
  for (const Entry& e : contact.initial()) write(out, of_initial, e.key, e.value);
  write(out, "", state_key, contact.state());
  return out;
}

Made deserialise(std::string_view text, const std::string& where) {
  const Text in(text, where);
  if (!in.magic_line) return refused(where, "not a contact: the line 'bristle_contact = 1' is missing");
  if (in.magic_line->value != Value(version))
    return refused(in.magic_line->where, fmt::format("bristle_contact = {} is of another version; this one reads 1",
                                                     in.magic_line->value.text()));
  if (!in.problems.empty()) return {nullptr, in.problems, {}};
  const std::string* model = in.model ? in.model->value.as<std::string>() : nullptr;
  if (!model) return refused(where, "a contact needs the line model = \"NAME\"");
  Made made = make(*model, in.parameters, in.effects, in.initial, where);
  if (!made.contact) return made;
  const auto* state = in.state ? in.state->value.as<std::vector<double>>() : nullptr;
  if (!state) return refused(where, "a contact needs the line state = [numbers]");
  try {
    made.contact->set_state(*state);
  } catch (const BadInput& e) { return refused(in.state->where, e.what()); }
  return made;
}

}  // namespace bristle
