#pragma once
#include <cstddef>
#include <cstdint>

#include "field.hpp"

/// Slipping elements of a Maxwell-slip contact, and the last direction of motion.
namespace bristle {

/// Which elements slip, one bit each.
struct Elements {
  std::uint64_t slipping{};  // one bit per element
  int dir{};                 // side of v: 0 at rest
  static constexpr auto fields() {
    return Fields{Field{&Elements::slipping, "slips", "1", "1 where an element slips", Range{0, 1}},
                  Field{&Elements::dir, "dir", "1", "side of the motion", sides}};
  }
  /// Whether element i slips.
  constexpr bool slips(std::size_t i) const { return (slipping >> i & 1u) != 0; }
  /// Lets element i slip.
  constexpr void release(std::size_t i) { slipping |= std::uint64_t{1} << i; }
  /// Every element sticks when v = 0 or changes sign.
  template <class T> constexpr void turn(const T& v) {
    if (side(v) != dir) *this = {0, side(v)};
  }
  /// Force of element i after a travel; it slips from where it reaches W on.
  template <class T> constexpr T moved(std::size_t i, const T& f, const T& k, const T& W, const T& travel) {
    const T elastic = f + k * travel;
    if (!(T(dir) * elastic >= W)) return elastic;
    release(i);
    return T(dir) * W;
  }
};

}  // namespace bristle
