#pragma once
#include "base/pack_dual.hpp"
#include "bristle/quick.hpp"
#include "bristle/stribeck.hpp"
#include "decay_table.hpp"

/// Vectors of numbers of the instruction set of the compilation, with the default options alone.
namespace bristle::kernel {
namespace {  // NOLINT(google-build-namespaces, cert-dcl59-cpp): each instruction set has its own

struct BRISTLE_ISA {};
constexpr std::size_t width = BRISTLE_BYTES / sizeof(double);
using Lane = batch::Pack<double, width, BRISTLE_ISA>;
using Number = Quick<double, BRISTLE_ISA>;

}  // namespace
}  // namespace bristle::kernel

namespace bristle {
template <> inline constexpr CurveOptions curve_options<kernel::Lane> = CurveOptions::usual;
template <std::size_t N> inline constexpr CurveOptions curve_options<Dual<kernel::Lane, N>> = CurveOptions::usual;
template <std::size_t N>
[[gnu::always_inline]] inline Dual<kernel::Lane, N> bell(const Dual<kernel::Lane, N>& base,
                                                         const Dual<kernel::Lane, N>& height,
                                                         const Dual<kernel::Lane, N>& u) {
  return constant_bell(base, height, u);
}
}  // namespace bristle
