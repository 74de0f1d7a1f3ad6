#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/unit.hpp"
#include "scenario/measure.hpp"
#include "scenario/shared/bounds.hpp"

namespace bristle {
namespace {

using scenario::Point;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

template <class F> double integral(const std::vector<Point>& p, F f) {
  double sum = 0;
  for (std::size_t i = 1; i < p.size(); ++i) sum += (p[i].t - p[i - 1].t) * (f(p[i - 1].y) + f(p[i].y)) / 2;
  return sum;
}

Number of_column(const RunQuantity& e, const Run& run) {
  const auto found = scenario::points(e, run, e.of);
  if (!found) return {unknown, {}, fmt::format("the run has no column {}", e.of)};
  const std::vector<Point>& p = *found;
  if (p.empty()) return {unknown, {}, "the window contains no row"};
  const double length = p.back().t - p.front().t;
  auto fold = [&](auto better) {  // NaN if any value is NaN
    return std::accumulate(p.begin(), p.end(), p.front().y,
                           [&](double a, const Point& b) { return std::isnan(b.y) || better(b.y, a) ? b.y : a; });
  };
  if (e.function == "max") return {fold(std::greater<>{})};
  if (e.function == "min") return {fold(std::less<>{})};
  if (e.function == "peak_to_peak") return {fold(std::greater<>{}) - fold(std::less<>{})};
  if (e.function == "final") return {p.back().y};
  if (e.function == "integral") return {integral(p, [](double x) { return x; })};
  if (e.function == "mean") return {length > 0 ? integral(p, [](double x) { return x; }) / length : p.front().y};
  return {length > 0 ? std::sqrt(integral(p, [](double x) { return x * x; }) / length) : std::abs(p.front().y)};  // rms
}

Number of_events(const RunQuantity& e, const std::vector<Event>& events) {
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
    return {unknown, {}, fmt::format("the run has {} such events", times.size())};
  }
  if (times.size() < 2)
    return {unknown, {}, fmt::format("a period requires two such events, the run has {}", times.size())};
  return {(times.back() - times.front()) / (n - 1)};
}

Number at_time(const RunQuantity& e, const Trace& probes) {
  const Column* t = probes.find("t");
  const auto y = column_of(probes, e.of);
  for (std::size_t i = 0; t && y && i < t->values.size(); ++i) {
    if (std::abs(t->values[i] - e.argument) <= 1e-12 * std::max(1.0, std::abs(e.argument))) return {y->values[i]};
  }
  return {unknown, {}, "the run ended before this time"};
}

bool is_event(const std::string& name) {
  return name == to_string(Event::stick) || name == to_string(Event::slip_forward) ||
         name == to_string(Event::slip_backward);
}

Number compute_one(const RunQuantity& e, const Run& run) {
  if (e.function == "at") return at_time(e, run.probes);
  if (scenario::is_of_chain(e.function)) return scenario::of_chain(e, run);
  const bool event = e.function == "count" || e.function == "time" || (e.function == "period" && is_event(e.of));
  if (!event && scenario::is_response(e.function)) return scenario::response(e, run);
  return event ? of_events(e, run.events) : of_column(e, run);
}

Number compute(const Expectation& e, const Run& run) {
  Number a = compute_one(e, run);
  if (e.join == 0 || !a.reason.empty()) return a;
  Number b = compute_one(e.second, run);
  if (!b.reason.empty()) return b;
  if (e.join == '-') return {a.value - b.value};
  if (b.value == 0) return {unknown, {}, "the divisor is 0"};
  return {a.value / b.value};
}

std::string unit_of(const RunQuantity& e, const Trace& trace) {
  if (e.function == "count" || e.function == "stuck_fraction") return "1";
  if (e.function == "time" || e.function == "period" || e.function == "settling_time") return "s";
  if (e.function == "energy_per_cycle" || e.function == "barrier") return "J";
  if (e.function == "depinning") return "N";
  if (e.function == "phonon_gap") return "N/m";
  if (e.function == "largest_moment") return "m";
  if (scenario::is_of_chain(e.function)) return "1";
  const auto column = column_of(trace, e.of);
  if (!column) return "";
  if (e.function != "integral" && e.function != "iae") return column->unit;
  const std::string& unit = column->unit;
  return unit.ends_with("/s") ? unit.substr(0, unit.size() - 2) : unit == "1" ? "s" : unit + " s";
}
std::string unit_of(const Expectation& e, const Trace& trace) {
  std::string first = unit_of(static_cast<const RunQuantity&>(e), trace);
  return e.join == '/' ? unit_of_ratio(first, unit_of(e.second, trace)) : first;
}

struct Repeated {
  Measured measured{};
  std::string why{};
};
Repeated compute(const Expectation& e, const Run& run, std::span<const Run> others) {
  const Number first = compute(e, run);
  if (!first.reason.empty()) return {{unknown, unknown}, first.reason};
  double sum = 0, squares = 0;  // of the differences from the first value
  for (const Run& r : others) {
    const Number x = compute(e, r);
    if (!x.reason.empty()) return {{unknown, unknown}, x.reason};
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

bool dimensionless(const Scenario& scenario) {
  const auto& contacts = scenario.experiment.contacts;
  return !contacts.empty() && std::ranges::all_of(contacts, [](const NamedContact& c) {
    return c.contact && dimensionless(c.contact->model(), c.contact->parameters());
  });
}

std::string window_text(const RunQuantity& quantity, const Scenario& scenario) {
  const char* unit = dimensionless(scenario) ? "" : " s";
  std::string out;
  if (quantity.from) out += fmt::format(" from {}{}", to_text(*quantity.from), unit);
  if (quantity.to) out += fmt::format(" to {}{}", to_text(*quantity.to), unit);
  return out;
}

std::vector<double> probe_times(const Scenario& scenario) {
  std::vector<double> out;
  auto add = [&](const Expectation& e) {
    for (const RunQuantity* q : {static_cast<const RunQuantity*>(&e), &e.second}) {
      if (q->function == "at") out.push_back(q->argument);
    }
  };
  std::ranges::for_each(scenario.expectations, add);
  std::ranges::for_each(scenario.quantities, add);
  std::ranges::for_each(scenario.measures, add, &Measure::quantity);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Number number_of(const Expectation& quantity, const Run& run) {
  Number out = compute(quantity, run);
  out.unit = unit_of(quantity, run.trace);
  if (out.reason.empty() && !std::isfinite(out.value)) out = {unknown, out.unit, "the value is not finite"};
  return out;
}
double measure(const Expectation& quantity, const Run& run) { return compute(quantity, run).value; }
Measured measure(const Expectation& quantity, const Run& run, std::span<const Run> others) {
  return compute(quantity, run, others).measured;
}

Checked scenario::compared(const Expectation& bounds, const Measured& value, std::size_t runs, const std::string& why) {
  const bool held = holds(bounds, value.mean);
  std::string found = why.empty() ? fmt::format("{} = {:.10g}", bounds.text, value.mean)
                                  : fmt::format("{} is undefined: {}", bounds.text, why);
  if (runs > 1 && why.empty()) found += fmt::format(" (mean of {} runs, deviation {:.2g})", runs, value.deviation);
  std::string expected = wanted(bounds);
  std::string line = fmt::format("{}, expected {}: {}", found, expected, held ? "holds" : "violated");
  return {&bounds, value.mean, value.deviation, held, std::move(expected), std::move(line)};
}

std::vector<Checked> check(const Scenario& scenario, const Run& run, std::span<const Run> others) {
  std::vector<Checked> out;
  for (const Expectation& e : scenario.expectations) {
    const auto [x, why] = compute(e, run, others);
    out.push_back(scenario::compared(e, x, others.size() + 1, why));
  }
  return out;
}

}  // namespace bristle
