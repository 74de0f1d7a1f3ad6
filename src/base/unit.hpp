#pragma once
#include <string>

/// Units of products and ratios; "1" is a pure number.
namespace bristle {

/// In brackets if it has several parts.
inline std::string unit_as_factor(const std::string& unit) {
  return unit.find_first_of(" /^") == std::string::npos ? unit : "(" + unit + ")";
}
inline std::string unit_of_product(const std::string& a, const std::string& b) {
  return a == "1" ? b : b == "1" ? a : a == b ? unit_as_factor(a) + "^2" : a + " " + b;
}
inline std::string unit_of_ratio(const std::string& a, const std::string& b) {
  return a == b ? "1" : b == "1" ? a : a + "/" + unit_as_factor(b);
}

}  // namespace bristle
