#include "bristle/trace.hpp"
#include "trace/number.hpp"

namespace bristle {

std::pair<std::string_view, std::string_view> terms_of(std::string_view name) {
  const std::size_t minus = name.find(" - ");  // without blanks it may be part of a name
  if (minus == std::string_view::npos) return {name, {}};
  return {trimmed(name.substr(0, minus)), trimmed(name.substr(minus + 3))};
}

std::optional<Column> column_of(const Trace& trace, std::string_view name) {
  const auto [first, second] = terms_of(name);
  const Column *a = trace.find(first), *b = second.empty() ? nullptr : trace.find(second);
  if (!a || (!b && !second.empty())) return {};
  Column out = *a;
  out.name = name;
  for (std::size_t i = 0; b && i < out.values.size(); ++i) out.values[i] -= b->values[i];
  return out;
}

}  // namespace bristle
