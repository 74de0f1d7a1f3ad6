/// Compiled once per instruction set, like src/batch/kernels.cpp, and under the same rule: every template carries the
/// name of the set as a tag.
#include "generic2010_kernel.hpp"

#include "asperity/profile.hpp"
#include "base/isa.hpp"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace bristle::asperity {
namespace {

struct BRISTLE_ISA {};
template <class T> using Pack = batch::Pack<T, BRISTLE_BYTES / sizeof(T), BRISTLE_ISA>;

/// A bit for each lane.
template <class M> [[gnu::always_inline]] inline unsigned bits(M mask) {
  [[maybe_unused]] constexpr bool wide = sizeof(typename M::Int) == 8;
#if defined(__AVX512F__)
  if constexpr (wide) {
    return _mm512_movepi64_mask(__m512i(mask.m));
  } else {
    return _mm512_movepi32_mask(__m512i(mask.m));
  }
#elif defined(__AVX2__)
  if constexpr (wide) {
    return static_cast<unsigned>(_mm256_movemask_pd(__m256d(mask.m)));
  } else {
    return static_cast<unsigned>(_mm256_movemask_ps(__m256(mask.m)));
  }
#else
  unsigned out = 0;
  for (std::size_t l = 0; l < sizeof(mask.m) / sizeof(typename M::Int); ++l) out |= mask.m[l] != 0 ? 1U << l : 0U;
  return out;
#endif
}

/// Moves asperities that left their arc to the next one.
template <class T> [[gnu::noinline]] void cross(Block<T>& b, std::size_t from, unsigned lanes, const Push<T>& p) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::size_t i = from + static_cast<std::size_t>(std::countr_zero(lanes));
    T x = b.rx[i], h = b.h[i];
    std::int32_t arc = b.arc[i];
    while (x > h) {
      arc = arc == p.last_arc ? 0 : arc + 1;
      x -= h + p.h[arc];
      h = p.h[arc];
    }
    while (x < -h) {
      arc = arc == 0 ? p.last_arc : arc - 1;
      x += h + p.h[arc];
      h = p.h[arc];
    }
    b.rx[i] = x;
    b.h[i] = h;
    b.R[i] = p.R[arc];
    b.arc[i] = arc;
  }
}

template <Profile P, AdhesionLaw Law, class T>
void sweep(Block<T>* blocks, std::size_t n, const Push<T>& p, Response* out) {
  using V = Pack<T>;
  const V dt = p.dt, per_dt = p.per_dt, U = p.U, W = p.V, A = p.A, ha = p.ha, none = 0, one = 1;
  V F, Fn, contacts;
  for (std::size_t k = 0; k < n; ++k) {
    Block<T>& b = blocks[k];
    for (std::size_t i = 0; i < Block<T>::size; i += V::width) {
      auto at = [&](auto& lane) { return V::load(&lane[i]); };
      // Positions and springs at the end of the step.
      const V u0 = at(b.u), v0 = at(b.v), sT = dt * (U - u0), sN = dt * (W - v0);
      const V eT = at(b.eT) + sT, eN = at(b.eN) + sN, lT = at(b.lT), lN = at(b.lN);
      const V dT = larger(smaller(at(b.dT) + sT, lT), -lT), dN = larger(smaller(at(b.dN) + sN, lN), -lN);
      V rx = at(b.rx) + dt * u0;
      const V Y = at(b.Y) + dt * v0;
      eT.store(&b.eT[i]);
      eN.store(&b.eN[i]);
      dT.store(&b.dT[i]);
      dN.store(&b.dN[i]);
      rx.store(&b.rx[i]);
      Y.store(&b.Y[i]);
      if (const unsigned out_of_arc = bits(abs(rx) > at(b.h)); out_of_arc != 0) [[unlikely]] {
        cross(b, i, out_of_arc, p);
        rx = at(b.rx);
      }
      const Touch<V> c = touch<P>(rx, Y, at(b.R), at(b.h), A);
      // Forces of the profile, then velocities with exact damping.
      V push = at(b.kP) * c.depth;
      const V Fadh = at(b.Fadh);
      if constexpr (Law == AdhesionLaw::normal) push = push - select(c.g < ha, Fadh, none);
      V Px = push * c.nx, Py = push * c.ny;
      const V aT = at(b.kTe) * eT + at(b.kTp) * dT + Px, aN = at(b.kNe) * eN + at(b.kNp) * dN + Py;
      const V GT = at(b.GT), GN = at(b.GN);
      V u = U + at(b.ET) * (u0 - U) + GT * aT, v = W + at(b.EN) * (v0 - W) + GN * aN;
      const auto inside = c.g < none;
      if constexpr (Law == AdhesionLaw::tangential) {
        // The force along the profile that would stop the asperity, limited by the adhesion.
        const V tx = GT * c.ny, ty = GN * c.nx, most = select(inside, Fadh, none);
        const V stop = (u * c.ny - v * c.nx) / (tx * c.ny + ty * c.nx);
        const V f = larger(smaller(stop, most), -most);
        u = u - tx * f;
        v = v + ty * f;
        Px = Px - f * c.ny;
        Py = Py + f * c.nx;
      }
      u.store(&b.u[i]);
      v.store(&b.v[i]);
      // The change of momentum that is not due to the profile comes from the main mass.
      const V m = at(b.m);
      F = F + m * ((u - u0) * per_dt - Px);
      Fn = Fn - m * ((v - v0) * per_dt - Py);
      contacts = contacts + select(inside, one, none);
    }
    if ((k + 1) % Block<T>::leaf != 0 && k + 1 != n) continue;
    *out++ = {sum_of(F), sum_of(Fn), sum_of(contacts)};
    F = Fn = contacts = V();
  }
}

template <class T> constexpr void fill(Sweep2010<T> (&to)[4][2]) {
  auto one = [&]<Profile P>() {
    to[static_cast<int>(P)][0] = &sweep<P, AdhesionLaw::tangential, T>;
    to[static_cast<int>(P)][1] = &sweep<P, AdhesionLaw::normal, T>;
  };
  one.template operator()<Profile::circular>();
  one.template operator()<Profile::triangular>();
  one.template operator()<Profile::trapezoidal>();
  one.template operator()<Profile::sinusoidal>();
}

}  // namespace

const Kernel2010& BRISTLE_FOR_ISA(kernel2010_)() {
  static constexpr Kernel2010 all = [] {
    Kernel2010 k{BRISTLE_ISA_NAME, {}, {}};
    fill(k.in_double);
    fill(k.in_float);
    return k;
  }();
  return all;
}

}  // namespace bristle::asperity
