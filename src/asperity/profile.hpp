#pragma once
#include <cmath>
#include <concepts>

#include "base/pack.hpp"
#include "bristle/asperity/generic2010.hpp"

/// Counter profiles: gap, normal and force per squared frequency at a position over an arc. V is a pack or a number.
namespace bristle::asperity {

template <class V> struct Touch {
  V g, nx, ny;  // gap, negative inside; unit normal, away from the profile
  V depth;      // factor of wP^2 along n; 0 outside
};

template <class V> [[gnu::always_inline]] constexpr V root(V a) {
  if constexpr (std::floating_point<V>) {
    return std::sqrt(a);
  } else {
    for (std::size_t l = 0; l < V::width; ++l) a.x[l] = std::sqrt(a.x[l]);  // becomes one instruction
    return a;
  }
}

/// a with the sign of b, for a >= 0.
template <class V> [[gnu::always_inline]] constexpr V towards(V a, V b) { return select(b < V(0), -a, a); }

/// Length of (x, y), never 0, and its inverse.
template <class V> struct Length {
  V far, per;
};
template <class V> [[gnu::always_inline]] constexpr Length<V> length(V x, V y) {
  const V square = larger(x * x + y * y, V(1e-30));
#ifdef __CUDA_ARCH__
  if constexpr (std::floating_point<V>) {  // one instruction and its refinement, instead of a root and a quotient
    const V per = rsqrt(square);
    return {square * per, per};
  }
#endif
  const V far = root(square);
  return {far, V(1) / far};
}

template <class V> [[gnu::always_inline]] constexpr Touch<V> circular(V rx, V Y, V R, V h, V A) {
  using std::abs;
  const V low = R - A, ry = Y + low;  // centre at A - R
  // Seen from the centre: between the cusps, or outside, where the nearer cusp is the closest point.
  const auto fan = both(ry > V(0), negated(abs(rx) * low > ry * h));
  const V x = select(fan, rx, towards(h, rx) - rx), y = select(fan, ry, -Y);
  const auto [far, per] = length(x, y);
  const V g = select(fan, far - R, -far);
  return {g, x * per, y * per, larger(-g, V(0))};
}

template <class V> [[gnu::always_inline]] constexpr Touch<V> triangular(V rx, V Y, V h, V A) {
  using std::abs;
  const V per = V(1) / root(A * A + h * h), sine = A * per, cosine = h * per, side = abs(rx);
  const V g = (Y - A) * cosine + side * sine, foot = side - g * sine;
  const auto cusp = foot > h, apex = foot < V(0);
  const V x = select(cusp, h - side, side), y = select(cusp, -Y, Y - A);
  const auto [far, per_far] = length(x, y);
  const auto corner = negated(both(negated(cusp), negated(apex)));
  const V gap = select(corner, select(cusp, -far, far), g);
  return {gap, towards(V(1), rx) * select(corner, x * per_far, sine), select(corner, y * per_far, cosine),
          larger(-gap, V(0))};
}

/// Conservative force along the vertical gap to the profile y with slope k.
template <class V> [[gnu::always_inline]] constexpr Touch<V> vertical(V Y, V y, V k) {
  const V far = root(V(1) + k * k), per = V(1) / far, drop = Y - y;
  return {drop * per, -k * per, per, larger(-drop, V(0)) * far};
}

template <class V> [[gnu::always_inline]] constexpr Touch<V> trapezoidal(V rx, V Y, V h, V A) {
  using std::abs;
  const V per = V(1) / h, part = V(1.5) - V(2) * abs(rx) * per;  // tops and valleys are h/2 wide, flanks h/2
  const auto flank = both(part > V(0), part < V(1));
  return vertical(Y, A * larger(smaller(part, V(1)), V(0)), select(flank, towards(V(-2) * A * per, rx), V(0)));
}

/// sin and cos of pi s, |s| <= 1/2: Taylor, error below 1e-15.
template <class V> [[gnu::always_inline]] constexpr void sine_and_cosine(V s, V& sine, V& cosine) {
  const V x = V(3.14159265358979323846) * s, q = x * x;
  auto series = [&](auto... c) {
    V sum(0);
    ((sum = V(c) - q * sum), ...);
    return sum;
  };
  sine = x * series(1.9572941063391263e-20, 8.22063524662433e-18, 2.8114572543455206e-15, 7.647163731819816e-13,
                    1.6059043836821613e-10, 2.505210838544172e-8, 2.7557319223985893e-6, 1.984126984126984e-4,
                    8.333333333333333e-3, 1.6666666666666666e-1, 1.0);
  cosine = series(4.110317623312165e-19, 1.5619206968586225e-16, 4.779477332387385e-14, 1.1470745597729725e-11,
                  2.08767569878681e-9, 2.755731922398589e-7, 2.48015873015873e-5, 1.388888888888889e-3,
                  4.1666666666666664e-2, 0.5, 1.0);
}

template <class V> [[gnu::always_inline]] constexpr Touch<V> sinusoidal(V rx, V Y, V h, V A) {
  using std::abs;
  const V per = V(1) / h, s = V(0.5) - abs(rx) * per;  // cos(pi t) = sin(pi (1/2 - t))
  V sine, cosine;
  sine_and_cosine(s, sine, cosine);
  const V half = V(0.5) * A;
  return vertical(Y, half + half * sine, towards(V(-3.14159265358979323846) * half * per * cosine, rx));
}

template <Profile P, class V> [[gnu::always_inline]] constexpr Touch<V> touch(V rx, V Y, V R, V h, V A) {
  if constexpr (P == Profile::circular) {
    return circular(rx, Y, R, h, A);
  } else if constexpr (P == Profile::triangular) {
    return triangular(rx, Y, h, A);
  } else if constexpr (P == Profile::trapezoidal) {
    return trapezoidal(rx, Y, h, A);
  } else {
    return sinusoidal(rx, Y, h, A);
  }
}

}  // namespace bristle::asperity
