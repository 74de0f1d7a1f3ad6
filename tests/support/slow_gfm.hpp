#pragma once
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "bristle/asperity/gfm.hpp"

/// The generic friction model in a simple form: one asperity after the other, from event to event, every time found by
/// halving an interval, every land looked up in a map that is filled from the start. Shares the parameters and the hash with
/// the library, and nothing else.
namespace slow {

using Real = long double;

class Asperity {
 public:
  Asperity(const bristle::GfmParams& p, std::uint64_t i) : p_(p), i_(i), d_(p.separation) {
    const Real start = -Real(p.wavelength) * (20 + U(5, 0));
    lands_[0] = {start, start + land(0)};
    while (last().to < 0) grow();
    h_ = p.h_max * U(1, 0);
    kt_ = p.kt * (Real(0.5) + U(2, 0));
    kn_ = p.kn * (Real(0.5) + U(3, 0));
    m_ = p.mass * (Real(0.5) + U(4, 0));
    find(0);
    if (on_) age_ = p.age0;
  }

  void separate(Real d) {
    const bool touched = c() > 0;
    d_ = d;
    if (!on_) return;
    if (!touched) {
      tip_ = u_;
      age_ = 0;
    }
    const Real xi = u_ - tip_, Y = c() * mu(age_), goal = xi > Y ? u_ - Y : xi < -Y ? u_ + Y : tip_;
    const Land& l = lands_.at(j_);
    if (goal > l.to || goal < l.from) {
      const Real left = u_ - (goal > l.to ? l.to : l.from);
      W_adh += kt_ / 2 * (xi * xi - left * left);
      W_def += kt_ / 2 * left * left;
      find(u_);
    } else {
      W_adh += kt_ / 2 * (xi * xi - (u_ - goal) * (u_ - goal));
      tip_ = goal;
    }
  }

  /// At constant velocity to u1 within dt.
  void step(Real u1, Real dt) {
    const Real v = (u1 - u_) / dt, u0 = u_;
    if (v == 0) {
      if (on_) age_ += dt;
      return;
    }
    const int side = v > 0 ? 1 : -1;
    Real s = 0;  // time in the step
    auto at = [&](Real time) { return u0 + v * time; };
    for (;;) {
      if (!on_) {
        const Real edge = side > 0 ? lands_.at(j_ + 1).from : lands_.at(j_).to;
        if (side * (u1 - edge) < 0) break;
        s = (edge - u0) / v;
        if (side > 0) {
          ++j_;
          while (lands_.rbegin()->first <= j_) grow();
        }
        on_ = true;
        meet(edge, v);
        continue;
      }
      // A tip in contact waits while side (u - tip) < Y, and follows u - side Y from then on.
      const Real age0 = age_ - s, end = side > 0 ? lands_.at(j_).to : lands_.at(j_).from;
      auto ahead = [&](Real q, Real time) { return side * (at(time) - q) - c() * mu(age0 + time); };
      auto root = [&](Real q, Real a, Real b) {  // the last sign change: ahead is convex
        Real lowest = a;
        if (ahead(q, a) >= 0) {  // in slip at the beginning: adhesion may outgrow the stretch for a while
          Real l = a, r = b;
          for (int n = 0; n < 160; ++n) {
            const Real x = l + (r - l) / 3, y = r - (r - l) / 3;
            (ahead(q, x) < ahead(q, y) ? r : l) = ahead(q, x) < ahead(q, y) ? y : x;
          }
          if (ahead(q, a) > ahead(q, (l + r) / 2)) lowest = (l + r) / 2;
          if (ahead(q, lowest) > 0) return a;
        }
        Real lo = lowest, hi = b;
        for (int n = 0; n < 80; ++n) (ahead(q, (lo + hi) / 2) > 0 ? hi : lo) = (lo + hi) / 2;
        return (lo + hi) / 2;
      };
      const bool breaks = ahead(end, dt) > 0, slips = ahead(tip_, dt) > 0;
      const Real until = breaks ? root(end, s, dt) : dt;
      if (slips) {
        const Real begin = root(tip_, s, until), Y0 = c() * mu(age0 + begin), Y1 = c() * mu(age0 + until);
        W_adh += kt_ * (std::abs(v) * c() * mu_integral(age0 + begin, age0 + until) - (Y1 * Y1 - Y0 * Y0) / 2);
      }
      age_ = age0 + until;
      if (!breaks) {
        if (slips) tip_ = u1 - side * c() * mu(age_);
        break;
      }
      s = until;
      const Real xi = c() * mu(age_), u = end + side * xi;
      W_def += kt_ / 2 * xi * xi;
      const auto left = j_;
      find(u);
      if (on_ && j_ == left) {  // it did not stretch at all: the end of the land is behind it
        on_ = false;
        if (side < 0) --j_;
        ready();
      }
      if (on_) meet(u, v);
    }
    if (!on_) tip_ = u1;
    u_ = u1;
    ready();
  }

  Real force() const { return on_ ? kt_ * (u_ - tip_) : 0; }
  Real load() const { return on_ ? kt_ * c() : 0; }
  Real energy() const { return on_ ? kt_ / 2 * (u_ - tip_) * (u_ - tip_) : 0; }
  Real W_adh{}, W_def{}, W_imp{};

 private:
  struct Land {
    Real from, to;
  };
  Real U(std::uint64_t stream, std::int64_t j) const {
    return bristle::uniform(static_cast<std::uint64_t>(p_.seed), stream, i_, static_cast<std::uint64_t>(j));
  }
  Real spread(Real u) const { return 1 + p_.wavelength_spread * (2 * u - 1); }
  Real land(std::int64_t j) const { return Real(p_.wavelength) / (1 + Real(p_.topography)) * spread(U(7, j)); }
  Real gap(std::int64_t j) const {
    return Real(p_.topography) * p_.wavelength / (1 + Real(p_.topography)) * spread(U(8, j));
  }
  Land last() const { return lands_.rbegin()->second; }
  void grow() {
    const auto j = lands_.rbegin()->first;
    const Real from = last().to + gap(j);
    lands_[j + 1] = {from, from + land(j + 1)};
  }
  void grow_back() {
    const auto j = lands_.begin()->first;
    const Real to = lands_.begin()->second.from - gap(j - 1);
    lands_[j - 1] = {to - land(j - 1), to};
  }
  void find(Real u) {
    while (last().to < u) grow();
    while (lands_.begin()->second.from > u) grow_back();
    for (const auto& [j, l] : lands_) {
      if (l.from <= u) {
        j_ = j;
        on_ = u <= l.to;
      }
    }
    tip_ = u;
    age_ = 0;
    ready();
  }
  void ready() {
    while (lands_.rbegin()->first <= j_) grow();
    while (lands_.begin()->first >= j_) grow_back();
  }
  void meet(Real u, Real v) {
    tip_ = u;
    age_ = 0;
    if (c() > 0) W_imp += m_ / 2 * v * v;
    ready();
  }
  Real c() const { return h_ > d_ ? kn_ * (h_ - d_) / kt_ : 0; }
  Real mu(Real age) const {
    if (p_.adhesion == bristle::Adhesion::exponential)
      return p_.mu_inf - (Real(p_.mu_inf) - p_.mu0) * std::exp(-age / p_.tau);
    return p_.mu_log + p_.b_log * std::log1p(age / p_.tau_log);
  }
  Real mu_integral(Real a, Real b) const {
    if (p_.adhesion == bristle::Adhesion::exponential)
      return p_.mu_inf * (b - a) +
             (Real(p_.mu_inf) - p_.mu0) * p_.tau * (std::exp(-b / p_.tau) - std::exp(-a / p_.tau));
    auto whole = [&](Real x) { return (x + p_.tau_log) * std::log1p(x / p_.tau_log) - x; };
    return p_.mu_log * (b - a) + p_.b_log * (whole(b) - whole(a));
  }

  bristle::GfmParams p_;
  std::uint64_t i_;
  Real d_, h_{}, kt_{}, kn_{}, m_{};
  std::map<std::int64_t, Land> lands_;
  Real u_{}, tip_{}, age_{};
  std::int64_t j_{};
  bool on_ = false;
};

class Population {
 public:
  explicit Population(const bristle::GfmParams& p) {
    for (int i = 0; i < p.asperities; ++i) all_.emplace_back(p, static_cast<std::uint64_t>(i));
  }
  void separate(double d) {
    for (Asperity& a : all_) a.separate(d);
  }
  void step(Real u, Real dt) {
    for (Asperity& a : all_) a.step(u, dt);
  }
  double mean(Real (Asperity::*f)() const) const {
    Real sum = 0;
    for (const Asperity& a : all_) sum += (a.*f)();
    return static_cast<double>(sum / all_.size());
  }
  double mean(Real Asperity::* x) const {
    Real sum = 0;
    for (const Asperity& a : all_) sum += a.*x;
    return static_cast<double>(sum / all_.size());
  }

 private:
  std::vector<Asperity> all_;
};

}  // namespace slow
