/// Compiled once per instruction set, like src/batch/kernels.cpp, and under the same rule: every template carries the name
/// of the set as a tag.
#include "generic2010_kernel.hpp"

#include "asperity/profile.hpp"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace bristle::asperity {
namespace {

struct BRISTLE_ISA {};
template <class T> using Pack = batch::Pack<T, BRISTLE_BYTES / sizeof(T), BRISTLE_ISA>;

template <class M> [[gnu::always_inline]] inline bool any(M mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi64_mask(__m512i(mask.m), __m512i(mask.m)) != 0;
#elif defined(__AVX2__)
  return _mm256_testz_si256(__m256i(mask.m), __m256i(mask.m)) == 0;
#else
  typename M::Int all = 0;
  for (std::size_t l = 0; l < sizeof(mask.m) / sizeof(all); ++l) all |= mask.m[l];
  return all != 0;
#endif
}

/// Those who have left their arc go on to the next one.
template <class T> [[gnu::noinline]] void cross(Block<T>& b, std::size_t from, std::size_t to, const Push<T>& p) {
  for (std::size_t i = from; i < to; ++i) {
    while (b.rx[i] > b.h[i]) {
      b.arc[i] = b.arc[i] == p.last_arc ? 0 : b.arc[i] + 1;
      b.rx[i] -= b.h[i] + p.h[b.arc[i]];
      b.h[i] = p.h[b.arc[i]];
    }
    while (b.rx[i] < -b.h[i]) {
      b.arc[i] = b.arc[i] == 0 ? p.last_arc : b.arc[i] - 1;
      b.rx[i] += b.h[i] + p.h[b.arc[i]];
      b.h[i] = p.h[b.arc[i]];
    }
    b.R[i] = p.R[b.arc[i]];
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
      // To the end of the step, with the springs.
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
      if (any(abs(rx) > at(b.h))) [[unlikely]] {
        cross(b, i, i + V::width, p);
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
        // The force along the profile that would stop the asperity, or as much of it as there is.
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
      // What changed its momentum and does not come from the profile comes from the main mass.
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

#define BRISTLE_JOIN2(a, b) a##b
#define BRISTLE_JOIN(a, b) BRISTLE_JOIN2(a, b)
#define BRISTLE_TEXT2(a) #a
#define BRISTLE_TEXT(a) BRISTLE_TEXT2(a)
const Kernel2010& BRISTLE_JOIN(kernel2010_, BRISTLE_ISA)() {
  static constexpr Kernel2010 all = [] {
    Kernel2010 k{BRISTLE_TEXT(BRISTLE_ISA), {}, {}};
    fill(k.in_double);
    fill(k.in_float);
    return k;
  }();
  return all;
}

}  // namespace bristle::asperity
