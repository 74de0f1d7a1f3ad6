#pragma once
#include <cstdint>

namespace bristle {

/// Counter-based random numbers: a number is a hash (splitmix64) of (seed, stream, i, j), so a seed gives the same
/// population on every machine, in any order and for any number of threads.
namespace detail {
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}
}  // namespace detail

/// Uniform in [0, 1). Streams: 1 to 8 belong to the asperity models.
namespace stream {
// noise: noise of friction effects; bristle: positions of bristles
inline constexpr std::uint64_t noise = 9, bristle = 10;
}  // namespace stream
/// The numbers between 0 and 1 of one i: j gives one of them.
class Uniforms {
 public:
  /// Those of a seed, a stream and an i.
  constexpr Uniforms(std::uint64_t seed, std::uint64_t stream, std::uint64_t i)
      : key_(detail::mix(detail::mix(detail::mix(seed) ^ stream) ^ i)) {}
  /// Number j.
  constexpr double operator()(std::uint64_t j) const {
    return static_cast<double>(detail::mix(key_ ^ j) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t key_;
};
/// A number between 0 and 1 that depends on its four arguments alone.
constexpr double uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t i, std::uint64_t j = 0) {
  return Uniforms(seed, stream, i)(j);
}
static_assert(uniform(1, 1, 0, 0) == 0.7867101553239042 && uniform(1, 7, 0, 3) == 0.17332903084279994);

}  // namespace bristle
