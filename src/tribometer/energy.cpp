#include <algorithm>
#include <array>

#include "bristle/random.hpp"
#include "tribometer/bench.hpp"

/// Search for motions that yield energy, and for the largest force.
namespace bristle::tribometer {
namespace {

/// Random numbers that are equal for every contact, machine and thread.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}
  double between(double lo, double hi) { return lo + (hi - lo) * uniform(seed_, 7, n_++); }
  double log_between(double lo, double hi) { return std::exp(between(std::log(lo), std::log(hi))); }

 private:
  std::uint64_t seed_, n_ = 0;
};

/// A repeated cycle of speeds over V and signed displacements over X; optionally after slow sliding, which loads all
/// states.
struct Leg {
  double speed, way;
};
struct Cycle {
  std::array<Leg, 3> legs;
  bool filled;
};

/// A random search over cycles.
class Search {
 public:
  Search(const Specimen& s, const EnergySettings& settings)
      : s_(s),
        slow_(or_else(settings.slowest, 1e-6 * s.sizes.velocity) / s.sizes.velocity),
        fast_(or_else(settings.fastest, 1e3 * s.sizes.velocity) / s.sizes.velocity) {
    for (double v = fast_; v > 5; v /= 10) {                        // cycles known to yield energy in some models
      attempt({{{{1e-4, 2}, {v, 0.5}, {v, 0.1}}}, true});           // force of the bristle damping
      attempt({{{{v, 0.15}, {slow_, 0.0005}, {v, -0.15}}}, true});  // force recovers without motion
      attempt({{{{1e-4, 0.05}, {2e-4, 0.05}, {v, -0.1}}}, false});  // stiff outward, soft back
      attempt({{{{v, 0.05}, {0.5 * v, 0.05}, {1e-4, -0.1}}}, false});
    }
    for (int n = 0; n < settings.tries; ++n) attempt(n < settings.tries / 2 ? any() : changed(best_));
    loss_ = loss_of(best_, 24, 200);  // repeats the best cycle: a fluctuating force may have won by chance
    if (loss_ < 0) loss_ = loss_of(best_, fine, 20);
  }
  double loss() const { return loss_; }

  /// Calls seen(x, F) along the last of several repetitions, with x relative to its start.
  template <class Seen> void show(Seen&& seen) const {
    Mover m = begin(best_);
    for (int n = 0; n < 8; ++n) {
      const double origin = m.x;
      for (const Leg& l : best_.legs) {
        m.go(m.x + l.way * s_.sizes.travel, l.speed * s_.sizes.velocity, 60, [&](double x, double F) {
          if (n == 7) seen(x - origin, F);
        });
      }
    }
  }

 private:
  static constexpr int fine = 500;

  Mover begin(const Cycle& c) const {
    Mover m(s_);
    if (c.filled) m.go(2 * s_.sizes.travel, slow_ * s_.sizes.velocity, 24);
    return m;
  }
  /// Energy lost per cycle over F0 X. Energy that a spring may have released is not counted: difference of the force
  /// times the natural travel.
  double loss_of(const Cycle& c, int pieces, int measured) const {
    constexpr int before = 6;
    const Sizes& z = s_.sizes;
    look_for_stop(s_);
    Mover m = begin(c);
    double start = 0, F = 0;
    for (int n = 0; n < before + measured; ++n) {
      if (n == before) {
        start = m.work;
        F = m.F;
      }
      for (const Leg& l : c.legs) m.go(m.x + l.way * z.travel, l.speed * z.velocity, pieces);
    }
    return (m.work - start + std::abs(m.F - F) * z.travel) / (measured * z.force * z.travel);
  }
  /// Repeats promising cycles with more points: a coarse sum is inaccurate for a force with jumps.
  void attempt(const Cycle& c) {
    if (loss_of(c, 24, 6) >= loss_) return;
    if (const double loss = loss_of(c, fine, 6); loss < loss_) {
      loss_ = loss;
      best_ = c;
    }
  }
  Cycle any() {
    Cycle c{{}, dice_.between(0, 1) < 0.5};
    for (Leg& l : c.legs) {
      l = {dice_.log_between(slow_, fast_), dice_.log_between(0.001, 3) * (dice_.between(0, 1) < 0.4 ? -1 : 1)};
    }
    return c;
  }
  Cycle changed(Cycle c) {
    for (Leg& l : c.legs) {
      l.speed = std::clamp(l.speed * dice_.log_between(0.3, 3), slow_, fast_);
      l.way *= dice_.log_between(0.6, 1.6);
    }
    return c;
  }

  const Specimen& s_;
  double slow_, fast_;
  Dice dice_{1};
  double loss_ = inf;
  Cycle best_{};
};

/// Largest force over the largest of F0 and the steady forces.
double largest_force(const Specimen& s) {
  const Sizes& z = s.sizes;
  double known = z.force, most = 0;
  for (const double v : {1e-3 * z.velocity, 1e2 * z.velocity}) {
    known = std::max(
        {known, std::abs(steady_force(s, v).F - z.viscous(v)), std::abs(steady_force(s, -v).F + z.viscous(v))});
  }
  Dice dice(2);
  Mover m(s);
  for (int n = 0; n < 600; ++n) {
    if (n % 10 == 9) m.move(0, dice.log_between(0.1, 1e3) * z.time());
    const double way = dice.log_between(0.03, 3) * z.travel * (dice.between(0, 1) < 0.5 ? -1 : 1);
    const double speed = dice.log_between(1e-3, 1e2) * z.velocity;
    m.move(std::copysign(speed, way), 1e-9 * z.time());
    most = std::max(most, std::abs(m.dry()));
    m.go(m.x + way, speed, 12, [&](double, double) { most = std::max(most, std::abs(m.dry())); });
  }
  return most / known;
}

}  // namespace

Measurement energy(const Specimen& s, const EnergySettings& settings) {
  const Search search(s, settings);
  Measurement out{.experiment = "energy"};
  out.quantities = {{"least_loss", "1", "smallest energy lost per cycle over F0 X", search.loss()},
                    {"largest_force", "1", "largest dry force on a random path over the largest in steady sliding",
                     largest_force(s)}};
  Chart chart{.name = "cycle",
              .title = "a cycle that yields energy",
              .trace = {{{"x", "m"}, {"F", "N"}}},
              .x_label = "Displacement x in the cycle",
              .y_label = "Friction force F",
              .alone = true};
  if (!(search.loss() < 0)) return out;
  search.show([&](double x, double F) {
    chart.trace.columns[0].values.push_back(x);
    chart.trace.columns[1].values.push_back(F);
  });
  out.charts = {std::move(chart)};
  return out;
}

}  // namespace bristle::tribometer
