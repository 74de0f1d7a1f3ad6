#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "scenario/measure.hpp"

namespace bristle::scenario {
namespace {

Number undefined(std::string why) { return {std::numeric_limits<double>::quiet_NaN(), {}, std::move(why)}; }

struct Span {
  double least = inf, most = -inf;
  double width() const { return most - least; }
};
Span span_of(const std::vector<Point>& p, double from = -inf, double to = inf) {
  Span s;
  for (const Point& e : p) {
    if (e.t < from || e.t > to) continue;
    s.least = std::min(s.least, e.y);
    s.most = std::max(s.most, e.y);
  }
  return s;
}

/// Times at which a signal rises through the middle of its range, in the second half of the window. A cycle counts if it
/// also falls below a quarter of the range.
std::vector<double> rises(const std::vector<Point>& p) {
  const double middle = 0.5 * (p.front().t + p.back().t);
  const Span s = span_of(p, middle);
  const double level = 0.5 * (s.least + s.most), low = level - 0.25 * s.width();
  std::vector<double> out;
  bool armed = false;
  for (std::size_t i = 1; i < p.size(); ++i) {
    if (p[i].t < middle) continue;
    armed = armed || p[i - 1].y < low;
    if (!armed || p[i - 1].y > level || !(p[i].y > level)) continue;
    out.push_back(p[i - 1].t + (level - p[i - 1].y) / (p[i].y - p[i - 1].y) * (p[i].t - p[i - 1].t));
    armed = false;
  }
  return out;
}

/// Whole cycles at the end of the window that repeat themselves.
struct Cycle {
  std::vector<double> begins{};
  double period = 0, amplitude = 0;
  std::string why{};  // reason if there is none
};
Cycle settled_cycle(const std::vector<Point>& p, const std::string& column) {
  constexpr double alike = 0.05;
  if (p.size() < 3) return {.why = "the window contains fewer than three rows"};
  Cycle out{.begins = rises(p)};
  const Span all = span_of(p), late = span_of(p, 0.5 * (p.front().t + p.back().t));
  if (late.width() <= 1e-8 * std::max(std::abs(all.least), std::abs(all.most)))
    return {.why = fmt::format("{} is constant in the second half of the window: no cycle", column)};
  if (out.begins.size() < 3)
    return {.why = fmt::format("{} has fewer than two whole cycles in the second half of the window", column)};
  Span periods, heights;
  double height = 0;
  const std::size_t count = out.begins.size() - 1;
  for (std::size_t k = 0; k < count; ++k) {
    const double length = out.begins[k + 1] - out.begins[k];
    const double now = span_of(p, out.begins[k], out.begins[k + 1]).width();
    periods = {std::min(periods.least, length), std::max(periods.most, length)};
    heights = {std::min(heights.least, now), std::max(heights.most, now)};
    height += now / static_cast<double>(count);
  }
  out.period = (out.begins.back() - out.begins.front()) / static_cast<double>(count);
  out.amplitude = 0.5 * height;
  if (periods.width() > alike * out.period || heights.width() > alike * height)
    out.why = fmt::format("the cycles of {} differ by {:.0f} %: no settled cycle", column,
                          100 * std::max(periods.width() / out.period, heights.width() / height));
  return out;
}

/// The reference of a servo, or the drive, if it has the unit of the column.
std::optional<std::vector<Point>> reference(const RunQuantity& q, const Run& run, const std::string& unit) {
  for (const char* name : {"reference", "drive"}) {
    const Column* r = run.trace.find(name);
    if (r && r->unit == unit) return points(q, run, name);
  }
  return {};
}

double step_time(const std::vector<Point>& r) {
  const double end = r.back().y, close = 1e-9 * std::max(span_of(r).width(), std::abs(end));
  double t = r.front().t;
  for (std::size_t i = 0; i + 1 < r.size(); ++i) {
    if (std::abs(r[i].y - end) > close) t = r[i + 1].t;
  }
  return t;
}

Number overshoot(const std::vector<Point>& y, double target) {
  if (target == y.front().y) return undefined("the reference equals the value at the start: no step");
  const double side = target > y.front().y ? 1 : -1;
  double most = 0;
  for (const Point& p : y) most = std::max(most, side * (p.y - target));
  return {most};
}

Number settling_time(const std::vector<Point>& y, const std::vector<Point>& r, double band) {
  const double target = r.back().y, step = std::abs(target - y.front().y), close = band * step, begin = step_time(r);
  if (!(step > 0)) return undefined("the reference equals the value at the start: no step");
  if (std::abs(y.back().y - target) > close)
    return undefined(fmt::format("not settled within {:.3g} of the step at the end", band));
  double t = begin;
  for (std::size_t i = y.size() - 1; i-- > 0;) {
    const double before = std::abs(y[i].y - target), after = std::abs(y[i + 1].y - target);
    if (before <= close) continue;
    t = y[i].t + (before - close) / (before - after) * (y[i + 1].t - y[i].t);
    break;
  }
  return {std::max(0.0, t - begin)};
}

/// Time between stick and slip events; before the first one the opposite of it holds.
Number stuck_fraction(const RunQuantity& q, const Run& run) {
  const Column* v = run.trace.find("v");
  const double from = q.from.value_or(0), to = std::min(q.to.value_or(inf), run.summary.duration);
  if (!(to > from)) return undefined("the window is empty");
  const auto other = std::ranges::find_if(run.events, [](const Event& e) { return e.body > 1; });
  if (other != run.events.end()) return undefined("stuck_fraction is defined for one body, not for a chain");
  bool stuck = !run.events.empty() && run.events.front().kind != Event::stick;
  if (run.events.empty()) {  // one phase
    if (!v || v->values.empty()) return undefined("the run has neither events nor rows of v");
    stuck = std::abs(v->values.back()) <= q.argument;
  }
  double since = from, sum = 0;
  for (const Event& e : run.events) {
    const double now = std::clamp(e.t, from, to);
    if (stuck) sum += now - since;
    since = now;
    stuck = e.kind == Event::stick;
  }
  if (stuck) sum += to - since;
  return {sum / (to - from)};
}

/// Work of friction over the whole cycles of the velocity, per cycle.
Number energy_per_cycle(const RunQuantity& q, const Run& run) {
  const auto v = points(q, run, "v");
  if (!v || !run.trace.find("F")) return undefined("the run has no columns F and v");
  const Cycle cycle = settled_cycle(*v, "v");
  if (!cycle.why.empty()) return undefined(cycle.why);
  RunQuantity whole = q;
  whole.from = cycle.begins.front();
  whole.to = cycle.begins.back();
  const std::vector<Point> p = *points(whole, run, "F * v");
  double sum = 0;
  for (std::size_t i = 1; i < p.size(); ++i) sum += 0.5 * (p[i].t - p[i - 1].t) * (p[i].y + p[i - 1].y);
  return {sum / static_cast<double>(cycle.begins.size() - 1)};
}

}  // namespace

std::optional<std::vector<Point>> points(const RunQuantity& q, const Run& run, std::string_view column) {
  const auto times = column_of(run, "t"), values = column_of(run, column);
  if (!times || !values) return {};
  const std::vector<double>&t = times->values, &y = values->values;
  const double from = q.from.value_or(-inf), to = q.to.value_or(inf);
  const auto same = [&](std::size_t i, double at) { return i < t.size() && t[i] == at; };
  std::vector<Point> out;
  for (std::size_t i = 0; i < t.size(); ++i) {
    auto between = [&](double at) {
      const double share = (at - t[i - 1]) / (t[i] - t[i - 1]);
      return Point{at, y[i - 1] + share * (y[i] - y[i - 1])};
    };
    if (i > 0 && t[i - 1] < from && from < t[i]) out.push_back(between(from));
    const bool before = t[i] == from && same(i + 1, from), after = t[i] == to && i > 0 && same(i - 1, to);
    if (t[i] >= from && t[i] <= to && !before && !after) out.push_back({t[i], y[i]});
    if (i > 0 && t[i - 1] < to && to < t[i]) out.push_back(between(to));
  }
  return out;
}

bool is_response(const std::string& function) {
  constexpr const char* names[]{"iae",    "overshoot",      "settling_time",   "amplitude",
                                "period", "stuck_fraction", "energy_per_cycle"};
  return std::ranges::find(names, function) != std::end(names);
}

Number response(const RunQuantity& q, const Run& run) {
  if (q.function == "stuck_fraction") return stuck_fraction(q, run);
  if (q.function == "energy_per_cycle") return energy_per_cycle(q, run);
  const auto found = points(q, run, q.of);
  if (!found) return undefined(fmt::format("the run has no column {}", q.of));
  const std::vector<Point>& y = *found;
  if (y.empty()) return undefined("the window contains no row");
  if (q.function == "amplitude" || q.function == "period") {
    const Cycle cycle = settled_cycle(y, q.of);
    if (!cycle.why.empty()) return undefined(cycle.why);
    return {q.function == "period" ? cycle.period : cycle.amplitude};
  }
  const auto column = column_of(run.trace, q.of);
  const auto r = reference(q, run, column ? column->unit : "");
  if (!r) return undefined(fmt::format("the run has neither a reference nor a drive with the unit of {}", q.of));
  const bool moves =
      std::abs(r->back().y - (*r)[r->size() - std::min<std::size_t>(r->size(), 2)].y) > 1e-9 * span_of(*r).width();
  if (moves && q.function != "iae") return undefined("the reference still moves at the end: no step to settle at");
  if (q.function == "overshoot") return overshoot(y, r->back().y);
  if (q.function == "settling_time") return settling_time(y, *r, q.argument);
  double sum = 0;  // iae: of the absolute value of a line between two rows
  for (std::size_t i = 1; i < y.size(); ++i) {
    const double a = (*r)[i - 1].y - y[i - 1].y, b = (*r)[i].y - y[i].y, dt = y[i].t - y[i - 1].t;
    sum +=
        a * b >= 0 ? 0.5 * dt * (std::abs(a) + std::abs(b)) : 0.5 * dt * (a * a + b * b) / (std::abs(a) + std::abs(b));
  }
  return {sum};
}

}  // namespace bristle::scenario
