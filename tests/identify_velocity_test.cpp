/// A measured velocity next to a measured position: the one with less noise is used.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

constexpr double Fc = 10, kv = 30;

struct Sensors {
  double x_noise = 0, x_step = 0, v_noise = 0, amplitude = 0.05, frequency = 0.5;
  std::uint64_t seed = 1;
};
Read read(const Sensors& s) {
  std::vector<double> t, x, v, F;
  for (std::uint64_t i = 0; i < 6000; ++i) {
    auto noise = [&](std::uint64_t kind) { return synthetic::normal(3 * s.seed + kind, i); };
    const double omega = two_pi * s.frequency, phase = omega * 1e-3 * static_cast<double>(i);
    const double position = s.amplitude * std::sin(phase), velocity = s.amplitude * omega * std::cos(phase);
    t.push_back(1e-3 * static_cast<double>(i));
    x.push_back(position + s.x_noise * noise(0));
    if (s.x_step > 0) x.back() = s.x_step * std::round(x.back() / s.x_step);
    v.push_back(velocity + s.v_noise * noise(1));
    F.push_back(std::copysign(Fc, velocity) + kv * velocity + 0.2 * noise(2));
  }
  return make_recording({{{"t", "s", t}, {"x", "m", x}, {"v", "m/s", v}, {"F", "N", F}}}, {}, "run.csv");
}
bool finds(const Read& read, const std::string& text) {
  return std::ranges::any_of(read.findings, [&](const Finding& f) { return f.text.find(text) != std::string::npos; });
}
void expect_truth(const Read& read) {
  Options options;
  options.models = {"coulomb"};
  options.starts = 1;
  const Fit fit = identify::identify({read.recording}, options).fits.at(0);
  for (const auto& [name, truth] : {std::pair{"Fc", Fc}, {"kv", kv}}) {
    const Estimate& e = *std::ranges::find(fit.friction, name, &Estimate::name);
    // Of twenty intervals one may miss the truth: three standard errors instead of two.
    EXPECT_NEAR(e.value, truth, 0.75 * (e.high - e.low)) << name;
  }
}

/// Of noise as large as an eighth of the velocity, the sign alone makes errors near every reversal.
TEST(Velocity, ThatIsNoisierThanTheDerivativeIsReplaced) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const Sensors& s : {Sensors{.x_noise = 1e-6, .v_noise = 0.02, .seed = seed},
                             Sensors{.x_step = 1e-5, .v_noise = 0.01, .seed = seed},
                             Sensors{.x_noise = 1e-5, .v_noise = 0.05, .frequency = 2, .seed = seed}}) {
      const Read r = read(s);
      EXPECT_TRUE(finds(r, "more than the derivative of x, which is used instead"));
      expect_truth(r);
    }
  }
}

TEST(Velocity, ThatIsCleanerThanTheDerivativeIsUsed) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    for (const Sensors& s :
         {Sensors{.x_step = 1e-3, .seed = seed}, Sensors{.x_step = 1e-3, .v_noise = 1e-4, .seed = seed},
          Sensors{.x_step = 5e-4, .v_noise = 1e-5, .amplitude = 0.01, .frequency = 0.1, .seed = seed},
          Sensors{.x_noise = 1e-3, .v_noise = 1e-3, .seed = seed}}) {
      const Read r = read(s);
      EXPECT_TRUE(finds(r, "and is used"));
      expect_truth(r);
    }
  }
}

/// Steps of a clean velocity are no noise.
TEST(Velocity, KeepsItsSteps) {
  std::vector<double> t, x, v, F;
  for (int i = 0; i < 4000; ++i) {
    t.push_back(1e-3 * i);
    v.push_back(i / 500 % 2 == 0 ? 0.05 : -0.05);
    x.push_back((i == 0 ? 0 : x.back() + 1e-3 * v.back()) + 1e-6 * synthetic::normal(1, static_cast<std::uint64_t>(i)));
    F.push_back(std::copysign(Fc, v.back()) + 0.2 * synthetic::normal(2, static_cast<std::uint64_t>(i)));
  }
  const Read r = make_recording({{{"t", "s", t}, {"x", "m", x}, {"v", "m/s", v}, {"F", "N", F}}}, {}, "run.csv");
  EXPECT_EQ(r.recording.v, v);
  // One speed does not separate dry from viscous friction, and the intervals say so.
  Options options;
  options.models = {"coulomb"};
  options.starts = 1;
  const Fit fit = identify::identify({r.recording}, options).fits.at(0);
  for (const Estimate& e : fit.friction) EXPECT_FALSE(e.identifiable) << e.name << " " << e.low << " " << e.high;
}

}  // namespace
