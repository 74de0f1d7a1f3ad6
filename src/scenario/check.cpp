#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bristle/scenario.hpp"

namespace bristle {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct Computed {
  double value = unknown;
  std::string why{};  // reason if the value is unknown
};

struct Point {
  double t, y;
};
/// The points of a column between two times, with interpolated end points.
std::vector<Point> clipped(const std::vector<double>& t, const std::vector<double>& y, double from, double to) {
  std::vector<Point> out;
  for (std::size_t i = 0; i < t.size(); ++i) {
    auto between = [&](double at) {
      const double share = (at - t[i - 1]) / (t[i] - t[i - 1]);
      return Point{at, y[i - 1] + share * (y[i] - y[i - 1])};
    };
    if (i > 0 && t[i - 1] < from && from < t[i]) out.push_back(between(from));
    if (t[i] >= from && t[i] <= to) out.push_back({t[i], y[i]});
    if (i > 0 && t[i - 1] < to && to < t[i]) out.push_back(between(to));
  }
  return out;
}

template <class F> double integral(const std::vector<Point>& p, F f) {
  double sum = 0;
  for (std::size_t i = 1; i < p.size(); ++i) sum += (p[i].t - p[i - 1].t) * (f(p[i - 1].y) + f(p[i].y)) / 2;
  return sum;
}

Computed of_column(const RunQuantity& e, const Trace& trace) {
  const Column* t = trace.find("t");
  const auto y = column_of(trace, e.of);
  if (!t || !y) return {unknown, fmt::format("the run has no column {}", e.of)};
  const std::vector<Point> p = clipped(t->values, y->values, e.from.value_or(-inf), e.to.value_or(inf));
  if (p.empty()) return {unknown, "the window contains no row"};
  const double length = p.back().t - p.front().t;
  auto fold = [&](auto better) {  // NaN if any value is NaN
    return std::accumulate(p.begin(), p.end(), p.front().y,
                           [&](double a, const Point& b) { return std::isnan(b.y) || better(b.y, a) ? b.y : a; });
  };
  if (e.function == "max") return {fold(std::greater<>{})};
  if (e.function == "min") return {fold(std::less<>{})};
  if (e.function == "final") return {p.back().y};
  if (e.function == "integral") return {integral(p, [](double x) { return x; })};
  if (e.function == "mean") return {length > 0 ? integral(p, [](double x) { return x; }) / length : p.front().y};
  return {length > 0 ? std::sqrt(integral(p, [](double x) { return x * x; }) / length) : std::abs(p.front().y)};  // rms
}

Computed of_events(const RunQuantity& e, const std::vector<Event>& events) {
  std::vector<double> times;
  for (const Event& event : events) {
    if (to_string(event.kind) == e.of && event.t >= e.from.value_or(-inf) && event.t <= e.to.value_or(inf)) {
      times.push_back(event.t);
    }
  }
  const auto n = static_cast<double>(times.size());
  if (e.function == "count") return {n};
  if (e.function == "time") {
    if (n >= e.argument) return {times[static_cast<std::size_t>(e.argument) - 1]};
    return {unknown, fmt::format("the run has {} such events", times.size())};
  }
  if (times.size() < 2)
    return {unknown, fmt::format("a period requires two such events, the run has {}", times.size())};
  return {(times.back() - times.front()) / (n - 1)};
}

Computed at_time(const RunQuantity& e, const Trace& probes) {
  const Column* t = probes.find("t");
  const auto y = column_of(probes, e.of);
  for (std::size_t i = 0; t && y && i < t->values.size(); ++i) {
    if (std::abs(t->values[i] - e.argument) <= 1e-12 * std::max(1.0, std::abs(e.argument))) return {y->values[i]};
  }
  return {unknown, "the run ended before this time"};
}

Computed compute_one(const RunQuantity& e, const Run& run) {
  if (e.function == "at") return at_time(e, run.probes);
  const bool event = e.function == "count" || e.function == "time" || e.function == "period";
  return event ? of_events(e, run.events) : of_column(e, run.trace);
}

Computed compute(const Expectation& e, const Run& run) {
  Computed a = compute_one(e, run);
  if (e.join == 0 || !a.why.empty()) return a;
  Computed b = compute_one(e.second, run);
  if (!b.why.empty()) return b;
  if (e.join == '-') return {a.value - b.value};
  if (b.value == 0) return {unknown, "the divisor is 0"};
  return {a.value / b.value};
}

struct Repeated {
  Measured measured{};
  std::string why{};
};
Repeated compute(const Expectation& e, const Run& run, std::span<const Run> others) {
  const Computed first = compute(e, run);
  if (!first.why.empty()) return {{unknown, unknown}, first.why};
  double sum = 0, squares = 0;  // of the differences from the first value
  for (const Run& r : others) {
    const Computed x = compute(e, r);
    if (!x.why.empty()) return {{unknown, unknown}, x.why};
    sum += x.value - first.value;
    squares += (x.value - first.value) * (x.value - first.value);
  }
  const double n = static_cast<double>(others.size() + 1), mean = sum / n;
  return {{first.value + mean, n > 1 ? std::sqrt(std::max(0.0, (squares - n * mean * mean) / (n - 1))) : 0}};
}

double tolerance(const Expectation& e) {
  return std::max(e.abs.value_or(0), e.rel.value_or(0) * std::abs(e.value.value_or(0)));
}

bool holds(const Expectation& e, double x) {
  return !std::isnan(x) && (!e.value || std::abs(x - *e.value) <= tolerance(e)) && x >= e.min.value_or(-inf) &&
         x <= e.max.value_or(inf);
}

std::string wanted(const Expectation& e) {
  std::string out;
  if (e.value) {
    out = to_text(*e.value);
    if (e.abs) out += fmt::format(" within {}", to_text(*e.abs));
    if (e.rel) out += fmt::format(" {} {:.6g} %", e.abs ? "or" : "within", *e.rel * 100);
  }
  if (e.min) out += fmt::format("{}at least {}", out.empty() ? "" : ", ", to_text(*e.min));
  if (e.max) out += fmt::format("{}at most {}", out.empty() ? "" : ", ", to_text(*e.max));
  return out;
}

}  // namespace

std::vector<double> probe_times(const Scenario& scenario) {
  std::vector<double> out;
  for (const auto* all : {&scenario.expectations, &scenario.quantities}) {
    for (const Expectation& e : *all) {
      for (const RunQuantity* q : {static_cast<const RunQuantity*>(&e), &e.second}) {
        if (q->function == "at") out.push_back(q->argument);
      }
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

double measure(const Expectation& quantity, const Run& run) { return compute(quantity, run).value; }
Measured measure(const Expectation& quantity, const Run& run, std::span<const Run> others) {
  return compute(quantity, run, others).measured;
}

std::vector<Checked> check(const Scenario& scenario, const Run& run, std::span<const Run> others) {
  std::vector<Checked> out;
  for (const Expectation& e : scenario.expectations) {
    const auto [x, why] = compute(e, run, others);
    const bool held = holds(e, x.mean);
    std::string found =
        why.empty() ? fmt::format("{} = {:.10g}", e.text, x.mean) : fmt::format("{} is undefined: {}", e.text, why);
    if (!others.empty() && why.empty())
      found += fmt::format(" (mean of {} runs, deviation {:.2g})", others.size() + 1, x.deviation);
    std::string expected = wanted(e);
    std::string line = fmt::format("{}, expected {}: {}", found, expected, held ? "holds" : "violated");
    out.push_back({&e, x.mean, x.deviation, held, std::move(expected), std::move(line)});
  }
  return out;
}

}  // namespace bristle
