#include <array>

#include "tribometer/bench.hpp"

/// Synthetic recordings of a contact: rows of a motion, points of the steady curve.
namespace bristle::tribometer {
namespace {

constexpr double slowest = 0.1, fastest = 10;  // speeds of strokes over V

/// Rows of a motion with constant velocity between rows.
struct Rows {
  std::vector<double> t{}, x{}, v{}, F{};
  void add(Mover& m, double velocity, double dt) {
    const double x_before = m.x;
    m.move(velocity, dt);
    t.push_back(t.empty() ? 0 : t.back() + dt);
    x.push_back(t.size() == 1 ? 0 : x_before + velocity * dt);
    v.push_back(velocity);
    F.push_back(m.F);
  }
};

Trace trace_of(const Rows& rows, bool rotational) {
  if (rotational)
    return {{{"t_s", "", rows.t}, {"x_rad", "", rows.x}, {"v_rad_s", "", rows.v}, {"friction_Nm", "", rows.F}}};
  return {{{"t_s", "", rows.t}, {"x_m", "", rows.x}, {"v_m_s", "", rows.v}, {"friction_N", "", rows.F}}};
}

/// Slow loading, outer loop and two inner loops.
Rows nested_loops(const Specimen& s) {
  constexpr int rows = 100;
  const double A = 1.4 * s.sizes.travel, slow = s.sizes.velocity / 20;
  Rows out;
  Mover m(s);
  out.add(m, slow, 1e-9 * s.sizes.time());
  for (const double part : {1.0, -1.0, 0.5, -0.3, 0.5, 1.0, 0.2, 0.8, -1.0, 0.0}) {
    const double way = part * A - m.x, velocity = way > 0 ? slow : -slow;
    const int n = std::max(20, static_cast<int>(rows * std::abs(way) / A));
    for (int i = 0; i < n; ++i) out.add(m, velocity, std::abs(way) / slow / n);
  }
  return out;
}

/// Strokes of increasing length, from pre-sliding to fast sliding.
Rows strokes(const Specimen& s) {
  constexpr int cycles = 8, rows = 400;
  const double V = s.sizes.velocity, frequency = slowest * V / (two_pi * 0.5 * s.sizes.travel);
  const double dt = 1 / (frequency * rows);
  Rows out;
  Mover m(s);
  for (int i = 0; i <= cycles * rows; ++i) {
    const double phase = static_cast<double>(i) / (cycles * rows);
    const double speed = V * slowest * std::pow(fastest / slowest, phase);
    const double velocity = speed * std::sin(two_pi * (cycles * phase - 0.5 / rows));
    out.add(m, velocity, i == 0 ? 1e-9 * dt : dt);
  }
  return out;
}

}  // namespace

std::vector<RecordedMotion> recordings(const Specimen& s, const Measurement& curve, bool rotational) {
  std::vector<RecordedMotion> out;
  Trace points{{{rotational ? "v_rad_s" : "v_m_s", ""}, {rotational ? "friction_Nm" : "friction_N", ""}}};
  for (std::size_t k = 0; k < curve.charts.size(); ++k) {  // forwards, backwards
    const double sign = k == 0 ? 1 : -1;
    const auto& columns = curve.charts[k].trace.columns;
    for (std::size_t i = 0; i < columns[0].values.size(); ++i) {
      if (columns[0].values[i] > fastest * s.sizes.velocity) continue;  // up to the speed of the strokes
      for (std::size_t c = 0; c < 2; ++c) points.columns[c].values.push_back(sign * columns[c].values[i]);
    }
  }
  if (points.rows() > 0) out.push_back({"curve", std::move(points)});
  out.push_back({"loops", trace_of(nested_loops(s), rotational)});
  out.push_back({"strokes", trace_of(strokes(s), rotational)});
  return out;
}

}  // namespace bristle::tribometer
