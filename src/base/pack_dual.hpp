#pragma once
#include "bristle/dual.hpp"
#include "pack.hpp"

namespace bristle {

/// Derivatives in lanes: selects per lane where Dual branches on values.
template <class T, std::size_t W, class Tag, std::size_t N> struct Dual<batch::Pack<T, W, Tag>, N> {
  using B = batch::Pack<T, W, Tag>;
  using Test = typename B::Test;
  B a{};
  std::array<B, N> d{};

  Dual() = default;
  Dual(const B& x) : a(x) {}  // NOLINT(google-explicit-constructor)
  template <class A>
    requires std::is_arithmetic_v<A>
  Dual(A x) : a(x) {}  // NOLINT(google-explicit-constructor)

  friend Dual chain(const Dual& x, const B& f, const B& slope) {
    Dual r(f);
    for (std::size_t i = 0; i < N; ++i) r.d[i] = slope * x.d[i];
    return r;
  }
  friend Dual operator+(const Dual& x, const Dual& y) {
    Dual r(x.a + y.a);
    for (std::size_t i = 0; i < N; ++i) r.d[i] = x.d[i] + y.d[i];
    return r;
  }
  friend Dual operator-(const Dual& x, const Dual& y) {
    Dual r(x.a - y.a);
    for (std::size_t i = 0; i < N; ++i) r.d[i] = x.d[i] - y.d[i];
    return r;
  }
  friend Dual operator-(const Dual& x) { return chain(x, -x.a, B(-1)); }
  friend Dual operator*(const Dual& x, const Dual& y) {
    Dual r(x.a * y.a);
    for (std::size_t i = 0; i < N; ++i) r.d[i] = x.d[i] * y.a + x.a * y.d[i];
    return r;
  }
  friend Dual operator/(const Dual& x, const Dual& y) {
    Dual r(x.a / y.a);
    for (std::size_t i = 0; i < N; ++i) r.d[i] = (x.d[i] - r.a * y.d[i]) / y.a;
    return r;
  }
  friend Test operator<(const Dual& x, const Dual& y) { return x.a < y.a; }
  friend Test operator>(const Dual& x, const Dual& y) { return x.a > y.a; }
  friend Dual select(Test c, const Dual& x, const Dual& y) {
    Dual r(select(c, x.a, y.a));
    for (std::size_t i = 0; i < N; ++i) r.d[i] = select(c, x.d[i], y.d[i]);
    return r;
  }
  friend Dual smaller(const Dual& x, const Dual& y) { return select(y < x, y, x); }
  friend Dual larger(const Dual& x, const Dual& y) { return select(y > x, y, x); }
  friend Dual sat(const Dual& x) { return smaller(larger(x, Dual(-1)), Dual(1)); }
  friend Dual sgn(const Dual& x) { return sgn(x.a); }
  friend Dual abs(const Dual& x) { return chain(x, abs(x.a), select(x.a < B(0), B(-1), B(1))); }
  friend Dual exp(const Dual& x) {
    const B e = exp(x.a);
    return chain(x, e, e);
  }
  friend Dual decay(const Dual& x) {
    const B e = decay(x.a);
    return chain(x, e, -e);
  }
  friend Dual gone(const Dual& x) {
    const B g = gone(x.a);
    return chain(x, g, B(1) - g);
  }
  friend Dual tanh(const Dual& x) {
    const B t = tanh(x.a);
    return chain(x, t, B(1) - t * t);
  }
};

}  // namespace bristle
