/// [measure] and --measure: quantities of runs whose values are known in closed form, in several units.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/scenario.hpp"

using namespace bristle;

namespace {

constexpr double pi = std::numbers::pi;

Number number(const std::string& text, const std::string& expression) {
  Changes changes;
  changes.measure = {"m=" + expression};
  Loaded loaded = read_scenario(text, "s.toml", changes);
  EXPECT_TRUE(loaded.scenario) << (loaded.problems.empty() ? "" : loaded.problems.front().line());
  if (!loaded.scenario) return {};
  return number_of(loaded.scenario->measures.at(0).quantity,
                   simulate(loaded.scenario->experiment, {.probes = probe_times(*loaded.scenario)}));
}
double value(const std::string& text, const std::string& expression) {
  const Number x = number(text, expression);
  EXPECT_EQ(x.reason, "") << expression;
  return x.value;
}

std::string line(const char* key, double x) { return std::string(key) + " = " + to_text(x) + "\n"; }

/// Coulomb friction along x = X sin(2 pi f t).
std::string loop(double X, double f, double Fc) {
  return "[friction]\nmodel = \"coulomb\"\nkv = 0\n" + line("Fc", Fc) +
         "[system]\nkind = \"prescribed\"\n[drive]\nkind = \"sine\"\nof = \"position\"\n" + line("amplitude", X) +
         line("frequency", f) + "[solver]\n" + line("duration", 10 / f) + line("output_step", 0.0025 / f);
}
/// A servo of mass m without friction: a damped oscillator with frequency w and damping ratio d.
std::string servo(double m, double w, double d, double step) {
  return "[friction]\nmodel = \"viscous\"\nkv = 0\n[system]\nkind = \"slider\"\n" + line("mass", m) + "[controller]\n" +
         line("kp", m * w * w) + line("kd", 2 * d * m * w) + line("derivative_weight", 0) +
         "[drive]\nkind = \"constant\"\n" + line("value", step) + "[solver]\n" + line("duration", 20 / w) +
         line("output_step", 0.002 / w);
}

Lines refused(const std::string& lines) {
  Lines out;
  for (const std::string& l : problems(stick_slip + "[measure]\n" + lines)) out.push_back(l.substr(l.find(' ') + 1));
  return out;
}

}  // namespace

TEST(Measure, LoopOfDryFriction) {
  for (const auto& [X, f, Fc] : {std::tuple{1e-6, 50.0, 2e-3}, {0.1, 0.02, 4.0}, {30.0, 1e-3, 1e5}}) {
    const std::string run = loop(X, f, Fc);
    EXPECT_NEAR(value(run, "energy_per_cycle()"), 4 * Fc * X, 0.005 * 4 * Fc * X) << "jumps between two rows";
    EXPECT_NEAR(value(run, "period(x)"), 1 / f, 1e-6 / f);
    EXPECT_NEAR(value(run, "amplitude(x)"), X, 1e-5 * X);
    EXPECT_NEAR(value(run, "peak_to_peak(F)"), 2 * Fc, 1e-12 * Fc);
    EXPECT_EQ(number(run, "energy_per_cycle()").unit, "J");
    EXPECT_EQ(number(run, "period(x)").unit, "s");
    EXPECT_EQ(number(run, "max(F) / max(x)").unit, "N/m");
    EXPECT_EQ(number(run, "integral(v)").unit, "m");
  }
}

TEST(Measure, StepResponse) {
  for (const auto& [m, w, d, step] :
       {std::tuple{1.0, 10.0, 0.3, 1.0}, {0.02, 400.0, 0.5, -3e-6}, {1e3, 0.5, 0.2, 40.0}}) {
    const std::string run = servo(m, w, d, step);
    const double wd = w * std::sqrt(1 - d * d);
    EXPECT_NEAR(value(run, "overshoot(x)") / std::abs(step), std::exp(-pi * d / std::sqrt(1 - d * d)), 1e-5);
    // The last crossing of the band, from the closed form.
    auto error = [&](double t) { return std::exp(-d * w * t) * (std::cos(wd * t) + d * w / wd * std::sin(wd * t)); };
    double last = 0, iae = 0;
    const double h = 1e-4 / w;
    for (double t = 0; t < 20 / w; t += h) {
      if (std::abs(error(t)) > 0.05) last = t;
      iae += h * std::abs(error(t + 0.5 * h));
    }
    EXPECT_NEAR(value(run, "settling_time(x, 0.05)"), last, 1e-3 / w);
    EXPECT_NEAR(value(run, "iae(x)") / std::abs(step), iae, 1e-4 * iae);
    EXPECT_EQ(number(run, "iae(x)").unit, "m s");
  }
}

TEST(Measure, StuckFraction) {
  // Pulled by a ramp of force at rest until it breaks loose at Fs: stuck until then, sliding after.
  const std::string run =
      "[friction]\nmodel = \"stribeck\"\nFc = 1\nFs = 2\nvs = 1\nkv = 0\n[system]\nkind = \"slider\"\nmass = 1\n[drive]\nkind = "
      "\"ramp\"\nof = \"force\"\nrate = 0.5\n[solver]\nduration = 10\n";
  EXPECT_NEAR(value(run, "stuck_fraction()"), 0.4, 1e-6);
  Scenario s = good(run + "[measure]\nlate = { of = \"stuck_fraction()\", from = 2, to = 6 }\n");
  EXPECT_NEAR(number_of(s.measures.at(0).quantity, simulate(s.experiment)).value, 0.5, 1e-6);
}

TEST(Measure, UndefinedWithAReason) {
  const std::string run = loop(1, 1, 1);
  EXPECT_NE(number(run, "settling_time(F)").reason, "");
  EXPECT_NE(number(servo(1, 10, 0.001, 1), "settling_time(x, 0.01)").reason, "") << "still oscillates";
  EXPECT_NE(number(servo(1, 10, 0.3, 1), "period(x)").reason, "") << "decays";
  EXPECT_NE(number(stick_slip, "time(slip-, 4000)").reason, "");
  EXPECT_TRUE(std::isnan(number(stick_slip, "time(slip-, 4000)").value));
}

TEST(Measure, Refused) {
  EXPECT_EQ(
      refused("a = 3"),
      Lines{"a = 3 in [measure]; must be an expression such as \"max(F)\", or { of = \"max(F)\", from = 5, to = 10 }"});
  EXPECT_EQ(refused("a = \"max(q)\"").size(), 1U);
  EXPECT_EQ(refused("a = \"settling_time(x, 2)\"").size(), 1U);
  EXPECT_EQ(refused("a = \"stuck_fraction(x)\"").size(), 1U);
  EXPECT_EQ(refused("a = { from = 1 }").size(), 1U);
  EXPECT_EQ(refused("a = { of = \"max(F)\", form = 1 }").size(), 1U);
  Changes changes;
  changes.measure = {"max(F)"};
  EXPECT_EQ(read_scenario(stick_slip, "s.toml", changes).problems.size(), 1U);
}

TEST(Measure, CommandLineReplacesTheFile) {
  Changes changes;
  changes.measure = {"a=min(F)", "b=max(x)"};
  const Loaded loaded = read_scenario(stick_slip + "[measure]\na = \"max(F)\"\n", "s.toml", changes);
  ASSERT_TRUE(loaded.scenario);
  ASSERT_EQ(loaded.scenario->measures.size(), 2U);
  EXPECT_EQ(loaded.scenario->measures[0].quantity.function, "min");
}

TEST(Measure, StuckWithoutEvents) {
  // Held below breakaway by a bristle law, which creeps: stuck all the time, whatever the units; pulled above it: never.
  for (const double size : {1e-3, 1.0, 1e4}) {
    const std::string held =
        "[friction]\nmodel = \"lugre\"\n" + line("Fc", size) + line("Fs", 1.5 * size) + "vs = 0.001\n" +
        line("sigma0", 1e5 * size) + line("sigma1", 300 * size) + "[system]\nkind = \"slider\"\n" + line("mass", size) +
        "[drive]\nkind = \"constant\"\nof = \"force\"\n" + line("value", 0.5 * size) + "[solver]\nduration = 5\n";
    EXPECT_EQ(value(held, "stuck_fraction()"), 1) << size;
    const std::string sliding = with(held, "[system]\nkind = \"slider\"\n", "[system]\nkind = \"slider\"\nv0 = 10\n");
    EXPECT_EQ(value(with(sliding, line("value", 0.5 * size), line("value", 3 * size)), "stuck_fraction()"), 0) << size;
  }
  // Fixed steps report changes only.
  const std::string fixed = stick_slip + "method = \"fixed\"\nstep = 1e-3\n";
  EXPECT_EQ(value(with(fixed, "velocity = 0.1", "velocity = 0"), "stuck_fraction()"), 1);
  EXPECT_EQ(value(with(fixed, "stiffness = 2.0", "stiffness = 0\nv0 = 1000"), "stuck_fraction()"), 0);
}

TEST(Measure, ReferenceOfTheSameUnit) {
  const std::string step = servo(1, 10, 0.3, 1);
  for (const char* of : {"overshoot(F)", "settling_time(v)", "iae(u)"}) EXPECT_NE(number(step, of).reason, "") << of;
  const std::string ramp = with(step, "kind = \"constant\"\nvalue = 1", "kind = \"ramp\"\nvelocity = 1");
  EXPECT_NE(number(ramp, "overshoot(x)").reason, "") << "the reference still moves";
  EXPECT_NE(number(ramp, "settling_time(x)").reason, "");
  EXPECT_EQ(number(ramp, "iae(x)").reason, "");
  const std::string none = with(step, "value = 1", "value = 0");
  EXPECT_NE(number(none, "overshoot(x)").reason, "") << "no step";
  EXPECT_NE(number(none, "amplitude(x)").reason, "") << "no cycle at rest";
  const std::string overdamped = servo(1, 10, 3, 1);
  EXPECT_EQ(value(overdamped, "overshoot(x)"), 0) << "reaches the reference from one side: a defined 0";
}

TEST(Measure, NoCycleInTheNoiseOfRest) {
  // A servo that has come to rest keeps a position of 1 m with rounding errors: not a cycle.
  EXPECT_NE(number(servo(1, 10, 0.9, 1) + "\n", "amplitude(x)").reason, "");
}
