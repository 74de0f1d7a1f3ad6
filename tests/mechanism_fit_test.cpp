#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>
#include <tuple>

#include "bristle/identify/joints.hpp"
#include "bristle/report.hpp"
#include "bristle/scenario.hpp"

/// Fits of joint friction, drawings, and the growth of cost with the number of bodies.
namespace bristle {
namespace {

std::string crank(double pivot, double guide) {
  return R"(
[system]
kind = "multibody"
[[body]]
name = "crank"
mass = 1.0
inertia = 0.00083333333333333333
position = [0.035355339059327376, 0.035355339059327376]
angle = 0.78539816339744831
rate = 20.0
[[body]]
name = "rod"
mass = 1.0
inertia = 0.0052083333333333333
position = [0.19060646620147276, 0.035355339059327376]
angle = -0.2867565522115484
[[body]]
name = "slider"
mass = 0.5
inertia = 0.001
position = [0.31050225428429074, 0]
[[joint]]
name = "pin"
kind = "revolute"
bodies = ["crank", "rod"]
at = [0.070710678118654752, 0.070710678118654752]
[[joint]]
name = "wrist"
kind = "revolute"
bodies = ["rod", "slider"]
at = [0.31050225428429074, 0]
[[joint]]
name = "pivot"
kind = "revolute"
bodies = ["ground", "crank"]
at = [0, 0]
radius = 0.02
friction = { model = "coulomb", normal_load = 20, mu_c = )" +
         std::to_string(pivot) + R"( }
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "slider"]
at = [0.31050225428429074, 0]
axis = [1, 0]
friction = { model = "coulomb", normal_load = 10, mu_c = )" +
         std::to_string(guide) + R"( }
[solver]
duration = 0.4
output_step = 4e-3
)";
}

identify::Rig rig(const std::string& text) {
  Loaded loaded = read_scenario(text, "mechanism.toml");
  for (const Problem& p : loaded.problems) ADD_FAILURE() << p.line();
  return {"mechanism.toml", std::move(loaded.scenario->experiment)};
}

Trace recording(double pivot, double guide, unsigned seed, double noise) {
  const identify::Rig truth = rig(crank(pivot, guide));
  const Run run = simulate(truth.experiment);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> error;
  Trace out{{*run.trace.find("t"), *run.trace.find("crank.angle"), *run.trace.find("slider.x")}};
  for (double& x : out.columns[1].values) x += noise * error(random);
  for (double& x : out.columns[2].values) x += 0.1 * noise * error(random);
  return out;
}

std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const BadInput& e) { return e.what(); }
  return "accepted";
}

TEST(MechanismFit, RecoversTheFrictionOfEachJoint) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> size(0.5, 1.5), off(0.4, 2.5);
  int inside = 0, all = 0;
  for (unsigned k = 0; k < 5; ++k) {
    const double pivot = 0.2 * size(random), guide = 0.2 * size(random);
    const identify::Rig start = rig(crank(pivot * off(random), guide * off(random)));
    const auto data = identify::joint_recording(recording(pivot, guide, k, 1e-3), "data.csv", start);
    const identify::JointFit fit = identify::identify_joints(start, {data});
    ASSERT_EQ(fit.parameters.size(), 2U);
    EXPECT_TRUE(fit.converged);
    for (const identify::JointEstimate& p : fit.parameters) {
      const double truth = p.joint == "pivot" ? 20 * pivot : 10 * guide;
      EXPECT_EQ(p.name, "Fc");
      EXPECT_TRUE(p.identifiable);
      EXPECT_NEAR(p.value, truth, p.high - p.low);  // four standard deviations
      EXPECT_LT(p.high - p.low, 0.1 * truth);
      inside += p.low <= truth && truth <= p.high ? 1 : 0;
      ++all;
    }
    for (const std::string& note : fit.notes) EXPECT_EQ(note.find("systematic"), std::string::npos) << note;
    EXPECT_NEAR(fit.columns[0].rmse, 1e-3, 3e-4);
    EXPECT_NEAR(fit.columns[1].rmse, 1e-4, 3e-5);
  }
  EXPECT_GE(inside, all - 3);  // 95 % each: more than three misses of ten have a probability of 1e-3
}

TEST(MechanismFit, ChoosesParametersByJoint) {
  const identify::Rig start = rig(crank(0.25, 0.1));
  const auto data = identify::joint_recording(recording(0.25, 0.2, 1, 1e-4), "data.csv", start);
  const identify::JointFit one = identify::identify_joints(start, {data}, {.free = {"guide.Fc"}});
  ASSERT_EQ(one.parameters.size(), 1U);
  EXPECT_NEAR(one.parameters[0].value, 2, 0.01);
  const identify::JointFit fixed = identify::identify_joints(start, {data}, {.fixed = {{"pivot.Fc", 5.0}}});
  ASSERT_EQ(fixed.parameters.size(), 1U);
  EXPECT_EQ(fixed.parameters[0].joint, "guide");
  // A wrong value elsewhere leaves errors that are no noise: a result that looks settled is reported as doubtful.
  const identify::JointFit wrong = identify::identify_joints(start, {data}, {.fixed = {{"pivot.Fc", 3.0}}});
  EXPECT_TRUE(std::ranges::any_of(wrong.notes, [](const std::string& n) {
    return n.find("errors of column crank.angle are systematic") != std::string::npos;
  }));
}

TEST(MechanismFit, RefusesWithReasons) {
  const identify::Rig start = rig(crank(0.25, 0.1));
  const Trace good = recording(0.25, 0.1, 1, 1e-4);
  const auto data = identify::joint_recording(good, "data.csv", start);
  EXPECT_EQ(refusal([&] { identify::identify_joints(start, {data}, {.free = {"guide.Fx"}}); }),
            "--free guide.Fx: unknown parameter; did you mean 'guide.Fc'?");
  EXPECT_EQ(refusal([&] { identify::identify_joints(start, {data}, {.free = {"guide.kv"}}); }),
            "--free guide.kv: the scenario must give a starting value > 0, not 0");
  Trace strange = good;
  strange.columns[1].name = "torque";
  strange.columns[2].name = "speed";
  EXPECT_NE(refusal([&] {
              identify::joint_recording(strange, "data.csv", start);
            }).find("data.csv: no column of the mechanism mechanism.toml; accepted: crank.x"),
            std::string::npos);
  strange = good;
  strange.columns[0].values[3] = 0;
  EXPECT_EQ(refusal([&] { identify::joint_recording(strange, "data.csv", start); }),
            "data.csv: t does not increase at t = 0 s (row 4)");
  strange = good;
  strange.columns[1].unit = "deg";
  EXPECT_EQ(refusal([&] { identify::joint_recording(strange, "data.csv", start); }),
            "data.csv: column crank.angle is in deg; rad is accepted");
}

std::string pendulum(double Fc, double Fs, double vs, double kv, double alpha = 2) {
  auto text = [](double x) { return std::to_string(x); };
  return R"(
[system]
kind = "multibody"
[[body]]
name = "bar"
mass = 2.0
inertia = 0.06
position = [0.3, 0]
angle = 1.5707963267948966
[[joint]]
name = "b"
kind = "revolute"
bodies = ["ground", "bar"]
at = [0, 0]
radius = 0.02
friction = { model = "stribeck", normal_load = 20, Fc = )" +
         text(Fc) + ", Fs = " + text(Fs) + ", vs = " + text(vs) + ", kv = " + text(kv) + ", alpha = " + text(alpha) +
         " }\n[solver]\nduration = 3\noutput_step = 0.01\n";
}

identify::JointRecording angles(const identify::Rig& start, const identify::Rig& truth, double noise) {
  const bristle::Run run = simulate(truth.experiment);
  std::mt19937_64 random(3);
  std::normal_distribution<double> error;
  Trace out{{*run.trace.find("t"), *run.trace.find("bar.angle")}};
  for (double& x : out.columns[1].values) x += noise * error(random);
  return identify::joint_recording(out, "data.csv", start);
}

/// Values that the model refuses (Fs < Fc, alpha > 4) do not stop the search: the truth, or no claim.
TEST(MechanismFit, DoesNotStopAtRefusedValues) {
  const std::pair<std::string, double> truths[]{{"Fc", 8}, {"Fs", 12}, {"vs", 0.01}, {"kv", 30}};
  for (const auto& [Fc, Fs, vs, kv, alpha] : {std::tuple(8.0, 8.001, 0.05, 5.0, 2.0), {40.0, 52.0, 0.05, 5.0, 3.9}}) {
    const identify::Rig start = rig(pendulum(Fc, Fs, vs, kv, alpha));
    const auto data = angles(start, rig(pendulum(8, 12, 0.01, 30)), 1e-3);
    const identify::JointFit fit = identify::identify_joints(start, {data});
    ASSERT_GE(fit.parameters.size(), std::size(truths));
    EXPECT_NEAR(fit.columns[0].rmse, 1e-3, 2e-4) << Fc;  // of the noise alone
    EXPECT_TRUE(fit.explains);
    for (const identify::JointEstimate& p : fit.parameters) {
      const auto* of = std::ranges::find(truths, p.name, &std::pair<std::string, double>::first);
      if (of == std::end(truths) || !p.identifiable) continue;
      const double half = 0.5 * (p.high - p.low);
      EXPECT_NEAR(0.5 * (p.high + p.low), of->second, 2 * half) << p.name << " from Fc = " << Fc;
      EXPECT_FALSE(p.at_limit);
    }
    EXPECT_TRUE(fit.parameters[0].identifiable && fit.parameters[0].name == "Fc") << Fc;
  }
}

TEST(MechanismFit, SaysThatNothingExplainsTheData) {
  const identify::Rig start = rig(pendulum(8, 12, 0.01, 30));
  identify::JointRecording data = angles(start, start, 0);
  for (std::size_t k = 0; k < data.t.size(); ++k) data.columns[0].values[k] = std::sin(40 * data.t[k]);
  const identify::JointFit fit = identify::identify_joints(start, {data});
  EXPECT_FALSE(fit.explains);
  EXPECT_GT(fit.relative_error, 0.5);
}

std::string chain(int n) {
  std::string out = "[system]\nkind = \"multibody\"\n";
  for (int i = 0; i < n; ++i)
    out += "[[body]]\nname = \"b" + std::to_string(i) + "\"\nmass = 1.0\ninertia = 1e-3\nposition = [" +
           std::to_string(0.1 * i + 0.05) + ", 0]\n";
  for (int i = 0; i < n; ++i)
    out += "[[joint]]\nname = \"j" + std::to_string(i) + "\"\nkind = \"revolute\"\nbodies = [\"" +
           (i == 0 ? std::string("ground") : "b" + std::to_string(i - 1)) + "\", \"b" + std::to_string(i) +
           "\"]\nat = [" + std::to_string(0.1 * i) +
           ", 0]\nradius = 0.02\nfriction = { model = \"lugre\", mu_c = 0.1, mu_s = 0.15, vs = 0.01, sigma0 = 1e4, "
           "sigma1 = 10, kv = 0.1, normal_load = 10 }\n";
  return out + "[solver]\nduration = 0.05\nrtol = 1e-6\n";
}

double cpu() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TEST(MechanismGrowth, CostPerStepIsLinearInTheBodies) {
  auto per_step = [](int n) {
    const identify::Rig r = rig(chain(n));
    double best = inf;
    for (int k = 0; k < 3; ++k) {
      const double begin = cpu();
      const bristle::Run run = simulate(r.experiment, {.rows = false});
      best = std::min(best, (cpu() - begin) / static_cast<double>(run.summary.steps + run.summary.rejected));
    }
    return best;
  };
  const double few = per_step(10), many = per_step(60);
  EXPECT_LT(many / few, 2.5 * 6);  // six times the bodies: 6 is linear, 36 is quadratic
}

TEST(MechanismDrawing, ShowsBodiesJointsAndTimes) {
  Loaded loaded = read_scenario(crank(0.2, 0.1), "crank.toml");
  ASSERT_TRUE(loaded.scenario);
  const bristle::Run run = simulate(loaded.scenario->experiment);
  const std::string svg = plot::svg(report::figure_of(*loaded.scenario, run));
  for (const char* text : {">crank<", ">rod<", ">slider<", ">pin<", ">guide<", ">t = 0 s<", ">t = 0.4 s<"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  const std::string page = report::run_page(*loaded.scenario, run, {});
  for (const char* text : {"<script>", "Content-Security-Policy", "default-src 'none'", "type=\"range\"", ">Play<"})
    EXPECT_NE(page.find(text), std::string::npos) << text;
  for (const char* text : {"src=", "https://", "import"})  // nothing from elsewhere
    EXPECT_EQ(page.find(text), std::string::npos) << text;
  for (std::size_t at = 0; (at = page.find("url(", at)) != std::string::npos; ++at)
    EXPECT_EQ(page.substr(at, 5), "url(#");  // within the page
}

}  // namespace
}  // namespace bristle
