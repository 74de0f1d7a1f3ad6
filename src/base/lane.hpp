#pragma once
#include "base/pack_dual.hpp"
#include "bristle/quick.hpp"
#include "decay_table.hpp"
#include "simulate/slider.hpp"

/// A vector of numbers of the instruction set of the compilation.
namespace bristle::slider {
namespace {  // NOLINT(google-build-namespaces, cert-dcl59-cpp): each instruction set has its own

struct BRISTLE_ISA {};
constexpr std::size_t width = BRISTLE_BYTES / sizeof(double);
using Lane = batch::Pack<double, width, BRISTLE_ISA>;
using Number = Quick<double, BRISTLE_ISA>;

}  // namespace
}  // namespace bristle::slider

namespace bristle {
template <> inline constexpr Options options<slider::Lane> = Options::usual;
template <std::size_t N> inline constexpr Options options<Dual<slider::Lane, N>> = Options::usual;
template <std::size_t N>
[[gnu::always_inline]] inline Dual<slider::Lane, N> bell(const Dual<slider::Lane, N>& base,
                                                         const Dual<slider::Lane, N>& height,
                                                         const Dual<slider::Lane, N>& u) {
  return slider::constant_bell(base, height, u);
}
}  // namespace bristle
