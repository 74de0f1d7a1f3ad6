#pragma once
#include "bristle/dual.hpp"
#include "bristle/quick.hpp"
#include "bristle/stribeck.hpp"
#include "bristle/vec.hpp"

/// The scalar of contacts on the device: the elementary functions of the batches on the processor, and as many elements of
/// an array as there are (0: the largest number; their arrays then lie in slow memory).
namespace bristle::gpu {

template <CurveOptions O, std::size_t elements> struct OnDevice {};
template <class T, CurveOptions O, std::size_t elements = 0> using Number = Quick<T, OnDevice<O, elements>>;

}  // namespace bristle::gpu

namespace bristle {

template <class T, CurveOptions O, std::size_t N> inline constexpr CurveOptions curve_options<gpu::Number<T, O, N>> = O;
template <class T, CurveOptions O, std::size_t N, std::size_t slopes>
inline constexpr CurveOptions curve_options<Dual<gpu::Number<T, O, N>, slopes>> = O;

/// An array of N elements, or of none: with both known to the compiler it stays in registers.
template <class T, CurveOptions O, std::size_t N>
  requires(N > 0)
struct Vec<Quick<T, gpu::OnDevice<O, N>>, 64> {
  using Element = Quick<T, gpu::OnDevice<O, N>>;
  static constexpr std::size_t capacity = N;
  struct Count {
    bool any = false;
    constexpr operator std::size_t() const { return any ? N : 0; }  // NOLINT(google-explicit-constructor)
    constexpr Count& operator=(std::size_t n) {
      any = n > 0;
      return *this;
    }
  };
  std::array<Element, N> a{};
  Count n{};

  constexpr Vec() = default;
  constexpr Vec(std::initializer_list<Element>) {}  // typical values of a model; replaced before use
  static constexpr Vec zeros(std::size_t count) {
    Vec v;
    v.n = count;
    return v;
  }
  constexpr std::size_t size() const { return n; }
  constexpr Element* begin() { return a.data(); }
  constexpr Element* end() { return a.data() + std::size_t{n}; }
  constexpr const Element* begin() const { return a.data(); }
  constexpr const Element* end() const { return a.data() + std::size_t{n}; }
  constexpr Element& operator[](std::size_t i) { return a[i]; }
  constexpr const Element& operator[](std::size_t i) const { return a[i]; }
};

}  // namespace bristle
