#include <algorithm>

#include "tribometer/bench.hpp"

/// A block pulled by a spring at constant velocity.
namespace bristle::tribometer {
namespace {

struct Pull {
  double velocity, stiffness, mass, damping_ratio;
  int cycles;
};

struct Seen {
  Run run;
  bool sticks = false;  // stick-slip continues to the end
  double period = none, force_swing = none, x_swing = none, stuck_part = none;
};

/// Duration for `cycles` loadings of the spring and ten oscillations of the block on it.
Seen pull(const Specimen& s, const Pull& p) {
  const Sizes& z = s.sizes;
  const double w = std::sqrt(p.stiffness / p.mass),
               load_time = std::max(z.force, z.sliding) / (p.stiffness * p.velocity);
  const double end = (p.cycles + 1) * (load_time + 2 * two_pi / w), half = 0.5 * end;
  const Plan plan{.kind = SystemKind::slider,
                  .drive = {DriveOf::position, {{Ramp{p.velocity, 0}, 0}}},
                  .duration = end,
                  .rows = 2000,
                  .body = {.mass = p.mass, .stiffness = p.stiffness, .damping = 2 * p.damping_ratio * w * p.mass}};
  Seen out{run(s, plan)};
  const auto &t = column(out.run.trace, "t"), &v = column(out.run.trace, "v"), &x = column(out.run.trace, "x");
  double lowest = inf, highest = -inf, low_F = inf, high_F = -inf, low_x = inf, high_x = -inf;
  std::size_t slow = 0, all = 0;
  std::vector<double> rises;  // times at which v exceeds the drive velocity
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t[i] < half) continue;
    const double stretch = p.velocity * t[i] - x[i];
    lowest = std::min(lowest, v[i]);
    highest = std::max(highest, v[i]);
    low_F = std::min(low_F, p.stiffness * stretch);
    high_F = std::max(high_F, p.stiffness * stretch);
    low_x = std::min(low_x, stretch);
    high_x = std::max(high_x, stretch);
    ++all;
    if (v[i] < 0.05 * p.velocity) ++slow;
    if (v[i] > p.velocity && v[i - 1] <= p.velocity) {
      rises.push_back(t[i - 1] + (t[i] - t[i - 1]) * (p.velocity - v[i - 1]) / (v[i] - v[i - 1]));
    }
  }
  std::vector<double> slips;  // located slip events, if any
  for (const Event& e : out.run.events) {
    if (e.kind == Event::slip_forward && e.t > half) slips.push_back(e.t);
  }
  const bool slips_between_rows = (t[1] - t[0]) * w > 0.5;
  out.sticks = slips_between_rows
                   ? slips.size() >= 2
                   : rises.size() >= 2 && lowest < 0.02 * p.velocity && highest > 1.2 * p.velocity && slow > all / 100;
  if (!out.sticks) return out;
  // Oscillations on the bristles cause more slip events than the spring.
  const bool one_slip_each = slips.size() <= rises.size() + 1 && slips.size() + 1 >= rises.size();
  const auto& times = slips_between_rows || one_slip_each ? slips : rises;
  out.period = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  out.force_swing = high_F - low_F;
  out.x_swing = high_x - low_x;
  out.stuck_part = static_cast<double>(slow) / static_cast<double>(all);
  return out;
}

/// The value between lo and hi where `sticks` changes from true to false, by bisection in the logarithm; NaN without
/// one.
template <class F> double turning_point(double lo, double hi, F&& sticks) {
  if (!sticks(lo) || sticks(hi)) return none;
  while (hi / lo > 1.04) {
    const double middle = std::sqrt(lo * hi);
    (sticks(middle) ? lo : hi) = middle;
  }
  return std::sqrt(lo * hi);
}

}  // namespace

Measurement stick_slip(const Specimen& s, const StickSlipSettings& settings) {
  const Sizes& z = s.sizes;
  const Pull p{.velocity = or_else(settings.velocity, 2 * z.velocity),
               .stiffness = or_else(settings.stiffness, 1e-3 * z.force / z.travel),
               .mass = or_else(settings.mass, z.mass),
               .damping_ratio = settings.damping_ratio,
               .cycles = settings.cycles};
  const Seen seen = pull(s, p);
  double critical_velocity = none, critical_stiffness = none;
  if (settings.critical && seen.sticks && !takes_small_steps(s.contact)) {
    Specimen rough = s;  // only a yes or no is required
    rough.rtol = std::max(s.rtol, 1e-5);
    Pull few = p;
    few.cycles = std::min(p.cycles, 3);
    const double fastest = 10 * z.force / std::sqrt(p.stiffness * p.mass);
    critical_velocity = turning_point(p.velocity, std::max(fastest, 10 * p.velocity), [&](double v) {
      Pull q = few;
      q.velocity = v;
      return pull(rough, q).sticks;
    });
    critical_stiffness = turning_point(p.stiffness, 1e5 * p.stiffness, [&](double k) {
      Pull q = few;
      q.stiffness = k;
      return pull(rough, q).sticks;
    });
  }
  Measurement out{.experiment = "stick_slip"};
  out.quantities = {{"velocity", "m/s", "velocity of the drive", p.velocity},
                    {"stiffness", "N/m", "stiffness of the spring", p.stiffness},
                    {"mass", "kg", "mass of the block", p.mass},
                    {"sticks", "1", "1: continuing stick-slip; 0: steady sliding", seen.sticks ? 1.0 : 0.0},
                    {"period", "s", "time between slips", seen.period},
                    {"force_swing", "N", "highest minus lowest force of the spring", seen.force_swing},
                    {"x_swing", "m", "highest minus lowest elongation of the spring", seen.x_swing},
                    {"stuck_part", "1", "fraction of the time below 5 % of the drive velocity", seen.stuck_part},
                    {"critical_velocity", "m/s", "drive velocity above which sliding is steady", critical_velocity},
                    {"critical_stiffness", "N/m", "stiffness above which sliding is steady", critical_stiffness}};
  Chart force{.name = "spring",
              .title = "Spring force",
              .trace = {{{"t", "s"}, {"F_spring", "N"}}},
              .x_label = "Time t",
              .y_label = "Spring force"};
  const auto &t = column(seen.run.trace, "t"), &x = column(seen.run.trace, "x"), &v = column(seen.run.trace, "v");
  Chart speed{.name = "velocity",
              .title = "Velocity of the block",
              .trace = {{{"t", "s"}, {"v", "m/s"}}},
              .x_label = "Time t",
              .y_label = "Velocity v"};
  force.trace.columns[0].values = speed.trace.columns[0].values = t;
  speed.trace.columns[1].values = v;
  for (std::size_t i = 0; i < t.size(); ++i) {
    force.trace.columns[1].values.push_back(p.stiffness * (p.velocity * t[i] - x[i]));
  }
  out.charts = {std::move(force), std::move(speed)};
  return out;
}

}  // namespace bristle::tribometer
