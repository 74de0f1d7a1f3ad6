#include "asperity/shared/ledger.hpp"

#include <algorithm>
#include <cmath>

#include "asperity/profile.hpp"
#include "asperity/shared/inside.hpp"

namespace bristle::asperity {
namespace {

struct Books {};
using V2 = batch::Pack<double, 2, Books>;
using Population = Generic2010<double>;

double sum_of_pair(const V2& a) { return a.x[0] + a.x[1]; }

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
    Before& to = before_[k];
    std::copy_n(b.u, to.u.size(), to.u.begin());
    std::copy_n(b.v, to.v.size(), to.v.begin());
    std::copy_n(b.dT, to.dT.size(), to.dT.begin());
    std::copy_n(b.dN, to.dN.size(), to.dN.begin());
  }
}

template <Profile P> Bookkeeper::Sums Bookkeeper::look(const Population& g, double U, double W) const {
  const V2 dt = g.dt(), per_dt = 1 / g.dt(), A = g.p.A, half = 0.5;
  V2 plastic, damper, adhesion, ST, SN, stored, first, then;
  constexpr bool vertical = P == Profile::sinusoidal || P == Profile::trapezoidal;
  const auto& blocks = Inside::blocks(g);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const Block<double>& b = blocks[k];
    for (std::size_t i = 0; i < Block<double>::size; i += V2::width) {
      auto at = [i](const auto& lane) { return V2::load(&lane[i]); };
      const V2 u0 = at(before_[k].u), v0 = at(before_[k].v), u = at(b.u), v = at(b.v), m = at(b.m);
      const V2 dT = at(b.dT), dN = at(b.dN), pT = at(b.kTp) * dT, pN = at(b.kNp) * dN;
      // The force of a spring that yields, times its stretch beyond the limit.
      plastic =
          plastic + m * (pT * (at(before_[k].dT) + dt * (U - u0) - dT) + pN * (at(before_[k].dN) + dt * (W - v0) - dN));
      const V2 sT = at(b.kTe) * at(b.eT) + pT, sN = at(b.kNe) * at(b.eN) + pN;
      // The acceleration without the damper, from what it did to the velocity; the damper gave the rest.
      const V2 aT = (u - U - at(b.ET) * (u0 - U)) / at(b.GT), aN = (v - W - at(b.EN) * (v0 - W)) / at(b.GN);
      const V2 mean_u = half * (u + u0), mean_v = half * (v + v0);
      damper = damper - m * (((u - u0) * per_dt - aT) * mean_u + ((v - v0) * per_dt - aN) * mean_v);
      const Touch<V2> c = touch<P>(at(b.rx), at(b.Y), at(b.R), at(b.h), A);
      const V2 push = at(b.kP) * c.depth;
      adhesion = adhesion - m * ((aT - sT - push * c.nx) * mean_u + (aN - sN - push * c.ny) * mean_v);
      const V2 eT = at(b.eT), eN = at(b.eN), depth = vertical ? c.depth * c.ny : c.depth;
      stored = stored + m * (at(b.kTe) * eT * eT + pT * dT + at(b.kNe) * eN * eN + pN * dN + at(b.kP) * depth * depth);
      ST = ST + m * sT;
      SN = SN + m * sN;
      first = first + m * (u0 * u0 + v0 * v0);
      then = then + m * (u * u + v * v);
    }
  }
  return {.plastic = sum_of_pair(plastic),
          .damper = g.dt() * sum_of_pair(damper),
          .adhesion = g.dt() * sum_of_pair(adhesion),
          .ST = sum_of_pair(ST),
          .SN = sum_of_pair(SN),
          .stored = 0.5 * sum_of_pair(stored),
          .before = 0.5 * sum_of_pair(first),
          .after = 0.5 * sum_of_pair(then)};
}

void Bookkeeper::add(const Population& g, double U, double V, double load) {
  sum_.damper += last_.damper;  // whole now; of the last step only half lies before its time
  sum_.adhesion += last_.adhesion;
  switch (g.p.profile) {
    case Profile::circular: last_ = look<Profile::circular>(g, U, V); break;
    case Profile::triangular: last_ = look<Profile::triangular>(g, U, V); break;
    case Profile::trapezoidal: last_ = look<Profile::trapezoidal>(g, U, V); break;
    case Profile::sinusoidal: last_ = look<Profile::sinusoidal>(g, U, V); break;
  }
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
