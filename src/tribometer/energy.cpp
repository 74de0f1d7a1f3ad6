#include <algorithm>
#include <array>

#include "bristle/random.hpp"
#include "tribometer/bench.hpp"

/// Two questions that one trajectory cannot answer: does any motion yield energy, and how large can the force become?
namespace bristle::tribometer {
namespace {

/// The same draws for every contact, on every machine and in every thread.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}
  double between(double lo, double hi) { return lo + (hi - lo) * uniform(seed_, 7, n_++); }
  double log_between(double lo, double hi) { return std::exp(between(std::log(lo), std::log(hi))); }

 private:
  std::uint64_t seed_, n_ = 0;
};

/// Speeds over V and signed ways over X, again and again; before, perhaps, slow sliding that fills what can be filled.
struct Leg {
  double speed, way;
};
struct Cycle {
  std::array<Leg, 3> legs;
  bool filled;
};

/// The cycles of a search, and how they are judged.
class Search {
 public:
  Search(const Specimen& s, const EnergySettings& settings)
      : s_(s),
        slow_(or_else(settings.slowest, 1e-6 * s.sizes.velocity) / s.sizes.velocity),
        fast_(or_else(settings.fastest, 1e3 * s.sizes.velocity) / s.sizes.velocity) {
    for (double v = fast_; v > 5; v /= 10) {                        // what is known to make models yield energy
      attempt({{{{1e-4, 2}, {v, 0.5}, {v, 0.1}}}, true});           // the bristles' damping pulls
      attempt({{{{v, 0.15}, {slow_, 0.0005}, {v, -0.15}}}, true});  // forces regained without motion
      attempt({{{{1e-4, 0.05}, {2e-4, 0.05}, {v, -0.1}}}, false});  // stiff on the way out, soft back
      attempt({{{{v, 0.05}, {0.5 * v, 0.05}, {1e-4, -0.1}}}, false});
    }
    for (int n = 0; n < settings.tries; ++n) attempt(n < settings.tries / 2 ? any() : changed(best_));
    loss_ = loss_of(best_, 24, 200);  // a force that fluctuates may have been lucky
    if (loss_ < 0) loss_ = loss_of(best_, fine, 20);
  }
  double loss() const { return loss_; }

  /// Calls seen(x, F) along the last of some repetitions, x from its start.
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
  /// Energy lost per cycle over F0 X. What may have been won by emptying a spring is not counted: a difference of the force,
  /// over the natural travel.
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
  /// What looks good is looked at closely: a force that jumps is no good to a coarse sum.
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

/// Over the largest of F0 and the steady forces.
double largest_force(const Specimen& s) {
  const Sizes& z = s.sizes;
  double known = z.force, most = 0;
  for (const double v : {1e-3 * z.velocity, 1e2 * z.velocity}) {
    known = std::max({known, std::abs(steady_force(s, v).F - z.kv * v), std::abs(steady_force(s, -v).F + z.kv * v)});
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
  out.quantities = {
      {"least_loss", "1", "energy lost per cycle over F0 X, the least that was found", search.loss()},
      {"largest_force", "1", "largest dry force on a rough path over the largest in steady sliding", largest_force(s)}};
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
