#include "identify/residue.hpp"

#include <algorithm>
#include <cmath>

#include "bristle/effects.hpp"
#include "data/shared/resolution.hpp"
#include "identify/statistics.hpp"

namespace bristle::identify {

Residue::Residue(const Candidate& c, const Setting& s)
    : candidate_(c), seen_(s.data), whole_(s.data.fine ? s.data.fine->whole : s.data) {
  const Objective o{s.data, *c.evaluator, c.space, s.control};
  std::vector<double> p(c.space.parameters());
  c.space.parameters_at(c.best.q.data(), p.data(), nullptr);
  r_ = o.residuals(c.best.q.data());
  const double most = 5 * noise_scale(o, r_, s.least_scale);
  for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = seen_.weight[i] > 0 ? std::clamp(r_[i], -most, most) : 0;
  F.resize(whole_.size());
  c.evaluator->whole().evaluate(whole_, {p.data()}, [&](const Rows& rows) {
    std::copy(rows.F, rows.F + rows.n, F.begin() + static_cast<std::ptrdiff_t>(rows.from));
    return true;
  });
}

std::vector<double> Residue::dry() const {
  constexpr double more = 1e-3;
  Series heavier = whole_;
  for (double& r : heavier.r) r *= 1 + more;
  std::vector<double> p(candidate_.space.parameters()), out = F;
  candidate_.space.parameters_at(candidate_.best.q.data(), p.data(), nullptr);
  candidate_.evaluator->whole().evaluate(heavier, {p.data()}, [&](const Rows& rows) {
    for (std::size_t i = 0; i < rows.n; ++i) out[rows.from + i] = (rows.F[i] - F[rows.from + i]) / more;
    return true;
  });
  return out;
}

double Residue::squares() const {
  double sum = 0;
  for (const double r : r_) sum += r * r;
  return sum;
}

double Residue::by_chance(const std::function<double(std::size_t)>& wave, std::size_t trials) const {
  std::vector<double> rest = r_;
  for (std::size_t k = 0; k < rest.size(); ++k) {
    if (!seen_.fine) {
      rest[k] -= wave(k);
      continue;
    }
    const Fine::Row& row = seen_.fine->rows[k];
    for (std::size_t i = 0; i < row.count; ++i) rest[k] -= row.weights[i] * wave(row.first + i);
  }
  std::vector<std::size_t> breaks;
  breaks.reserve(seen_.stretches.size());
  for (const Stretch& stretch : seen_.stretches) breaks.push_back(stretch.from);
  const Autoregression noise = autoregression(rest, breaks, 24);
  // Two factors each: the largest of n exponential variables.
  return noise.variance * std::max(1.0, noise.inflation()) * 2 *
         std::log(static_cast<double>(std::max<std::size_t>(trials, 2)));
}

namespace {

/// A wave repeats: fewer cycles within the travel are a curve.
constexpr double fewest_cycles = 4, first_cycles = 1, cycle_step = 0.3;
/// A position measured in counts makes errors of the velocity that repeat every few counts.
constexpr double fewest_counts = 20;

Wave wave_from(const Residue::Regression<3>& fit, double period) {
  const double a = fit.factors[1], b = fit.factors[2];
  return {period, std::hypot(a, b), std::atan2(b, a), fit.explained};
}

}  // namespace

Wave wave_of(const Residue& left, bool of_friction, double period, double origin) {
  const Series& s = left.motion();
  const auto fit = left.on<3>([&](std::size_t i) {
    const double angle = two_pi * std::remainder((s.x[i] - origin) / period, 1.0), F = of_friction ? left.F[i] : 1;
    return Eigen::Vector3d(F, F * std::sin(angle), F * std::cos(angle));
  });
  return wave_from(fit, period);
}

Wave strongest_wave(const Residue& left, bool of_friction, double origin, std::size_t knots, const Setting& s) {
  const Series& m = left.motion();
  const auto [least, most] = std::ranges::minmax(m.x);
  std::vector<double> speeds, steps;
  for (std::size_t i = 0; i < m.size(); ++i) {
    if (m.v[i] != 0) speeds.push_back(std::abs(m.v[i]));
    steps.push_back(m.dt[i]);
  }
  if (speeds.empty()) return {};
  auto quantile = [](std::vector<double>& values, std::size_t part) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / part);
    std::nth_element(values.begin(), at, values.end());
    return *at;
  };
  // Periods that the sampling resolves in at least a quarter of the motion, not only near reversals.
  const double shortest = std::max(quantile(speeds, 4) * quantile(steps, 2) / 0.4, fewest_counts * m.x_step);
  const double travel = most - least;
  const double finest = std::min({500.0, static_cast<double>(left.F.size()) / 12, travel / shortest});
  // The angles of all samples advance by constant steps from one period to the next.
  std::vector<std::array<double, 2>> turn(m.size()), by(m.size());
  for (std::size_t i = 0; i < m.size(); ++i) {
    const double cycle = two_pi * (m.x[i] - origin) / travel;
    turn[i] = {std::cos(first_cycles * cycle), std::sin(first_cycles * cycle)};
    by[i] = {std::cos(cycle_step * cycle), std::sin(cycle_step * cycle)};
  }
  std::vector<Wave> waves;
  for (double cycles = first_cycles; cycles < finest && !s.control.stopped(); cycles += cycle_step) {
    const auto fit = left.on<3>([&](std::size_t i) {
      const double F = of_friction ? left.F[i] : 1;
      return Eigen::Vector3d(F, F * turn[i][1], F * turn[i][0]);
    });
    waves.push_back(wave_from(fit, travel / cycles));
    for (std::size_t i = 0; i < m.size(); ++i) {
      const auto [c, d] = turn[i];
      turn[i] = {c * by[i][0] - d * by[i][1], d * by[i][0] + c * by[i][1]};
    }
  }
  Wave best;
  for (const Wave& w : waves) {
    if (w.explained > best.explained) best = w;
  }
  // Any dependence on position contains all periods; a wave has a dominant one.
  double other = 0;
  for (const Wave& w : waves) {
    if (std::abs(travel / w.period - travel / best.period) > 3) other = std::max(other, w.explained);
  }
  const double force = best.size * (of_friction ? s.features.Fc : 1);
  const double chance = left.by_chance(
      [&](std::size_t i) {
        const double F = of_friction ? left.F[i] : 1;
        return F * best.size * std::sin(two_pi * (m.x[i] - origin) / best.period + best.phase);
      },
      waves.size());
  best.stands_out = best.explained > 2 * std::max(other, chance) && best.explained > 0 && force > resolution_of(m.y) &&
                    travel / best.period >= std::max(fewest_cycles, 2 * static_cast<double>(knots));
  return best;
}

namespace {

struct Curve {
  std::vector<double> x{}, y{};
  double period = inf, explained = 0;
  std::string of = "curve_F";
};

/// Whether the acceleration is a function of the position, as in a motion of one harmonic: a force along x could then not
/// be distinguished from inertia.
bool turns_as_a_spring(const Series& m) {
  constexpr int classes = 40;
  const auto [least, most] = std::ranges::minmax(m.x);
  std::array<double, classes> sum{}, count{};
  double mean = 0, squares = 0, between = 0;
  for (std::size_t i = 0; i < m.size(); ++i) {
    const auto k = static_cast<std::size_t>(std::min(classes - 1.0, classes * (m.x[i] - least) / (most - least)));
    sum[k] += m.a[i];
    count[k] += 1;
    mean += m.a[i] / static_cast<double>(m.size());
  }
  for (std::size_t i = 0; i < m.size(); ++i) squares += (m.a[i] - mean) * (m.a[i] - mean);
  for (std::size_t k = 0; k < classes; ++k) {
    if (count[k] > 0) between += count[k] * std::pow(sum[k] / count[k] - mean, 2);
  }
  // The noise of the acceleration is no sign of another motion.
  const double noise = m.a_noise * m.a_noise * static_cast<double>(m.size());
  return between > 0.95 * (squares - std::min(noise, 0.9 * squares));
}

/// Knots at equal distances.
template <int N>
Curve curve_through(const Residue& left, const char* of, const std::vector<double>& factor, double first, double step,
                    double period) {
  Curve out{.period = period, .of = of};
  std::vector<Effects<double>> unit(N);
  for (std::size_t k = 0; k < N; ++k) out.x.push_back(first + step * static_cast<double>(k));
  for (std::size_t k = 0; k < N; ++k) {
    unit[k].curve_period = period;
    unit[k].curve_x.n = unit[k].curve_F.n = N;
    std::ranges::copy(out.x, unit[k].curve_x.begin());
    unit[k].curve_F[k] = 1;
  }
  const Series& m = left.motion();
  const auto fit = left.on<N>([&](std::size_t i) {  // a constant, and the differences from the first knot
    Eigen::Matrix<double, N, 1> row;
    const double F = factor.empty() ? 1 : factor[i];
    row[0] = F;
    for (std::size_t k = 1; k < N; ++k) row[static_cast<Eigen::Index>(k)] = F * unit[k].curve(unit[k].curve_F, m.x[i]);
    return row;
  });
  out.explained = fit.explained;
  for (Eigen::Index k = 0; k < N; ++k) out.y.push_back(k == 0 ? fit.factors[0] : fit.factors[0] + fit.factors[k]);
  return out;
}

}  // namespace

Table curve_hint(const Residue& left, const Setting& s, bool anchored, bool of_load) {
  const auto [least, most] = std::ranges::minmax(left.motion().x);
  const double travel = most - least;
  const bool turns = s.data.rotational && travel > 1.2 * two_pi;
  std::vector<Curve> curves;
  std::vector<std::pair<const char*, std::vector<double>>> kinds;
  if (of_load) {
    kinds.emplace_back("curve_load", left.dry());
  } else {
    if (!s.data.inverse || !turns_as_a_spring(left.motion())) kinds.emplace_back("curve_F", std::vector<double>{});
    kinds.emplace_back("curve_gain", left.F);
  }
  auto add = [&]<int N>(std::integral_constant<int, N>) {
    for (const auto& [of, factor] : kinds) {
      curves.push_back(turns ? curve_through<N>(left, of, factor, 0, two_pi / N, two_pi)
                             : curve_through<N>(left, of, factor, least, travel / (N - 1), inf));
    }
  };
  add(std::integral_constant<int, 4>{});
  add(std::integral_constant<int, 6>{});
  add(std::integral_constant<int, 9>{});
  add(std::integral_constant<int, 14>{});
  const double best = std::ranges::max(curves, {}, &Curve::explained).explained, all = left.squares();
  if (!(best > 0)) return {};
  // The fewest knots that leave as little as the best, within 2 % rms.
  Curve chosen =
      *std::ranges::find_if(curves, [&](const Curve& c) { return all - c.explained <= 1.04 * (all - best); });
  const bool relative = chosen.of != "curve_F";
  const double origin = relative || anchored ? chosen.y.front() : 0;
  for (double& y : chosen.y) y -= origin;
  if (relative) {
    for (double& y : chosen.y) y = std::clamp(y, -0.9, 9.0);
  }
  Table out{{"curve_x", chosen.x}, {chosen.of, chosen.y}};
  if (turns) out.push_back({"curve_period", two_pi});
  return out;
}

}  // namespace bristle::identify
