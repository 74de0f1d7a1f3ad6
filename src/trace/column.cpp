#include "base/number.hpp"
#include "base/unit.hpp"
#include "bristle/trace.hpp"

namespace bristle {
namespace {

/// Position of " - ", " * " or " / "; without blanks the sign may be part of a name.
std::size_t sign_in(std::string_view name) {
  for (std::size_t i = 1; i + 1 < name.size(); ++i) {
    const bool sign = name[i] == '-' || name[i] == '*' || name[i] == '/';
    if (sign && name[i - 1] == ' ' && name[i + 1] == ' ') return i;
  }
  return std::string_view::npos;
}

}  // namespace

std::pair<std::string_view, std::string_view> terms_of(std::string_view name) {
  const std::size_t at = sign_in(name);
  if (at == std::string_view::npos) return {name, {}};
  return {trimmed(name.substr(0, at)), trimmed(name.substr(at + 1))};
}

std::optional<Column> column_of(const Trace& trace, std::string_view name) {
  const auto [first, second] = terms_of(name);
  const Column *a = trace.find(first), *b = second.empty() ? nullptr : trace.find(second);
  if (!a || (!b && !second.empty())) return {};
  Column out = *a;
  out.name = name;
  if (!b) return out;
  const char sign = name[sign_in(name)];
  if (sign != '-') out.unit = sign == '*' ? unit_of_product(a->unit, b->unit) : unit_of_ratio(a->unit, b->unit);
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    double& x = out.values[i];
    const double y = b->values[i];
    x = sign == '-' ? x - y : sign == '*' ? x * y : x / y;
  }
  return out;
}

}  // namespace bristle
