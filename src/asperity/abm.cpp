/// The integrator of the paper, for comparison: Adams-Bashforth-Moulton of fourth order, two evaluations per step. It
/// requires a smooth adhesion, tanh(v/slip_velocity), and for stiff dampers steps far below 1/c.
#include <algorithm>
#include <cmath>

#include "asperity/meeting.hpp"

namespace bristle {

using asperity::Block;
using asperity::Response;

namespace {

/// State of an asperity; the main mass has one with its Y and v.
struct Point {
  double eT{}, eN{}, rx{}, Y{}, u{}, v{};
  Point& add(double s, const Point& o) {
    eT += s * o.eT;
    eN += s * o.eN;
    rx += s * o.rx;
    Y += s * o.Y;
    u += s * o.u;
    v += s * o.v;
    return *this;
  }
};
static_assert(sizeof(Point) == 6 * sizeof(double));

double clip(double x, double limit) { return std::min(std::max(x, -limit), limit); }

}  // namespace

/// history_: slopes at the present and the last three steps, that of the main mass last.
template <class T> Response Generic2010<T>::advance_abm(double U, double load, double damping, bool free) {
  const std::size_t n = n_ + 1, slopes = 6 * n;
  const bool first = history_.empty();
  if (first) history_.assign(4 * slopes, 0.0);
  auto slope = [&](std::size_t back) { return reinterpret_cast<Point*>(history_.data() + back * slopes); };

  std::vector<Point> start(n), at(n), next(n);
  for (std::size_t i = 0; i < n_; ++i) {
    const Block<T>& b = blocks_[i / Block<T>::size];
    const std::size_t l = i % Block<T>::size;
    start[i] = {b.eT[l], b.eN[l], b.rx[l], b.Y[l], b.u[l], b.v[l]};
  }
  start[n_] = {.Y = Y_, .v = V_};

  std::vector<double> dT(n_), dN(n_);
  std::vector<std::int32_t> arc(n_);
  auto evaluate = [&](std::vector<Point>& y, Point* out) {
    Response sum;
    const double V = y[n_].v;
    for (std::size_t i = 0; i < n_; ++i) {
      const Block<T>& b = blocks_[i / Block<T>::size];
      const std::size_t l = i % Block<T>::size;
      const Point& q = y[i];
      dT[i] = clip(b.dT[l] + (q.eT - start[i].eT), b.lT[l]);
      dN[i] = clip(b.dN[l] + (q.eN - start[i].eN), b.lN[l]);
      double rx = q.rx;
      auto j = static_cast<std::size_t>(b.arc[l]);
      for (; rx > profile_->h[j]; j = (j + 1) % arcs) rx -= double(profile_->h[j]) + profile_->h[(j + 1) % arcs];
      for (; rx < -profile_->h[j]; j = (j + arcs - 1) % arcs)
        rx += double(profile_->h[j]) + profile_->h[(j + arcs - 1) % arcs];
      arc[i] = static_cast<std::int32_t>(j);
      next[i].rx = rx;
      const auto c = asperity::meet(p.profile, rx, q.Y, profile_->R[j], profile_->h[j], p.A);
      double Px = b.kP[l] * c.depth * c.nx, Py = b.kP[l] * c.depth * c.ny;
      if (p.adhesion == AdhesionLaw::normal) {
        if (c.g < p.ha) {
          Px -= b.Fadh[l] * c.nx;
          Py -= b.Fadh[l] * c.ny;
        }
      } else if (c.g < 0) {
        const double f = b.Fadh[l] * std::tanh((q.u * c.ny - q.v * c.nx) / p.slip_velocity);
        Px -= f * c.ny;
        Py += f * c.nx;
      }
      const double ST = b.kTe[l] * q.eT + b.kTp[l] * dT[i] + cT_[i] * (U - q.u);
      const double SN = b.kNe[l] * q.eN + b.kNp[l] * dN[i] + cN_[i] * (V - q.v);
      out[i] = {U - q.u, V - q.v, q.u, q.v, ST + Px, SN + Py};
      sum.F += b.m[l] * ST;
      sum.Fn -= b.m[l] * SN;
      sum.contacts += c.g < 0 ? 1 : 0;
    }
    out[n_] = {.Y = V, .v = free ? sum.Fn - load - damping * V : 0};
    return sum;
  };

  at = start;
  if (first) {
    evaluate(at, slope(0));
    for (std::size_t k = 1; k < 4; ++k) std::copy_n(slope(0), n, slope(k));
  }
  const Point *f0 = slope(0), *f1 = slope(1), *f2 = slope(2), *f3 = slope(3);
  const double s = dt_ / 24;
  std::vector<Point> guess(n);
  for (std::size_t i = 0; i < n; ++i)
    at[i].add(55 * s, f0[i]).add(-59 * s, f1[i]).add(37 * s, f2[i]).add(-9 * s, f3[i]);
  evaluate(at, guess.data());
  for (std::size_t i = 0; i < n; ++i) {
    at[i] = start[i];
    at[i].add(9 * s, guess[i]).add(19 * s, f0[i]).add(-5 * s, f1[i]).add(s, f2[i]);
  }
  for (std::size_t k = 3; k > 0; --k) std::copy_n(slope(k - 1), n, slope(k));
  const Response out = evaluate(at, slope(0));

  for (std::size_t i = 0; i < n_; ++i) {
    Block<T>& b = blocks_[i / Block<T>::size];
    const std::size_t l = i % Block<T>::size;
    const Point& q = at[i];
    b.eT[l] = static_cast<T>(q.eT);
    b.eN[l] = static_cast<T>(q.eN);
    b.dT[l] = static_cast<T>(dT[i]);
    b.dN[l] = static_cast<T>(dN[i]);
    b.rx[l] = static_cast<T>(next[i].rx);
    b.Y[l] = static_cast<T>(q.Y);
    b.u[l] = static_cast<T>(q.u);
    b.v[l] = static_cast<T>(q.v);
    b.arc[l] = arc[i];
    b.R[l] = profile_->R[static_cast<std::size_t>(arc[i])];
    b.h[l] = profile_->h[static_cast<std::size_t>(arc[i])];
  }
  Y_ = at[n_].Y;
  V_ = at[n_].v;
  ++steps_;
  return last_ = out;
}

template Response Generic2010<double>::advance_abm(double, double, double, bool);
template Response Generic2010<float>::advance_abm(double, double, double, bool);

}  // namespace bristle
