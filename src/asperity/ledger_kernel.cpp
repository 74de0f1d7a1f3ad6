/// Compiled once per instruction set, like src/batch/kernels.cpp, and under the same rule: every template carries the
/// name of the set as a tag.
#include "asperity/ledger_kernel.hpp"

#include "asperity/profile.hpp"
#include "base/isa.hpp"

namespace bristle::asperity {
namespace {

struct BRISTLE_ISA {};
using V = batch::Pack<double, BRISTLE_BYTES / sizeof(double), BRISTLE_ISA>;

template <Profile P>
void look(const Block<double>* blocks, const Moving* before, std::size_t n, const LedgerStep& s, LedgerSums& out) {
  const V dt = s.dt, per_dt = 1 / s.dt, A = s.A, U = s.U, W = s.W, half = 0.5;
  V plastic, damper, adhesion, ST, SN, stored, first, then;
  constexpr bool vertical = P == Profile::sinusoidal || P == Profile::trapezoidal;
  for (std::size_t k = 0; k < n; ++k) {
    const Block<double>& b = blocks[k];
    for (std::size_t i = 0; i < Block<double>::size; i += V::width) {
      auto at = [i](const auto& lane) { return V::load(&lane[i]); };
      const V u0 = at(before[k].u), v0 = at(before[k].v), u = at(b.u), v = at(b.v), m = at(b.m);
      const V dT = at(b.dT), dN = at(b.dN), pT = at(b.kTp) * dT, pN = at(b.kNp) * dN;
      // The force of a spring that yields, times its stretch beyond the limit.
      plastic =
          plastic + m * (pT * (at(before[k].dT) + dt * (U - u0) - dT) + pN * (at(before[k].dN) + dt * (W - v0) - dN));
      const V sT = at(b.kTe) * at(b.eT) + pT, sN = at(b.kNe) * at(b.eN) + pN;
      // The acceleration without the damper, from what it did to the velocity; the damper gave the rest.
      const V aT = (u - U - at(b.ET) * (u0 - U)) / at(b.GT), aN = (v - W - at(b.EN) * (v0 - W)) / at(b.GN);
      const V mean_u = half * (u + u0), mean_v = half * (v + v0);
      damper = damper - m * (((u - u0) * per_dt - aT) * mean_u + ((v - v0) * per_dt - aN) * mean_v);
      const Touch<V> c = touch<P>(at(b.rx), at(b.Y), at(b.R), at(b.h), A);
      const V push = at(b.kP) * c.depth;
      adhesion = adhesion - m * ((aT - sT - push * c.nx) * mean_u + (aN - sN - push * c.ny) * mean_v);
      const V eT = at(b.eT), eN = at(b.eN), depth = vertical ? c.depth * c.ny : c.depth;
      stored = stored + m * (at(b.kTe) * eT * eT + pT * dT + at(b.kNe) * eN * eN + pN * dN + at(b.kP) * depth * depth);
      ST = ST + m * sT;
      SN = SN + m * sN;
      first = first + m * (u0 * u0 + v0 * v0);
      then = then + m * (u * u + v * v);
    }
  }
  out = {.plastic = sum_of(plastic),
         .damper = s.dt * sum_of(damper),
         .adhesion = s.dt * sum_of(adhesion),
         .ST = sum_of(ST),
         .SN = sum_of(SN),
         .stored = 0.5 * sum_of(stored),
         .before = 0.5 * sum_of(first),
         .after = 0.5 * sum_of(then)};
}

}  // namespace

const LedgerKernel& BRISTLE_FOR_ISA(ledger_)() {
  static constexpr LedgerKernel all{
      {&look<Profile::circular>, &look<Profile::triangular>, &look<Profile::trapezoidal>, &look<Profile::sinusoidal>}};
  return all;
}

}  // namespace bristle::asperity
