#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "bristle/trace.hpp"

/// Units in the headers of measurements and their conversion to SI.
namespace bristle::identify {

enum class Quantity {
  unknown,
  time,
  length,
  angle,
  speed,
  angular_speed,
  force,
  torque,
  stress,
  temperature,
  current,
  voltage,
  ratio
};

struct Unit {
  Quantity quantity = Quantity::unknown;
  double factor = 1, offset = 0;  // SI (or degC) = factor x + offset
};
/// "mm/s", "mmps", "mm_s", "rpm", "N m", "Nmm", "deg", "°C"...
std::optional<Unit> find_unit(std::string_view text);

/// The SI unit of a quantity: "m/s", "N m".
std::string_view si(Quantity quantity);
inline bool rotational(Quantity q) {
  return q == Quantity::angle || q == Quantity::angular_speed || q == Quantity::torque;
}
inline bool linear(Quantity q) { return q == Quantity::length || q == Quantity::speed || q == Quantity::force; }

/// Name and unit of a column: "x_mm", "speed [rpm]", "Torque (Nm)", "t/s".
struct Header {
  std::string base{};       // without the unit
  std::string unit_text{};  // as written, empty: none
  Unit unit{};
  bool unit_known = true;  // false: unknown text in the place of a unit
};
Header header_of(const Column& column);

}  // namespace bristle::identify
