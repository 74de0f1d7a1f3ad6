#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/linear.hpp"
#include "sweep/analyze/shooting.hpp"

namespace bristle::analysis {
namespace {

struct Guess {
  std::vector<double> w{};
  double period = 0;
};

/// Follows the motion from rest until its last passes; empty if it comes to steady sliding.
std::optional<Guess> settle(const Shooting& s, std::string& reason) {
  const double bound = s.loading() + 1.5 * s.oscillation();
  double length = s.loading() + 6 * bound;
  for (int tries = 0; tries < 4; ++tries, length *= 4) {
    const std::vector<double> times = s.passes(s.fly(s.at_rest(), false, length));
    if (times.size() < 4) {
      if (times.size() < 2 && tries > 0) break;  // steady sliding
      continue;
    }
    const std::size_t last = std::min<std::size_t>(times.size(), 40) - 1;  // enough: the map contracts
    const double end = times[last], period = end - times[last - 1];
    return Guess{s.state_at(s.fly(s.at_rest(), false, end, {end}), 0), period};
  }
  reason = "the motion from rest ends in steady sliding: no cycle";
  return {};
}

double distance(const Shooting& s, const std::vector<double>& a, const std::vector<double>& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]) / s.size_of(i));
  return out;
}

/// Derivative of the return map in units of the sizes, by central differences.
std::optional<Eigen::MatrixXd> derivative(const Shooting& s, const Guess& at) {
  const std::size_t n = s.dimension();
  Eigen::MatrixXd out(n, n);
  for (std::size_t j = 0; j < n; ++j) {
    std::array<std::vector<double>, 2> ends;
    const double h = 1e-5 * std::max(s.size_of(j), std::abs(at.w[j]));
    for (const int side : {0, 1}) {
      std::vector<double> w = at.w;
      w[j] += side == 0 ? -h : h;
      const auto to = s.next(w, at.period);
      if (!to) return {};
      ends[static_cast<std::size_t>(side)] = to->w;
    }
    for (std::size_t i = 0; i < n; ++i)
      out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          (ends[1][i] - ends[0][i]) / s.size_of(i) / (2 * h / s.size_of(j));
  }
  return out;
}

/// Plain iteration while it contracts fast, then Newton. The residual at the end, or none.
std::optional<double> converge(const Shooting& s, Guess& g) {
  constexpr double enough = 1e-8;
  double before = inf;
  for (int k = 0; k < 30; ++k) {
    const auto to = s.next(g.w, g.period);
    if (!to) return {};
    const double residual = distance(s, to->w, g.w);
    g.period = to->time;
    if (residual <= enough) return residual;
    if (residual < 0.2 * before) {
      g.w = to->w;
      before = residual;
      continue;
    }
    before = residual;
    const auto J = derivative(s, g);
    if (!J) return {};
    const auto n = static_cast<Eigen::Index>(s.dimension());
    Eigen::VectorXd gap(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      gap(i) = (to->w[at] - g.w[at]) / s.size_of(at);
    }
    const Eigen::VectorXd step = bristle::linear::solve_square(Eigen::MatrixXd::Identity(n, n) - *J, gap);
    if (!step.allFinite() || step.cwiseAbs().maxCoeff() > 1) return {};
    for (Eigen::Index i = 0; i < n; ++i)
      g.w[static_cast<std::size_t>(i)] += step(i) * s.size_of(static_cast<std::size_t>(i));
  }
  return {};
}

/// The same; Newton's steps and differences may leave the range of the states.
std::optional<double> closed(const Shooting& s, Guess& g) {
  try {
    return converge(s, g);
  } catch (const RunFailed&) { return {}; }
}

/// One period with its events resolved.
void describe(const Shooting& s, const Guess& g, Cycle& out) {
  std::vector<double> times{0};
  double from = 0;
  constexpr int parts = 240;
  auto fill = [&](double a, double b) {
    for (int k = 1; k <= parts && b > a; ++k) times.push_back(a + (b - a) * k / parts);
  };
  for (const Event& event : s.fly(g.w, true, g.period).events) {
    fill(from, event.t);
    from = std::max(from, event.t);
  }
  fill(from, g.period);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::erase_if(times, [&](double t) { return t > g.period; });
  const Run run = s.fly(g.w, true, g.period, times);
  add_orbit(run, times, s.velocity(), out);
}

constexpr const char* family = "steady sliding oscillates without damping: a family of cycles, no limit cycle";

/// Whether the cycle is one of many around a centre: steady sliding is neutral, and both have the same frequency.
bool is_family(const LinearRead& read, const Cycle& c) {
  if (!read.linear) return false;
  const Complex leading = read.linear->eigenvalues().front();
  return leading.real() == 0 && std::abs(c.period * std::abs(leading) / (2 * std::numbers::pi) - 1) < 1e-5;
}

/// Whether the cycle closes much better than a small oscillation around steady sliding, which grows or decays in a period.
bool closes(const LinearRead& read, const Shooting& s, const Cycle& c) {
  if (!read.linear) return true;
  const double rate = std::abs(read.linear->eigenvalues().front().real());
  return rate == 0 || c.residual * s.stretch_scale() < -0.1 * std::expm1(-rate * c.period) * c.amplitude;
}

bool is_stable(const Cycle& c) { return c.multipliers.empty() || std::abs(c.multipliers.front()) <= 1; }

}  // namespace

CycleRead limit_cycle(const Experiment& e, const Cycle* start, const std::atomic<bool>* stop) {
  try {
    const Shooting s(e, stop);
    std::string reason;
    std::optional<Guess> guess;
    if (!s.restarts()) {
      reason = "the motion cannot start within a cycle";
    } else if (start && start->section.size() == s.dimension()) {
      guess = Guess{start->section, start->period};
    } else {
      guess = settle(s, reason);
    }
    const LinearRead linear = linearize(e, s.velocity());
    auto simulated = [&]() -> CycleRead {
      CycleRead read = simulated_cycle(s);
      if (read.cycle && is_family(linear, *read.cycle)) return {{}, family};
      return read;
    };
    if (!s.restarts() || (!guess && !start)) return simulated();
    if (!guess) return {{}, reason};
    const auto residual = closed(s, *guess);
    if (!residual) return start ? CycleRead{{}, "the cycle does not continue to this value"} : simulated();
    Cycle out{.period = guess->period, .section = guess->w, .residual = *residual};
    describe(s, *guess, out);
    if (!closes(linear, s, out))
      return start ? CycleRead{{}, "the cycle does not continue to this value"} : simulated();
    if (!(out.v_most - out.v_least > 1e-6 * std::abs(s.velocity())))
      return {{}, "the motion ends in steady sliding: no cycle"};
    if (const auto J = derivative(s, *guess)) {
      const Eigen::VectorXcd values = bristle::linear::eigenvalues(*J);
      out.multipliers.assign(values.data(), values.data() + values.size());
      std::ranges::sort(out.multipliers, [](Complex a, Complex b) {
        return std::abs(a) != std::abs(b) ? std::abs(a) > std::abs(b) : a.imag() > b.imag();
      });
    }
    if (is_family(linear, out)) return {{}, family};
    if (!start && !is_stable(out)) {  // the motion from rest leaves it
      if (CycleRead read = simulated(); read.cycle) return read;
    }
    return {std::move(out), {}};
  } catch (const RunFailed& failure) { return {{}, failure.what()}; }
}

}  // namespace bristle::analysis
