#pragma once
#include <algorithm>
#include <array>
#include <string_view>

namespace bristle::gallery {

/// Values of table columns besides functions of the run and printed.KEY.
constexpr std::array<std::string_view, 4> table_words{"label", "cpu_ms", "steps", "balance"};
constexpr const char* table_values = "label, cpu_ms, steps, balance, printed.KEY or a function such as max(F)";

inline bool is_known(std::string_view value) {
  return std::find(table_words.begin(), table_words.end(), value) != table_words.end();
}
/// Whether a value is a function as in [expect].
inline bool is_function(std::string_view value) { return value.find('(') != std::string_view::npos; }

}  // namespace bristle::gallery
