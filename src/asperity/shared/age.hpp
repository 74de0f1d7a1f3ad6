#pragma once
#include <cmath>

#include "asperity/shared/move.hpp"
#include "bristle/asperity/gfm.hpp"
#include "bristle/quick.hpp"

namespace bristle::asperity {

/// (1 + x) ln(1 + x) - x, for x >= 0.
template <class T> constexpr T growth(T x) {
  if (x >= 0.03) return (1 + x) * std::log1p(x) - x;
  T sum = 0;
  for (int k = 11; k >= 2; --k) sum = 1.0 / (k * (k - 1)) - x * sum;
  return x * x * sum;
}

/// Adhesion of one contact along a step; times s are relative to the start of the step. P: GfmParams, or its numbers of (4).
template <class P> class Age {
 public:
  static constexpr Age of(const P& p, const Move& m, double g) {
    return {p, 0, p.adhesion == Adhesion::exponential ? std::exp(-m.t0 / p.tau) * g : m.t0 - g};
  }
  static constexpr Age begun(const P& p, double s) { return {p, s, p.adhesion == Adhesion::exponential ? 1.0 : 0.0}; }

  constexpr double mu(double s) const {
    return exponential() ? p_->mu_inf - (p_->mu_inf - p_->mu0) * left(s)
                         : p_->mu_log + p_->b_log * std::log1p(age(s) / p_->tau_log);
  }
  constexpr double slope(double s) const {
    return exponential() ? (p_->mu_inf - p_->mu0) * left(s) / p_->tau : p_->b_log / (p_->tau_log + age(s));
  }
  /// Integral of mu.
  constexpr double integral(double a, double b) const {
    const double h = b - a;
    if (exponential()) return p_->mu_inf * h + (p_->mu_inf - p_->mu0) * p_->tau * left(a) * std::expm1(-h / p_->tau);
    const double old = age(a) + p_->tau_log;
    return p_->mu_log * h + p_->b_log * (h * std::log(old / p_->tau_log) + old * growth(h / old));
  }
  /// Time at which a slipping tip reaches q: side (u - q) = c mu. The difference is convex in time and positive at
  /// `to`: Newton steps from there converge monotonically.
  constexpr double reach(const Move& m, double side, double c, double q, double from, double to) const {
    double s = to;
    for (int n = 0; n < 100; ++n) {
      double now = 0, rise = 0;
      if (exponential()) {
        const double missing = (p_->mu_inf - p_->mu0) * left(s);
        now = p_->mu_inf - missing;
        rise = missing / p_->tau;
      } else {
        now = mu(s);
        rise = slope(s);
      }
      const double rate = std::abs(m.v) - c * rise, f = side * (m.u0 + m.v * s - q) - c * now;
      if (!(f > 0) || !(rate > 0)) break;
      const double next = s - f / rate;
      if (!(next < s)) break;
      const bool close = s - next <= 1e-9 * (s - from);  // quadratic convergence: the next step is below rounding
      s = next;
      if (s <= from) return from;
      if (close) break;
    }
    return s;
  }

 private:
  constexpr Age(const P& p, double since, double value) : p_(&p), since_(since), value_(value) {}
  constexpr bool exponential() const { return p_->adhesion == Adhesion::exponential; }
  constexpr double left(double s) const { return value_ * quick::exp(-(s - since_) / p_->tau); }
  constexpr double age(double s) const { return value_ + (s - since_); }
  const P* p_;
  double since_, value_;  // value: exp(-age/tau), or age, at the time `since`
};

}  // namespace bristle::asperity
