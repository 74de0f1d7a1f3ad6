#pragma once
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "bristle/quick.hpp"

/// A vector of W numbers (GCC and Clang vector types): a scalar type for models that never branch on values.
namespace bristle::batch {

template <class T, std::size_t W, class Tag> struct Mask {
  using Int = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  using Raw [[gnu::vector_size(W * sizeof(T))]] = Int;
  Raw m;
  friend Mask both(Mask a, Mask b) { return {a.m & b.m}; }
  friend Mask negated(Mask a) { return {~a.m}; }
};

template <class T, std::size_t W, class Tag> struct Pack {
  using Raw [[gnu::vector_size(W * sizeof(T))]] = T;
  using Test = Mask<T, W, Tag>;
  static constexpr std::size_t width = W;
  Raw x{};

  Pack() = default;
  Pack(Raw raw) : x(raw) {}  // NOLINT(google-explicit-constructor)
  template <class A>
    requires std::is_arithmetic_v<A>
  Pack(A a) : x(Raw{} + static_cast<T>(a)) {}  // NOLINT(google-explicit-constructor)
  explicit Pack(Quick<T, Tag> a) : Pack(a.x) {}
  static Pack load(const T* from) {
    Pack p;
    std::memcpy(&p.x, from, sizeof p.x);
    return p;
  }
  void store(T* to) const { std::memcpy(to, &x, sizeof x); }

  friend Pack operator+(Pack a, Pack b) { return a.x + b.x; }
  friend Pack operator-(Pack a, Pack b) { return a.x - b.x; }
  friend Pack operator*(Pack a, Pack b) { return a.x * b.x; }
  friend Pack operator/(Pack a, Pack b) { return a.x / b.x; }
  friend Pack operator-(Pack a) { return -a.x; }
  friend Test operator<(Pack a, Pack b) { return {a.x < b.x}; }
  friend Test operator>(Pack a, Pack b) { return {a.x > b.x}; }
  friend Pack select(Test c, Pack a, Pack b) { return c.m ? a.x : b.x; }

  /// Pairwise sum: the same order for every instruction set.
  friend T sum_of(Pack a) {
    T part[W];
    a.store(part);
    for (std::size_t half = W / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) part[i] += part[i + half];
    }
    return part[0];
  }
  friend Pack abs(Pack a) { return quick::abs(a.x); }
  friend Pack sgn(Pack a) {
    const Raw one = Raw{} + T(1), none = Raw{};
    return (a.x > none ? one : none) - (a.x < none ? one : none);
  }
  friend Pack smaller(Pack a, Pack b) { return b.x < a.x ? b.x : a.x; }
  friend Pack larger(Pack a, Pack b) { return b.x > a.x ? b.x : a.x; }
  friend Pack sat(Pack a) { return quick::at_least(quick::at_most(a.x, 1), -1); }
  friend Pack exp(Pack a) { return quick::exp(a.x); }
  friend Pack decay(Pack a) { return quick::decay(a.x); }
  friend Pack gone(Pack a) { return quick::gone(a.x); }
  friend Pack pow(Pack a, Pack b) { return quick::pow(a.x, b.x); }
  friend Pack tanh(Pack a) { return quick::tanh(a.x); }
};

}  // namespace bristle::batch
