/// Experiments in recordings: the truth is known because each recording is made from a law, in random units.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "bristle/trace.hpp"
#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

/// Random sizes of a joint and of its sensors.
struct World {
  std::uint64_t seed;
  mutable std::uint64_t draws = 0;
  double random(double low, double high) const { return low + (high - low) * uniform(seed, 71, draws++); }
  double scale(double low, double high) const { return std::exp(random(std::log(low), std::log(high))); }
  double force = scale(1e-3, 1e3), length = scale(1e-5, 10), rate = scale(100, 2000);
  double noise = random(0.002, 0.02);          // of the force sensor
  double drift = seed % 3 == 0 ? 0 : 0.02;     // of the force sensor over the recording
  double position_noise = random(1e-5, 1e-4);  // of the length
};

struct Sensor {
  const World& world;
  Trace trace{{{"t", "s"}, {"x", "m"}, {"F", "N"}}};
  void add(double t, double x, double F) {
    const std::size_t i = trace.rows();
    trace.columns[0].values.push_back(t);
    trace.columns[1].values.push_back(x + world.position_noise * world.length * synthetic::normal(world.seed, 2 * i));
    trace.columns[2].values.push_back(F + world.noise * world.force * synthetic::normal(world.seed, 2 * i + 1));
  }
  Recording recording(const std::string& role = "F") {
    std::vector<double>& F = trace.columns[2].values;
    double walk = 0;
    const auto n = static_cast<double>(F.size());
    for (std::size_t i = 0; i < F.size(); ++i) {
      walk += synthetic::normal(world.seed + 1000, i) / std::sqrt(n);
      F[i] += world.drift * world.force * walk;
    }
    trace.columns[2].name = role;
    if (role == "mu") trace.columns[2].unit = "";
    const Read read = make_recording(trace, {}, "made");
    for (const Problem& p : read.problems) ADD_FAILURE() << p.line();
    return read.recording;
  }
};

std::unique_ptr<AnyContact> contact_of(const std::string& model, const Table& parameters) {
  auto made = make(model, parameters);
  if (!made.contact) throw BadInput(made.problems.front().line());
  return std::move(made.contact);
}

std::vector<Observation> of(const std::vector<Observation>& all, const std::string& experiment) {
  std::vector<Observation> out;
  for (const Observation& o : all) {
    if (o.experiment == experiment) out.push_back(o);
  }
  return out;
}

constexpr std::uint64_t seeds = 12;

struct Tally {
  int inside = 0, all = 0;
  double widest = 0;
  std::string missed{};  // seeds
  void add(const Observation& o, double truth, std::uint64_t seed) {
    ++all;
    const bool in = o.low <= truth && truth <= o.high;
    inside += in;
    widest = std::max(widest, (o.high - o.low) / std::abs(truth));
    if (!in) missed += " " + std::to_string(seed);
  }
};

/// Strokes at three speeds in both directions with pauses, each twice.
Recording strokes(const World& w, AnyContact& contact, const std::vector<double>& speeds) {
  Sensor sensor{w};
  const double dt = 1 / w.rate;
  double x = 0, t = 0, v = 0, F = 0;
  auto move = [&](double goal, double time) {
    for (double until = t + time; t < until; t += dt) {
      v += std::clamp(goal - v, -speeds.back() * dt / 0.05, speeds.back() * dt / 0.05);
      x += v * dt;
      F = contact.step({.x = x, .v = v, .F_app = F, .t = t}, dt);
      sensor.add(t, x, F);
    }
  };
  move(0, 0.3);
  for (int repetition = 0; repetition < 2; ++repetition) {
    for (const double speed : speeds) {
      for (const double sign : {1.0, -1.0}) {
        move(sign * speed, w.length / speed);
        move(0, 0.5);
      }
    }
  }
  return sensor.recording();
}

TEST(Experiments, ConstantSpeedsGiveTheSteadyCurve) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const World w{seed};
    const double Fc = w.force * w.random(0.3, 0.7), vs = w.length * w.random(0.1, 0.5);
    const bool dynamic = seed % 2 == 0;
    Table p{{"Fc", Fc}, {"Fs", 1.3 * Fc}, {"vs", vs}, {"kv", 0.1 * w.force / w.length}};
    if (dynamic) p.insert(p.end(), {{"sigma0", 200 * Fc / w.length}, {"sigma1", 0.1 * Fc / w.length}});
    const auto contact = contact_of(dynamic ? "lugre" : "stribeck", p);
    const std::vector<double> speeds{0.2 * w.length, 0.5 * w.length, 2 * w.length};
    const auto found = of(experiments_of({strokes(w, *contact, speeds)}), "constant speed");
    EXPECT_EQ(found.size(), 9U) << seed;
    for (const Observation& o : found) {
      if (w.drift > 0 && o.name != "friction") continue;  // a level contains the drift of the sensor
      const double v = o.v > 0 ? 1 : -1;
      double near = speeds[0];
      for (const double s : speeds) near = std::abs(s - std::abs(o.v)) < std::abs(near - std::abs(o.v)) ? s : near;
      EXPECT_NEAR(o.v, v * near, 0.02 * near);
      const double truth = v * (Fc + 0.3 * Fc * std::exp(-std::pow(near / vs, 2)) + 0.1 * w.force * near / w.length);
      tally.add(o, truth, seed);
    }
  }
  EXPECT_GE(tally.inside, 0.9 * tally.all) << tally.missed;
  EXPECT_LT(tally.widest, 0.5);
}

/// A slow triangular force on a mass.
Recording ramps(const World& w, AnyContact& contact, double mass, double top, double period, double cycles,
                bool friction) {
  Sensor sensor{w};
  const int parts = 20;
  const double dt = 1 / w.rate / parts;
  double x = 0, v = 0;
  for (long i = 0; i < static_cast<long>(cycles * period * w.rate); ++i) {
    double u = 0, F = 0;
    for (int part = 0; part < parts; ++part) {
      const double phase = std::fmod((static_cast<double>(i) / w.rate + part * dt) / period, 1.0);
      u = top * (phase < 0.25 ? 4 * phase : phase < 0.75 ? 2 - 4 * phase : 4 * phase - 4);
      const auto c = contact.couple({.x = x, .v = v, .F_app = u}, mass, dt);
      v = c.v;
      F = c.F;
      x += v * dt;
    }
    sensor.add(static_cast<double>(i + 1) / w.rate, x, friction ? F : u);
  }
  return sensor.recording(friction ? "F" : "u");
}

TEST(Experiments, ForceRampsGiveTheBreakAway) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    World w{seed};
    w.rate = w.random(100, 500);
    const double Fc = w.force * w.random(0.3, 0.6), Fs = Fc * w.random(1.0, 1.6);
    const bool dynamic = seed % 2 == 0;
    Table p{{"Fc", Fc}, {"Fs", Fs}, {"vs", 0.1 * w.length}, {"kv", 0.1 * w.force / w.length}};
    if (dynamic) p.insert(p.end(), {{"sigma0", 1000 * Fc / w.length}, {"sigma1", 0.5 * Fc / w.length}});
    const auto contact = contact_of(dynamic ? "lugre" : "stribeck", p);
    const double mass = 0.02 * w.force / w.length;
    const auto found = of(experiments_of({ramps(w, *contact, mass, 1.4 * Fs, 10, 2, seed % 3 == 0)}), "force ramp");
    EXPECT_EQ(found.size(), 3U) << seed;
    for (const Observation& o : found) {
      if (w.drift > 0 && o.name != "break-away friction") continue;  // a level contains the drift of the sensor
      tally.add(o, o.v * Fs, seed);
    }
  }
  EXPECT_GE(tally.inside, 0.9 * tally.all) << tally.missed;
  EXPECT_LT(tally.widest, 0.3);
}

/// Loops of two amplitudes around a centre; `turn`: force at the last reversals.
Recording loops(const World& w, AnyContact& contact, double amplitude, double smaller, bool sine, double& turn) {
  Sensor sensor{w};
  const double period = 400 / w.rate, dt = 1 / w.rate;
  double x = 0, F = 0;
  for (std::size_t i = 0; i < 3200; ++i) {
    const double t = static_cast<double>(i) * dt, phase = std::fmod(t / period, 1.0), cycle = std::floor(t / period);
    const double shape = sine           ? std::sin(two_pi * phase)
                         : phase < 0.25 ? 4 * phase
                         : phase < 0.75 ? 2 - 4 * phase
                                        : 4 * phase - 4;
    const double next = amplitude * (cycle < 4 ? smaller : 1) * shape;
    const double v = (next - x) / dt;
    x = next;
    F = contact.step({.x = x, .v = v, .F_app = F, .t = t}, dt);
    if (cycle > 4) turn = std::max(std::abs(F), turn);
    sensor.add(t, x, F);
  }
  return sensor.recording();
}

/// A Maxwell-slip hysteresis has the sum of its stiffnesses after a reversal, and obeys Masing's rules. The slope of
/// Dahl's law after a reversal at F is sigma0 (1 + F/Fc), and its branches are not the doubled virgin curve.
TEST(Experiments, SmallLoopsGiveTheStiffness) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const World w{seed};
    const double Fc = w.force, reach = w.length;
    const bool dahl = seed % 2 == 0;
    const std::vector<double> k{0.5 * Fc / reach, 0.3 * Fc / reach, 0.2 * Fc / reach};
    const std::vector<double> W{0.25 * Fc, 0.35 * Fc, 0.4 * Fc};
    const auto contact = dahl ? contact_of("dahl", {{"Fc", Fc}, {"sigma0", Fc / reach}})
                              : contact_of("maxwell_slip", {{"k", k}, {"W", W}});
    double turn = 0;
    const Recording r = loops(w, *contact, reach * w.random(0.6, 1.2), dahl ? 1 : 0.6, seed % 4 < 2, turn);
    const auto found = of(experiments_of({r}), "small loops");
    ASSERT_EQ(found.size(), 2U) << seed;
    tally.add(found[0], Fc / reach * (dahl ? 1 + turn / Fc : 1), seed);
    EXPECT_EQ(found[1].name, "Masing deviation");
    EXPECT_LT(found[1].value, dahl ? 10 : 3) << seed << found[1].remark;
    if (dahl) { EXPECT_GT(found[1].value, 3) << seed << found[1].remark; }
  }
  EXPECT_GE(tally.inside, 0.9 * tally.all) << tally.missed;
  EXPECT_LT(tally.widest, 0.5);
}

/// mu over the displacement after a step from V0, without inertia and with the ageing law; friction falls with wear.
Recording velocity_step(const World& w, double a, double b, double Dc, double wear) {
  Sensor sensor{w};
  const double slow = 0.02 * w.length, fast = slow * w.random(3, 20), dt = 1 / w.rate;
  double x = 0, theta = Dc / slow;
  for (std::size_t i = 0; i < 3000; ++i) {
    const double v = i <= 1000 ? slow : fast;
    if (i > 0) x += v * dt;
    if (i > 0) theta = Dc / v + (theta - Dc / v) * std::exp(-v * dt / Dc);
    const double mu = 0.5 + a * std::log(v / slow) + b * std::log(theta * slow / Dc) - wear * x;
    sensor.add(static_cast<double>(i) * dt, x, w.force * mu);
  }
  return sensor.recording("mu");
}

TEST(Experiments, VelocityStepsGiveTheRateDependence) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    World w{seed};
    w.force = 1;
    w.rate = 200;
    w.noise = 0.0005;
    w.drift = 0;
    w.position_noise = 1e-6;
    const double a = w.random(0.01, 0.02), b = w.random(-0.01, 0.025);
    const Recording r = velocity_step(w, a, b, 1e-3 * w.length, 0.005 / w.length);
    const auto found = of(experiments_of({r}), "velocity step");
    ASSERT_EQ(found.size(), 1U) << seed;
    tally.add(found[0], a - b, seed);
  }
  EXPECT_GE(tally.inside, 0.9 * tally.all) << tally.missed;
}

/// The fits of the laws add a, b and Dc. The contact is rigid: its step ends with a row, and a spring in its place would
/// move a by many standard errors.
TEST(Experiments, BelongToTheRanking) {
  World w{3};
  w.force = 1;
  w.length = 1e-3;
  w.rate = 200;
  w.noise = 0.0005;
  w.drift = 0;
  w.position_noise = 1e-6;
  Options o;
  o.models = {"rate_state"};
  o.starts = 1;
  o.profiles = o.global = false;
  const Ranking ranking = identify::identify({velocity_step(w, 0.012, 0.02, 2e-5, 0)}, o);
  for (const auto& [name, truth] : {std::pair{"a", 0.012}, {"b", 0.02}, {"Dc", 2e-5}, {"a - b", -0.008}}) {
    const auto found = std::ranges::find(ranking.experiments, name, &Observation::name);
    ASSERT_NE(found, ranking.experiments.end()) << name;
    EXPECT_LE(found->low, truth) << name;
    EXPECT_GE(found->high, truth) << name;
    EXPECT_LT(found->high - found->low, 0.1 * std::abs(truth)) << name;
  }
}

/// Motions without an experiment yield no numbers.
TEST(Experiments, GeneralMotionYieldsNothing) {
  for (const char* model : {"lugre", "stribeck", "gms"}) {
    const Recording r = synthetic::truth_of(model, 4, 2e-3).recording({0.01});
    for (const Observation& o : of(experiments_of({r}), "constant speed")) ADD_FAILURE() << model << " " << o.v;
    for (const Observation& o : of(experiments_of({r}), "force ramp")) ADD_FAILURE() << model << " " << o.value;
  }
}

}  // namespace
