#pragma once
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

/// Small functions over any scalar of the library: float, double, long double, Dual.
namespace bristle {

inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double two_pi = 6.283185307179586;

/// The plain number behind a scalar. Dual adds its own overload.
template <std::floating_point T> constexpr T real_part(T x) { return x; }

/// The value without derivatives. Dual adds its own overload.
template <std::floating_point T> constexpr bool is_constant(T) { return true; }

/// From one scalar type to another; towards plain numbers derivatives are dropped.
template <class To, class From> constexpr To scalar_cast(const From& x) {
  if constexpr (std::is_floating_point_v<To> && !std::is_arithmetic_v<From>) {
    return static_cast<To>(real_part(x));
  } else {
    return static_cast<To>(x);
  }
}

/// Rounding unit of a scalar. Dual specialises it.
template <class T> inline constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

template <class T> constexpr T sgn(const T& v) { return T(v > T(0)) - T(v < T(0)); }
template <class T> constexpr int side(const T& v) { return int(v > T(0)) - int(v < T(0)); }
template <class T> constexpr T smaller(const T& a, const T& b) { return b < a ? b : a; }  // NaN in a passes
template <class T> constexpr T larger(const T& a, const T& b) { return b > a ? b : a; }
template <class T> constexpr T sat(const T& x) { return x > T(1) ? T(1) : x < T(-1) ? T(-1) : x; }
template <class T> constexpr T clamped(const T& x, const T& limit) {
  return x > limit ? limit : x < -limit ? -limit : x;
}

/// Choices without branches, for code that also runs in vector lanes (there, the condition is a mask).
template <class T> constexpr T select(bool c, const T& a, const T& b) { return c ? a : b; }
constexpr bool both(bool a, bool b) { return a && b; }
constexpr bool negated(bool a) { return !a; }

/// exp(-x) for x >= 0. Beyond 800 it is 0 in every scalar type, and so is its derivative (not 0 * inf).
template <class T> constexpr T decay(const T& x) {
  using std::exp;
  return exp(-smaller(x, T(800)));
}

/// base + height exp(-u^2).
template <class T> constexpr T bell(const T& base, const T& height, const T& u) { return base + height * decay(u * u); }

/// 1 - exp(-x) for x >= 0, accurate for tiny x.
template <class T> constexpr T gone(const T& x) {
  using std::expm1;
  return -expm1(-smaller(x, T(800)));
}

/// x towards its goal by the fraction 1 - exp(-q): the constant-velocity update of every bristle.
template <class T> constexpr T relax(const T& x, const T& goal, const T& q) { return x + (goal - x) * gone(q); }

/// log(1 + x)/x, smooth through x = 0 also for its derivative.
template <class T> constexpr T log1p_over(const T& x) {
  using std::abs;
  using std::log1p;
  if (!(abs(x) < T(0.01))) return log1p(x) / x;
  T sum(0);
  for (int k = 9; k >= 1; --k) sum = T(1) / T(k) - x * sum;  // 1 - x/2 + x^2/3 - ..., next term below 1e-19
  return sum;
}

}  // namespace bristle
