#include <algorithm>

#include "tribometer/bench.hpp"

namespace bristle::tribometer {
namespace {

/// Rows x, F along a path; keeps one row per several pieces.
struct Way {
  std::vector<double> x{}, F{}, dry{};
};
constexpr int pieces = 10;  // per row: the loop area is a sum over them

void follow(Mover& m, double goal, double speed, int points, Way& way) {
  int i = 0;
  m.go(goal, speed, points * pieces, [&](double x, double F) {
    if (++i % pieces != 0) return;
    way.x.push_back(x);
    way.F.push_back(F);
    way.dry.push_back(m.dry());
  });
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

/// Nested loops, each 0.7 times as wide as the one around it: traversed to the innermost, then closed one by one along
/// a single rising branch.
class Nest {
 public:
  Nest(const Mover& start, double top, double bottom, double speed)
      : m_(start), middle_((top + bottom) / 2), half_((top - bottom) / 2), speed_(speed) {}

  /// The largest number of loops that enclose an area and all close. A contact that is elastic below some width has no
  /// memory of narrower loops.
  int depth() {
    std::vector<Loop> loops;
    for (double half = half_; loops.size() < most; half *= 0.7) {
      go(m_, middle_ + half);
      Loop loop{m_.x, m_.F, 0};
      Mover alone(m_);
      go(alone, middle_ - half);
      loop.height = loop.F - alone.F;
      go(alone, loop.top);
      if (!(alone.work - m_.work > hysteresis * loop.height * 2 * half)) break;
      loops.push_back(loop);
      go(m_, middle_ - half);
      if (!close(loops)) return static_cast<int>(loops.size()) - 1;
    }
    return static_cast<int>(loops.size());
  }

 private:
  static constexpr std::size_t most = 8;
  static constexpr double hysteresis = 0.01, closed = 0.03;  // of width x height; of the height
  struct Loop {
    double top, F, height;
  };
  bool close(const std::vector<Loop>& loops) const {
    Mover back(m_);
    return std::all_of(loops.rbegin(), loops.rend(), [&](const Loop& loop) {
      go(back, loop.top);
      return std::abs(back.F - loop.F) < closed * loop.height;
    });
  }
  void go(Mover& m, double x) const { m.go(x, speed_, 100); }
  Mover m_;
  double middle_, half_, speed_;
};

}  // namespace

Measurement loops(const Specimen& s, const LoopSettings& settings) {
  const Sizes& z = s.sizes;
  const double A = or_else(settings.amplitude, 1.4 * z.travel), slow = or_else(settings.speed, 1e-5 * z.velocity),
               fast = or_else(settings.fast, 10 * z.velocity), top = settings.inner_top * A,
               bottom = settings.inner_bottom * A;
  const int n = settings.points;

  // An elastic contact still has a force when half of a small displacement is reversed; a plastic one has none.
  Mover probe(s);
  const double small = 0.01 * z.travel, rest = probe.move(0, 1e-9 * z.time());
  probe.go(small, 0.1 * slow, 50);
  const double there = probe.dry() - rest;
  probe.go(0.5 * small, 0.1 * slow, 50);
  const double halfway = there == 0 ? 0 : (probe.dry() - rest) / there;

  Mover m(s);
  Way virgin, down, up, rising, inner, again, on, direct;
  follow(m, A, slow, n, virgin);
  follow(m, -A, slow, n, down);
  const double before = m.work;
  follow(m, A, slow, n, up);
  Way steady_down;
  follow(m, -A, slow, n, steady_down);
  const double area = m.work - before, span = *std::max_element(up.F.begin(), up.F.end()) - m.F;
  Mover straight(m);
  Nest nest(m, top, bottom, slow);
  follow(m, top, slow, n, rising);
  const double first = m.F, outside = m.work;
  follow(m, bottom, slow, n, inner);
  follow(m, top, slow, n, again);
  const double closure = std::abs(m.F - first) / span,
               inner_area = area > 0.01 * span * 2 * A ? (m.work - outside) / area : 0;
  follow(straight, top, slow, n, direct);
  direct = {};
  follow(m, A, slow, n, on);
  follow(straight, A, slow, n, direct);

  double masing = 0;
  for (std::size_t i = 0; i < down.F.size(); ++i) {
    masing = std::max(masing, std::abs(virgin.F.back() - down.F[i] - 2 * virgin.F[i]) / span);
  }
  // The same path and further into sliding, at two speeds.
  const double path[]{A, -A, top, bottom, A, -3 * A};
  Way slowly, swiftly;
  Mover a(s), b(s);
  for (const double goal : path) {
    follow(a, goal, 1e-2 * z.velocity, 20, slowly);
    follow(b, goal, fast, 20, swiftly);
  }

  Measurement out{.experiment = "loops"};
  out.quantities = {
      {"loop_area", "J", "energy lost in the outer loop", area},
      {"closure_error", "1", "gap of the closed inner loop over the height of the outer one", closure},
      {"inner_area", "1",
       "energy lost in the inner loop over that in the outer one; 0 if the outer one encloses less than 1 % of width x height",
       inner_area},
      {"memory_depth", "1",
       "loops remembered, each 0.7 times as wide as the one around it: they enclose more than 1 % of width x height and "
       "close within 3 % of the height; 8 are tried",
       static_cast<double>(nest.depth())},
      {"return_error", "1", "distance from the outer curve after the inner loop is closed, over its height",
       largest_difference(on.F, direct.F) / span},
      {"masing_error", "1", "difference between the outer branch and the virgin curve scaled by two, over its height",
       masing},
      {"rate_dependence", "1", "difference of the dry force on the same path at another speed, over F0",
       largest_difference(slowly.dry, swiftly.dry) / z.force},
      {"elastic_return", "1", "fraction of the force after reversing half of a small deflection", halfway},
      {"amplitude", "m", "amplitude of the outer loop", A},
      {"height", "N", "height of the outer loop", span},
      {"dry_height", "N", "height of the outer loop without the viscous part",
       *std::max_element(up.dry.begin(), up.dry.end()) - steady_down.dry.back()}};
  Chart chart{.name = "loops", .title = "Nested loops", .x_label = "Displacement x", .y_label = "Friction force F"};
  chart.trace.columns = {{"x", "m"}, {"F", "N"}};
  for (const Way* w : {&virgin, &down, &up, &steady_down, &rising, &inner, &again, &on}) {
    auto& x = chart.trace.columns[0].values;
    auto& F = chart.trace.columns[1].values;
    x.insert(x.end(), w->x.begin(), w->x.end());
    F.insert(F.end(), w->F.begin(), w->F.end());
  }
  out.charts = {std::move(chart)};
  return out;
}

}  // namespace bristle::tribometer
