#include <algorithm>
#include <cmath>
#include <span>

#include "base/linear.hpp"
#include "identify/series.hpp"

namespace bristle::identify {
namespace {

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto k = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + k, values.end());
  return values[static_cast<std::size_t>(k)];
}

/// Least-squares fit of the rigid body with Coulomb and viscous friction; returns the measured friction.
std::vector<double> without_body(const Series& s, Gravity gravity, Features& f) {
  if (!s.inverse && s.terms.empty()) return s.y;
  const Eigen::Index rigid = gravity == Gravity::sine && s.inverse ? 6 : 4;
  const Eigen::Index columns = rigid + static_cast<Eigen::Index>(s.terms.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(columns, columns);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(columns), row(columns);
  const double slow = 0.05 * f.v_high;
  for (std::size_t i = 0; i < s.size(); ++i) {
    row.head(4) << (s.inverse ? s.a[i] : 0), (s.inverse ? 1 : 0), std::tanh(s.v[i] / slow), s.v[i];
    if (rigid == 6) row.segment(4, 2) << std::sin(s.x[i]), std::cos(s.x[i]);
    for (std::size_t k = 0; k < s.terms.size(); ++k) row[rigid + static_cast<Eigen::Index>(k)] = s.terms[k].values[i];
    A.selfadjointView<Eigen::Lower>().rankUpdate(row);
    b += row * s.y[i];
  }
  A = A.selfadjointView<Eigen::Lower>();
  const Eigen::VectorXd scale = A.diagonal().array().max(1e-300).rsqrt();
  const Eigen::MatrixXd scaled = scale.asDiagonal() * A * scale.asDiagonal();
  const Eigen::VectorXd w =
      scale.asDiagonal() *
      linear::solve(scaled + 1e-12 * Eigen::MatrixXd::Identity(columns, columns), scale.asDiagonal() * b);
  f.inertia = std::max(0.0, w[0]);
  f.offset = w[1];
  if (rigid == 6) f.gravity_sin = w[4], f.gravity_cos = w[5];
  f.terms.assign(w.data() + rigid, w.data() + columns);
  std::vector<double> friction(s.size());
  for (std::size_t i = 0; i < s.size(); ++i) friction[i] = s.y[i] - f.beside(s, i);
  return friction;
}

/// Motion in one direction, between two reversals.
struct Stroke {
  std::size_t from, to;
  bool reversed;  // begins with a reversal, not with a segment
};
std::vector<Stroke> strokes_of(const Series& s) {
  std::vector<Stroke> out;
  for (const Stretch& stretch : s.stretches) {
    if (stretch.steady) continue;
    std::size_t from = stretch.from;
    int direction = 0;
    for (std::size_t i = stretch.from; i < stretch.to; ++i) {
      const int now = s.v[i] > 0 ? 1 : s.v[i] < 0 ? -1 : 0;
      if (now == 0 || now == direction) continue;
      if (direction != 0) out.push_back({from, i, from != stretch.from});
      if (direction != 0) from = i;
      direction = now;
    }
    out.push_back({from, stretch.to, from != stretch.from});
  }
  return out;
}

/// The sample before a long stroke at which the motion was furthest the other way since the last long one, if most of the
/// force has grown between both: reversals by noise, or of ringing, hide that it grew in pre-sliding. Otherwise its own.
std::size_t furthest_before(const Series& s, const std::vector<double>& F, const Stroke& stroke, std::size_t since,
                            double force) {
  const double sign = s.x[stroke.to - 1] > s.x[stroke.from] ? 1 : -1;
  std::size_t out = stroke.from - 1;
  for (std::size_t i = since; i < stroke.from; ++i) {
    if (sign * s.x[i] < sign * s.x[out]) out = i;
  }
  return sign * (F[stroke.from - 1] - F[out]) > 0.5 * force ? out : stroke.from - 1;
}

/// Force over displacement after reversals: displacement until sliding, initial slope and mean curve.
void look_at_reversals(const Series& s, const std::vector<double>& F, Features& f) {
  std::vector<Stroke> strokes = strokes_of(s);
  std::vector<double> lengths, reaches, slopes;
  for (const Stroke& k : strokes) lengths.push_back(std::abs(s.x[k.to - 1] - s.x[k.from]));
  const double noteworthy = 0.05 * *std::max_element(lengths.begin(), lengths.end());
  std::vector<std::size_t> good;
  std::size_t since = 0;  // end of the last long stroke, or begin of the segment
  for (std::size_t k = 0; k < strokes.size(); ++k) {
    Stroke& stroke = strokes[k];
    if (!stroke.reversed) since = stroke.from;
    if (lengths[k] < noteworthy) continue;
    if (stroke.reversed) stroke.from = furthest_before(s, F, stroke, since, f.force) + 1;
    since = stroke.to - 1;
    if (stroke.to - stroke.from < 4 || !stroke.reversed) continue;
    std::vector<double> late(F.begin() + static_cast<std::ptrdiff_t>((stroke.from + stroke.to) / 2),
                             F.begin() + static_cast<std::ptrdiff_t>(stroke.to));
    const double begin = F[stroke.from - 1], swing = quantile(late, 0.5) - begin;
    const double sign = s.x[stroke.to - 1] > s.x[stroke.from] ? 1 : -1;
    if (sign * swing < 0.2 * f.force) continue;
    double x30 = 0, x80 = 0;
    const double x0 = s.x[stroke.from - 1];
    for (std::size_t i = stroke.from; i < stroke.to && !(x80 > 0); ++i) {
      const double way = std::abs(s.x[i] - x0), done = (F[i] - begin) / swing;
      if (done > 0.3 && !(x30 > 0)) x30 = way;
      if (done > 0.8) x80 = way;
    }
    if (!(x80 > 0) || !(x30 > 0)) continue;
    good.push_back(k);
    reaches.push_back(x80);
    slopes.push_back(0.3 * std::abs(swing) / x30);
  }
  f.reversals = good.size();
  if (good.empty()) {
    f.reach = 0.01 * f.travel;
    f.stiffness = f.force / f.reach;
    return;
  }
  f.reach = quantile(reaches, 0.5);
  f.stiffness = quantile(slopes, 0.5);
  // Mean of the halved curves: the virgin curve for pure hysteresis (Masing).
  constexpr int points = 24;
  for (int p = 0; p < points; ++p) {
    const double way = f.reach * std::pow(10.0, -2.0 + 3.0 * p / (points - 1));
    std::vector<double> gained;
    for (const std::size_t k : good) {
      const Stroke& stroke = strokes[k];
      const double x0 = s.x[stroke.from - 1], F0 = F[stroke.from - 1];
      for (std::size_t i = stroke.from; i < stroke.to; ++i) {
        if (std::abs(s.x[i] - x0) < way) continue;
        gained.push_back(0.5 * std::abs(F[i] - F0));
        break;
      }
    }
    if (gained.size() * 2 < good.size() || gained.empty()) break;
    f.curve_x.push_back(0.5 * way);
    f.curve_f.push_back(quantile(gained, 0.5));
  }
}

/// Whether the force is that of a spring, with loops of pre-sliding around it.
bool follows_position(const Series& s, const std::vector<double>& F) {
  constexpr double nearly_all = 0.95;  // friction in sliding explains none of it
  if (s.inverse) return false;         // a spring and the inertia of one harmonic look alike
  double xx = 0, xF = 0, FF = 0;
  for (const Stretch& stretch : s.stretches) {
    if (stretch.steady) continue;
    const auto n = static_cast<double>(stretch.to - stretch.from);
    double x = 0, force = 0;
    for (std::size_t i = stretch.from; i < stretch.to; ++i) x += s.x[i] / n, force += F[i] / n;
    for (std::size_t i = stretch.from; i < stretch.to; ++i) {
      xx += (s.x[i] - x) * (s.x[i] - x);
      xF += (s.x[i] - x) * (F[i] - force);
      FF += (F[i] - force) * (F[i] - force);
    }
  }
  return xF > 0 && xF * xF > nearly_all * xx * FF;
}

/// Friction over speed: Coulomb level and viscous slope from fast motion, Stribeck peak at low speed.
void look_at_speeds(const Series& s, const std::vector<double>& F, Features& f) {
  constexpr int bins = 24;
  std::vector<std::vector<double>> in(bins);
  const double low = std::max(f.v_low, 1e-5 * f.v_high), ratio = std::log(f.v_high / low);
  double way = 0;
  int direction = 0;
  std::size_t stretch = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double speed = std::abs(s.v[i]);
    const int now = s.v[i] > 0 ? 1 : -1;
    while (i >= s.stretches[stretch].to) ++stretch, direction = 0;
    way = now == direction ? way + speed * s.dt[i] : 0;
    direction = now;
    if (!s.stretches[stretch].steady && f.reversals > 0 && way < 2 * f.reach) continue;
    if (!(speed >= low)) continue;
    const int k = ratio > 0 ? std::min(bins - 1, static_cast<int>(bins * std::log(speed / low) / ratio)) : 0;
    in[static_cast<std::size_t>(k)].push_back(now * F[i]);
  }
  std::vector<double>&v = f.level_v, &level = f.level_F;
  for (int k = 0; k < bins; ++k) {
    const auto& bin = in[static_cast<std::size_t>(k)];
    if (bin.size() < (s.steady() ? 1U : 5U)) continue;
    v.push_back(low * std::exp(ratio * (k + 0.5) / bins));
    level.push_back(quantile(bin, 0.5));
  }
  f.Fc = f.Fs = f.force;
  f.vs = std::sqrt(f.v_low * f.v_high);
  if (v.empty()) return;
  double n = 0, sv = 0, sF = 0, svv = 0, svF = 0;
  for (std::size_t k = 0; k < v.size(); ++k) {
    if (v[k] < 0.25 * f.v_high) continue;
    n += 1, sv += v[k], sF += level[k], svv += v[k] * v[k], svF += v[k] * level[k];
  }
  const double spread = n * svv - sv * sv;
  f.kv = n >= 2 && spread > 0 ? std::max(0.0, (n * svF - sv * sF) / spread) : 0;
  f.Fc = n > 0 ? (sF - f.kv * sv) / n : level.back();
  const double smallest = 0.05 * f.force;
  if (f.Fc < smallest) f.Fc = smallest;
  std::size_t top = 0;
  for (std::size_t k = 0; k < v.size(); ++k) {
    if (level[k] - f.kv * v[k] > level[top] - f.kv * v[top]) top = k;
  }
  f.Fs = std::max(f.Fc, level[top] - f.kv * v[top]);
  if (f.Fs < 1.03 * f.Fc) return;
  f.vs = v.back();
  for (std::size_t k = top; k < v.size(); ++k) {
    if (level[k] - f.kv * v[k] - f.Fc > 0.37 * (f.Fs - f.Fc)) continue;
    f.vs = v[k];
    break;
  }
}

}  // namespace

double Features::body_force(double x, double a) const {
  return inertia * a + offset + gravity_sin * std::sin(x) + gravity_cos * std::cos(x);
}

double Features::beside(const Series& s, std::size_t i) const {
  double sum = s.inverse ? body_force(s.x[i], s.a[i]) : 0;
  for (std::size_t k = 0; k < s.terms.size(); ++k) sum += terms[k] * s.terms[k].values[i];
  return sum;
}

Features features_of(const Series& s, Gravity gravity) {
  Features f;
  std::vector<double> speeds, steps;
  double squares = 0, time = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    squares += s.y[i] * s.y[i];
    if (s.v[i] != 0) speeds.push_back(std::abs(s.v[i]));
    if (s.dt[i] > 0) steps.push_back(s.dt[i]);
    time += s.dt[i];
  }
  if (speeds.empty()) speeds.push_back(1e-3);
  f.y_rms = std::sqrt(squares / static_cast<double>(s.size()));
  if (!(f.y_rms > 0)) f.y_rms = 1;
  f.v_low = quantile(speeds, 0.01);
  f.v_high = std::max(quantile(speeds, 0.99), 1e-300);
  f.dt = steps.empty() ? 1 : quantile(steps, 0.5);
  f.duration = std::max(time, f.dt);
  f.travel = 0;  // recordings may have different origins
  for (const Stretch& stretch : s.stretches) {
    const auto [least, most] = std::ranges::minmax(std::span(s.x).subspan(stretch.from, stretch.to - stretch.from));
    f.travel = std::max(f.travel, most - least);
  }
  if (!(f.travel > 0)) f.travel = f.v_high * f.duration;
  const std::vector<double> F = without_body(s, gravity, f);
  std::vector<double> size(F.size());
  std::transform(F.begin(), F.end(), size.begin(), [](double e) { return std::abs(e); });
  f.force = quantile(size, 0.99);
  if (!(f.force > 0)) f.force = f.y_rms;
  f.shortest = std::max(quantile(speeds, 0.1) * f.dt, 1e-9 * f.travel);
  f.reach = 0.01 * f.travel;
  f.stiffness = f.force / f.reach;
  if (!s.steady()) look_at_reversals(s, F, f);
  look_at_speeds(s, F, f);
  f.sliding = s.steady() || (f.travel > 1.5 * f.reach && !follows_position(s, F));
  return f;
}

}  // namespace bristle::identify
