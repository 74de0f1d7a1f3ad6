/// Recordings as strangers make them: other units, coarse and noisy sensors, missing rows, a weight, channels that are not
/// synchronous. Each is made from a law; the truth is in the intervals, or the report says what is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "bristle/trace.hpp"
#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A joint with Coulomb and viscous friction along three sines.
struct Joint {
  std::uint64_t seed;
  mutable std::uint64_t draws = 0;
  double random(double low, double high) const { return low + (high - low) * uniform(seed, 73, draws++); }
  double normal() const { return synthetic::normal(seed, draws++); }

  double Fc = random(1, 5), kv = random(1, 4), inertia = random(0.05, 0.3);
  double w1 = two_pi * random(0.2, 0.3), w2 = two_pi * random(0.5, 0.8), w3 = two_pi * random(1.1, 1.7);
  double a1 = random(0.2, 0.3), a2 = random(0.04, 0.1), a3 = random(0.01, 0.03);

  double x(double t) const { return a1 * std::sin(w1 * t) + a2 * std::sin(w2 * t + 1) + a3 * std::sin(w3 * t + 2); }
  double v(double t) const {
    return a1 * w1 * std::cos(w1 * t) + a2 * w2 * std::cos(w2 * t + 1) + a3 * w3 * std::cos(w3 * t + 2);
  }
  double a(double t) const {
    return -a1 * w1 * w1 * std::sin(w1 * t) - a2 * w2 * w2 * std::sin(w2 * t + 1) - a3 * w3 * w3 * std::sin(w3 * t + 2);
  }
  double friction(double speed) const { return Fc * (speed > 0 ? 1 : -1) + kv * speed; }
  double noise() const { return 0.05 * normal(); }
};

using Row = std::vector<double>;
struct Table3 {
  std::vector<std::pair<std::string, std::string>> columns;  // names and units
  std::function<Row(const Joint&, double)> row;
  std::vector<std::pair<std::string, std::function<double(const Joint&)>>> truths;
  std::vector<std::pair<std::string, std::string>> expressions{};
  bool jitter = false;
};

Read read_of(const Joint& j, const Table3& table) {
  Trace trace;
  for (const auto& [name, unit] : table.columns) trace.columns.push_back({name, unit});
  double t = 0;
  for (int i = 0; i < 4000; ++i) {
    t += 0.003 * (table.jitter ? j.random(0.5, 1.5) : 1);
    const Row row = table.row(j, t);
    for (std::size_t k = 0; k < row.size(); ++k) trace.columns[k].values.push_back(row[k]);
  }
  return make_recording(trace, {.columns = table.expressions}, "made");
}

Ranking fitted(const Recording& r, std::vector<std::string> models = {"coulomb"}) {
  Options o;
  o.models = std::move(models);
  o.starts = 1;
  o.global = false;
  return identify::identify({r}, o);
}

double Fc_of(const Joint& j) { return j.Fc; }
double kv_of(const Joint& j) { return j.kv; }
double inertia_of(const Joint& j) { return j.inertia; }

TEST(Strangers, TruthIsInTheIntervals) {
  constexpr double count = two_pi / 4096;
  const std::vector<std::pair<std::string, Table3>> tables{
      {"millimetres and milliseconds",
       {{{"time", "ms"}, {"pos", "mm"}, {"friction", "N"}},
        [](const Joint& j, double t) {
          return Row{1e3 * t, 1e3 * j.x(t) + 1e-3 * j.normal(), j.friction(j.v(t)) + j.noise()};
        },
        {{"Fc", Fc_of}, {"kv", kv_of}}}},
      {"revolutions per minute and newton millimetres",
       {{{"t", "s"}, {"speed", "rpm"}, {"torque", "Nmm"}},
        [](const Joint& j, double t) {
          return Row{t, j.v(t) * 60 / two_pi + 1e-3 * j.normal(),
                     1e3 * (j.inertia * j.a(t) + j.friction(j.v(t)) + j.noise())};
        },
        {{"Fc", Fc_of}, {"kv", kv_of}, {"inertia", inertia_of}}}},
      {"an encoder of 4096 counts",
       {{{"t", "s"}, {"q", "rad"}, {"tau", "Nm"}},
        [](const Joint& j, double t) {
          return Row{t, std::round(j.x(t) / count) * count, j.inertia * j.a(t) + j.friction(j.v(t)) + j.noise()};
        },
        {{"Fc", Fc_of}, {"kv", kv_of}}}},
      {"degrees and percent of 5 N m",
       {{{"t", "s"}, {"q", "deg"}, {"load", "%"}},
        [](const Joint& j, double t) {
          return Row{t, j.x(t) * 360 / two_pi + 1e-4 * j.normal(),
                     20 * (j.inertia * j.a(t) + j.friction(j.v(t)) + j.noise())};
        },
        {{"Fc", Fc_of}, {"kv", kv_of}, {"inertia", inertia_of}},
        {{"u", "5*load"}}}},
      {"irregular times, missing values and outliers",
       {{{"t", "s"}, {"x", "m"}, {"F", "N"}},
        [](const Joint& j, double t) {
          const double draw = j.random(0, 1);
          const double F = j.friction(j.v(t)) + j.noise();
          return Row{t, j.x(t) + 1e-6 * j.normal(), draw < 0.01 ? nan : draw < 0.014 ? F + j.random(-50, 50) : F};
        },
        {{"Fc", Fc_of}, {"kv", kv_of}},
        {},
        true}},
      {"a pendulum",
       {{{"t", "s"}, {"q", "rad"}, {"tau", "Nm"}},
        [](const Joint& j, double t) {
          return Row{t, 4 * j.x(t) + 1e-5 * j.normal(),
                     4 * j.inertia * j.a(t) + j.friction(4 * j.v(t)) + 5 * std::sin(4 * j.x(t)) + j.noise()};
        },
        {{"Fc", Fc_of}, {"kv", kv_of}, {"inertia", inertia_of}, {"gravity", [](const Joint&) { return 5.0; }}}}},
      {"a vertical axis",
       {{{"t", "s"}, {"x", "m"}, {"u", "N"}},
        [](const Joint& j, double t) {
          return Row{t, j.x(t) + 1e-6 * j.normal(), 10 * j.inertia * j.a(t) + j.friction(j.v(t)) + 20 + j.noise()};
        },
        {{"Fc", Fc_of},
         {"kv", kv_of},
         {"inertia", [](const Joint& j) { return 10 * j.inertia; }},
         {"offset", [](const Joint&) { return 20.0; }}}}},
  };
  int inside = 0, all = 0;
  std::string missed;
  for (const auto& [name, table] : tables) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Joint j{seed};
      const Read read = read_of(j, table);
      ASSERT_TRUE(read.problems.empty()) << name << ": " << read.problems.front().line();
      const Ranking ranking = fitted(read.recording);
      ASSERT_EQ(ranking.fits.size(), 1U) << name;
      const Fit& fit = ranking.fits.front();
      for (const auto& [parameter, truth_of] : table.truths) {
        const double truth = truth_of(j);
        const Estimate* found = nullptr;
        for (const auto* list : {&fit.friction, &fit.body}) {
          for (const Estimate& e : *list) found = e.name == parameter ? &e : found;
        }
        ASSERT_TRUE(found) << name << " " << parameter;
        ++all;
        const bool in = found->low <= truth && truth <= found->high;
        inside += in;
        if (!in) missed += " " + name + " " + std::to_string(seed) + " " + parameter + ";";
        EXPECT_LT(std::abs(found->value - truth), found->high - found->low) << name << " " << seed << " " << parameter;
        EXPECT_NEAR(found->value, truth, 0.05 * std::abs(truth)) << name << " " << seed << " " << parameter;
      }
    }
  }
  EXPECT_GE(inside, 0.88 * all) << missed;  // 95 % of about sixty, less two standard deviations
}

/// Texts of the residual tests of the fit.
std::string tests_of(const Fit& fit) {
  std::string out;
  for (const ResidualTest& test : fit.tests) out += test.text + "\n";
  return out;
}

TEST(Strangers, AsynchronousChannelsAndDriftAreReported) {
  const Joint j{4};
  auto table = [](std::function<double(const Joint&, double)> force) {
    return Table3{{{"t", "s"}, {"x", "m"}, {"F", "N"}},
                  [force](const Joint& k, double t) { return Row{t, k.x(t) + 1e-6 * k.normal(), force(k, t)}; },
                  {}};
  };
  auto text = [&](std::function<double(const Joint&, double)> force) {
    return tests_of(fitted(read_of(j, table(std::move(force))).recording).fits.at(0));
  };
  auto plain = [](const Joint& k, double t) { return k.friction(k.v(t)) + k.noise(); };
  EXPECT_EQ(text(plain).find("late"), std::string::npos);
  EXPECT_EQ(text(plain).find("drift"), std::string::npos);
  EXPECT_NE(text([](const Joint& k, double t) { return k.friction(k.v(t - 0.03)) + k.noise(); }).find("30 ms late"),
            std::string::npos);
  EXPECT_NE(text([](const Joint& k, double t) { return k.friction(k.v(t + 0.03)) + k.noise(); }).find("30 ms early"),
            std::string::npos);
  EXPECT_NE(text([&](const Joint& k, double t) { return plain(k, t) + 0.05 * t; }).find("linear drift"),
            std::string::npos);
}

/// The range of a loop does not make it small: branches of sliding friction are parallel, those of viscous friction enclose
/// an ellipse.
TEST(Strangers, ASwingIsNotASmallLoop) {
  for (const double dry : {0.0, 0.2, 2.0}) {
    for (const double viscous : {0.1, 1.0}) {
      const Joint j{5};
      const Table3 table{
          {{"t", "s"}, {"q", "rad"}, {"tau", "Nm"}},
          [&](const Joint& k, double t) {
            const double q = 0.6 * std::sin(3 * t), v = 1.8 * std::cos(3 * t);
            return Row{t, q + 1e-5 * k.normal(),
                       -0.1 * 9 * q + dry * (v > 0 ? 1 : -1) + viscous * v + 5 * std::sin(q) + 0.02 * k.normal()};
          },
          {}};
      for (const Observation& o : experiments_of({read_of(j, table).recording}))
        EXPECT_NE(o.experiment, "small loops") << dry << " " << viscous << " " << o.name;
    }
  }
}

/// Loops far below sliding: the largest measured force is no limit of the friction levels.
TEST(Strangers, LoopsOfPreslidingDoNotLimitTheLevels) {
  for (const double part : {0.15, 0.3}) {  // of the displacement until sliding
    const double Fc = 2.5, sigma0 = 4e4, far = part * Fc / sigma0;
    const synthetic::Truth truth{
        "dahl",
        {{"Fc", Fc}, {"sigma0", sigma0}, {"kv", 0.0}},
        {.velocity = 6 * far, .fastest = 1, .slowest = 0.3, .duration = 8, .dt = 2e-3, .frequency = 1.1}};
    const Ranking ranking = fitted(truth.recording({0.003, 0, 7}), {"dahl"});
    const Fit& fit = ranking.fits.at(0);
    EXPECT_LT(fit.held_out_relative, 1) << part;  // of the noise 0.6 %
    const auto level = std::ranges::find(fit.friction, "Fc", &Estimate::name);
    EXPECT_NEAR(level->value, Fc, level->high - level->low) << part;
    EXPECT_FALSE(level->identifiable) << part;
    EXPECT_EQ(ranking.not_determined, std::vector<std::string>{"Fc"}) << part;
  }
}

/// A body that starts at speed with an undeflected spring and a force at once, by damping: no displacement leads there.
TEST(Strangers, AForceByDampingAtTheStartIsNoDisplacement) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const synthetic::Truth truth = synthetic::truth_of("slip_variable", 5, 2e-3);
    const Fit fit = fitted(truth.recording({0.01, 0, seed}), {"slip_variable"}).fits.at(0);
    EXPECT_LT(fit.relative, 1.8) << seed;  // of the noise 1.5 %
    for (const char* name : {"ks", "ds", "tau_r"}) {
      const auto e = std::ranges::find(fit.friction, name, &Estimate::name);
      EXPECT_NEAR(e->value, truth.value(name), e->high - e->low) << seed << " " << name;
    }
  }
}

/// The errors of an acceleration from a noisy position include those at the ends of the recording, which are the largest.
TEST(Strangers, TheNoiseOfTheAccelerationIsKnown) {
  for (const double rough : {2e-5, 2e-4, 2e-3}) {
    for (const double dt : {2e-3, 5e-3}) {
      double errors = 0, known = 0;
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        Trace trace{{{"t", "s"}, {"x", "rad"}, {"u", "N m"}}};
        const double w = two_pi * 0.4, phase = static_cast<double>(seed);
        const auto n = static_cast<std::size_t>(16 / dt);
        for (std::size_t i = 0; i < n; ++i) {
          const double t = dt * static_cast<double>(i);
          trace.columns[0].values.push_back(t);
          trace.columns[1].values.push_back(std::sin(w * t + phase) + rough * synthetic::normal(seed, i));
          trace.columns[2].values.push_back(std::cos(w * t + phase));
        }
        const Recording r = make_recording(trace, {}, "made").recording;
        for (std::size_t i = 0; i < r.a.size(); ++i)
          errors += std::pow(r.a[i] + w * w * std::sin(w * r.t[i] + phase), 2) / static_cast<double>(n);
        known += r.a_noise * r.a_noise;
      }
      EXPECT_GT(known, 0.5 * errors) << rough << " " << dt;
      EXPECT_LT(known, 6 * errors) << rough << " " << dt;
    }
  }
}

TEST(Strangers, APercentageIsNotDividedTwice) {
  const Joint j{6};
  const Table3 table{
      {{"t", "s"}, {"q", "rad"}, {"load", "%"}},
      [](const Joint& k, double t) { return Row{t, k.x(t), 20 * (k.inertia * k.a(t) + k.friction(k.v(t)))}; },
      {},
      {{"u", "5*load/100"}}};
  const Read read = read_of(j, table);
  EXPECT_TRUE(std::ranges::any_of(read.findings, [](const Finding& f) {
    return f.warning && f.text.find("divided by 100 twice") != std::string::npos;
  }));
}

}  // namespace
