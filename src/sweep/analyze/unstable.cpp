#include <algorithm>
#include <cmath>

#include "base/linear.hpp"
#include "sweep/analyze/shooting.hpp"

/// The unstable cycle between stable steady sliding and a stable cycle: the motion that decays to neither. Its section is the
/// velocity of the drive, which the body exceeds there: drive - x has its maximum, and the body slips for every law.
namespace bristle::analysis {
namespace {

using SectionState = std::vector<double>;  // drive - x and the states of the contacts, at v = V

struct Turn {
  SectionState w{};
  double time = undefined;  // undefined: the body comes to rest, or does not return
};

class Unstable {
 public:
  Unstable(const Experiment& e, const Cycle& stable, const std::atomic<bool>* stop)
      : s_(e, stop), period_(stable.period), largest_(stable.amplitude) {
    steady_ = s_.steady();
  }

  CycleRead run() {
    if (steady_.empty()) return {{}, "steady sliding is not known for this law"};
    // From small deviations, which decay, to the first one that grows.
    constexpr int parts = 32;
    double in = 1e-3 * largest_, out = undefined;
    if (grows(in) != Fate::decays) return {{}, "small deviations from steady sliding do not decay"};
    for (int k = 1; k <= parts + 8; ++k) {  // the stable cycle itself may be passed
      const double a = 2 * largest_ * k / parts;
      const Fate fate = grows(a);
      if (fate == Fate::decays) {
        in = a;
      } else {
        out = a;
        break;
      }
    }
    if (std::isnan(out)) return {{}, "no deviation from steady sliding grows: no unstable cycle found"};
    for (int k = 0; k < 60 && out - in > 1e-13 * out; ++k) {
      const double a = 0.5 * (in + out);
      (grows(a) == Fate::decays ? in : out) = a;
    }
    const Turn below = turn(start(in)), again = std::isnan(below.time) ? Turn{} : turn(below.w);
    if (std::isnan(again.time) || distance(again.w, below.w) > 1e-3)
      return {{}, "the boundary is the motion that just touches rest: no unstable cycle"};
    return refined(below.w);
  }

 private:
  enum class Fate { decays, grows };
  SectionState start(double deviation) const {
    SectionState w = steady_;
    w[0] += deviation * (s_.velocity() > 0 ? 1 : -1);
    return w;
  }
  double distance(const SectionState& a, const SectionState& b) const {
    double out = 0;
    for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]) / s_.size_of(i));
    return out;
  }
  double deviation(const SectionState& w) const { return (w[0] - steady_[0]) * (s_.velocity() > 0 ? 1 : -1); }
  /// The states of the contacts are those of the motion after one turn.
  Fate grows(double a) const {
    const Turn first = turn(start(a));
    if (std::isnan(first.time)) return Fate::grows;
    const Turn second = turn(first.w);
    if (std::isnan(second.time)) return Fate::grows;
    return deviation(second.w) >= deviation(first.w) ? Fate::grows : Fate::decays;
  }

  /// The next pass of v = V, upwards, on ever finer probes.
  Turn turn(const SectionState& w) const {
    constexpr int parts = 256;
    const double V = s_.velocity();
    for (double length = 1.5 * s_.oscillation(); length < 30 * std::max(period_, s_.oscillation()); length *= 2) {
      double from = 0, to = length;
      for (int fine = 0; fine < 4; ++fine) {
        std::vector<double> times;
        for (int k = 0; k <= parts; ++k) times.push_back(k == parts ? to : from + (to - from) * k / parts);
        const Run run = s_.fly(w, Shooting::From::velocity, to, times);
        for (const Event& event : run.events) {
          if (s_.set_valued() && event.kind == Event::stick) return {};
        }
        const std::vector<double>& v = run.probes.find("v")->values;
        bool below = fine > 0;
        std::size_t at = 0;
        for (std::size_t k = 1; k < v.size() && at == 0; ++k) {
          if (v[k] / V < 1 - 1e-9) below = true;
          if (below && v[k - 1] / V < 1 && v[k] / V >= 1) at = k;
        }
        if (at == 0) break;
        from = times[at - 1];
        to = times[at];
        if (fine < 3) continue;
        const double part = (V - v[at - 1]) / (v[at] - v[at - 1]);
        const SectionState a = s_.state_at(run, at - 1), b = s_.state_at(run, at);
        Turn out{a, from + part * (to - from)};
        for (std::size_t i = 0; i < a.size(); ++i) out.w[i] += part * (b[i] - a[i]);
        return out;
      }
    }
    return {};
  }

  CycleRead refined(SectionState w) const {
    const std::size_t n = w.size();
    const auto N = static_cast<Eigen::Index>(n);
    Eigen::MatrixXd J(N, N);
    Turn to;
    double residual = inf;
    for (int round = 0; round < 12; ++round) {
      to = turn(w);
      if (std::isnan(to.time)) break;
      residual = distance(to.w, w);
      for (std::size_t j = 0; j < n; ++j) {
        const double h = 1e-4 * std::min(s_.size_of(j), j == 0 ? std::abs(deviation(w)) : inf);
        SectionState up = w, down = w;
        up[j] += h;
        down[j] -= h;
        const Turn a = turn(up), b = turn(down);
        if (std::isnan(a.time) || std::isnan(b.time)) return {{}, "the unstable cycle touches rest"};
        for (std::size_t i = 0; i < n; ++i)
          J(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
              (a.w[i] - b.w[i]) / s_.size_of(i) / (2 * h / s_.size_of(j));
      }
      if (residual < 1e-8) break;
      Eigen::VectorXd gap(N);
      for (std::size_t i = 0; i < n; ++i) gap(static_cast<Eigen::Index>(i)) = (to.w[i] - w[i]) / s_.size_of(i);
      const Eigen::VectorXd step = linear::solve_square(Eigen::MatrixXd::Identity(N, N) - J, gap);
      if (!step.allFinite() || step.cwiseAbs().maxCoeff() > 1) break;
      for (std::size_t i = 0; i < n; ++i) w[i] += step(static_cast<Eigen::Index>(i)) * s_.size_of(i);
    }
    if (!(residual < 1e-6)) return {{}, "the unstable cycle was not found to 1e-6 of its size"};
    Cycle out{.period = to.time, .section = w, .residual = residual};
    const Eigen::VectorXcd values = linear::eigenvalues(J);
    out.multipliers.assign(values.data(), values.data() + values.size());
    std::ranges::sort(out.multipliers, [](Complex a, Complex b) { return std::abs(a) > std::abs(b); });
    if (!(out.multiplier() > 1))
      return {{}, "the cycle found between steady sliding and the stable cycle is not unstable"};
    std::vector<double> times;
    for (int k = 0; k <= 400; ++k) times.push_back(out.period * k / 400);
    add_orbit(s_.fly(w, Shooting::From::velocity, out.period, times), times, s_.velocity(), out);
    return {std::move(out), {}};
  }

  Shooting s_;
  SectionState steady_{};
  double period_, largest_;
};

}  // namespace

CycleRead unstable_cycle(const Experiment& e, const Cycle& stable, const std::atomic<bool>* stop) {
  try {
    if (stable.multipliers.empty()) return {{}, "the motion cannot start within a cycle"};
    return Unstable(e, stable, stop).run();
  } catch (const RunFailed& failure) { return {{}, failure.what()}; }
}

}  // namespace bristle::analysis
