/// Drives, servos, sensors and starts in scenario files: every kind is read everywhere, and hostile values are refused in a
/// line.
#include <gtest/gtest.h>

#include "support/experiment.hpp"
#include "support/scenario.hpp"

using namespace bristle;

namespace {

const std::string ramp = "kind = \"ramp\"\nvelocity = 0.1\n";

/// Messages without line numbers.
Lines said(const std::string& text) {
  Lines out;
  for (const std::string& line : problems(text)) out.push_back(line.substr(line.find(": ") + 2));
  return out;
}
Lines said_of_drive(const std::string& drive) { return said(with(stick_slip, ramp, drive)); }
std::string servo_text(const std::string& controller, const std::string& drive = ramp) {
  return with(with(stick_slip, "stiffness = 2.0\n", ""), ramp, drive) + "[controller]\n" + controller;
}
Lines said_of_servo(const std::string& controller) { return said(servo_text(controller)); }

struct Example {
  std::string name, keys;
};
const std::vector<Example> all{
    {"staircase", "size = 0.1, hold = 2, count = 3"},
    {"trapezoid", "distance = -0.5, velocity = 0.1, acceleration = 1"},
    {"s_curve", "distance = 0.5, velocity = 0.1, acceleration = 1, jerk = 9"},
    {"minimum_jerk", "points = [0, 1, 0.5], times = [0, 1, 4]"},
    {"point_to_point", "points = [0, 1, 0.5], times = [0, 1, 4]"},
    {"prbs", "amplitude = 0.1, bit_time = 0.5, seed = 3"},
};
std::string as_section(const Example& k) {
  std::string keys = k.keys;
  for (std::size_t at = 0; (at = keys.find(", ", at)) != std::string::npos;) {
    const std::size_t open = keys.rfind('[', at), close = keys.rfind(']', at);
    const bool inside = open != std::string::npos && (close == std::string::npos || close < open);
    inside ? ++at : (keys.replace(at, 2, "\n"), at);
  }
  return "kind = \"" + k.name + "\"\n" + keys + "\n";
}

}  // namespace

TEST(ScenarioDrives, EveryKindEverywhere) {
  for (const Example& k : all) {
    for (const char* of : {"position", "velocity", "force"}) {
      EXPECT_EQ(said_of_drive(as_section(k) + "of = \"" + of + "\"\nsoft_start = 0.5\n"), Lines{}) << k.name << of;
      EXPECT_EQ(said_of_drive("kind = \"sum\"\nof = \"" + std::string(of) + "\"\nterms = [{ kind = \"" + k.name +
                              "\", " + k.keys + " }, { kind = \"constant\", value = 1 }]\n"),
                Lines{})
          << k.name << of;
    }
    EXPECT_EQ(said(stick_slip + "[load]\nkind = \"sum\"\nterms = [{ kind = \"constant\", value = 3 }, { kind = \"" +
                   k.name + "\", " + k.keys + " }]\n"),
              Lines{})
        << k.name;
  }
  const Scenario s = good(with(stick_slip, ramp, as_section(all[1])));
  EXPECT_DOUBLE_EQ(s.experiment.drive.at(20).value, -0.5);
}

TEST(ScenarioDrives, HostileValues) {
  for (const Example& k : all) {
    for (std::size_t at = 0; (at = k.keys.find(" = ", at)) != std::string::npos; at += 3) {
      const std::size_t begin = k.keys.rfind(' ', at - 1), name = begin == std::string::npos ? 0 : begin + 1;
      const std::string key = k.keys.substr(name, at - name);
      const bool list = k.keys[at + 3] == '[';
      for (const std::string value : {"nan", "inf", "1e31", "\"x\"", "true", "[]", "[1]", "{}"}) {
        if (list && value == "[1]") continue;
        Example changed = k;
        const std::size_t end = list ? k.keys.find(']', at) + 1 : std::min(k.keys.find(',', at), k.keys.size());
        changed.keys.replace(at + 3, end - at - 3, value);
        EXPECT_GE(said_of_drive(as_section(changed)).size(), 1U) << k.name << " " << key << " = " << value;
      }
    }
  }
  EXPECT_EQ(said_of_drive("kind = \"trapezoid\"\ndistance = 1\nvelocity = -1\nacceleration = 0\n"),
            (Lines{"velocity = -1 m/s must be > 0", "acceleration = 0 m/s^2 must be > 0"}));
  EXPECT_EQ(
      said_of_drive("of = \"velocity\"\nkind = \"s_curve\"\ndistance = 1\nvelocity = 1\nacceleration = 1\njerk = 0\n"),
      Lines{"jerk = 0 m/s^4 must be > 0"});
  EXPECT_EQ(said_of_drive("kind = \"staircase\"\nsize = 1\nhold = 1\ncount = 2.5\n"),
            Lines{"count = 2.5 must be a whole number, 1 to 1000000"});
  EXPECT_EQ(said_of_drive("kind = \"minimum_jerk\"\npoints = [0, 1]\ntimes = [0, 1, 2]\n"),
            Lines{"points has 2 values and times has 3 in [drive]; both must have the same length, at least 2"});
  EXPECT_EQ(said_of_drive("kind = \"point_to_point\"\npoints = [0, 1, 2]\ntimes = [0, 2, 2]\n"),
            Lines{"times in [drive] must increase: 2 s is followed by 2 s at point 3"});
  EXPECT_EQ(
      said_of_drive("kind = \"prbs\"\namplitude = 1\nbit_time = 1e-9\nof = \"force\"\n"),
      Lines{
          "the drive has about 2e+10 corners within the run; at most 1e+07 are accepted, or max_steps if that is more"});
  EXPECT_EQ(said_of_drive("kind = \"trapezoid\"\ndistance = 1\nvelocity = 1\n").size(), 1U);
  EXPECT_EQ(said_of_drive("kind = \"trapezoid\"\ndistance = 1\nvelocity = 1\nacceleration = 1\njerk = 3\n").size(), 1U);
}

TEST(ScenarioDrives, ServosAndSensors) {
  const Scenario s = good(servo_text("kind = \"cascade\"\nposition_gain = 3\nvelocity_gain = 2\nvelocity_integral = 5\n"
                                     "anti_windup = true\nlimit = 4\nsample_time = 0.01\ndead_band = 1e-4\n"
                                     "acceleration_feedforward = 0.3\n[controller.sensor]\nstep = 1e-6\nnoise = 1e-7\n"
                                     "delay = 0.015\nvelocity = \"difference\"\nseed = 4\n"));
  const ControllerParams& c = *s.experiment.controller;
  EXPECT_TRUE(c.cascade() && c.anti_windup);
  EXPECT_EQ(c.sensor.seed, 4);
  EXPECT_EQ(c.resolution(), 1e-6);
  EXPECT_EQ(c.velocity(), MeasuredVelocity::difference);
  EXPECT_EQ(said_of_servo("kind = \"pi\"\n"), Lines{"kind = \"pi\" must be one of \"pid\", \"cascade\""});
  EXPECT_EQ(said_of_servo("kp = 1\nanti_windup = 1\n"), Lines{"anti_windup = 1 must be true or false"});
  EXPECT_EQ(said_of_servo("kp = 1\nsensor = 3\n"), Lines{"sensor = 3 must be a section [controller.sensor]"});
  EXPECT_EQ(said_of_servo("kp = 1\nsample_time = 0.01\nencoder_step = 1e-6\n[controller.sensor]\nstep = 1e-6\n"),
            Lines{"encoder_step in [controller] and step in [controller.sensor] are both given; one is accepted"});
  for (const std::string key : {"step", "noise", "delay"}) {
    for (const std::string value : {"-1", "nan", "1e31", "\"x\""})
      EXPECT_EQ(said_of_servo("kp = 1\nsample_time = 0.01\n[controller.sensor]\n" + key + " = " + value + "\n").size(),
                1U);
    EXPECT_EQ(said_of_servo("kp = 1\n[controller.sensor]\n" + key + " = 1e-3\n").size(), 1U) << key;
  }
  EXPECT_EQ(problems(servo_text("kp = 1\n[controller.sensor]\nvelocity = \"difference\"\n")).front().substr(0, 10),
            "s.toml:22:");
  EXPECT_EQ(said_of_servo("kp = 1\ncompensation = \"nothing\"\n").size(), 1U);
}

/// The derivative of a step is a Dirac impulse: refused, or a note with the force that the servo meets.
TEST(ScenarioDrives, StepOfTheReference) {
  const std::string step = "kind = \"step\"\nat = 2\nsize = 0.01\n";
  const Scenario sampled = good(servo_text("kp = 10\nkd = 4\nsample_time = 0.01\n", step));
  ASSERT_EQ(sampled.notes.size(), 2U);  // and one about passivity
  EXPECT_NE(sampled.notes[1].find("Dirac impulse, which the servo meets as kd x 0.01 m over 0.01 s = 4 N"),
            std::string::npos)
      << sampled.notes[1];
  EXPECT_EQ(good(servo_text("kp = 10\nkd = 4\nsample_time = 0.01\nderivative_weight = 0\n", step)).notes.size(), 1U);
  EXPECT_EQ(good(servo_text("kp = 10\nkd = 4\nderivative_filter = 0.01\n", step)).notes.size(), 2U);
  EXPECT_EQ(problems(servo_text("kp = 10\nkd = 4\n", step)).size(), 1U);
  EXPECT_EQ(good(servo_text("kp = 10\nkd = 4\nsample_time = 0.01\n", as_section(all[2]))).notes.size(), 1U);
}

TEST(ScenarioDrives, StartsAndMasses) {
  EXPECT_EQ(said(with(stick_slip, "mass = 2\n", "mass = 2\nstart = \"steady\"\n")), Lines{});
  EXPECT_EQ(said(with(stick_slip, "mass = 2\n", "mass = 2\nstart = \"steady\"\nv0 = 1\n")),
            Lines{"v0 is not accepted with start = \"steady\", which sets it"});
  EXPECT_EQ(said(with(stick_slip, "mass = 2\n", "mass = 2\nstart = \"rest\"\n")),
            Lines{"start = \"rest\" must be one of \"given\", \"steady\""});
  EXPECT_EQ(said(with(stick_slip, "mass = 2\n", "mass = 0\n")).size(), 1U);
  EXPECT_EQ(said(with(stick_slip, "mass = 2\n", "mass = -1\n")), Lines{"mass = -1 kg must be >= 0"});
  EXPECT_EQ(said(with(with(stick_slip, "mass = 2\n", "mass = 0\nradius = 1\n"), "\"slider\"", "\"roller\"")).size(),
            1U);
}

/// mu where the load is known: from coefficients or from the model; none otherwise.
TEST(ScenarioDrives, ColumnMu) {
  const std::string coefficients =
      with(with(stick_slip, "Fc = 1.0", "mu_c = 0.1\nnormal_load = 10"), "Fs = 1.5", "mu_s = 0.15");
  const Scenario s = good(coefficients + "[expect]\n\"max(mu)\" = { max = 0.16 }\n[[figure]]\ny = \"mu\"\n");
  const auto run = simulate(s.experiment);
  ASSERT_NE(run.trace.find("mu"), nullptr);
  EXPECT_EQ(run.trace.columns.back().name, "mu");
  EXPECT_DOUBLE_EQ(run.trace.find("mu")->values.back(), run.trace.find("F")->values.back() / 10);
  EXPECT_EQ(said(stick_slip + "[expect]\n\"max(mu)\" = { max = 0.16 }\n").size(), 1U);
}
