#pragma once
#include <algorithm>
#include <cmath>

// The end of hybrid.hpp includes this file.

/// Events of a run: it finds them in a step, takes the step again so that it ends on the first, and switches.
namespace bristle {

template <class W, class S> inline Crossing HybridRunOf<W, S>::passes_rest() {
  Crossing first;
  passing_.clear();
  if (system_.knee_velocity() < 0) return first;
  for (std::size_t body = 1; body <= system_.bodies(); ++body) {
    const std::size_t i = system_.velocity_of(body);
    double lo = 0, hi = 1, v_lo = y_[i], v_hi = stepper_.end()[i];
    if (!(std::abs(v_lo) > rest_ * allowed_.atol[i] && v_lo * v_hi < 0)) continue;
    passing_.push_back(body);
    if (first.found) {
      v_hi = velocity_at(i, hi = first.root);
      if (!(v_lo * v_hi < 0)) continue;
    }
    for (int n = 0; n < 30 && std::abs(v_hi) > rest_ * allowed_.atol[i] && hi - lo > 1e-12 * hi; ++n) {
      const double mid = n % 3 == 2 ? (lo + hi) / 2 : lo - v_lo * (hi - lo) / (v_hi - v_lo), v = velocity_at(i, mid);
      const bool past = v * v_hi >= 0;
      (past ? hi : lo) = mid;
      (past ? v_hi : v_lo) = v;
    }
    first = {true, false, body, lo, hi, hi};
  }
  return first;
}

template <class W, class S> inline void HybridRunOf<W, S>::at_rest(const Crossing& c, double h) {
  const std::size_t i = system_.velocity_of(c.guard);
  const double near = rest_ * allowed_.atol[i];
  ++out_.summary.rejected;
  rejected_ = true;
  double length = c.root * h, last = y_[i], last_length = 0;
  for (int n = 0; n < 3; ++n) {
    if (!stepper_.attempt(length)) break;
    count_step();
    const double v = stepper_.end()[i], err = norm();
    if (!(err <= 1)) {
      h_ = std::min(length * shrink(err), 0.9 * h);
      return;
    }
    if (std::abs(v) <= near) {
      if (!system_.within_bounds(y_.data(), stepper_.end())) break;
      if (!momentum_.obeys(t_, y_.data(), length)) {
        h_ = length / 4;
        return;
      }
      if (!quiet(length)) report(length);
      for (const std::size_t body : passing_) {  // others may come to rest with it
        const std::size_t k = system_.velocity_of(body);
        if (std::abs(stepper_.end()[k]) <= rest_ * allowed_.atol[k]) system_.take_side(body, y_[k] > 0 ? -1 : 1);
      }
      accept(length);
      fresh_ = true;
      last_h_ = 0;
      h_ = h;
      return;
    }
    double slope = (v - last) / (length - last_length);
    if (n == 0) slope = (v - velocity_at(i, 1 - 1e-3)) / (1e-3 * length);
    last = v;
    last_length = length;
    length -= v / slope;
    if (!(length > 0 && length < h)) break;
  }
  h_ = 0.5 * std::min(c.root, 1.0) * h;
}

template <class W, class S> inline void HybridRunOf<W, S>::report(double h, bool looked) {
  if (!(looked ? crossings_.any(Guard::reports) : crossings_.look(Guard::reports, t_, h))) return;
  for (std::size_t i = 0; i < first_.size(); ++i) {
    if (first_[i].meaning != Guard::reports) continue;
    const States own = system_.states_of(first_[i].body);
    Crossing c = crossings_.find(i);
    double from = 0;
    for (int n = 0; n < 64 && c.found; ++n) {
      from = c.at_once ? from : c.root;
      stepper_.dense_of(own, c.hi, ahead_.data());
      stepper_.dense_of(own, from, buffer_.data());
      const double t = t_ + from * h;
      ++out_.summary.switches;
      const Change change = system_.jump(first_[i], t, buffer_, t_ + c.hi * h, ahead_.data());
      out_.note(system_, t, buffer_.data(), change, solver_.rtol);
      if (change.happened && out_.limits.on() && system_.shows(first_[i].body)) reported_.push_back(t);
      c = crossings_.find_after(from, i);
    }
  }
  if (system_.bodies() > 1) out_.sort_events(t_);
}

template <class W, class S> inline void HybridRunOf<W, S>::at_event(const Crossing& c, double h) {
  const Guard guard = first_[c.guard];
  double ahead = c.hi, length = 0;
  together_.clear();
  if (system_.bodies() > 1) {
    for (const Crossing& other : crossings_.together_with(c)) {
      ahead = std::max(ahead, other.hi);
      together_.push_back({first_[other.guard], other, small_at(other.guard)});
    }
  }
  if (c.at_once) {
    stepper_.dense(c.hi, ahead_.data());
  } else {
    stepper_.dense(ahead, ahead_.data());
    length = land(c.guard, c.root * h, h);
    if (length < 0) {
      h_ = -length / 2;
      return;
    }
    if (const double err = norm(); length > 0 && !(err <= 1)) {  // the longer step looked better than it was
      ++out_.summary.rejected;
      h_ = std::min(length, h) * shrink(err);
      return;
    }
  }
  const double from = t_;
  if (length > 0) {
    if (!momentum_.obeys(t_, y_.data(), length)) return reject(length / 4);
    report(length);
    accept(length);
    at_once_ = 0;
  }
  if (++at_once_ > 1000 * system_.bodies()) fail(system_, "it switches without end", t_, h, y_.data());
  last_h_ = 0;
  jump(guard, from + ahead * h);
  for (const Together& other : together_) {
    if (c.at_once) {
      stepper_.dense_of(system_.states_of(other.guard.body), other.crossing.hi, ahead_.data());
      ahead = other.crossing.hi;
    } else if (std::abs(crossings_.guard(other.crossing.guard, t_, y_.data())) > other.small) {
      continue;  // it was the dense output that had it there
    }
    jump(other.guard, from + ahead * h);
  }
  h_ = std::max(h - length, 0.25 * h);
  if (at_once_ > 2 * system_.bodies()) h_ = 0.25 * h;  // it may be the dense output that errs
}

template <class W, class S> inline double HybridRunOf<W, S>::land(std::size_t guard, double length, double h) {
  double last_length = 0, last = 0;
  const double in_time = 4 * epsilon<double> * t_, resolution = length > 100 * in_time ? in_time : 1e-13 * length,
               small = small_at(guard);
  for (int n = 0;; ++n) {
    if (!(length > 0)) return 0;
    if (!stepper_.attempt(length)) return -length;
    count_step();
    const double g = crossings_.guard(guard, t_ + length, stepper_.end());
    if (g == 0) return length;
    double slope = n > 0 ? (g - last) / (length - last_length) : 0;
    if (n == 0) {
      const double step = 1e-3 * length;
      stepper_.dense_of(system_.states_of(first_[guard].body), 1 - step / length, buffer_.data());
      slope = (g - crossings_.guard(guard, t_ + length - step, buffer_.data())) / step;
    }
    const double next = length - g / slope;
    if (slope > 0 && std::abs(next - length) < resolution) return length;
    if (n == 5 || !(slope > 0 && next > 0 && next < 1.5 * h))  // guards of a prescribed reversal may jump
      return std::abs(g) <= small || system_.prescribed() ? length : -length;
    last = g;
    last_length = length;
    length = next;
  }
}

}  // namespace bristle
