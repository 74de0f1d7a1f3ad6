#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "contact_ref.hpp"

/// One implicit step of many contacts on one mechanism: M (w - v)/dt = F_app - F(w), all velocities w at once. One contact
/// at a time, with the inertia that it feels, does not hold a chain of bodies: each hold disturbs its neighbours.
namespace bristle {

/// A symmetric, positive definite matrix, row by row.
struct MassMatrix {
  std::span<const double> a;  // elements, row by row
};
/// Of a mechanism with more coordinates than contacts: the block of the inverse that belongs to the contacts.
struct InverseMassMatrix {
  std::span<const double> a;  // elements, row by row
};

namespace detail {
/// Whether all numbers of a motion that a user gives are finite and the load ratio is none of a tension.
inline bool usable(const Motion<double>& u) {
  // A product with 0 is 0 unless the number is infinite or NaN.
  const double none = 0 * u.x + 0 * u.v + 0 * u.F_app + 0 * u.r + 0 * u.path + 0 * u.t + 0 * u.temperature;
  return none == 0 && u.r >= 0;
}
/// Differences of rounding between the triangles are accepted; NaN is not.
inline bool symmetric(std::span<const double> a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double d = a[i * n + j] - a[j * n + i];
      if (!(d * d <= 1e-12 * std::abs(a[i * n + i] * a[j * n + j]))) return false;
    }
  }
  return true;
}
}  // namespace detail

/// Memory and method of couple_all for up to `n` contacts. Newton steps on all velocities follow the potential whose
/// gradient the balance is (F_i depends on w_i alone), so that they go downhill. Where a force jumps (stick of a set-valued
/// law), single contacts are solved as `couple` does, and those in a jump stay at their velocity until they leave it.
class CoupleAll {
 public:
  /// Reserves memory for n contacts; steps allocate none.
  explicit CoupleAll(std::size_t n)
      : M_(n * n),
        L_(n * n),
        w_(n),
        F_(n),
        slope_(n),
        size_(n),
        from_(n),
        p_(n),
        R_(n),
        pinned_(n),
        holds_(n),
        out_(n),
        own_(n) {}

  /// u[i]: as for `couple`, the motion of coordinate i and the force on it at the start of the step. The contacts advance.
  /// False if no balance was found. Nothing advances if the matrix is not symmetric and positive definite, a number is not
  /// finite, a load ratio is negative, or a list is too short.
  bool step(std::span<const ContactRef> contacts, MassMatrix mass, std::span<const Motion<double>> u, double dt);
  bool step(std::span<const ContactRef> contacts, InverseMassMatrix inverse, std::span<const Motion<double>> u,
            double dt);

  /// Velocity and force of each contact after the step.
  std::span<const Coupled<double>> result() const { return {out_.data(), n_}; }
  /// Motions of these velocities and forces, in the memory of this object.
  std::span<const Motion<double>> motions(std::span<const double> v, std::span<const double> force) {
    const std::size_t n = std::min({v.size(), force.size(), own_.size()});
    for (std::size_t i = 0; i < n; ++i) own_[i] = {.v = v[i], .F_app = force[i]};
    return {own_.data(), n};
  }
  int iterations() const { return iterations_; }  // Newton steps of the last step

 private:
  using Root = detail::Root;
  bool solve();
  void newton();
  bool search(double reach);
  bool sweep();
  bool alone(std::size_t i);
  bool factor(std::vector<double>& a) const;
  void back_substitute(std::vector<double>& x) const;
  double look(double along);
  void respond(std::size_t i);
  double M(std::size_t i, std::size_t j) const { return M_[i * n_ + j]; }
  /// The force that contact i would have to carry at rest while the others move at w.
  double need(std::size_t i) const {
    double sum = u_[i].F_app;
    for (std::size_t j = 0; j < n_; ++j) {
      if (j != i) sum -= M(i, j) * (w_[j] - u_[j].v);
    }
    return sum + M(i, i) * u_[i].v;
  }
  double balance(std::size_t i) const { return need(i) - M(i, i) * w_[i]; }  // the force that i needs at w
  /// Rounding error of a balance, times the factor by which cancellation inside a law exceeds it (slack_).
  double tolerance(std::size_t i) const {
    double sum = size_[i] + std::abs(u_[i].F_app) + std::abs(F_[i]) + std::abs(slope_[i] * w_[i]);
    for (std::size_t j = 0; j < n_; ++j) sum += std::abs(M(i, j)) * (std::abs(w_[j]) + std::abs(u_[j].v));
    return slack_ * 4 * epsilon<double> * sum;
  }
  bool balanced(std::size_t i) const { return pinned_[i] || std::abs(R_[i]) <= tolerance(i); }

  std::size_t n_{};
  double dt_{};
  std::span<const ContactRef> contacts_;
  std::span<const Motion<double>> u_;
  std::vector<double> M_, L_;          // over dt; factor of M + diag(slope)
  std::vector<double> w_, F_, slope_;  // velocities, forces there and their slopes
  std::vector<double> size_;           // of the forces of a contact
  std::vector<double> from_, p_, R_;   // of a Newton step: start, direction, residual
  std::vector<char> pinned_;           // in a jump of the force: it carries what is needed
  std::vector<char> holds_;            // by its own law
  std::vector<Coupled<double>> out_;
  std::vector<Motion<double>> own_;
  bool near_{};  // single contacts go downhill from where they are
  bool stalled_{};
  double slack_{1};  // by how much the residual exceeds rounding where Newton's method gets no further
  int iterations_{};
};

/// The results of one step of all contacts; empty where `CoupleAll::step` refuses or fails.
template <class Matrix>
std::span<const Coupled<double>> couple_all(std::span<const ContactRef> contacts, Matrix mass,
                                            std::span<const Motion<double>> u, double dt, CoupleAll& work) {
  return work.step(contacts, mass, u, dt) ? work.result() : std::span<const Coupled<double>>{};
}
/// The same for contacts that need no more than velocities and applied forces.
template <class Matrix>
std::span<const Coupled<double>> couple_all(std::span<const ContactRef> contacts, Matrix mass,
                                            std::span<const double> v, std::span<const double> force, double dt,
                                            CoupleAll& work) {
  return couple_all(contacts, mass, work.motions(v, force), dt, work);
}

inline void CoupleAll::respond(std::size_t i) {
  // At rest itself some laws have no slope: it is taken from next to it, where the contact is pushed to.
  const ContactRef::Trial t{u_[i], need(i), dt_};
  const detail::Response r = contacts_[i].respond(t, w_[i]);
  F_[i] = r.F;
  slope_[i] = r.slope;
  holds_[i] = r.holds ? 1 : 0;
  if (const double next = 1e-12 * (t.need - r.F) / M(i, i); w_[i] == 0 && next != 0 && contacts_[i])
    slope_[i] = contacts_[i].respond(t, next).slope;
  if (!std::isfinite(slope_[i])) slope_[i] = M(i, i);
}

/// Goes to from + along p; the slope of the potential there, in that direction.
inline double CoupleAll::look(double along) {
  for (std::size_t i = 0; i < n_; ++i) w_[i] = from_[i] + along * p_[i];
  double sum = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    if (pinned_[i]) continue;
    respond(i);
    R_[i] = F_[i] - balance(i);
    sum += R_[i] * p_[i];
  }
  return sum;
}

/// Cholesky, in place; false if the matrix is not positive definite.
inline bool CoupleAll::factor(std::vector<double>& a) const {
  for (std::size_t j = 0; j < n_; ++j) {
    double d = a[j * n_ + j];
    const double whole = std::abs(d);
    for (std::size_t k = 0; k < j; ++k) d -= a[j * n_ + k] * a[j * n_ + k];
    if (!(d > 1e-14 * whole)) return false;
    const double root = std::sqrt(d);
    a[j * n_ + j] = root;
    for (std::size_t i = j + 1; i < n_; ++i) {
      double x = a[i * n_ + j];
      for (std::size_t k = 0; k < j; ++k) x -= a[i * n_ + k] * a[j * n_ + k];
      a[i * n_ + j] = x / root;
    }
  }
  return true;
}
inline void CoupleAll::back_substitute(std::vector<double>& x) const {
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= L_[i * n_ + k] * x[k];
    x[i] /= L_[i * n_ + i];
  }
  for (std::size_t i = n_; i-- > 0;) {
    for (std::size_t k = i + 1; k < n_; ++k) x[i] -= L_[k * n_ + i] * x[k];
    x[i] /= L_[i * n_ + i];
  }
}

/// Newton steps on the contacts that are not pinned, until they are in balance or get no further.
inline void CoupleAll::newton() {
  std::copy(w_.begin(), w_.begin() + static_cast<std::ptrdiff_t>(n_), from_.begin());
  std::fill(p_.begin(), p_.end(), 0.0);
  look(0);
  double best = inf;
  int since_best = 0;
  for (int k = 0; k < 30; ++k) {
    for (std::size_t i = 0; i < n_; ++i) {
      if (!holds_[i] || pinned_[i]) continue;  // a law that holds at small velocities too (karnopp): at rest
      w_[i] = 0;
      pinned_[i] = 1;
    }
    double excess = 0;  // of the residual over rounding
    for (std::size_t i = 0; i < n_; ++i) {
      if (!pinned_[i] && R_[i] != 0) excess = larger(excess, std::abs(R_[i]) / tolerance(i));
    }
    if (excess == 0 || (k > 0 && excess <= 1)) return;  // one step at least: what is left must not last
    since_best = excess < 0.5 * best ? 0 : since_best + 1;
    best = smaller(best, excess);
    if (since_best == 4 && excess * slack_ < 1e7) {
      if (stalled_) slack_ *= 2 * excess;  // single contacts could not do better
      stalled_ = true;
      return;
    }
    auto matrix = [&](bool convex) {
      for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = 0; j <= i; ++j) L_[i * n_ + j] = pinned_[i] || pinned_[j] ? 0 : M(i, j);
        L_[i * n_ + i] += pinned_[i] ? 1 : convex ? larger(slope_[i], 0.0) : slope_[i];
      }
    };
    matrix(false);
    if (!factor(L_)) {  // friction falls faster than the inertia can balance: downhill without that
      matrix(true);
      factor(L_);
    }
    ++iterations_;
    for (std::size_t i = 0; i < n_; ++i) p_[i] = pinned_[i] ? 0 : -R_[i];
    back_substitute(p_);
    bool moves = false;
    for (std::size_t i = 0; i < n_; ++i) moves = moves || std::abs(p_[i]) > 2 * epsilon<double> * std::abs(w_[i]);
    if (!moves) {  // no velocity in between
      if (excess > 1 && excess * slack_ < 1e7) slack_ *= 2 * excess;
      return;
    }
    // Where friction falls with velocity, steps that end in another valley can repeat for ever: shorter ones do not leave theirs.
    if (!search(1.0 / std::max(1, since_best - 4))) return;
  }
}

/// Along p as far as the potential falls, at most `reach` steps. False where that is nowhere: a jump of the force.
inline bool CoupleAll::search(double reach) {
  double before = 0;
  bool stops = false;
  for (std::size_t i = 0; i < n_; ++i) {
    from_[i] = w_[i];
    before += R_[i] * p_[i];
    // A set-valued law that would reverse stops here; the sweep decides whether it holds.
    if (!near_ && contacts_[i].set_valued() && w_[i] != 0 && (w_[i] + p_[i]) * w_[i] <= 0) {
      p_[i] = -w_[i];
      stops = true;
    }
  }
  double lo = 0, at_lo = before, hi = stops ? 1 : reach, at_hi = look(hi);
  for (std::size_t i = 0; i < n_ && stops; ++i) {
    if (contacts_[i].set_valued() && from_[i] != 0 && w_[i] == 0) pinned_[i] = 1;
  }
  if (stops) return true;
  for (int k = 0; at_hi > -0.5 * before; ++k) {
    if (k == 12) {
      look(lo);
      return false;
    }
    const double part = larger(0.1, smaller(0.9, at_lo / (at_lo - at_hi)));
    const double along = lo + part * (hi - lo), here = look(along);
    if (std::abs(here) <= -0.5 * before) break;
    (here < 0 ? lo : hi) = along;
    (here < 0 ? at_lo : at_hi) = here;
  }
  return true;
}

/// Contact i while the others stay as they are: as `couple` finds it, or near_, downhill from where it is. True: its
/// velocity, or whether it is pinned, has changed.
inline bool CoupleAll::alone(std::size_t i) {
  const double before = w_[i], origin = near_ ? before : 0;
  const bool was_pinned = pinned_[i] != 0;
  const ContactRef::Trial t{u_[i], need(i), dt_};
  const ContactRef::Response stop = contacts_[i].stop(t);
  Root root{0, 0, Root::hold};
  if (!stop.holds || origin != 0) {
    const double F = origin == 0 ? stop.F : contacts_[i].respond(t, origin).F;
    root = contacts_[i].root(t, {M(i, i), before, origin}, F);
    if (contacts_[i].set_valued() && std::abs(root.w) < 1e-13 * std::abs(before)) root = {0, 0, Root::hold};
  }
  w_[i] = root.w;
  slope_[i] = root.slope;
  pinned_[i] = root.kind != Root::balance ? 1 : 0;
  return (pinned_[i] != 0) != was_pinned || std::abs(w_[i] - before) > 4 * epsilon<double> * std::abs(before);
}

/// Contacts that are pinned or out of balance, those that miss most energy first: their order must not decide.
inline bool CoupleAll::sweep() {
  bool stale = true, any = false;
  std::fill(p_.begin(), p_.end(), 0.0);  // energy that a contact misses; below 0: seen
  for (;;) {
    for (std::size_t i = 0; i < n_ && stale; ++i) {
      if (p_[i] < 0) continue;
      R_[i] = F_[i] - balance(i);
      if (pinned_[i] && w_[i] == 0) {
        const ContactRef::Response stop = contacts_[i].stop({u_[i], need(i), dt_});
        R_[i] = stop.holds ? 0 : stop.F - need(i);
      }
      p_[i] = R_[i] * R_[i] / M(i, i);
    }
    std::size_t worst = n_;
    for (std::size_t i = 0; i < n_; ++i) {
      if (p_[i] >= 0 && !(contacts_[i].set_valued() && R_[i] == 0) && (pinned_[i] || !balanced(i)) &&
          (worst == n_ || p_[i] > p_[worst]))
        worst = i;
    }
    if (worst == n_) return any;
    stale = alone(worst);
    if (stale) F_[worst] = balance(worst);
    any = any || stale;
    p_[worst] = -1;
  }
}

inline bool CoupleAll::solve() {
  near_ = false;
  stalled_ = false;
  slack_ = 1;
  for (std::size_t i = 0; i < n_; ++i) {
    w_[i] = u_[i].v;
    F_[i] = 0;
    size_[i] = contacts_[i].size();
    pinned_[i] = 0;
  }
  if (n_ == 1) {
    alone(0);
    return true;
  }
  for (std::size_t i = 0; i < n_; ++i) {
    if (!contacts_[i].set_valued() || !contacts_[i].stop({u_[i], need(i), dt_}).holds) continue;
    pinned_[i] = 1;
  }
  for (std::size_t i = 0; i < n_; ++i) {
    if (pinned_[i]) w_[i] = 0;
  }
  for (int round = 0; round < 200; ++round) {
    near_ = round > 4;
    newton();
    if (!sweep()) return true;
  }
  newton();  // sweeps may alternate within rounding; the balance decides
  slack_ = 1e6;
  for (std::size_t i = 0; i < n_; ++i) {
    if (!balanced(i)) return false;
  }
  return true;
}

inline bool CoupleAll::step(std::span<const ContactRef> contacts, MassMatrix mass, std::span<const Motion<double>> u,
                            double dt) {
  n_ = contacts.size();
  if (n_ > out_.size() || mass.a.size() < n_ * n_ || u.size() < n_) return false;
  for (std::size_t i = 0; i < n_; ++i) {
    if (!detail::usable(u[i])) return false;
  }
  if (!detail::symmetric(mass.a, n_)) return false;
  contacts_ = contacts;
  u_ = u;
  dt_ = dt;
  iterations_ = 0;
  for (std::size_t i = 0; i < n_ * n_; ++i) L_[i] = M_[i] = mass.a[i] / dt;
  if (!factor(L_)) return false;
  const bool solved = solve();
  for (std::size_t i = 0; i < n_; ++i) {
    if (!std::isfinite(w_[i]) || !std::isfinite(F_[i]))
      return false;  // beyond the range of numbers, or a state that is none
  }
  for (std::size_t i = 0; i < n_; ++i) {
    const double need_i = need(i), F = contacts_[i].advance({u_[i], need_i, dt_}, w_[i]);
    out_[i] = {w_[i], pinned_[i] ? need_i - M(i, i) * w_[i] : F, slope_[i], pinned_[i] && w_[i] == 0};
  }
  return solved;
}

/// The inverse of a block of the inverse is the inertia that its coordinates feel while all others move freely.
inline bool CoupleAll::step(std::span<const ContactRef> contacts, InverseMassMatrix inverse,
                            std::span<const Motion<double>> u, double dt) {
  n_ = contacts.size();
  if (n_ > out_.size() || inverse.a.size() < n_ * n_ || !detail::symmetric(inverse.a, n_)) return false;
  std::copy_n(inverse.a.begin(), n_ * n_, L_.begin());
  if (!factor(L_)) return false;
  for (std::size_t j = 0; j < n_; ++j) {
    std::fill(p_.begin(), p_.end(), 0.0);
    p_[j] = 1;
    back_substitute(p_);
    for (std::size_t i = 0; i < n_; ++i) M_[i * n_ + j] = p_[i];
  }
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j < i; ++j) M_[i * n_ + j] = M_[j * n_ + i];
  }
  return step(contacts, MassMatrix{{M_.data(), n_ * n_}}, u, dt);
}

}  // namespace bristle
