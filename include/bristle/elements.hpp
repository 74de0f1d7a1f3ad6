#pragma once
#include <cstddef>
#include <cstdint>

#include "scalar.hpp"

/// Which elements of a Maxwell-slip contact slip, and the direction of motion they were told.
namespace bristle {

struct Elements {
  std::uint64_t slipping{};  // one bit per element
  int dir{};                 // side of v: 0 at rest
  constexpr bool slips(std::size_t i) const { return (slipping >> i & 1u) != 0; }
  constexpr void release(std::size_t i) { slipping |= std::uint64_t{1} << i; }
  /// Every element sticks when v = 0 or changes sign.
  template <class T> constexpr void turn(const T& v) {
    if (side(v) != dir) *this = {0, side(v)};
  }
};

}  // namespace bristle
