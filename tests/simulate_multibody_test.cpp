/// Numbers computed elsewhere: a block and a roller pulled by a spring. 1 kg, 10 N/m, Fc 0.981 N, vs 0.5 m/s.
#include <gtest/gtest.h>

#include "support/experiment.hpp"

using namespace bristle;

namespace {

constexpr double g = 9.81, Fc = 0.1 * g;
Table curve(double Fs) { return {{"Fc", Fc}, {"Fs", Fs}, {"vs", 0.5}}; }
const Table bristle_table{{"sigma0", 400}, {"sigma1", 0.1}};

Experiment block(const std::string& model, const Table& p, double duration = 10) {
  return slider(contact(model, p), 1, 10, position(Ramp{0.4, 0}), duration);
}
Experiment disk(const std::string& model, const Table& p, double duration = 10) {
  return roller(contact(model, p), 1, 10, 0.1, position(Ramp{0.2, 0}), duration);
}
struct Setting {
  double rtol, relative;
};
constexpr Setting settings[]{{1e-8, 1e-6}, {1e-12, 1e-9}};

}  // namespace

struct Block {
  const char* model;
  Table p;
  const char *x5, *v5, *x10;
};
TEST(Multibody, Block) {
  const std::vector<Block> blocks{
      {"coulomb", {{"Fc", Fc}}, "1.8231404289", "0.7130004786", "3.97001999974"},
      {"stribeck", curve(1.5 * Fc), "1.73174203815", "0.3105980967", "4.00207667878"},
      {"stribeck", curve(2 * Fc), "1.83918350599", "0.0000000000", "3.69839097452"},
      {"brown_mcphee", curve(Fc), "1.86419770279", "0.5440659909", "3.92880906216"},
      {"brown_mcphee", curve(2 * Fc), "1.79678205388", "0.3943109211", "3.80912388421"},
      {"dahl", {{"Fc", Fc}, {"sigma0", 400}}, "1.82881790026", "0.6714140017", "3.96573056481"},
      {"lugre", curve(Fc) + bristle_table, "1.82881595773", "0.6714774583", "3.96573042525"},
      {"lugre", curve(2 * Fc) + bristle_table, "1.80200039291", "0.06435626945", "3.72108373731"}};
  for (const Block& b : blocks) {
    for (const Setting& s : settings) {
      Experiment e = block(b.model, b.p);
      e.solver.rtol = s.rtol;
      const auto run = simulate(e, {.probes = {5, 10}});
      const std::string what = std::string(b.model) + " at " + to_text(s.rtol);
      expect_printed(probe(run, "x", 5), b.x5, s.relative, what);
      expect_printed(probe(run, "v", 5), b.v5, s.relative, what);
      expect_printed(probe(run, "x", 10), b.x10, s.relative, what);
      EXPECT_LT(run.summary.energy.error, 1e-6) << what;
    }
  }
}

/// Slips at Fc/(k V) = 0.24525 s, then v = V (1 - cos w (t - ts)): once per period it touches v = 0 and goes on. At any
/// tolerance that is no stick.
TEST(Multibody, GrazingBlockDoesNotStick) {
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-11}) {
    Experiment e = block("coulomb", {{"Fc", Fc}}, 50);
    e.solver.rtol = rtol;
    const auto run = simulate(e);
    EXPECT_EQ(kinds_of(run), "stick slip+") << rtol;
    ASSERT_GE(run.events.size(), 2U);
    EXPECT_NEAR(run.events[1].t, 0.24525, 1e-9) << rtol;
    const auto &t = column(run.trace, "t"), &v = column(run.trace, "v");
    double worst = 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
      const double exact = t[i] < 0.24525 ? 0 : 0.4 * (1 - std::cos(std::sqrt(10) * (t[i] - 0.24525)));
      worst = std::max(worst, std::abs(v[i] - exact));
    }
    EXPECT_LT(worst, std::max(1e3 * rtol, 1e-9)) << rtol;
  }
}

TEST(Multibody, StickSlipPeriods) {
  for (const Setting& s : settings) {
    Experiment e = block("stribeck", curve(2 * Fc));
    e.solver.rtol = s.rtol;
    const auto run = simulate(e);
    const auto slips = times_of(run, Event::slip_forward), sticks = times_of(run, Event::stick);
    ASSERT_GE(slips.size(), 4U);
    ASSERT_GE(sticks.size(), 4U);
    expect_printed(slips[2] - slips[1], "2.2989793825", s.relative, "period");
    expect_printed(slips[2] - sticks[2], "0.6980696125", s.relative, "stick");
    Experiment milder = block("stribeck", curve(1.5 * Fc));
    milder.solver.rtol = s.rtol;
    const auto other = times_of(simulate(milder), Event::slip_forward);
    ASSERT_GE(other.size(), 4U);
    expect_printed(other[2] - other[1], "2.1091191615", s.relative, "period, Fs 1.5 Fc");
  }
}

struct Disk {
  const char* model;
  Table p;
  const char *x, *omega;
};
TEST(Multibody, RollerThatRolls) {
  const std::vector<Disk> disks{{"coulomb", {{"Fc", Fc}}, "1.950864637174", "0.45388311783"},
                                {"brown_mcphee", curve(Fc), "1.97379957165", "1.2010521771"},
                                {"dahl", {{"Fc", Fc}, {"sigma0", 400}}, "1.953387051861", "0.40555806487"},
                                {"lugre", curve(Fc) + bristle_table, "1.953377867307", "0.40506040838"}};
  for (const Disk& d : disks) {
    for (const Setting& s : settings) {
      Experiment e = disk(d.model, d.p);
      e.solver.rtol = s.rtol;
      const auto run = simulate(e, {.probes = {10}});
      const std::string what = std::string(d.model) + " at " + to_text(s.rtol);
      expect_printed(probe(run, "x", 10), d.x, s.relative, what);
      expect_printed(probe(run, "omega", 10), d.omega, s.relative, what);
      EXPECT_LT(run.summary.energy.error, 1e-6) << what;
    }
  }
}

/// The rolling disk needs 0.2581988897472 N at most, the first time a quarter period after the start.
TEST(Multibody, RollerSlipsJustBelowItsPeakForce) {
  constexpr double peak = 0.2581988897472;
  const auto rolls = simulate(disk("coulomb", {{"Fc", peak * (1 + 1e-6)}}));
  EXPECT_EQ(kinds_of(rolls), "stick");
  EXPECT_EQ(largest(column(rolls.trace, "v_slip")), 0);
  EXPECT_NEAR(largest(column(rolls.trace, "F")), peak, 1e-5);  // rows come every 10 ms
  EXPECT_EQ(kinds_of(simulate(disk("coulomb", {{"Fc", peak * (1 - 1e-6)}}))).substr(0, 11), "stick slip+");
}

TEST(Multibody, RollerThatSlips) {
  for (const Setting& s : settings) {
    for (const double radius : {0.1, 1.0}) {
      auto first = [&](double Fs, const char* begin, const char* end) {
        Experiment e = disk("coulomb", {{"Fc", 0.02 * g}, {"Fs", Fs}}, 2);
        e.disk.radius = radius;
        e.solver.rtol = s.rtol;
        const auto run = simulate(e);
        ASSERT_GE(run.events.size(), 3U);
        EXPECT_EQ(kinds_of(run).substr(0, 17), "stick slip+ stick");
        expect_printed(run.events[1].t, begin, s.relative, "slips");
        expect_printed(run.events[2].t, end, s.relative, "rolls again");
        EXPECT_LT(run.summary.energy.error, 1e-6);
      };
      first(0.02 * g, "0.334287832054", "1.12095422790");
      first(0.024 * g, "0.444533612131", "1.113757520791");
    }
  }
}
