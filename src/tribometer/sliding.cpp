#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "bristle/registry/describe.hpp"
#include "tribometer/bench.hpp"

/// Experiments in which the contact slides.
namespace bristle::tribometer {

Measurement curve(const Specimen& s, const CurveSettings& settings) {
  const Sizes& z = s.sizes;
  const double slowest = or_else(settings.slowest, 1e-3 * z.velocity),
               fastest = or_else(settings.fastest, 1e3 * z.velocity);
  const double decades = std::log10(fastest / slowest);
  const auto n = static_cast<std::size_t>(std::lround(std::max(1.0, decades * settings.per_decade))) + 1;
  Chart forward{.name = "forward",
                .title = "Forwards",
                .trace = {{{"v", "m/s"}, {"F", "N"}, {"F_backward", "N"}}},
                .x_label = "Velocity v",
                .y_label = "Steady friction F",
                .x_log = true,
                .y_most = 2};
  // A draft of a random contact whose rate is declared not to matter: the mean of many samples is taken once per direction.
  const ModelInfo* info = find_model(s.contact.model());
  const bool once = draft(s) && info && info->has.random && info->has.rate_independent;
  std::array<std::optional<Steady>, 2> kept;
  const auto steady = [&](double v) {
    if (!once) return steady_force(s, v);
    std::optional<Steady>& dry = kept[v > 0 ? 1 : 0];
    if (!dry) {
      dry = steady_force(s, v);
      dry->F -= z.viscous(v);
    }
    return Steady{dry->F + z.viscous(v), dry->error};
  };
  // Fall of the force from a maximum to a later minimum, minus the uncertainty of a fluctuating force.
  double highest = -inf, highest_error = 0, fall = 0, at_lowest = none, lowest = inf, peak = 0, odd = 0;
  for (const double v : logarithmic(slowest, fastest, n)) {
    const Steady ahead = steady(v), back = steady(-v);
    auto& c = forward.trace.columns;
    c[0].values.push_back(v);
    c[1].values.push_back(ahead.F);
    c[2].values.push_back(back.F);
    if (ahead.F > highest) {
      highest = ahead.F;
      highest_error = ahead.error;
    }
    fall = std::max(fall, highest - ahead.F - 5 * std::hypot(highest_error, ahead.error));
    if (ahead.F < lowest) {
      lowest = ahead.F;
      at_lowest = v;
    }
    peak = std::max({peak, std::abs(ahead.F - z.viscous(v)), std::abs(back.F + z.viscous(v))});
    odd = std::max(odd, std::abs(ahead.F + back.F) - 5 * std::hypot(ahead.error, back.error));
  }
  Chart backward = forward;
  backward.name = "backward";
  backward.title = "Backwards";
  backward.trace.columns = {{"v", "m/s", forward.trace.columns[0].values}, {"F", "N", forward.trace.columns[2].values}};
  backward.x_label = "Speed −v";
  backward.y_label = "Steady friction −F";
  for (double& F : backward.trace.columns[1].values) F = -F;
  forward.trace.columns.pop_back();
  Measurement out{.experiment = "curve"};
  out.quantities = {{"slowest", "N", "friction at the lowest velocity", forward.trace.columns[1].values.front()},
                    {"fastest", "N", "friction at the highest velocity", forward.trace.columns[1].values.back()},
                    {"minimum", "N", "lowest friction of the curve", lowest},
                    {"minimum_at", "m/s", "velocity of the minimum", at_lowest},
                    {"fall", "1", "fall from a maximum to a later minimum, over F0", fall / z.force},
                    {"asymmetry", "1", "difference between the directions over F0", std::max(0.0, odd) / z.force},
                    {"dry_peak", "N", "largest friction without the viscous part", peak}};
  out.charts = {std::move(forward), std::move(backward)};
  return out;
}

Measurement lag(const Specimen& s, const LagSettings& settings) {
  const Sizes& z = s.sizes;
  const double mean = or_else(settings.mean, 1.5 * z.velocity), amplitude = or_else(settings.amplitude, mean / 1.5);
  // A draft of a law without state equation takes longer steps; one of a random law would be another sample.
  const ModelInfo* info = find_model(s.contact.model());
  const bool coarse = draft(s) && info && takes_steps_only(s.contact) && !info->has.random;
  const std::size_t rows = coarse ? 600 : 2000;
  constexpr std::size_t cycle_count = 6, points = 200;  // the last cycle is steady
  Measurement out{.experiment = "lag"};
  double most = 0;
  const auto omegas = or_else(settings.omega, {0.02 / z.time(), 0.15 / z.time(), 1 / z.time()});
  for (std::size_t k = 0; k < omegas.size(); ++k) {
    const double w = omegas[k];
    Plan plan{.drive = {DriveOf::velocity, {{Sine{amplitude, w / two_pi, 0, mean}, 0}}},
              .duration = cycle_count * two_pi / w,
              .rows = static_cast<double>(cycle_count * rows),
              .trace = false};
    for (std::size_t i = 0; i <= rows; ++i)
      plan.probes.push_back(static_cast<double>((cycle_count - 1) * rows + i) * (plan.duration / plan.rows));
    plan.probes.back() = plan.duration;
    const Run r = run(s, plan);
    const auto &v = column(r.probes, "v"), &F = column(r.probes, "F"), &t = column(r.probes, "t");
    double area = 0;  // equal weights are optimal for a periodic integrand
    for (std::size_t i = 0; i < rows; ++i) area += F[i] * amplitude * w * std::cos(w * t[i]);
    area *= two_pi / w / static_cast<double>(rows);
    const double rising = F.front(), falling = F[rows / 2], difference = (rising - falling) / z.force;
    most = std::max(most, difference);
    const std::string n = fmt::format("_{}", k + 1);
    out.quantities.push_back({"omega" + n, "rad/s", "angular frequency of the velocity", w});
    out.quantities.push_back({"area" + n, "N m/s", "area of F over v", area});
    out.quantities.push_back({"rising" + n, "N", "friction at the mean velocity in acceleration", rising});
    out.quantities.push_back({"falling" + n, "N", "friction at the mean velocity in deceleration", falling});
    Chart chart{.name = "lag" + n,
                .title = "Lag",
                .at = text("ω", w, "rad/s"),
                .trace = {{{"v", "m/s"}, {"F", "N"}}},
                .x_label = "Velocity v",
                .y_label = "Friction force F"};
    for (std::size_t i = 0; i <= rows; i += rows / points) {
      chart.trace.columns[0].values.push_back(v[i]);
      chart.trace.columns[1].values.push_back(F[i]);
    }
    out.charts.push_back(std::move(chart));
  }
  out.quantities.push_back(
      {"difference", "1",
       "largest friction in acceleration minus friction in deceleration at the mean velocity, over F0", most});
  return out;
}

Measurement steps(const Specimen& s, const StepSettings& settings) {
  const Sizes& z = s.sizes;
  const double from = or_else(settings.from, 0.5 * z.velocity), to = or_else(settings.to, 3 * from);
  Measurement out{.experiment = "steps"};
  Mover m(s);
  auto jump = [&](double v1, double v2, const std::string& name, const char* title) {
    m.settle(v1);
    Chart chart{.name = name,
                .title = title,
                .trace = {{{"t", "s"}, {"F", "N"}}},
                .x_label = "Time after the step t",
                .y_label = "Friction force F",
                .x_log = true};
    const double before = m.F;
    std::vector<double> times = logarithmic(1e-5 * z.travel / v2, 1e3 * z.travel / v2, 241), forces;
    double last = 0;
    for (const double t : times) {
      forces.push_back(m.move(v2, t - last));
      last = t;
    }
    m.settle(v2);
    const double after = m.F, instant = forces.front() - before, evolving = after - forces.front();
    // Time constant: 1/e of the evolving part remains.
    double constant = none;
    for (std::size_t i = 1; i < times.size() && std::abs(evolving) > 1e-9 * z.force; ++i) {
      const double a = (after - forces[i - 1]) / evolving, b = (after - forces[i]) / evolving, goal = std::exp(-1.0);
      if (a > goal && b <= goal) {
        constant = times[i - 1] + (times[i] - times[i - 1]) * std::log(a / goal) / std::log(a / std::max(b, 1e-300));
        break;
      }
    }
    out.quantities.push_back({"instant_" + name, "N", "instantaneous change of friction", instant});
    out.quantities.push_back({"evolving_" + name, "N", "subsequent change of friction", evolving});
    out.quantities.push_back({"time_" + name, "s", "time constant of the subsequent change", constant});
    chart.trace.columns[0].values = std::move(times);
    chart.trace.columns[1].values = std::move(forces);
    out.charts.push_back(std::move(chart));
  };
  jump(from, to, "up", "Step to a higher velocity");
  jump(to, from, "down", "Step back");
  return out;
}

namespace {

/// The steady curve between -fastest and fastest, for comparison.
class SteadyCurve {
 public:
  SteadyCurve(const Specimen& s, double fastest) : v_(logarithmic(1e-3 * fastest, fastest, 25)) {
    for (const double v : v_) {
      ahead_.push_back(steady_force(s, v).F);
      back_.push_back(steady_force(s, -v).F);
    }
  }
  /// Steady friction at v; NaN close to rest.
  double operator()(double v) const {
    const double speed = std::min(std::abs(v), v_.back());
    if (speed < v_.front()) return none;
    const auto i = static_cast<std::size_t>(
        std::max<std::ptrdiff_t>(std::lower_bound(v_.begin(), v_.end(), speed) - v_.begin(), 1));
    const auto& F = v > 0 ? ahead_ : back_;
    return F[i - 1] + (F[i] - F[i - 1]) * (speed - v_[i - 1]) / (v_[i] - v_[i - 1]);
  }

 private:
  std::vector<double> v_, ahead_{}, back_{};
};

}  // namespace

Measurement reversal(const Specimen& s, const ReversalSettings& settings) {
  const Sizes& z = s.sizes;
  const double A = or_else(settings.amplitude, 5 * z.velocity);
  Measurement out{.experiment = "reversal"};
  const auto frequencies = or_else(settings.frequencies, {A / (two_pi * 50 * z.travel), A / (two_pi * 5 * z.travel)});
  constexpr std::size_t rows = 2000, cycle_count = 3;
  const SteadyCurve steady(s, A);
  for (std::size_t k = 0; k < frequencies.size(); ++k) {
    const double f = frequencies[k];
    Plan plan{.drive = {DriveOf::velocity, {{Sine{A, f, 0, 0}, 0}}},
              .duration = cycle_count / f,
              .rows = cycle_count * rows,
              .probes = {(cycle_count - 0.5) / f}};
    const Run r = run(s, plan);
    plan.duration = (cycle_count - 1) / f;
    plan.rows = (cycle_count - 1) * rows;
    plan.probes.clear();
    const double energy = r.summary.energy.friction - run(s, plan).summary.energy.friction;
    const auto &v = column(r.trace, "v"), &F = column(r.trace, "F");
    double peak = 0;
    const std::size_t from = (cycle_count - 1) * rows;
    Chart chart{.name = fmt::format("reversal_{}", k + 1),
                .title = "Velocity reversals",
                .at = text("f", f, "Hz"),
                .trace = {{{"v", "m/s"}, {"F", "N"}, {"steady", "N"}}},
                .x_label = "Velocity v",
                .y_label = "Friction force F"};
    for (std::size_t i = from; i <= from + rows; i += 5) {
      chart.trace.columns[0].values.push_back(v[i]);
      chart.trace.columns[1].values.push_back(F[i]);
      chart.trace.columns[2].values.push_back(steady(v[i]));
    }
    double at_peak = 0;
    for (std::size_t i = from; i <= from + rows; ++i) {
      if (F[i] > peak) {
        peak = F[i];
        at_peak = v[i];
      }
    }
    const double excess = peak - steady_force(s, std::max(std::abs(at_peak), 1e-6 * A)).F;
    const std::string n = fmt::format("_{}", k + 1);
    out.quantities.push_back({"frequency" + n, "Hz", "frequency of the motion", f});
    out.quantities.push_back({"energy" + n, "J", "energy lost per cycle", energy});
    out.quantities.push_back({"at_reversal" + n, "N", "friction at the zero of v from above",
                              column(r.probes, "F").empty() ? none : column(r.probes, "F").front()});
    out.quantities.push_back({"peak" + n, "N", "largest friction of the cycle", peak});
    out.quantities.push_back({"peak_at" + n, "m/s", "velocity of the largest friction", at_peak});
    out.quantities.push_back(
        {"peak_over_steady" + n, "N", "excess of the largest friction over steady friction", excess});
    out.charts.push_back(std::move(chart));
  }
  return out;
}

}  // namespace bristle::tribometer
