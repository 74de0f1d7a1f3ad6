#pragma once
#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "scalar.hpp"

/// Elementary functions without branches, calls or tables, so that a plain loop over them becomes vector code (requires
/// -fno-trapping-math, no fast-math). Accuracy, tested over the whole range:
///   exp         2 ulp; stays between 3e-308 and 1.8e308 (float: 4e-38 and 3.4e38)
///   expm1       3 ulp, also for tiny arguments
///   log         2 ulp for normal numbers; log(0) is -709 in double, -88 in float, enough to make any power vanish
///   pow(x, y)   exp(y log x), x >= 0: relative error |y log x| epsilon
///   tanh        4 ulp
/// NaN gives NaN. Always inlined: a call would prevent vectorisation, and code for one processor must never run on
/// another.
namespace bristle::quick {

/// Bits, constants and polynomials of one floating-point format.
template <class T> struct Format;

template <> struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int mantissa = 52;
  static constexpr Bits bias = 1023;
  static constexpr double magic = 0x1.8p52;  // adding it leaves the rounded integer in the low bits
  static constexpr double ln2_hi = 0x1.62e42fefp-1, ln2_lo = 0x1.473de6af278edp-34, log2_e = 1.4426950408889634;
  static constexpr double lowest = -708, highest = 709.782712893384;
  static constexpr Bits root_half = 0x3FE6A09E667F3BCD;
  /// (expm1(r) - r)/r^2 on |r| <= ln2/2, Chebyshev interpolation, relative error of exp 2e-17. Even and odd parts
  /// apart: two short chains instead of a long one.
  template <class V> [[gnu::always_inline]] static constexpr V curve(V r) {
    const V s = r * r;
    const V even =
        0.50000000000000010314 +
        s * (0.041666666666623820532 +
             s * (0.0013888888917367080562 + s * (0.000024801521057868205199 + s * 2.7620201591031548792e-7)));
    const V odd = 0.1666666666666666746 +
                  s * (0.0083333333333300381973 +
                       s * (0.00019841269863171556026 + s * (2.7557268276905696187e-6 + s * 2.5100472505694996003e-8)));
    return even + r * odd;
  }
  /// (atanh(f)/f - 1)/f^2 as a series, |f| <= 0.1716.
  template <class V> [[gnu::always_inline]] static constexpr V atanh_series(V s) {
    const V a = 1.0 / 3 + s * (1.0 / 5 + s * (1.0 / 7)), b = 1.0 / 9 + s * (1.0 / 11 + s * (1.0 / 13));
    const V c = 1.0 / 15 + s * (1.0 / 17 + s * (1.0 / 19 + s * (1.0 / 21)));
    const V s3 = s * s * s;
    return a + s3 * (b + s3 * c);
  }
};

template <> struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int mantissa = 23;
  static constexpr Bits bias = 127;
  static constexpr float magic = 0x1.8p23F;
  static constexpr float ln2_hi = 0x1.62e4p-1F, ln2_lo = 0x1.7f7d1cp-20F, log2_e = 1.44269504F;
  static constexpr float lowest = -86, highest = 88.7228391F;
  static constexpr Bits root_half = 0x3F3504F3;
  template <class V> [[gnu::always_inline]] static constexpr V curve(V r) {
    const V s = r * r;
    const V even = 0.50000000135F + s * (0.0416664642F + s * 0.00139337307F);
    const V odd = 0.166666667F + s * (0.0083333108F + s * 0.000198910805F);
    return even + r * odd;
  }
  template <class V> [[gnu::always_inline]] static constexpr V atanh_series(V s) {
    return 1.0F / 3 + s * (1.0F / 5 + s * (1.0F / 7 + s * (1.0F / 9 + s * (1.0F / 11))));
  }
};

/// The element type of a vector, or of a number the number itself.
template <class V> struct ElementOf {
  using type = std::remove_cvref_t<decltype(V{}[0])>;
};
template <> struct ElementOf<double> {
  using type = double;
};
template <> struct ElementOf<float> {
  using type = float;
};
template <class V> using Of = Format<typename ElementOf<V>::type>;
/// Integers of the same shape; those of a vector are the type of its comparisons.
template <class V> struct BitsOf {
  using type = decltype(std::declval<V>() < std::declval<V>());
};
template <> struct BitsOf<double> {
  using type = std::uint64_t;
};
template <> struct BitsOf<float> {
  using type = std::uint32_t;
};

/// A constant in the signedness of those integers.
template <class V> constexpr auto integer(typename Of<V>::Bits x) {
  if constexpr (std::is_floating_point_v<V>) {
    return x;
  } else {
    return static_cast<std::make_signed_t<typename Of<V>::Bits>>(x);
  }
}

/// x = k ln2 + r, |r| <= ln2/2: half of 2^k (k may be 1024) and expm1(r).
template <class V> struct Reduced {
  V half_scale, rest;
};
template <class V> [[gnu::always_inline]] constexpr Reduced<V> reduce(V x) {
  using F = Of<V>;
  using Bits = typename BitsOf<V>::type;
  const V shifted = x * F::log2_e + F::magic, k = shifted - F::magic;
  const V r = (x - k * F::ln2_hi) - k * F::ln2_lo;
  const Bits exponent = (std::bit_cast<Bits>(shifted) + integer<V>(F::bias - 1)) << F::mantissa;
  return {std::bit_cast<V>(exponent), r + r * r * F::curve(r)};
}
template <class V> [[gnu::always_inline]] constexpr V at_least(V x, typename ElementOf<V>::type low) {
  const V bound = V{} + low;
  return x < bound ? bound : x;
}
template <class V> [[gnu::always_inline]] constexpr V at_most(V x, typename ElementOf<V>::type high) {
  const V bound = V{} + high;
  return x > bound ? bound : x;
}

template <class V> [[gnu::always_inline]] constexpr V abs(V x) {
  using Bits = typename BitsOf<V>::type;
  constexpr auto sign = typename Of<V>::Bits{1} << (8 * sizeof(typename Of<V>::Bits) - 1);
  return std::bit_cast<V>(Bits(std::bit_cast<Bits>(x) & integer<V>(~sign)));
}

template <class V> [[gnu::always_inline]] constexpr V exp(V x) {
  const Reduced<V> e = reduce(at_most(at_least(x, Of<V>::lowest), Of<V>::highest));
  return (e.half_scale + e.half_scale * e.rest) * 2;
}

template <class V> [[gnu::always_inline]] constexpr V expm1(V x) {
  const Reduced<V> e = reduce(at_most(at_least(x, -60), Of<V>::highest));
  return (e.half_scale * e.rest + (e.half_scale - typename ElementOf<V>::type(0.5))) * 2;
}

/// exp(-x) and 1 - exp(-x) for x >= 0: one clamp less.
template <class V> [[gnu::always_inline]] constexpr V decay(V x) {
  const Reduced<V> e = reduce(at_least(-x, Of<V>::lowest));
  return (e.half_scale + e.half_scale * e.rest) * 2;
}
template <class V> [[gnu::always_inline]] constexpr V gone(V x) {
  const Reduced<V> e = reduce(at_least(-x, -60));
  return ((typename ElementOf<V>::type(0.5) - e.half_scale) - e.half_scale * e.rest) * 2;
}

template <class V> [[gnu::always_inline]] constexpr V log(V x) {
  using F = Of<V>;
  using E = typename ElementOf<V>::type;
  using Word = typename F::Bits;
  using Bits = typename BitsOf<V>::type;
  constexpr Word one = F::bias << F::mantissa, fraction = (Word{1} << F::mantissa) - 1;
  const Bits shifted = std::bit_cast<Bits>(x) + integer<V>(one - F::root_half);  // so that the mantissa lies around 1
  // The biased exponent as a number, without an integer conversion that AVX2 lacks.
  constexpr E two_to_mantissa = static_cast<E>(Word{1} << F::mantissa);
  const V biased = std::bit_cast<V>(Bits((shifted >> F::mantissa) | integer<V>(std::bit_cast<Word>(two_to_mantissa))));
  const V k = (biased - two_to_mantissa) - static_cast<E>(F::bias);
  const V m = std::bit_cast<V>(Bits((shifted & integer<V>(fraction)) + integer<V>(F::root_half)));
  const V f = (m - E(1)) / (m + E(1)), s = f * f;
  const V result = k * F::ln2_hi + (f * 2 + (k * F::ln2_lo + f * 2 * s * F::atanh_series(s)));
  return x == x ? result : x;  // NOLINT(misc-redundant-expression): NaN
}

template <class V> [[gnu::always_inline]] constexpr V pow(V x, V y) { return exp(V(y * log(x))); }

template <class V> [[gnu::always_inline]] constexpr V tanh(V x) {
  const V size = x < V{} ? -x : x, lost = gone(V(size * 2)), t = lost / (2 - lost);
  return x < V{} ? -t : t;
}

}  // namespace bristle::quick

namespace bristle {

/// A number with the elementary functions above: models run in it unchanged. The tag separates code for different
/// instruction sets at link time.
template <class T, class Tag = void> struct Quick {
  T x{};
  constexpr Quick() = default;
  template <class A>
    requires std::is_arithmetic_v<A>
  constexpr Quick(A a) : x(static_cast<T>(a)) {}  // NOLINT(google-explicit-constructor)
  template <class A>
    requires std::is_arithmetic_v<A>
  explicit constexpr operator A() const {
    return static_cast<A>(x);
  }

  friend constexpr Quick operator+(Quick a, Quick b) { return a.x + b.x; }
  friend constexpr Quick operator-(Quick a, Quick b) { return a.x - b.x; }
  friend constexpr Quick operator*(Quick a, Quick b) { return a.x * b.x; }
  friend constexpr Quick operator/(Quick a, Quick b) { return a.x / b.x; }
  friend constexpr Quick operator-(Quick a) { return -a.x; }
  friend constexpr bool operator<(Quick a, Quick b) { return a.x < b.x; }
  friend constexpr bool operator>(Quick a, Quick b) { return a.x > b.x; }
  friend constexpr bool operator<=(Quick a, Quick b) { return a.x <= b.x; }
  friend constexpr bool operator>=(Quick a, Quick b) { return a.x >= b.x; }
  friend constexpr bool operator==(Quick a, Quick b) { return a.x == b.x; }
  friend constexpr std::partial_ordering operator<=>(Quick a, Quick b) { return a.x <=> b.x; }
  friend constexpr Quick sgn(Quick a) { return (a.x > 0 ? T(1) : T(0)) - (a.x < 0 ? T(1) : T(0)); }
  friend constexpr Quick smaller(Quick a, Quick b) { return b.x < a.x ? b.x : a.x; }
  friend constexpr Quick larger(Quick a, Quick b) { return b.x > a.x ? b.x : a.x; }
  friend constexpr Quick clamped(Quick a, Quick limit) {
    return a.x > limit.x ? limit.x : a.x < -limit.x ? -limit.x : a.x;
  }
  friend constexpr Quick sat(Quick a) { return a.x > 1 ? T(1) : a.x < -1 ? T(-1) : a.x; }
  friend constexpr T real_part(Quick a) { return a.x; }
  friend constexpr bool is_constant(Quick) { return true; }

  friend constexpr Quick abs(Quick a) { return std::abs(a.x); }
  friend constexpr Quick sqrt(Quick a) { return std::sqrt(a.x); }
  friend constexpr Quick exp(Quick a) { return quick::exp(a.x); }
  friend constexpr Quick expm1(Quick a) { return quick::expm1(a.x); }
  friend constexpr Quick bell(const Quick& base, const Quick& height, const Quick& u) {
    if constexpr (requires { Tag::bell(base.x, height.x, u.x); }) {
      return Tag::bell(base.x, height.x, u.x);
    } else {
      return base + height * decay(u * u);
    }
  }
  friend constexpr Quick decay(Quick a) {
    if constexpr (requires { Tag::decay(a.x); }) {  // a tag may bring a better one for its purpose
      return Tag::decay(a.x);
    } else {
      return quick::decay(a.x);
    }
  }
  friend constexpr Quick gone(Quick a) { return quick::gone(a.x); }
  friend constexpr Quick log(Quick a) { return quick::log(a.x); }
  friend constexpr Quick pow(Quick a, Quick b) { return quick::pow(a.x, b.x); }
  friend constexpr Quick tanh(Quick a) { return quick::tanh(a.x); }
  friend constexpr Quick log1p(Quick a) { return std::log1p(a.x); }
  friend constexpr Quick sin(Quick a) { return std::sin(a.x); }
  friend constexpr Quick cos(Quick a) { return std::cos(a.x); }
  friend constexpr Quick tan(Quick a) { return std::tan(a.x); }
  friend constexpr Quick atan(Quick a) { return std::atan(a.x); }
  friend constexpr Quick asinh(Quick a) { return std::asinh(a.x); }
};
template <class T, class Tag> inline constexpr double epsilon<Quick<T, Tag>> = epsilon<T>;

}  // namespace bristle
