#pragma once
#include <cstdint>

#include "asperity/profile.hpp"
#include "bristle/asperity/generic2010.hpp"

/// One step of an asperity of the model of 2010, for V: a pack or a number.
namespace bristle::asperity {

template <class V> struct Mass {
  V eT, eN, dT, dN, rx, Y, u, v;
};

/// Positions and springs at the end of a step, from the velocities before it; U and W of the main mass.
template <class V>
[[gnu::always_inline]] constexpr void move(Mass<V>& s, const V& lT, const V& lN, const V& dt, const V& U, const V& W) {
  const V sT = dt * (U - s.u), sN = dt * (W - s.v);
  s.eT = s.eT + sT;
  s.eN = s.eN + sN;
  s.dT = larger(smaller(s.dT + sT, lT), -lT);
  s.dN = larger(smaller(s.dN + sN, lN), -lN);
  s.rx = s.rx + dt * s.u;
  s.Y = s.Y + dt * s.v;
}

template <class V> struct Springs {
  V kTe, kTp, kNe, kNp, ET, GT, EN, GN, kP, Fadh, m;
};
template <class V> struct Pull {
  V F, Fn;
  decltype(V{} < V{}) inside;
};
/// Forces of the profile, then velocities with exact damping; the forces on the main mass.
template <Profile P, AdhesionLaw Law, class V>
[[gnu::always_inline]] constexpr Pull<V> accelerate(Mass<V>& s, const Springs<V>& k, const V& R, const V& h, const V& A,
                                                    const V& ha, const V& per_dt, const V& U, const V& W) {
  const V u0 = s.u, v0 = s.v, none = V(0);
  const Touch<V> c = touch<P>(s.rx, s.Y, R, h, A);
  V push = k.kP * c.depth;
  if constexpr (Law == AdhesionLaw::normal) push = push - select(c.g < ha, k.Fadh, none);
  V Px = push * c.nx, Py = push * c.ny;
  const V aT = k.kTe * s.eT + k.kTp * s.dT + Px, aN = k.kNe * s.eN + k.kNp * s.dN + Py;
  V u = U + k.ET * (u0 - U) + k.GT * aT, v = W + k.EN * (v0 - W) + k.GN * aN;
  const auto inside = c.g < none;
  if constexpr (Law == AdhesionLaw::tangential) {
    // The force along the profile that would stop the asperity, limited by the adhesion.
    const V tx = k.GT * c.ny, ty = k.GN * c.nx, most = select(inside, k.Fadh, none);
    const V stop = (u * c.ny - v * c.nx) / (tx * c.ny + ty * c.nx);
    const V f = larger(smaller(stop, most), -most);
    u = u - tx * f;
    v = v + ty * f;
    Px = Px - f * c.ny;
    Py = Py + f * c.nx;
  }
  s.u = u;
  s.v = v;
  // The change of momentum that is not due to the profile comes from the main mass.
  return {k.m * ((u - u0) * per_dt - Px), -(k.m * ((v - v0) * per_dt - Py)), inside};
}

/// From arc to arc of the profile, whose radii and half widths are given.
template <class T>
[[gnu::always_inline]] constexpr void cross(T& x, T& h, T& R, std::int32_t& arc, const T* all_R, const T* all_h,
                                            std::int32_t last_arc) {
  while (x > h) {
    arc = arc == last_arc ? 0 : arc + 1;
    x -= h + all_h[arc];
    h = all_h[arc];
  }
  while (x < -h) {
    arc = arc == 0 ? last_arc : arc - 1;
    x += h + all_h[arc];
    h = all_h[arc];
  }
  R = all_R[arc];
}

}  // namespace bristle::asperity
