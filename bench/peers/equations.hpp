#pragma once
#include <vector>

#include "problems.hpp"

/// The equations of a problem as a careful user of a general solver writes them: right-hand side, analytic Jacobian,
/// root functions and what happens there. States per block x, v and the deflection z of bristles; a disk has x, v, omega
/// and z.
namespace peers {

inline double sign(double x) { return static_cast<double>((x > 0) - (x < 0)); }

struct Friction {
  double F, dz;                 // force and rate of z
  double F_u, F_z, dz_u, dz_z;  // derivatives by slip velocity and z
};

class Equations {
 public:
  explicit Equations(const Case& problem) : p(problem), each_(2 + (p.disk() ? 1 : 0) + (p.bristles() ? 1 : 0)) {}

  int size() const { return each_ * p.blocks; }
  int each() const { return each_; }
  /// Sizes that the absolute tolerances are multiples of. "model": what the parameters say; "range": what the run reaches.
  std::vector<double> scales(const std::string& scaling) const {
    const bool range = scaling == "range";
    std::vector<double> s;
    const double v = range ? std::fmax(p.vs, p.pull) : std::fmin(p.vs, p.pull);
    for (int b = 0; b < p.blocks; ++b) {
      s.push_back(range ? p.pull * p.duration : p.Fs / p.stiffness);
      s.push_back(v);
      if (p.disk()) s.push_back(v / p.radius);
      if (p.bristles()) s.push_back(p.Fs / p.sigma0);
    }
    return s;
  }

  Friction friction(double u, double z) const {
    switch (p.law) {
      case Law::coulomb: return {direction * p.Fc + p.kv * u, 0, p.kv, 0, 0, 0};
      case Law::stribeck: {
        const double w = u / p.vs, e = (p.Fs - p.Fc) * std::exp(-w * w);
        return {direction * (p.Fc + e) + p.kv * u, 0, -direction * 2 * w / p.vs * e + p.kv, 0, 0, 0};
      }
      case Law::brown_mcphee: {
        const double w = u / p.vs, q = 0.25 * w * w + 0.75, th = std::tanh(4 * w);
        const double slope = (4 * p.Fc * (1 - th * th) + (p.Fs - p.Fc) * (1 / (q * q) - w * w / (q * q * q))) / p.vs;
        return {p.Fc * th + (p.Fs - p.Fc) * w / (q * q) + p.kv * u, 0, slope + p.kv, 0, 0, 0};
      }
      default: {  // Dahl is LuGre without a Stribeck curve and without damping
        const double w = u / p.vs, e = p.Fs > p.Fc ? (p.Fs - p.Fc) * std::exp(-w * w) : 0, S = p.Fc + e;
        const double g = std::fabs(u) * p.sigma0 / S, dz = u - g * z;
        const double dz_u = 1 - sign(u) * p.sigma0 * z / S - g * z / S * 2 * w / p.vs * e;
        return {p.sigma0 * z + p.sigma1 * dz + p.kv * u, dz, p.sigma1 * dz_u + p.kv, p.sigma0 - p.sigma1 * g, dz_u, -g};
      }
    }
  }
  /// Force of the springs on block b.
  double spring(double t, const double* y, int b) const {
    const double* s = y + b * each_;
    double F = 0;
    if (b == 0) F += p.stiffness * (p.pull * t - s[0]);
    if (b > 0) F += p.coupling * (s[-each_] - s[0]);
    if (b + 1 < p.blocks) F += p.coupling * (s[each_] - s[0]);
    return F;
  }
  double slip(const double* s) const { return s[1] - (p.disk() ? s[2] * p.radius : 0); }
  /// The force that keeps a dry contact from slipping.
  double holding(double t, const double* y) const {
    const double F = spring(t, y, 0);
    return p.disk() ? F / (1 + p.mass * p.radius * p.radius / p.inertia()) : F;
  }
  void rhs(double t, const double* y, double* dy) const {
    for (int b = 0; b < p.blocks; ++b) {
      const double* s = y + b * each_;
      double* d = dy + b * each_;
      const double F_app = spring(t, y, b);
      double F = 0;
      if (p.dry() && direction == 0) {
        F = holding(t, y);
      } else {
        const Friction f = friction(slip(s), p.bristles() ? s[each_ - 1] : 0);
        F = f.F;
        if (p.bristles()) d[each_ - 1] = f.dz;
      }
      d[0] = s[1];
      d[1] = (F_app - F) / p.mass;
      if (p.disk()) d[2] = F * p.radius / p.inertia();
    }
  }
  /// J(i, j) = d dy_i / d y_j through set(i, j, value); what it does not set is zero.
  template <class Set> void jacobian(double, const double* y, Set&& set) const {
    for (int b = 0; b < p.blocks; ++b) {
      const double* s = y + b * each_;
      const int x = b * each_, v = x + 1, w = x + 2, z = x + each_ - 1;
      const int springs = (b > 0) + (b + 1 < p.blocks);
      const double k = (b == 0 ? p.stiffness : 0) + p.coupling * springs;
      set(x, v, 1.0);
      if (b > 0) set(v, x - each_, p.coupling / p.mass);
      if (b + 1 < p.blocks) set(v, x + each_, p.coupling / p.mass);
      if (p.dry() && direction == 0) {
        const double share = p.disk() ? 1 / (1 + p.mass * p.radius * p.radius / p.inertia()) : 1;
        set(v, x, -k * (1 - share) / p.mass);
        if (p.disk()) set(w, x, -k * share * p.radius / p.inertia());
        continue;
      }
      const Friction f = friction(slip(s), p.bristles() ? s[each_ - 1] : 0);
      set(v, x, -k / p.mass);
      set(v, v, -f.F_u / p.mass);
      if (p.disk()) {
        const double a = p.radius / p.inertia();
        set(v, w, f.F_u * p.radius / p.mass);
        set(w, v, f.F_u * a);
        set(w, w, -f.F_u * a * p.radius);
        if (p.bristles()) set(w, z, f.F_z * a);
      }
      if (p.bristles()) {
        set(v, z, -f.F_z / p.mass);
        set(z, v, f.dz_u);
        set(z, z, f.dz_z);
        if (p.disk()) set(z, w, -f.dz_u * p.radius);
      }
    }
  }

  // Dry friction, by events: where guard() falls through zero, switch_over() follows.
  double guard(double t, const double* y) const {
    return direction == 0 ? p.Fs - std::fabs(holding(t, y)) : slip(y) * direction;
  }
  void switch_over(double t, double* y) {
    const double F = holding(t, y);
    if (direction != 0 && std::fabs(F) <= p.Fs) {
      direction = 0;
      y[1] = p.disk() ? y[2] * p.radius : 0;
    } else {
      direction = sign(F);
    }
  }
  const Case p;
  double direction = 0;  // of a dry contact; 0 sticks

 private:
  int each_;
};

}  // namespace peers
