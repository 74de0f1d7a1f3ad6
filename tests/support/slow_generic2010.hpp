#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "bristle/asperity/generic2010.hpp"

/// The model of 2010 as one would write it first: absolute coordinates, one asperity after the other, the closest point of the
/// profile by trying all that it could be.
namespace slow {

using bristle::AdhesionLaw;
using bristle::Generic2010Params;
using bristle::Profile;
using bristle::uniform;

struct Vector {
  double x, y;
  double length() const { return std::hypot(x, y); }
};
struct Gap {
  double g;
  Vector n;
  double depth;
};

class Generic2010 {
 public:
  explicit Generic2010(const Generic2010Params& params) : p(params), dt(params.dt) {
    const auto seed = static_cast<std::uint64_t>(p.seed);
    auto in = [](const Generic2010Params::Pair& r, double s) { return r[0] + (r[1] - r[0]) * s; };
    ends.push_back(0);
    for (std::uint64_t j = 0; j < 8192; ++j) {
      R.push_back(in(p.R, uniform(seed, 12, j)));
      ends.push_back(ends.back() + 2 * std::sqrt(2 * R.back() * p.A - p.A * p.A));
    }
    double longest = -1e9;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(p.asperities); ++i) {
      auto draw = [&](std::uint64_t what) { return uniform(seed, 11, i, what); };
      Asperity a;
      a.wTe = in(p.wTe, draw(0));
      a.wTp = in(p.wTp, draw(1));
      a.rT = in(p.rT, draw(2));
      a.wNe = in(p.wNe, draw(3));
      a.wNp = in(p.wNp, draw(4));
      a.rN = in(p.rN, draw(5));
      a.dX = in(p.dX, draw(6));
      a.Fadh = in(p.Fadh, draw(7));
      a.wP = in(p.wP, draw(8));
      a.m = in(p.m, draw(9));
      a.L = p.L_sd * std::sqrt(-2 * std::log(1 - draw(10))) * std::cos(2 * std::numbers::pi * draw(11));
      const double zeta_N =
          draw(12) < p.tail_share ? p.zeta_N * std::pow(p.zeta_N_tail / p.zeta_N, draw(13)) : p.zeta_N;
      a.shift = ends.back() * draw(14);
      a.cT = 2 * p.zeta_T * std::hypot(a.wTe, a.wTp);
      a.cN = 2 * zeta_N * std::hypot(a.wNe, a.wNp);
      longest = std::max(longest, a.L);
      all.push_back(a);
    }
    Yt = p.A + longest;
    for (Asperity& a : all) {
      a.X = a.dX;
      a.Y = Yt - a.L;
    }
  }

  void step(double U, double load) {
    const double V0 = V;
    Xt += dt * U;
    Yt += dt * V0;
    F = Fn = contacts = profile_x = 0;
    for (Asperity& a : all) {
      a.X += dt * a.u;
      a.Y += dt * a.v;
      const double eT = Xt + a.dX - a.X, eN = Yt - a.L - a.Y;
      auto slip = [](double d, double limit) { return std::clamp(d, -limit, limit); };
      a.dT = slip(a.dT + eT - a.eT, a.rT / (a.wTp * a.wTp));
      a.dN = slip(a.dN + eN - a.eN, a.rN / (a.wNp * a.wNp));
      a.eT = eT;
      a.eN = eN;
      const Gap c = gap(a.X + a.shift, a.Y);
      const double push = a.wP * a.wP * c.depth - (p.adhesion == AdhesionLaw::normal && c.g < p.ha ? a.Fadh : 0);
      const double ax = a.wTe * a.wTe * eT + a.wTp * a.wTp * a.dT + push * c.n.x;
      const double ay = a.wNe * a.wNe * eN + a.wNp * a.wNp * a.dN + push * c.n.y;
      const double u0 = a.u, v0 = a.v;
      auto G = [&](double cd) { return cd > 0 ? (1 - std::exp(-cd * dt)) / (cd * dt) : 1; };
      a.u = a.u * std::exp(-a.cT * dt) + (1 - std::exp(-a.cT * dt)) * U + dt * G(a.cT) * ax;
      a.v = a.v * std::exp(-a.cN * dt) + (1 - std::exp(-a.cN * dt)) * V0 + dt * G(a.cN) * ay;
      double q = 0;
      if (p.adhesion == AdhesionLaw::tangential && c.g < 0) {
        const double along = a.u * c.n.y - a.v * c.n.x;
        q = std::clamp(along / (G(a.cT) * c.n.y * c.n.y + G(a.cN) * c.n.x * c.n.x), -a.Fadh * dt, a.Fadh * dt);
        a.u -= G(a.cT) * q * c.n.y;
        a.v += G(a.cN) * q * c.n.x;
      }
      // Impulse of the damper: what else changed the momentum.
      const double jx = a.u - u0 - dt * ax + q * c.n.y, jy = a.v - v0 - dt * ay - q * c.n.x;
      F += a.m * (a.wTe * a.wTe * eT + a.wTp * a.wTp * a.dT + jx / dt);
      Fn -= a.m * (a.wNe * a.wNe * eN + a.wNp * a.wNp * a.dN + jy / dt);
      profile_x += a.m * (push * c.n.x - q * c.n.y / dt);
      contacts += c.g < 0 ? 1 : 0;
    }
    V += dt * (Fn - load);
  }

  Gap gap(double X, double Y) const {
    const double way = ends.back(), x = X - way * std::floor(X / way);
    const auto next = std::upper_bound(ends.begin(), ends.end(), x);
    const auto j = std::min(static_cast<std::size_t>(next - ends.begin()) - 1, R.size() - 1);
    const double crest = 0.5 * (ends[j] + ends[j + 1]), h = 0.5 * (ends[j + 1] - ends[j]), A = p.A, r = x - crest;
    if (p.profile == Profile::circular) {
      const double low = R[j] - A;  // centre below the base
      const Vector from_centre{r, Y + low};
      const double rho = from_centre.length();
      // Feet on the arc, if it is there, and at both cusps.
      const bool on_arc = from_centre.y > 0 && std::abs(from_centre.x / from_centre.y) <= h / low;
      if (on_arc) return radial(rho - R[j], {from_centre.x / rho, from_centre.y / rho});
      return below({r, Y}, {r < 0 ? -h : h, 0});
    }
    if (p.profile == Profile::triangular) {
      const Vector apex{0, A}, cusp{r < 0 ? -h : h, 0};
      const Vector flank{cusp.x - apex.x, cusp.y - apex.y};
      const double s = ((r - apex.x) * flank.x + (Y - apex.y) * flank.y) / (flank.x * flank.x + flank.y * flank.y);
      if (s > 1) return below({r, Y}, cusp);
      const Vector foot{apex.x + std::max(s, 0.0) * flank.x, apex.y + std::max(s, 0.0) * flank.y};
      const Vector away{r - foot.x, Y - foot.y};
      const double line = A * (1 - std::abs(r) / h), side = Y < line ? -1 : 1;
      if (s < 0) return radial(away.length(), {away.x / away.length(), away.y / away.length()});
      const double l = flank.length();
      const Vector n{std::abs(flank.y) / l * (r < 0 ? -1 : 1), h / l};
      return radial(side * std::abs(away.x * n.x + away.y * n.y), n);
    }
    double y = 0, slope = 0;
    if (p.profile == Profile::sinusoidal) {
      y = 0.5 * A * (1 + std::cos(std::numbers::pi * r / h));
      slope = -0.5 * A * std::numbers::pi / h * std::sin(std::numbers::pi * r / h);
    } else if (std::abs(r) <= h / 4) {
      y = A;
    } else if (std::abs(r) < 3 * h / 4) {
      y = A * (3 * h / 4 - std::abs(r)) / (h / 2);
      slope = (r < 0 ? 1 : -1) * A / (h / 2);
    }
    const double s = std::sqrt(1 + slope * slope);
    return {(Y - y) / s, {-slope / s, 1 / s}, Y < y ? (y - Y) * s : 0};
  }

  struct Asperity {
    double wTe, wTp, rT, wNe, wNp, rN, dX, Fadh, wP, m, L, shift, cT, cN;
    double X{}, Y{}, u{}, v{}, eT{}, eN{}, dT{}, dN{};
  };
  const Generic2010Params p;
  double dt, Xt{}, Yt{}, V{}, F{}, Fn{}, contacts{};
  double profile_x{};  // all that the profile does along x
  std::vector<Asperity> all;

 private:
  static Gap radial(double g, Vector n) { return {g, n, std::max(0.0, -g)}; }
  static Gap below(Vector at, Vector cusp) {
    const Vector up{cusp.x - at.x, cusp.y - at.y};
    return radial(-up.length(), {up.x / up.length(), up.y / up.length()});
  }
  std::vector<double> R, ends;
};

}  // namespace slow
