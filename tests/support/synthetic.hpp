#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bristle/identify.hpp"
#include "bristle/random.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/scalar.hpp"

/// Recordings whose truth is known: a model along a rich motion, with noise.
namespace synthetic {

inline double normal(std::uint64_t seed, std::uint64_t i) {
  const double a = bristle::uniform(seed, 201, i), b = bristle::uniform(seed, 202, i);
  return std::sqrt(-2 * std::log1p(-a)) * std::cos(bristle::two_pi * b);
}

/// All that fits adjust: without populations.
inline std::vector<std::string> lumped_models() {
  std::vector<std::string> out;
  for (const bristle::ModelInfo& m : bristle::model_infos()) {
    if (m.level != "contact") out.push_back(m.name);
  }
  return out;
}

struct Noise {
  double level = 0.01;  // standard deviation over the largest force
  double memory = 0;    // correlation of neighbours: 0 white
  std::uint64_t seed = 1;
};

/// Strokes of all sizes: the speed swells from far below `velocity` to far above it and back, in two frequencies, so that
/// the motion goes from pre-sliding to fast sliding.
struct Motion {
  double velocity = 1e-3, fastest = 30, slowest = 0.1, duration = 10, dt = 1e-3, frequency = 1.3;
  double speed(double t) const {
    const double phase = 2 * t / duration, swell = phase < 1 ? phase : 2 - phase;
    const double amplitude = velocity * slowest * std::pow(fastest / slowest, swell);
    return amplitude *
           (std::sin(bristle::two_pi * frequency * t) + 0.5 * std::sin(bristle::two_pi * 0.31 * frequency * t + 1));
  }
};

/// Friction along the motion, the velocity held over each interval.
inline bristle::identify::Recording recording(const std::string& model, const bristle::Table& parameters,
                                              const Motion& motion, const Noise& noise) {
  const auto made = bristle::make(model, parameters);
  if (!made.contact) throw bristle::BadInput(made.problems.front().line());
  bristle::identify::Recording r;
  r.name = model;
  double x = 0, largest = 0, held = 0;
  const auto n = static_cast<std::size_t>(std::lround(motion.duration / motion.dt));
  for (std::size_t i = 0; i <= n; ++i) {
    const double t = static_cast<double>(i) * motion.dt, v = motion.speed(t);
    if (i > 0) x += v * motion.dt;
    const double F = made.contact->step({.x = x, .v = v, .F_app = held, .t = t}, i > 0 ? motion.dt : 1e-9 * motion.dt);
    held = F;
    largest = std::max(largest, std::abs(F));
    r.t.push_back(t);
    r.x.push_back(x);
    r.v.push_back(v);
    r.F.push_back(F);
  }
  double e = 0;
  for (std::size_t i = 0; i <= n; ++i) {
    const double fresh = normal(noise.seed, i) * std::sqrt(1 - noise.memory * noise.memory);
    e = i == 0 ? normal(noise.seed, i) : noise.memory * e + fresh;
    r.F[i] += noise.level * largest * e;
  }
  return r;
}

/// A model with its typical parameters and some viscous friction, along a motion on which it shows its character.
struct Truth {
  std::string model;
  bristle::Table parameters{};
  Motion motion{};
  bristle::Table fixed{};  // what a recording cannot tell: references and choices

  bristle::identify::Recording recording(const Noise& noise) const {
    return synthetic::recording(model, parameters, motion, noise);
  }
  double value(const std::string& name) const {  // k2 is the second of k
    for (const bristle::Variable& v : bristle::make(model, parameters).contact->parameters()) {
      if (v.name == name) return v.value;
    }
    throw bristle::BadInput("no parameter " + name);
  }
};

inline Truth truth_of(const std::string& model, double duration = 10, double dt = 1e-3) {
  Truth out{model};
  for (const auto& f : bristle::find_model(model)->parameters) {
    if (f.required) out.parameters.push_back({f.name, f.value});
    if (!f.fitted && f.required) out.fixed.push_back({f.name, f.value});
  }
  const auto scales = bristle::make(model, out.parameters).contact->scales();
  Motion& m = out.motion;
  m.velocity = scales.velocity > 0 ? scales.velocity : scales.displacement > 0 ? 100 * scales.displacement : 1e-3;
  m.duration = duration;
  m.dt = dt;
  if (scales.displacement > 0)  // the slowest strokes are about as long as pre-sliding
    m.frequency = std::min(0.02 / dt, std::max(2 / duration, m.velocity / scales.displacement / 60));
  if (model != "viscous") out.parameters.push_back({"kv", 0.02 * scales.force / m.velocity});
  return out;
}

}  // namespace synthetic
