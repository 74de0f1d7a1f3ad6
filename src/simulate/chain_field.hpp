#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "chain_events.hpp"

namespace bristle {

/// Dormand and Prince, J. Comput. Appl. Math. 6 (1980), with the dense output of Hairer, Norsett and Wanner, II.6.
namespace dormand_prince {
inline constexpr std::size_t stages = 7;
inline constexpr double a[stages][6] = {{},
                                        {1. / 5},
                                        {3. / 40, 9. / 40},
                                        {44. / 45, -56. / 15, 32. / 9},
                                        {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                                        {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                                        {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
inline constexpr double c[stages] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
inline constexpr double error[stages] = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                                         -17253. / 339200, 22. / 525, -1. / 40};
inline constexpr double d[stages] = {-12715105075. / 11282082432,  0,
                                     87487479700. / 32700410799,   -10690763975. / 1880347072,
                                     701980252875. / 199316789632, -1453857185. / 822651844,
                                     69997945. / 29380423};
}  // namespace dormand_prince

/// The blocks of a chain on a set-valued law of velocity, and one step of those that move. Every array has a place for each
/// block, so that clusters of moving blocks that do not touch share them.
template <class C> class EventField {
 public:
  static constexpr std::size_t nothing = 0;
  struct Point {
    double x, v;
  };

  EventField(const Experiment& e, std::vector<C> laws, const Blocks& blocks, double x_scale, double v_scale)
      : row(blocks, e.chain.ring(), e.chain.coupling_damping),
        drive(e.drive.at(0)),
        dir(row.n + 2),
        F(row.n + 2),
        laws_(std::move(laws)),
        rest_length_(e.body.rest_length),
        rtol_(e.solver.rtol),
        x_tol_(e.solver.atol > 0 ? e.solver.atol : e.solver.rtol * x_scale),
        v_tol_(e.solver.atol > 0 ? e.solver.atol : e.solver.rtol * v_scale) {
    for (auto* values : {&sx, &sv}) values->assign(row.n + 2, 0.0);
    for (auto* k : {&kx, &kv}) {
      for (auto& stage : *k) stage.assign(row.n + 2, 0.0);
    }
    double stiffest = 0;
    for (std::size_t i = 1; i <= row.n; ++i)
      stiffest = std::max(stiffest, (row.stiffness[i] + 2 * (row.link[i] + row.link[i + 1])) / row.mass[i]);
    slow_time = stiffest > 0 ? two_pi / std::sqrt(stiffest) : e.solver.duration;
    longest = slow_time / 4;
  }

  const C& law(std::size_t i) const { return laws_[laws_.size() > 1 ? i - 1 : 0]; }
  double breakaway(std::size_t i) const { return law(i).scales().force; }
  double slip_force(std::size_t i, int direction, double v) const { return law(i).force({}, {direction}, {.v = v}); }
  /// End of the springs, less their length at rest. The time is base + s.
  double end_at(double s) const { return drive.value + drive.rate * (base + s) - rest_length_; }
  bool moves(std::size_t i) const { return i != nothing && dir[i] != 0; }

  /// By drive, neighbours and boundary.
  double applied(std::size_t i, const double* x, const double* v, double s) const {
    const double own = x[i];
    double sum = row.stiffness[i] * (end_at(s) - own) + row.damping[i] * (drive.rate - v[i]) + row.pull[i];
    sum += row.link[i] * (x[i - 1] - own) + row.link[i + 1] * (x[i + 1] - own);
    if (row.link_damping > 0) sum += row.link_loss[i] * (v[i - 1] - v[i]) + row.link_loss[i + 1] * (v[i + 1] - v[i]);
    return sum;
  }
  double applied(std::size_t i, double s) const { return applied(i, row.x.data(), row.v.data(), s); }
  /// Time from s on until the drive alone releases a block among stuck ones.
  double release_in(std::size_t i, double s) const {
    const double rate = row.stiffness[i] * drive.rate, now = applied(i, s), most = breakaway(i);
    if (std::abs(now) > most) return 0;
    return rate != 0 ? ((rate > 0 ? most : -most) - now) / rate : inf;
  }
  /// Power lost in the dampers of moving blocks and of their links, beyond that of a block at rest.
  double losses(const std::vector<std::size_t>& movers, const std::vector<double>& v) const {
    double sum = 0;
    for (const std::size_t i : movers) {
      sum += row.damping[i] * (std::pow(drive.rate - v[i], 2) - std::pow(drive.rate, 2));
      if (row.link_damping == 0) continue;
      sum += row.link_loss[i] * std::pow(v[i] - v[i - 1], 2) * (moves(row.left(i)) ? 0.5 : 1);
      sum += row.link_loss[i + 1] * std::pow(v[i] - v[i + 1], 2) * (moves(row.right(i)) ? 0.5 : 1);
    }
    return sum;
  }
  EnergyBalance energy(double s) const {
    EnergyBalance w;
    const double end = end_at(s);
    for (std::size_t i = 1; i <= row.n; ++i) {
      w.kinetic += row.mass[i] * row.v[i] * row.v[i] / 2;
      w.spring += row.stiffness[i] * std::pow(end - row.x[i], 2) / 2;
      if (const std::size_t r = row.right(i); r != nothing)
        w.spring += row.link[i + 1] * std::pow(row.x[r] - row.x[i], 2) / 2;
    }
    return w;
  }

  void accelerate(const std::vector<MovingRange>& ranges, const std::vector<double>& x, const std::vector<double>& v,
                  double s, std::vector<double>& to, bool keep_friction = false) {
    const double end = end_at(s), rate = drive.rate;
    const double *const px = x.data(), *const pv = v.data();
    const double *const k = row.stiffness.data(), *const c = row.damping.data(), *const l = row.link.data(),
                        *const m = row.mass.data(), *const pull = row.pull.data();
    double* const out = to.data();
    const bool lossy = row.link_damping > 0, equal = laws_.size() == 1;
    const C one = laws_.front();
    for (const MovingRange& r : ranges) {
      if (equal && !lossy && !keep_friction) {
        for (std::size_t i = r.from; i <= r.to; ++i) {
          const double friction = one.force({}, {dir[i]}, {.v = pv[i]});
          out[i] = (k[i] * (end - px[i]) + c[i] * (rate - pv[i]) + pull[i] + l[i] * (px[i - 1] - px[i]) +
                    l[i + 1] * (px[i + 1] - px[i]) - friction) /
                   m[i];
        }
        continue;
      }
      for (std::size_t i = r.from; i <= r.to; ++i) {
        F[i] = slip_force(i, dir[i], pv[i]);
        out[i] = (applied(i, px, pv, s) - F[i]) / m[i];
      }
    }
  }

  /// From row to sx, sv; kv[0] is known.
  void step(const std::vector<MovingRange>& ranges, double s, double h) {
    using namespace dormand_prince;
    const double* const v0 = row.v.data();
    for (const MovingRange& r : ranges) std::copy(v0 + r.from, v0 + r.to + 1, kx[0].data() + r.from);
    for (std::size_t stage = 1; stage < stages; ++stage) {
      std::array<double, 6> w{};
      for (std::size_t j = 0; j < stage; ++j) w[j] = h * a[stage][j];
      for (const MovingRange& r : ranges) blend(stage, w, r);
      row.close(sx);
      row.close(sv);
      accelerate(ranges, sx, sv, s + c[stage] * h, kv[stage]);
    }
  }
  double error(const std::vector<MovingRange>& ranges, double h) const {
    double most = 0;
    for (const MovingRange& r : ranges) {
      for (std::size_t i = r.from; i <= r.to; ++i) {
        double ex = 0, ev = 0;
        for (std::size_t j = 0; j < dormand_prince::stages; ++j) {
          ex += dormand_prince::error[j] * kx[j][i];
          ev += dormand_prince::error[j] * kv[j][i];
        }
        most = std::max(most, h * std::abs(ex) / (x_tol_ + rtol_ * std::abs(sx[i] - row.x[i])));
        most = std::max(most, h * std::abs(ev) / (v_tol_ + rtol_ * std::abs(sv[i])));
      }
    }
    return std::isfinite(most) ? most : 1e10;
  }

  /// Dense output of a moving block; a stuck one stands.
  Point dense(std::size_t i, double theta, double h) const {
    if (dir[i] == 0) return {row.x[i], 0};
    const auto at = [&](double y0, double y1, const auto& k) {
      const double dy = y1 - y0, b = h * k[0][i] - dy;
      double last = 0;
      for (std::size_t j = 0; j < dormand_prince::stages; ++j) last += dormand_prince::d[j] * k[j][i];
      return y0 + theta * (dy + (1 - theta) * (b + theta * (dy - h * k[6][i] - b + (1 - theta) * h * last)));
    };
    return {at(row.x[i], sx[i], kx), at(row.v[i], sv[i], kv)};
  }
  /// The place in the step at which a moving block turns or a stuck one is released, if not after `limit`; otherwise `later`.
  static constexpr double later = 2;
  double crossing(std::size_t i, double s, double h, double limit) const {
    if (dir[i] != 0) {  // turned at the end, or perhaps on the way
      const bool dips = dir[i] * kv[0][i] < 0 && dir[i] * kv[6][i] > 0;
      if (dir[i] * sv[i] > 0 && !dips) return later;
    }
    double lo = 0, hi = limit, g_hi = guard(i, limit, s, h);
    if (!(g_hi > 0)) {
      hi = limit / 2;
      g_hi = guard(i, hi, s, h);
      if (!(g_hi > 0)) return later;
    }
    double g_lo = guard(i, 0, s, h);
    if (g_lo > 0) return 0;
    if (dir[i] != 0 && row.v[i] == 0) {  // left rest in this step: only a later return counts
      lo = 1e-3 * hi;
      g_lo = guard(i, lo, s, h);
      if (g_lo > 0) return lo;
    }
    int side = 0;
    for (int k = 0; k < 60 && hi - lo > 1e-14; ++k) {
      double at = lo + (hi - lo) * g_lo / (g_lo - g_hi);
      if (!(at > lo && at < hi)) at = (lo + hi) / 2;
      const double g = guard(i, at, s, h);
      if (g > 0) {
        hi = at;
        g_hi = g;
        if (side == 1) g_lo /= 2;
        side = 1;
      } else {
        lo = at;
        g_lo = g;
        if (side == -1) g_hi /= 2;
        side = -1;
        if (g == 0) break;
      }
    }
    return hi;
  }

  BlockRow row;
  Signal drive;
  std::vector<int> dir;  // of motion; 0: stuck
  std::vector<double> sx{}, sv{}, F;
  std::array<std::vector<double>, dormand_prince::stages> kx{}, kv{};
  double base = 0;  // the time is base + s: durations are short compared with the time of slow loading
  double slow_time{}, longest{};

 private:
  void blend(std::size_t stage, const std::array<double, 6>& w, const MovingRange& r) {
    const auto with = [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
      std::array<const double*, n> px, pv;
      for (std::size_t j = 0; j < n; ++j) px[j] = kx[j].data(), pv[j] = kv[j].data();
      const double *const x0 = row.x.data(), *const v0 = row.v.data();
      double *const x = sx.data(), *const v = sv.data(), *const out = kx[stage].data();
      for (std::size_t i = r.from; i <= r.to; ++i) {
        double by_x = w[0] * px[0][i], by_v = w[0] * pv[0][i];
        for (std::size_t j = 1; j < n; ++j) {
          by_x += w[j] * px[j][i];
          by_v += w[j] * pv[j][i];
        }
        x[i] = x0[i] + by_x;
        out[i] = v[i] = v0[i] + by_v;
      }
    };
    switch (stage) {
      case 1: return with(std::integral_constant<std::size_t, 1>{});
      case 2: return with(std::integral_constant<std::size_t, 2>{});
      case 3: return with(std::integral_constant<std::size_t, 3>{});
      case 4: return with(std::integral_constant<std::size_t, 4>{});
      case 5: return with(std::integral_constant<std::size_t, 5>{});
      default: return with(std::integral_constant<std::size_t, 6>{});
    }
  }
  /// Positive once a moving block has turned, or a stuck one is released.
  double guard(std::size_t i, double theta, double s, double h) const {
    if (dir[i] != 0) return -dir[i] * dense(i, theta, h).v;
    const std::size_t l = row.left(i), r = row.right(i);
    const Point own{row.x[i], 0}, before = l != nothing ? dense(l, theta, h) : own,
                                  after = r != nothing ? dense(r, theta, h) : own;
    double sum = row.stiffness[i] * (end_at(s + theta * h) - own.x) + row.damping[i] * drive.rate + row.pull[i] +
                 row.link[i] * (before.x - own.x) + row.link[i + 1] * (after.x - own.x);
    sum += row.link_loss[i] * before.v + row.link_loss[i + 1] * after.v;
    return std::abs(sum) - breakaway(i);
  }

  std::vector<C> laws_;
  const double rest_length_, rtol_, x_tol_, v_tol_;
};

}  // namespace bristle
