#pragma once
#include <string_view>

namespace bristle::papers {

/// Of a column: not one of the words for a table.
inline bool is_function(std::string_view value) {
  return value != "label" && value != "cpu_ms" && value != "steps" && value != "balance" &&
         !value.starts_with("printed.");
}

}  // namespace bristle::papers
