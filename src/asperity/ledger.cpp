#include "asperity/shared/ledger.hpp"

#include <algorithm>
#include <cmath>

#include "asperity/ledger_kernel.hpp"
#include "asperity/shared/inside.hpp"
#include "base/processor.hpp"

namespace bristle::asperity {
namespace {

using Population = Generic2010<double>;

const LedgerKernel& kernel() {
  static const LedgerKernel& best =
      best_kernel(&ledger_baseline, BRISTLE_IF_AVX2(&ledger_avx2), BRISTLE_IF_AVX512(&ledger_avx512))();
  return best;
}

}  // namespace

double Ledger::error() const {
  double largest = 0;
  for (const double x : {friction, normal, stored, kinetic, plastic, damper, adhesion})
    largest = std::max(largest, std::abs(x));
  return largest > 0 ? std::abs(missing()) / largest : 0;
}

Ledger& Ledger::operator*=(double s) {
  for (double* x : {&friction, &normal, &stored, &kinetic, &plastic, &damper, &adhesion}) *x *= s;
  return *this;
}

Bookkeeper::Bookkeeper(const Population& g)
    : free_(g.p.control == NormalControl::load),
      stored_(g.potential()),
      V_(g.V()),
      W_(V_),
      F_(g.last().F),
      Fn_(g.last().Fn) {
  keep(g);
  double ST = 0, SN = 0, sum = 0;
  for (const Block<double>& b : Inside::blocks(g)) {
    for (std::size_t l = 0; l < Block<double>::size; ++l) {
      ST += b.m[l] * (b.kTe[l] * b.eT[l] + b.kTp[l] * b.dT[l]);
      SN += b.m[l] * (b.kNe[l] * b.eN[l] + b.kNp[l] * b.dN[l]);
      sum += b.m[l] * (b.u[l] * b.u[l] + b.v[l] * b.v[l]);
    }
  }
  kinetic_ = 0.5 * (sum + (free_ ? V_ * V_ : 0));
  last_.stored = stored_;
  last_.before = last_.after = 0.5 * sum;
  DT_ = F_ - ST;
  DN_ = -Fn_ - SN;
}

void Bookkeeper::keep(const Population& g) {
  const auto& blocks = Inside::blocks(g);
  before_.resize(blocks.size());
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const Block<double>& b = blocks[k];
    Moving& to = before_[k];
    std::ranges::copy(b.u, to.u);
    std::ranges::copy(b.v, to.v);
    std::ranges::copy(b.dT, to.dT);
    std::ranges::copy(b.dN, to.dN);
  }
}

void Bookkeeper::add(const Population& g, double U, double V, double load) {
  sum_.damper += last_.damper;  // whole now; of the last step only half lies before its time
  sum_.adhesion += last_.adhesion;
  last_ = {};
  const auto& blocks = Inside::blocks(g);
  kernel().look[static_cast<std::size_t>(g.p.profile)](blocks.data(), before_.data(), blocks.size(),
                                                       {g.dt(), g.p.A, U, V}, last_);
  const Response now = g.last();
  const double DT = now.F - last_.ST, DN = -now.Fn - last_.SN, way = 0.5 * g.dt() * U, rise = 0.5 * g.dt() * V;
  sum_.plastic += last_.plastic;
  sum_.damper += (DT_ + DT) * way + (DN_ + DN) * rise;
  sum_.friction += (F_ + now.F) * way;
  sum_.normal -= (free_ ? (begun_ ? load_ : load) + load : Fn_ + now.Fn) * rise;
  F_ = now.F;
  Fn_ = now.Fn;
  DT_ = DT;
  DN_ = DN;
  load_ = load;
  V_ = V;
  W_ = g.V();
  begun_ = true;
  keep(g);
}

Ledger Bookkeeper::works() const {
  Ledger out = sum_;
  out.damper += 0.5 * last_.damper;
  out.adhesion += 0.5 * last_.adhesion;
  out.stored = last_.stored - stored_;
  out.kinetic = 0.5 * (last_.before + last_.after) + (free_ ? 0.25 * (V_ * V_ + W_ * W_) : 0) - kinetic_;
  return out;
}

}  // namespace bristle::asperity
