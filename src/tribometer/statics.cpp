#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tribometer/bench.hpp"

/// Experiments near rest: forces on a body, slide-rest-slide.
namespace bristle::tribometer {

Measurement hold(const Specimen& s, const HoldSettings& settings) {
  const Sizes& z = s.sizes;
  const double load = z.offset + settings.load * z.sliding, duration = or_else(settings.duration, 1e5 * z.time());
  // Short steps first: a damped body is at rest long before the end.
  const std::vector<double> times = logarithmic(1e-8 * duration, duration, 1500);
  Body body(s, z.mass);
  Chart chart{.name = "hold",
              .title = "Under a load below sliding friction",
              .trace = {{{"t", "s"}, {"x", "m"}}},
              .x_label = "Time t",
              .y_label = "Displacement x",
              .x_log = true};
  double from = 0, since = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    body.push(load, times[i] - body.t);
    if (i % 256 == 0) look_for_stop(s);
    if (times[i] < 0.9 * duration) {
      from = body.x;
      since = body.t;
    }
    if (i % 5 != 0) continue;
    chart.trace.columns[0].values.push_back(body.t);
    chart.trace.columns[1].values.push_back(body.x);
  }
  const double creep = std::abs(body.x - from) / (body.t - since);
  // After a stop from sliding: whether one state carries any load.
  const double moment = 1e-6 * z.time(), free = z.sliding / z.mass * moment;
  double leaves = 0;
  for (const double part : {0.3, -0.2, 0.6}) {
    Mover m(s);
    m.settle(3 * z.velocity);
    leaves = std::max(leaves, std::abs(m.released(z.offset + part * z.sliding, z.mass, moment)) / free);
  }
  Measurement out{.experiment = "hold"};
  out.quantities = {
      {"load", "N", "applied load", load},
      {"displacement", "m", "displacement at the end", body.x},
      {"creep", "m/s", "velocity over the last tenth", creep},
      {"creep_ratio", "1", "creep over V", creep / z.velocity},
      {"release", "1",
       "velocity after a short time under different loads from one state at rest, over that of a free body", leaves}};
  out.charts = {std::move(chart)};
  return out;
}

namespace {

/// A force ramp up to sliding, and the row of the largest force before.
struct Ascent {
  Run run;
  std::size_t sliding, top;  // rows; as many as there are: the body does not slide
  double at(const char* name, std::size_t row) const { return column(run.trace, name)[row]; }
  double force() const { return at("F", top); }
  bool slides() const { return sliding < run.trace.rows(); }
  bool inside() const { return top > 0 && top + 1 < run.trace.rows(); }
  /// The time of a release from exact stick next to the largest force.
  std::optional<double> release() const {
    const double lo = at("t", top - 1), hi = at("t", top + 1);
    for (const Event& e : run.events) {
      if (e.kind != Event::stick && e.t >= lo && e.t <= hi && at("v", top - 1) == 0) return e.t;
    }
    return {};
  }
};
Ascent ascend(const Specimen& s, const Plan& plan) {
  Ascent out{run(s, plan), 0, 0};
  const auto &v = column(out.run.trace, "v"), &F = column(out.run.trace, "F");
  const auto away = std::find_if(v.begin(), v.end(), [&](double x) { return x > plan.fastest; }) - v.begin();
  out.sliding = static_cast<std::size_t>(away);
  out.top = static_cast<std::size_t>(std::max_element(F.begin(), F.begin() + away) - F.begin());
  return out;
}
/// The same with other tolerance, first without the end of the ramp, which most contacts do not reach at rest.
Ascent ascend(Specimen s, const Plan& plan, double rtol) {
  s.rtol = rtol;
  Plan part = plan;
  part.rows = std::ceil(0.625 * plan.rows);
  part.duration = part.rows / plan.rows * plan.duration;
  Ascent out = ascend(s, part);
  return out.slides() ? out : ascend(s, plan);
}

/// With a rough tolerance; none if that fails.
std::optional<Ascent> locate(const Specimen& s, const Plan& plan) {
  try {
    return ascend(s, plan, std::max(s.rtol, 1e-5));
  } catch (const RunFailed&) { return {}; }
}

struct Peak {
  double force;
  bool inside;  // or all of it is constant, as in sliding at one level
};
/// The largest force between two times: a parabola through three points gives a smooth maximum.
Peak peak_between(const Specimen& s, Plan plan, double lo, double hi) {
  constexpr int near = 50;
  constexpr double flat = 1e-9;
  plan.duration = hi;
  plan.rows = 2;
  for (int i = 0; i <= near; ++i) plan.probes.push_back(lo + (hi - lo) * i / near);
  const Run close = run(s, plan);
  const auto& F = column(close.probes, "F");
  const auto top = static_cast<std::size_t>(std::max_element(F.begin(), F.end()) - F.begin());
  if (top < 2 || top + 2 >= F.size()) return {F[top], F[top] - F[near / 2] <= flat * F[top]};
  auto bend = [&](std::size_t i) { return F[i - 1] - 2 * F[i] + F[i + 1]; };
  const bool corner = !(bend(top) < 0) || bend(top - 1) > 0.5 * bend(top) || bend(top + 1) > 0.5 * bend(top);
  const double tilt = F[top + 1] - F[top - 1];
  return {corner ? F[top] : F[top] - tilt * tilt / (8 * bend(top)), true};
}
Peak peak_near(const Specimen& s, const Plan& plan, const Ascent& a) {
  return peak_between(s, plan, a.at("t", a.top - 1), a.at("t", a.top + 1));
}

/// The largest force before sliding; for exact stick the load at breakaway. A rough run locates it, a second run measures
/// it. Where small slips amplify rounding (gms) the second run may slide elsewhere: then an exact run locates it, and the
/// larger force counts. In a draft the rows of one run are dense enough.
double breakaway_force(const Specimen& s, double rate, double sliding) {
  const Sizes& z = s.sizes;
  const bool fixed = takes_small_steps(s.contact), rough = draft(s) && !fixed;
  const double duration = (2 * std::max(z.force, z.sliding) + std::abs(z.offset)) / rate;
  const double dense = std::clamp(30 * duration / z.time(), 4000.0, 20000.0);  // the peak of a slow ramp is narrow
  const Plan plan{.kind = SystemKind::slider,
                  .drive = {DriveOf::force, {{Ramp{rate, 0}, 0}}},
                  .duration = duration,
                  .rows = rough ? std::round(dense) : 1000.0,
                  .body = {.mass = z.mass},
                  .fastest = sliding};
  if (rough) return ascend(s, plan, s.rtol).force();
  if (!fixed) {
    if (const auto a = locate(s, plan); a && a->inside() && !a->release()) {
      if (const Peak p = peak_near(s, plan, *a); p.inside && p.force > 0.999 * a->force()) return p.force;
    }
  }
  const Ascent a = ascend(s, plan);
  if (!a.inside() || fixed) return a.force();
  if (const auto released = a.release()) return rate * *released;
  return std::max(peak_near(s, plan, a).force, a.force());
}

}  // namespace

Measurement breakaway(const Specimen& s, const BreakawaySettings& settings) {
  const Sizes& z = s.sizes;
  const double unit = z.force / z.time();
  auto rates = or_else(settings.rates, logarithmic(0.003 * unit, 0.3 * unit, 5));
  Measurement out{.experiment = "breakaway"};
  Chart chart{.name = "breakaway",
              .title = "Breakaway force",
              .trace = {{{"rate", "N/s"}, {"F", "N"}}},
              .x_label = "Force rate",
              .y_label = "Breakaway force",
              .x_log = true,
              .points = true};
  std::sort(rates.begin(), rates.end());
  double lo = inf, hi = -inf, fall = 0, rise = 0;
  for (std::size_t k = 0; k < rates.size(); ++k) {
    const double F = breakaway_force(s, rates[k], or_else(settings.sliding, 10 * z.velocity));
    lo = std::min(lo, F);
    hi = std::max(hi, F);
    fall = std::max(fall, hi - F);
    rise = std::max(rise, F - lo);
    chart.trace.columns[0].values.push_back(rates[k]);
    chart.trace.columns[1].values.push_back(F);
    out.quantities.push_back({fmt::format("rate_{}", k + 1), "N/s", "force rate", rates[k]});
    out.quantities.push_back({fmt::format("breakaway_{}", k + 1), "N", "largest friction before sliding", F});
  }
  const double over_highest = hi > 0 ? 1 / hi : 0;
  out.quantities.push_back(
      {"variation", "1", "highest minus lowest breakaway force over the highest", (hi - lo) * over_highest});
  out.quantities.push_back(
      {"fall", "1", "largest decrease with increasing force rate over the highest", fall * over_highest});
  out.quantities.push_back(
      {"rise", "1", "largest increase with increasing force rate over the highest", rise * over_highest});
  out.charts = {std::move(chart)};
  return out;
}

Measurement dwell(const Specimen& s, const DwellSettings& settings) {
  const Sizes& z = s.sizes;
  const auto dwells = or_else(settings.dwells, logarithmic(0.1 * z.time(), 1e5 * z.time(), 13));
  // A slowly sliding population ages as one at rest.
  const double v = or_else(settings.speed, (takes_steps_only(s.contact) ? 1 : 0.1) * z.velocity);
  Measurement out{.experiment = "dwell"};
  Chart chart{.name = "dwell",
              .title = "Static friction after a rest",
              .trace = {{{"dwell", "s"}, {"F", "N"}}},
              .x_label = "Time at rest",
              .y_label = "Static friction",
              .x_log = true,
              .points = true};
  Mover sliding(s);
  sliding.settle(v);
  const double steady = sliding.dry();
  auto& peaks = chart.trace.columns[1].values;
  for (const double rest : dwells) {
    Mover m(sliding);
    m.move(0, rest);
    double peak = -inf, last = 0;
    for (const double t : logarithmic(1e-4 * z.travel / v, 100 * z.travel / v, 600)) {
      m.move(v, t - last);
      last = t;
      peak = std::max(peak, m.dry());
    }
    peaks.push_back(peak);
  }
  chart.trace.columns[0].values = dwells;
  out.quantities = {
      {"sliding", "N", "dry friction before the rest", steady},
      {"shortest", "N", "largest friction after the shortest rest", peaks.front()},
      {"longest", "N", "largest friction after the longest rest", peaks.back()},
      {"strengthening", "1", "largest friction after the longest minus that after the shortest rest, over F0",
       (peaks.back() - peaks.front()) / z.force},
      {"per_decade", "N", "increase of the largest friction per decade of time",
       dwells.size() > 1 ? (peaks.back() - peaks.front()) / std::log10(dwells.back() / dwells.front()) : none}};
  out.charts = {std::move(chart)};
  return out;
}

Measurement drift(const Specimen& s, const DriftSettings& settings) {
  const Sizes& z = s.sizes;
  const double f = or_else(settings.frequency, 0.015 / z.time()), end = settings.cycles / f;
  constexpr int measured = 4;
  const Term offset{Constant{z.offset}, 0};
  const Term load{Sine{settings.amplitude * z.sliding, f, 0, settings.mean * z.sliding}, 1 / f};
  Plan plan{.kind = SystemKind::slider,
            .drive = {DriveOf::force, {load}},
            .duration = end,
            .rows = 50.0 * settings.cycles,
            .body = {.mass = z.mass},
            .probes = {(settings.cycles - measured) / f, end}};
  if (z.offset != 0) plan.drive.terms.push_back(offset);
  const Run r = run(s, plan);
  const auto& x = column(r.probes, "x");
  const double per_cycle = (x[1] - x[0]) / measured;
  Measurement out{.experiment = "drift"};
  out.quantities = {{"frequency", "Hz", "frequency of the load", f},
                    {"per_cycle", "m", "travel per cycle at the end", per_cycle},
                    {"per_cycle_ratio", "1", "travel per cycle over X", std::abs(per_cycle) / z.travel},
                    {"total", "m", "displacement at the end", x[1]}};
  out.charts = {{.name = "drift",
                 .title = "Under an oscillating load below sliding friction",
                 .trace = {{*r.trace.find("t"), *r.trace.find("x")}},
                 .x_label = "Time t",
                 .y_label = "Displacement x"}};
  return out;
}

}  // namespace bristle::tribometer
