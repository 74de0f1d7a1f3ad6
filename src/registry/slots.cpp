#include "registry/shared/slots.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bristle/registry/view.hpp"

namespace bristle {

std::vector<std::string> names_of(const Slots& slots) {
  std::vector<std::string> out;
  for (const Slot& s : slots) out.push_back(s.name());
  return out;
}
std::vector<double> values_of(const Slots& slots) {
  std::vector<double> out;
  for (const Slot& s : slots) out.push_back(s.value());
  return out;
}

std::string check_count(std::size_t given, std::size_t needed) {
  return given == needed ? "" : fmt::format("{} values are given; it has {}", given, needed);
}

std::string set_values(const Slots& slots, std::span<const double> values) {
  if (std::string wrong = check_count(values.size(), slots.size()); !wrong.empty()) return wrong;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Slot& s = slots[i];
    if (!s.range.contains(values[i]) || (s.whole && values[i] != std::floor(values[i])))
      return fmt::format("{} = {} must be {}{}", s.name(), to_text(values[i]), s.whole ? "a whole number, " : "",
                         describe(s.range, values[i]));
  }
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i].set(slots[i].at, slots[i].index, values[i]);
  return "";
}

}  // namespace bristle
