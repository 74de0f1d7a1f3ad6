/// Observers and adaptive laws after a sensor has failed for one sample.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "bristle/control/adaptive_lugre.hpp"
#include "bristle/control/disturbance_observer.hpp"
#include "bristle/control/friedland_park.hpp"
#include "bristle/control/gms_observer.hpp"
#include "bristle/control/kalman.hpp"
#include "bristle/control/least_squares.hpp"

namespace bristle::control {
namespace {

/// Compensation of a body of 10 kg that follows a sine against friction; one velocity and one force are not finite.
template <class Law> std::vector<float> follow(Law law, float failed) {
  std::vector<float> out;
  for (int k = 0; k < 6000; ++k) {
    const float t = 1e-3F * static_cast<float>(k), w = 3, v = 0.06F * std::sin(w * t), a = 0.06F * w * std::cos(w * t);
    Interval<float> in{
        .v = v, .e = 1e-5F * std::sin(w * t), .u = 10 * a + 24 * sgn(v) + 120 * v, .v_ref = v, .dt = 1e-3F};
    if (k == 1000) in.v += failed;
    if (k == 1500) in.u += failed;
    out.push_back(law.step(in));
  }
  return out;
}

/// No output is lost, and the estimate is that of good sensors five seconds later.
template <class Law> void recovers(const Law& law, const char* name) {
  const std::vector<float> good = follow(law, 0);
  for (const float failed : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const std::vector<float> now = follow(law, failed);
    for (std::size_t k = 0; k < now.size(); ++k) ASSERT_TRUE(std::isfinite(now[k])) << name << " in sample " << k;
    for (std::size_t k = 5900; k < now.size(); ++k) ASSERT_NEAR(now[k], good[k], 0.5F) << name;
  }
}

TEST(FailedSensor, EstimatesReturn) {
  const LuGre<float> model{{.Fc = 20, .Fs = 25, .vs = 2e-3F, .sigma0 = 4e6F, .sigma1 = 1000, .kv = 100}};
  recovers(LuGreObserver<float>{model}, "LuGreObserver");
  recovers(GmsObserver<float>{}, "GmsObserver");
  recovers(DisturbanceObserver<float>{.inertia = 10}, "DisturbanceObserver");
  recovers(FriedlandPark<float>{.inertia = 10, .gain = 100, .kv = 100, .least = 0.01F, .highest = 100, .level = 20},
           "FriedlandPark");
  FrictionLeastSquares<float> squares{.inertia = 10, .speed = 0.06F};
  squares.excitation = {0.01F, 0.02F};
  squares.value = {20, 100, 0, 0};
  squares.highest = {100, 500, 0, 0};
  recovers(squares, "FrictionLeastSquares");
  AdaptiveLuGre<float> adaptive{.observer = {model}, .inertia = 10};
  adaptive.excitation = {0.01F, 0.02F};
  recovers(adaptive, "AdaptiveLuGre");
  KalmanObserver<LuGre<float>, 4> kalman;
  kalman.model = model;
  kalman.inertia = 10;
  kalman.excitation = {0.01F, 0.02F};
  for (const char* name : {"Fc", "kv"}) {
    const auto place = kalman.place_of(name);
    const float value = kalman.parameter(place);
    kalman.estimate(place, 0.2F * value, 0.2F * value, 5 * value, 0.1F * value);
  }
  recovers(kalman, "KalmanObserver");
}

}  // namespace
}  // namespace bristle::control
