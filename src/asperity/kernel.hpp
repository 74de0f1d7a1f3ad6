#pragma once
#include <cstddef>
#include <cstdint>

#include "asperity/shared/move.hpp"

/// The hot loop of an asperity population, once per instruction set.
namespace bristle::asperity {

/// The arrays of a leaf; n is a multiple of the longest vector, padded with asperities without stiffness.
struct Lanes {
  double* p;
  const double *kt, *c, *g, *low, *high;
  std::size_t n;
};

struct Sums {
  double F{}, W{}, E{}, slip{};  // kt xi, work of slip, elastic energy, number in slip
};

/// Moves all asperities that meet no edge, and with `energies` those that do not begin to slip; writes the indices of
/// the others to `hits` and returns their number.
using Sweep = std::size_t (*)(const Lanes&, const Move&, Sums&, std::uint16_t* hits);
struct Kernel {
  const char* name;
  Sweep sweep[2][2][2];  // [logarithmic][backward][energies]
};
inline constexpr std::size_t widest = 8;

const Kernel& kernel_baseline();
const Kernel& kernel_avx2();
const Kernel& kernel_avx512();

}  // namespace bristle::asperity
