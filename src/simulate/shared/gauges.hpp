#pragma once
#include <array>
#include <cmath>
#include <limits>

#include "simulate/shared/slider_task.hpp"

/// Numbers of a run while it goes on, as scenario::number_of takes them from a trace.
namespace bristle::plain {

struct Row {
  double t{}, x{}, v{}, F{}, F_app{}, drive{};
  std::array<double, most_states> z{};
  constexpr double of(Shown column, int state) const {
    switch (column) {
      case Shown::t: return t;
      case Shown::x: return x;
      case Shown::v: return v;
      case Shown::F: return F;
      case Shown::F_app: return F_app;
      case Shown::drive: return drive;
      case Shown::state: break;
    }
    return state == 0 ? z[0] : state == 1 ? z[1] : z[2];
  }
};

class Measures {
 public:
  constexpr void begin(const Gauge* gauges, std::size_t count) {
    gauges_ = gauges;
    count_ = count;
    last_t_ = -inf;
    for (std::size_t i = 0; i < count; ++i) {
      Each& e = each_[i];
      e = {};
      if (gauges[i].function == Function::stuck_fraction) e.begin = larger(gauges[i].from, 0.0);
    }
    find_probe_after(-inf);
  }
  /// Points in the order of time: trapezoids between them, a window cuts the lines.
  constexpr void point(const Row& row) {
    for (std::size_t i = 0; i < count_; ++i) {
      const Gauge& g = gauges_[i];
      if (g.function >= Function::at) continue;
      Each& e = each_[i];
      const double y = row.of(g.column, g.state);
      const auto between = [&](double at) { return e.y + (at - last_t_) / (row.t - last_t_) * (y - e.y); };
      if (last_t_ < g.from && g.from < row.t && last_t_ > -inf) add(e, g, g.from, between(g.from));
      if (row.t >= g.from && row.t <= g.to) add(e, g, row.t, y);
      if (last_t_ < g.to && g.to < row.t && last_t_ > -inf) add(e, g, g.to, between(g.to));
      e.y = y;
    }
    last_t_ = row.t;
  }
  constexpr void event(double t, Event::Kind kind) {
    for (std::size_t i = 0; i < count_; ++i) {
      const Gauge& g = gauges_[i];
      Each& e = each_[i];
      if (g.function == Function::stuck_fraction) {
        const double from = larger(g.from, 0.0), now = t < from ? from : t > g.to ? g.to : t;
        if (e.points > 0 ? e.end > 0 : kind != Event::stick) e.a += now - e.begin;
        e.begin = now;
        e.end = kind == Event::stick ? 1 : 0;
        ++e.points;
      } else if (g.function > Function::at && g.event == kind && t >= g.from && t <= g.to) {
        if (e.points == 0) e.begin = t;
        e.end = t;
        ++e.points;
        if (static_cast<double>(e.points) == g.argument) e.a = t;
      }
    }
  }
  /// The time of the next value that is wanted; infinite if there is none.
  constexpr double next_probe() const { return probe_; }
  template <class At> constexpr void pass_probes(double until, bool last, At&& at) {
    while (probe_ < until || (last && probe_ <= until)) {
      const Row row = at(probe_);
      for (std::size_t i = 0; i < count_; ++i) {
        const Gauge& g = gauges_[i];
        if (g.function != Function::at || g.argument != probe_) continue;
        each_[i].a = row.of(g.column, g.state);
        each_[i].points = 1;
      }
      find_probe_after(probe_);
    }
  }
  constexpr void finish(double* out, double duration) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < count_; ++i) {
      const Gauge& g = gauges_[i];
      Each& e = each_[i];
      const double length = e.end - e.begin;
      double x = none;
      switch (g.function) {
        case Function::max:
        case Function::min:
        case Function::final:
        case Function::at: x = e.points > 0 ? e.a : none; break;
        case Function::peak_to_peak: x = e.points > 0 ? e.a - e.b : none; break;
        case Function::integral: x = e.points > 0 ? e.a : none; break;
        case Function::mean: x = e.points == 0 ? none : length > 0 ? e.a / length : e.b; break;
        case Function::rms: x = e.points == 0 ? none : length > 0 ? std::sqrt(e.a / length) : std::abs(e.b); break;
        case Function::count: x = static_cast<double>(e.points); break;
        case Function::time: x = static_cast<double>(e.points) >= g.argument ? e.a : none; break;
        case Function::period: x = e.points < 2 ? none : length / static_cast<double>(e.points - 1); break;
        case Function::stuck_fraction: {
          const double from = larger(g.from, 0.0), to = smaller(g.to, duration);
          if (e.points > 0 && e.end > 0) e.a += to - e.begin;
          x = to > from && e.points > 0 ? e.a / (to - from) : none;
        }
      }
      out[i] = x;
    }
    for (std::size_t i = count_; i < most_measures; ++i) out[i] = 0;
  }

 private:
  struct Each {
    double a{}, b{};        // extremes, integral and first value, or the time of an event
    double begin{}, end{};  // of the window, or of events
    double y{};             // of the last row
    double before{};        // last point of the window
    std::int64_t points{};
  };
  static constexpr void add(Each& e, const Gauge& g, double t, double y) {
    const bool first = e.points++ == 0;
    if (first) e.begin = t;
    const double dt = first ? 0 : t - e.end;
    switch (g.function) {  // NaN if any value is NaN
      case Function::max: e.a = first || y > e.a || !(y == y) ? y : e.a; break;
      case Function::min: e.a = first || y < e.a || !(y == y) ? y : e.a; break;
      case Function::peak_to_peak:
        e.a = first || y > e.a || !(y == y) ? y : e.a;
        e.b = first || y < e.b || !(y == y) ? y : e.b;
        break;
      case Function::final: e.a = y; break;
      case Function::integral: e.a += dt * (e.before + y) / 2; break;
      case Function::mean:
        e.a += dt * (e.before + y) / 2;
        if (first) e.b = y;
        break;
      case Function::rms:
        e.a += dt * (e.before * e.before + y * y) / 2;
        if (first) e.b = y;
        break;
      default: break;
    }
    e.before = y;
    e.end = t;
  }
  constexpr void find_probe_after(double t) {
    double next = inf;
    for (std::size_t i = 0; i < count_; ++i) {
      const Gauge& g = gauges_[i];
      if (g.function == Function::at && g.argument > t) next = smaller(next, g.argument);
    }
    probe_ = next;
  }

  const Gauge* gauges_ = nullptr;
  std::size_t count_ = 0;
  double last_t_ = -inf, probe_ = inf;
  std::array<Each, most_measures> each_{};
};

}  // namespace bristle::plain
