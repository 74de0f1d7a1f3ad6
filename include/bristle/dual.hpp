#pragma once
#include <array>
#include <compare>
#include <cstddef>
#include <type_traits>

#include "scalar.hpp"

namespace bristle {

/// A value with N derivatives (forward-mode automatic differentiation). B may itself be a Dual.
/// Comparisons use the value alone, so a program takes the same branches as with plain numbers.
template <class B, std::size_t N = 1> struct Dual {
  B a{};                 // value
  std::array<B, N> d{};  // derivatives

  constexpr Dual() = default;
  /// A constant: its derivatives are 0.
  constexpr Dual(const B& x) : a(x) {}  // NOLINT(google-explicit-constructor): a plain number is a constant
  /// A constant: its derivatives are 0.
  template <class A>
    requires(std::is_arithmetic_v<A> && !std::is_same_v<A, B>)
  constexpr Dual(A x) : a(static_cast<B>(x)) {}  // NOLINT(google-explicit-constructor)
  /// The i-th independent variable.
  static constexpr Dual variable(const B& x, std::size_t i = 0) {
    Dual r(x);
    r.d[i] = B(1);
    return r;
  }

  /// f(x) with f'(x) known: the chain rule.
  friend constexpr Dual chain(const Dual& x, const B& f, const B& slope) {
    Dual r(f);
    for (std::size_t i = 0; i < N; ++i) r.d[i] = slope * x.d[i];
    return r;
  }
  friend constexpr Dual operator+(const Dual& x, const Dual& y) {
    Dual r(x.a + y.a);
    for (std::size_t i = 0; i < N; ++i) r.d[i] = x.d[i] + y.d[i];
    return r;
  }
  friend constexpr Dual operator-(const Dual& x, const Dual& y) {
    Dual r(x.a - y.a);
    for (std::size_t i = 0; i < N; ++i) r.d[i] = x.d[i] - y.d[i];
    return r;
  }
  friend constexpr Dual operator-(const Dual& x) { return chain(x, -x.a, B(-1)); }
  friend constexpr Dual operator+(const Dual& x) { return x; }
  friend constexpr Dual operator*(const Dual& x, const Dual& y) {
    Dual r(x.a * y.a);
    for (std::size_t i = 0; i < N; ++i) r.d[i] = x.d[i] * y.a + x.a * y.d[i];
    return r;
  }
  friend constexpr Dual operator/(const Dual& x, const Dual& y) {
    Dual r(x.a / y.a);
    for (std::size_t i = 0; i < N; ++i) r.d[i] = (x.d[i] - r.a * y.d[i]) / y.a;
    return r;
  }
  /// Adds y.
  constexpr Dual& operator+=(const Dual& y) { return *this = *this + y; }
  /// Subtracts y.
  constexpr Dual& operator-=(const Dual& y) { return *this = *this - y; }
  /// Multiplies by y.
  constexpr Dual& operator*=(const Dual& y) { return *this = *this * y; }
  /// Divides by y.
  constexpr Dual& operator/=(const Dual& y) { return *this = *this / y; }
  friend constexpr std::partial_ordering operator<=>(const Dual& x, const Dual& y) { return x.a <=> y.a; }
  friend constexpr bool operator==(const Dual& x, const Dual& y) { return x.a == y.a; }

  friend constexpr auto real_part(const Dual& x) {
    using bristle::real_part;
    return real_part(x.a);
  }
  friend constexpr bool is_constant(const Dual& x) {
    for (const B& e : x.d) {
      if (!(e == B(0))) return false;
    }
    return true;
  }
  friend constexpr Dual abs(const Dual& x) { return x.a < B(0) ? -x : x; }
  friend constexpr Dual exp(const Dual& x) {
    using std::exp;
    const B e = exp(x.a);
    return chain(x, e, e);
  }
  friend constexpr Dual expm1(const Dual& x) {
    using std::expm1;
    const B e = expm1(x.a);
    return chain(x, e, e + B(1));
  }
  friend constexpr Dual log(const Dual& x) {
    using std::log;
    return chain(x, log(x.a), B(1) / x.a);
  }
  friend constexpr Dual log1p(const Dual& x) {
    using std::log1p;
    return chain(x, log1p(x.a), B(1) / (B(1) + x.a));
  }
  friend constexpr Dual sqrt(const Dual& x) {
    using std::sqrt;
    const B r = sqrt(x.a);
    return chain(x, r, B(0.5) / r);
  }
  friend constexpr Dual sin(const Dual& x) {
    using std::cos;
    using std::sin;
    return chain(x, sin(x.a), cos(x.a));
  }
  friend constexpr Dual cos(const Dual& x) {
    using std::cos;
    using std::sin;
    return chain(x, cos(x.a), -sin(x.a));
  }
  friend constexpr Dual tan(const Dual& x) {
    using std::tan;
    const B t = tan(x.a);
    return chain(x, t, B(1) + t * t);
  }
  friend constexpr Dual atan(const Dual& x) {
    using std::atan;
    return chain(x, atan(x.a), B(1) / (B(1) + x.a * x.a));
  }
  friend constexpr Dual tanh(const Dual& x) {
    using std::tanh;
    const B t = tanh(x.a);
    return chain(x, t, B(1) - t * t);
  }
  friend constexpr Dual asin(const Dual& x) {
    using std::asin;
    using std::sqrt;
    return chain(x, asin(x.a), B(1) / sqrt(B(1) - x.a * x.a));
  }
  friend constexpr Dual asinh(const Dual& x) {
    using std::asinh;
    using std::sqrt;
    return chain(x, asinh(x.a), B(1) / sqrt(B(1) + x.a * x.a));
  }
  /// x >= 0. At x = 0 a constant base or exponent contributes 0, not 0 * inf.
  friend constexpr Dual pow(const Dual& x, const Dual& y) {
    using std::log;
    using std::pow;
    Dual r(pow(x.a, y.a));
    const B by_base = y.a == B(0) ? B(0) : y.a * pow(x.a, y.a - B(1));
    const B by_exponent = x.a > B(0) ? r.a * log(x.a) : B(0);
    for (std::size_t i = 0; i < N; ++i) {
      if (!(x.d[i] == B(0))) r.d[i] = r.d[i] + by_base * x.d[i];
      if (!(y.d[i] == B(0))) r.d[i] = r.d[i] + by_exponent * y.d[i];
    }
    return r;
  }
};

/// Rounding error of the plain number.
template <class B, std::size_t N> inline constexpr double epsilon<Dual<B, N>> = epsilon<B>;

}  // namespace bristle
