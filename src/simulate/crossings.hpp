#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "shared/rise.hpp"
#include "stepper.hpp"

namespace bristle {

/// A guard that rises through zero within an attempt.
struct Crossing {
  bool found = false, at_once = false;
  std::size_t guard{};
  double lo{}, hi{};  // theta before and after the rise
  double root{};
};

/// Events on the dense output of an attempt: guards are evaluated in several places and at the peaks between them. Only
/// `look` evaluates the guards of all bodies; the other functions evaluate those of one body.
template <class W, class S> class CrossingsOf {
 public:
  /// Events of different bodies within `same`, in theta, count as simultaneous.
  CrossingsOf(const W& system, const S& stepper, double noise, double same)
      : system_(system), stepper_(stepper), noise_(noise), same_(same), buffer_(system.size()) {}

  /// Whether a guard has this meaning.
  bool any(Guard::Meaning meaning) const {
    return std::any_of(first.begin(), first.end(), [&](const Guard& g) { return g.meaning == meaning; });
  }
  /// Examines the last attempt, from t over h; false if no guard has this meaning.
  bool look(Guard::Meaning meaning, double t, double h) {
    t_ = t;
    h_ = h;
    if (!any(meaning)) return false;
    sampled_[0] = first;
    for (std::size_t k = 1; k < nodes.size(); ++k) guards_at(nodes[k], sampled_[k]);
    return true;
  }
  /// The earliest event of the attempt; `hi` is its place on the dense output.
  Crossing find(Guard::Meaning meaning) {
    Crossing soonest;
    found_.clear();
    places_ = nodes;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (first[i].meaning != meaning) continue;
      Crossing c = crossing_of(i);
      if (!c.found) continue;
      if (system_.bodies() > 1) found_.push_back(c);
      if (soonest.at_once) continue;
      if (c.at_once) {
        soonest = c;
        if (system_.bodies() == 1) break;
        continue;
      }
      if (soonest.found && (c.lo >= soonest.root || (c.hi > soonest.root && guard_at(i, soonest.root) <= 0))) continue;
      if (soonest.found) c.hi = std::min(c.hi, soonest.root);
      c.root = root_of(c);
      soonest = c;
    }
    return soonest;
  }
  /// Simultaneous events of other bodies, one of each.
  const std::vector<Crossing>& together_with(const Crossing& soonest) {
    const std::size_t own = first[soonest.guard].body;
    const double latest = soonest.root + same_;
    std::size_t last = own;
    std::erase_if(found_, [&](const Crossing& c) {
      const std::size_t body = first[c.guard].body;
      if (body == own || body == last || c.at_once != soonest.at_once) return true;
      if (!c.at_once && (c.lo > latest || root_of(c) > latest)) return true;
      last = body;
      return false;
    });
    return found_;
  }
  /// The earliest event of one guard.
  Crossing find(std::size_t guard) {
    places_ = nodes;
    return with_root(crossing_of(guard));
  }
  /// The next event of a guard after theta = from, where its body has processed the last one.
  Crossing find_after(double from, std::size_t guard) {
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      places_[k] = from + (1 - from) * nodes[k];
      if (places_[k] > 0) sampled_[k][guard].value = guard_at(guard, places_[k]);
    }
    return with_root(crossing_of(guard));
  }

  std::vector<Guard> first{};  // guards at the start of the attempt
  /// A guard at the end of the examined attempt.
  double last(std::size_t guard) const { return sampled_.back()[guard].value; }
  /// A guard at a point.
  double guard(std::size_t i, double t, const double* y) {
    system_.guards_of(first[i].body, t, y, probe_);
    return probe_[place_of(i)].value;
  }

 private:
  static constexpr std::array<double, rise_nodes> nodes = [] {
    std::array<double, rise_nodes> out{};
    for (std::size_t k = 0; k < rise_nodes; ++k) out[k] = rise_node(k);
    return out;
  }();
  /// Index among the guards of its body.
  std::size_t place_of(std::size_t i) const {
    std::size_t begin = i;
    while (begin > 0 && first[begin - 1].body == first[i].body) --begin;
    return i - begin;
  }
  /// The value of a guard; rounding errors near rest count as zero.
  double without_noise(const Guard& g, std::size_t i, double t, const double* y) const {
    const double noise = first[i].value > 0 ? 2 * noise_ : noise_;  // a guard at the limit does not cross it
    return g.value > 0 && g.value < noise && system_.at_rest_guard(g, t, y) ? 0 : g.value;
  }
  /// All guards at theta of the last attempt.
  void guards_at(double theta, std::vector<Guard>& g) {
    if (theta < 1) stepper_.dense(theta, buffer_.data());
    const double* y = theta < 1 ? buffer_.data() : stepper_.end();
    const double t = t_ + theta * h_;
    system_.guards(t, y, g);
    for (std::size_t i = 0; i < g.size(); ++i) g[i].value = without_noise(g[i], i, t, y);
  }
  double guard_at(std::size_t i, double theta) {
    const std::size_t body = first[i].body;
    if (theta < 1) stepper_.dense_of(system_.states_of(body), theta, buffer_.data());
    const double* y = theta < 1 ? buffer_.data() : stepper_.end();
    const double t = t_ + theta * h_;
    system_.guards_of(body, t, y, probe_);
    return without_noise(probe_[place_of(i)], i, t, y);
  }
  Crossing with_root(Crossing c) {
    if (c.found && !c.at_once) c.root = root_of(c);
    return c;
  }

  Crossing crossing_of(std::size_t i) {
    const Rise r =
        rise_of([&](std::size_t k) { return places_[k]; }, [&](std::size_t k) { return sampled_[k][i].value; },
                [&](double theta) { return guard_at(i, theta); });
    return {r.found, r.at_once, i, r.lo, r.hi};
  }
  double root_of(const Crossing& c) {
    return bristle::root_of([&](double theta) { return guard_at(c.guard, theta); }, c.lo, c.hi);
  }

  const W& system_;
  const S& stepper_;
  double noise_, same_, t_ = 0, h_ = 0;
  std::vector<double> buffer_;
  std::vector<Guard> probe_{};
  std::vector<Crossing> found_{};
  std::array<double, nodes.size()> places_{};  // of the samples, in theta
  std::array<std::vector<Guard>, nodes.size()> sampled_{};
};

}  // namespace bristle
