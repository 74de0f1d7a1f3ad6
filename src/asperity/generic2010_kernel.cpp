/// Compiled once per instruction set, like src/batch/kernels.cpp, and under the same rule: every template carries the
/// name of the set as a tag.
#include "generic2010_kernel.hpp"

#include "asperity/shared/generic2010_step.hpp"
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
template <class T> [[gnu::noinline]] void cross_lanes(Block<T>& b, std::size_t from, unsigned lanes, const Push<T>& p) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::size_t i = from + static_cast<std::size_t>(std::countr_zero(lanes));
    cross(b.rx[i], b.h[i], b.R[i], b.arc[i], p.R, p.h, p.last_arc);
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
      Mass<V> s{at(b.eT), at(b.eN), at(b.dT), at(b.dN), at(b.rx), at(b.Y), at(b.u), at(b.v)};
      move(s, at(b.lT), at(b.lN), dt, U, W);
      s.eT.store(&b.eT[i]);
      s.eN.store(&b.eN[i]);
      s.dT.store(&b.dT[i]);
      s.dN.store(&b.dN[i]);
      s.rx.store(&b.rx[i]);
      s.Y.store(&b.Y[i]);
      if (const unsigned out_of_arc = bits(abs(s.rx) > at(b.h)); out_of_arc != 0) [[unlikely]] {
        cross_lanes(b, i, out_of_arc, p);
        s.rx = at(b.rx);
      }
      const Springs<V> springs{at(b.kTe), at(b.kTp), at(b.kNe), at(b.kNp),  at(b.ET), at(b.GT),
                               at(b.EN),  at(b.GN),  at(b.kP),  at(b.Fadh), at(b.m)};
      const Pull<V> pull = accelerate<P, Law>(s, springs, at(b.R), at(b.h), A, ha, per_dt, U, W);
      s.u.store(&b.u[i]);
      s.v.store(&b.v[i]);
      F = F + pull.F;
      Fn = Fn + pull.Fn;
      contacts = contacts + select(pull.inside, one, none);
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
