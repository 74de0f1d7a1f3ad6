#pragma once
#include <array>
#include <utility>

#include "base/lane.hpp"
#include "chain_step.hpp"

/// How the blocks of a chain act on each other: what they are short of their neighbours, and the tridiagonal matrix that is
/// left of a step when everything but the velocities has been eliminated.
namespace bristle::kernel {
namespace {  // NOLINT(google-build-namespaces, cert-dcl59-cpp): each instruction set has its own

template <std::size_t... l> [[gnu::always_inline]] inline Lane from_left(Lane a, std::index_sequence<l...>) {
  return __builtin_shufflevector(a.x, a.x, 0, static_cast<int>(l)...);
}
template <std::size_t... l> [[gnu::always_inline]] inline Lane from_right(Lane a, std::index_sequence<l...>) {
  return __builtin_shufflevector(a.x, a.x, static_cast<int>(l + 1)..., 0);
}

/// Differences to the neighbours of a block, where it has some.
struct Gaps {
  Lane left, right;
  /// All blocks of the chain.
  [[gnu::always_inline]] Gaps(const ChainStep& s, const Lane& own) {
    const std::make_index_sequence<width - 1> but_one{};
    left = Lane::load(s.has_left) * (from_left(own, but_one) - own);
    right = Lane::load(s.has_right) * (from_right(own, but_one) - own);
  }
  /// Those from `at`.
  [[gnu::always_inline]] Gaps(const ChainStep& s, const double* linked, std::size_t at) {
    const Lane own = Lane::load(linked + at + 1);
    left = Lane::load(s.has_left + at) * (Lane::load(linked + at) - own);
    right = Lane::load(s.has_right + at) * (Lane::load(linked + at + 2) - own);
  }
  [[gnu::always_inline]] Lane pull() const { return left + right; }
};

/// Smallest pivot and damping of some blocks.
struct Least {
  Lane pivot{inf}, damping{inf};
};

/// Of the velocities. Its diagonal is in s.pivot before it is factored, next to it stands -link.
struct Tridiagonal {
  double link;
  [[gnu::always_inline]] Tridiagonal(const ChainStep& s, double gamma)
      : link((s.coupling * gamma * s.h + s.coupling_damping) / s.mass) {}
  [[gnu::always_inline]] void factor(ChainStep& s, double diagonal, const Least& least) const {
    bool fits = true;
    double before = 0;
    for (std::size_t b = 0; b < s.blocks; ++b) {
      s.lower[b] = link * before;
      const double left = s.pivot[b] - link * before * link;
      fits = fits && left > 0.5 * diagonal;
      s.pivot[b] = before = 1 / left;
    }
    s.restless = false;
    for (std::size_t l = 0; l < width; ++l) {
      fits = fits && least.pivot.x[l] > 0.5 * diagonal;
      s.restless = s.restless || least.damping.x[l] < 0;
    }
    s.fits = fits;
  }
  [[gnu::always_inline]] void solve(const ChainStep& s, const double* right, double* u) const {
    const double *pivot = s.pivot, *lower = s.lower;
    double last = 0;
    for (std::size_t b = 0; b < s.blocks; ++b) u[b] = last = right[b] + lower[b] * last;
    last = 0;
    for (std::size_t b = s.blocks; b-- > 0;) u[b] = last = (u[b] + link * last) * pivot[b];
  }
  /// Of a chain that fits in one vector.
  [[gnu::always_inline]] std::array<Lane, width> inverse(const ChainStep& s) const {
    std::array<Lane, width> a;
    Lane last(0);
    for (std::size_t b = 0; b < width; ++b) {  // all right sides at once, one per lane
      std::array<double, width> unit{};
      unit[b] = b < s.blocks ? 1 : 0;
      a[b] = last = Lane::load(unit.data()) + Lane(s.lower[b]) * last;
    }
    last = Lane(0);
    for (std::size_t b = width; b-- > 0;) a[b] = last = (a[b] + Lane(link) * last) * Lane(s.pivot[b]);
    return a;
  }
};

}  // namespace
}  // namespace bristle::kernel
