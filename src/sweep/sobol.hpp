#pragma once
#include <cstddef>
#include <cstdint>

/// Sobol sequences with the direction numbers of S. Joe and F. Y. Kuo, Constructing Sobol sequences with better
/// two-dimensional projections, SIAM J. Sci. Comput. 30 (2008), 2635-2654 (new-joe-kuo-6.21201).
namespace bristle::sweep {

inline constexpr std::size_t sobol_dimensions = 21;
inline constexpr double sobol_whole = 4294967296.0;  // 2^32

/// Coordinate of point i, in Gray-code order, as a multiple of 1/2^32.
std::uint32_t sobol(std::uint64_t i, std::size_t dimension);

}  // namespace bristle::sweep
