/// Numbers computed elsewhere: figures of Olsson and Astrom (1993), lag, drift, breakaway and stick-slip of LuGre and GMS.
#include <gtest/gtest.h>

#include "support/experiment.hpp"

using namespace bristle;

namespace {

const Table olsson{{"Fs", 1.5},  {"Fc", 1},         {"kv", 0.6},     {"ks", 1e4},
                   {"ds", 1100}, {"tau_del", 0.01}, {"tau_r", 1e-3}, {"vs", 0.04}};
const Table lugre{{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", 1e5}, {"sigma1", std::sqrt(1e5)}, {"kv", 0.4}};
const Table gms{{"k", {4e4, 3e4, 2e4, 1e4}},
                {"nu", {0.1, 0.225, 0.3, 0.375}},
                {"Fc", 1},
                {"Fs", 1.5},
                {"vs", 1e-3},
                {"alpha", 1},
                {"C", 100}};
struct Setting {
  double rtol, relative;
};
constexpr Setting settings[]{{1e-8, 1e-6}, {1e-11, 1e-8}};

/// v = mean + swing sin wt over `periods`, the last of them in 1000 rows.
struct Lag {
  double area, rising, falling;
};
Lag lag(const std::string& model, const Table& p, double mean, double swing, double omega, int periods, double rtol) {
  const double T = two_pi / omega;
  Experiment e = prescribed(contact(model, p), velocity(Sine{swing, omega / two_pi, 0, mean}), periods * T);
  e.solver.rtol = rtol;
  e.solver.output_step = T / 1000;
  const auto run = simulate(e);
  const auto &t = column(run.trace, "t"), &F = column(run.trace, "F");
  const std::size_t last = t.size() - 1;
  double area = 0;  // the periodic trapezoidal rule: errors fall faster than any power
  for (std::size_t i = last - 999; i <= last; ++i) area += F[i] * swing * omega * std::cos(omega * t[i]) * T / 1000;
  return {std::abs(area), F[last], F[last - 500]};
}
/// Friction work of the last period.
double cycle_work(const std::string& model, const Table& p, const Sine& v, int periods, double rtol) {
  auto work = [&](int n) {
    Experiment e = prescribed(contact(model, p), velocity(v), n / v.frequency);
    e.solver.rtol = rtol;
    return simulate(e).summary.energy.friction;
  };
  return work(periods) - work(periods - 1);
}

}  // namespace

TEST(Olsson, LagInSliding) {
  for (const Setting& s : settings) {
    const Lag slow = lag("slip_variable", olsson, 0.06, 0.04, 4, 3, s.rtol),
              fast = lag("slip_variable", olsson, 0.06, 0.04, 20, 5, s.rtol);
    expect_printed(slow.area, "0.00090151704", 10 * s.relative, "area, slow");
    expect_printed(fast.area, "0.0043329814", 10 * s.relative, "area, fast");
    expect_printed(slow.rising, "1.091334071", s.relative, "slow");
    expect_printed(slow.falling, "1.0795612103", s.relative, "slow");
    expect_printed(fast.rising, "1.12610955242", s.relative, "fast");
    expect_printed(fast.falling, "1.06587473312", s.relative, "fast");
  }
}

TEST(Olsson, EnergyPerCycle) {
  for (const Setting& s : settings)
    expect_printed(cycle_work("slip_variable", olsson, {0.1, 25 / two_pi, 0, 0}, 4, s.rtol), "0.017693375494",
                   s.relative, "energy");
}

/// Fig 4, F = 1.4 sin 8t on 1 kg: it turns, after the transient, at these places.
TEST(Olsson, PreslidingTurns) {
  for (const Setting& s : settings) {
    Experiment e = slider(contact("slip_variable", olsson), 1, 0, force(Sine{1.4, 8 / two_pi, 0, 0}), 10);
    e.solver.rtol = s.rtol;
    e.solver.output_step = 1e-5;
    const auto run = simulate(e);
    const auto& x = column(run.trace, "x");
    const auto from = x.end() - 100000;
    expect_printed(*std::max_element(from, x.end()), "0.000106902442022", s.relative, "upper");
    expect_printed(*std::min_element(from, x.end()), "-0.000103260339122", s.relative, "lower");
  }
}

/// Figs 5 and 6, 1 kg pulled by 2 N/m at 0.1 m/s: breakaway where the force is largest, the peak when it sticks again,
/// and the period. v comes close to 0 and never reaches it.
TEST(Olsson, StickSlip) {
  for (const Setting& s : settings) {
    Experiment e = slider(contact("slip_variable", olsson), 1, 2, position(Ramp{0.1, 0}), 21);
    e.solver.rtol = s.rtol;
    e.solver.output_step = 2e-5;
    const auto run = simulate(e);
    const auto &t = column(run.trace, "t"), &F = column(run.trace, "F"), &v = column(run.trace, "v");
    EXPECT_GT(*std::min_element(v.begin() + 1, v.end()), 0);
    auto peak = [&](double from, double to) {
      const auto a = std::lower_bound(t.begin(), t.end(), from) - t.begin(),
                 b = std::lower_bound(t.begin(), t.end(), to) - t.begin();
      return std::max_element(F.begin() + a, F.begin() + b) - F.begin();
    };
    const auto i = static_cast<std::size_t>(peak(7, 8)), stuck = static_cast<std::size_t>(peak(9, 11));
    EXPECT_NEAR(t[i], 7.50147873073, 2e-5);  // rows
    expect_printed(F[i], "1.4999998746", s.relative, "breakaway");
    RunOptions close;  // the peak is sharp
    for (int k = -1000; k <= 1000; ++k) close.probes.push_back(t[stuck] + k * 2e-8);
    const auto again = simulate(e, close);
    expect_printed(largest(column(again.probes, "F")), "1.475780437", std::max(s.relative, 5e-8), "sticking");
    auto passes = [&](double from, double level) {  // v rising through a level, linear between rows
      auto k = static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), from) - t.begin());
      while (k + 1 < t.size() && !(v[k] < level && v[k + 1] >= level)) ++k;
      return t[k] + (level - v[k]) / (v[k + 1] - v[k]) * (t[k + 1] - t[k]);
    };
    EXPECT_NEAR(passes(18, 0.01) - passes(12, 0.01), 6.57244569207, 1e-6);
  }
}

TEST(Lugre, StickSlip) {
  for (const Setting& s : settings) {
    Experiment e = slider(contact("lugre", lugre), 1, 2, position(Ramp{0.1, 0}), 30);
    e.solver.rtol = s.rtol;
    e.solver.stick_velocity = 0.01;
    const auto slips = times_of(simulate(e), Event::slip_forward);
    ASSERT_GE(slips.size(), 4U);
    expect_printed(slips[0], "7.45801467084", 0.1 * s.relative, "first");
    expect_printed(slips[3] - slips[2], "6.3627198211", 0.1 * s.relative, "period");
  }
}

TEST(Lugre, Lag) {
  for (const Setting& s : settings) {
    const std::pair<double, const char*> cases[]{{1, "5.183605e-06"}, {10, "4.7930711e-05"}, {25, "9.39368e-05"}};
    for (const auto& [omega, area] : cases)
      expect_printed(lag("lugre", lugre, 0.0015, 0.001, omega, 4, s.rtol).area, area, 100 * s.relative, "lag");
  }
}

/// First maximum of the force above 0.9 N under a force that grows at a given rate: breakaway falls with the rate.
TEST(Lugre, BreakawayFallsWithTheRate) {
  const std::pair<double, const char*> cases[]{{1, "1.43241502718"}, {10, "1.219951805906"}, {30, "1.02448481141"}};
  for (const auto& [rate, peak] : cases) {
    for (const Setting& s : settings) {
      Experiment e = slider(contact("lugre", lugre), 1, 0, force(Ramp{rate, 0}), 1.7 / rate);
      e.solver.rtol = s.rtol;
      e.solver.output_step = e.solver.duration / 100000;
      const auto run = simulate(e);
      const auto& F = column(run.trace, "F");
      std::size_t i = 1;
      while (i + 1 < F.size() && !(F[i] > 0.9 && F[i] >= F[i + 1] && F[i] > F[i - 1])) ++i;
      expect_printed(F[i], peak, s.relative, "rate " + to_text(rate));
    }
  }
}

/// F = r(t)(0.5 + 0.4 sin 2 pi t): LuGre creeps on with every cycle, GMS settles.
TEST(Drift, UnderAnOscillatingLoadBelowBreakaway) {
  auto travel = [&](std::unique_ptr<AnyContact> c, double from, double rtol) {
    Experiment e = slider(std::move(c), 1, 0, force(Sine{0.4, 1, 0, 0.5}, 1), from + 1);
    e.solver.rtol = rtol;
    const auto run = simulate(e, {.probes = {from, from + 1}});
    return probe(run, "x", from + 1) - probe(run, "x", from);
  };
  for (const Setting& s : settings)
    expect_printed(travel(contact("lugre", lugre), 20, s.rtol), "6.6370286286e-06", s.relative, "LuGre");
  EXPECT_LT(std::abs(travel(contact("gms", gms + Table{{"kv", 0.4}}), 21, 1e-11)), 1e-15);
}

TEST(Gms, LagAndCycles) {
  for (const Setting& s : settings) {
    const std::pair<double, const char*> lags[]{{1, "4.58293e-06"}, {16, "7.0547699e-05"}, {100, "0.0001921746"}};
    for (const auto& [omega, area] : lags)
      expect_printed(lag("gms", gms, 0.0015, 0.001, omega, 12, s.rtol).area, area, 100 * s.relative, "lag");
    expect_printed(cycle_work("gms", gms, {0.005, 0.5, 0, 0}, 4, s.rtol), "0.00637045622359", s.relative, "0.5 Hz");
    expect_printed(cycle_work("gms", gms, {0.005, 5, 0, 0}, 6, s.rtol), "0.00054808794617", s.relative, "5 Hz");
    for (const auto& [frequency, printed] : {std::pair{0.5, "1.4088022049"}, std::pair{5.0, "1.1675513978"}}) {
      Experiment e = prescribed(contact("gms", gms), velocity(Sine{0.005, frequency, 0, 0}), 4.5 / frequency);
      e.solver.rtol = s.rtol;
      const auto run = simulate(e);
      expect_printed(column(run.trace, "F").back(), printed, s.relative, "at the reversal");
    }
  }
}

/// Maxwell-slip elements with W_i = nu_i Fc: a loop between +-30 um costs 4.925e-5 J.
TEST(Gms, MaxwellSlipLoop) {
  const Table p{{"k", {4e4, 3e4, 2e4, 1e4}}, {"W", {0.1, 0.225, 0.3, 0.375}}};
  for (const double frequency : {0.1, 10.0}) {
    auto work = [&](double cycles) {
      const auto run =
          simulate(prescribed(contact("maxwell_slip", p), position(Triangle{3e-5, frequency}), cycles / frequency));
      return run.summary.energy.friction;
    };
    expect_printed(work(2.25) - work(1.25), "4.92500000000e-5", 1e-9, "loop");
  }
}
