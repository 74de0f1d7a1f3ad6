/// A 1 kHz loop of your own with every observer and adaptive law of bristle/control, in float and without allocation. Replace `Axis` by the
/// hardware: read an encoder, write a force.
#include <bristle/control/adaptive_lugre.hpp>
#include <bristle/control/disturbance_observer.hpp>
#include <bristle/control/friedland_park.hpp>
#include <bristle/control/gms_observer.hpp>
#include <bristle/control/kalman.hpp>
#include <bristle/control/least_squares.hpp>
#include <bristle/couple.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

using namespace bristle;

namespace {

constexpr float period = 1e-3F, mass = 10;
const LuGre<float> nominal{{.Fc = 20, .Fs = 25, .vs = 2e-3F, .sigma0 = 4e6F, .sigma1 = 1000, .kv = 100}};

/// Fake hardware: the axis has 20 % more friction than the model, and an encoder with steps of 0.1 um.
class Axis {
 public:
  float encoder() const { return static_cast<float>(1e-7 * std::round(x_ / 1e-7)); }
  void force(float u) {
    for (int i = 0; i < 10; ++i) {
      v_ = couple(contact_, s_, q_, Motion<double>{.v = v_, .F_app = static_cast<double>(u), .r = 1.2}, 10.0, 1e-4).v;
      x_ += v_ * 1e-4;
    }
  }

 private:
  LuGre<double> contact_ = rebind<double>(nominal);
  LuGre<double>::State s_{};
  LuGre<double>::Mode q_{};
  double x_ = 0, v_ = 0;
};

struct Result {
  double rms, slowest;  // m, s per step of the observer
};

template <class Observer> Result run(Observer observer) {
  Axis axis;
  float last = 0, integral = 0, u = 0, v = 0;
  double squares = 0, slowest = 0;
  for (int k = 0; k < 10000; ++k) {
    const float w = 3.14159265F, t = period * static_cast<float>(k), ref = 0.01F * (1 - std::cos(w * t)),
                v_ref = 0.01F * w * std::sin(w * t), a_ref = 0.01F * w * w * std::cos(w * t);
    const float x = axis.encoder(), e = x - ref;
    v += 0.3F * ((x - last) / period - v);  // filtered difference
    last = x;
    const auto begin = std::chrono::steady_clock::now();
    const float friction = observer.step({.v = v, .e = e, .u = u, .v_ref = v_ref, .dt = period});
    slowest = std::max(slowest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    integral += e * period;
    u = -(2e5F * e + 4e6F * integral + 3000 * (v - v_ref)) + mass * a_ref + friction;
    axis.force(u);
    if (k > 4000) squares += static_cast<double>(e) * static_cast<double>(e);
  }
  return {std::sqrt(squares / 6000), slowest};
}

struct Nothing {
  static float step(const control::Interval<float>&) { return 0; }
};

}  // namespace

int main() {
  // The bristles of the model, as four elements that yield one after the other.
  Gms<float> elements;
  elements.p.k = {1.6e6F, 1.2e6F, 0.8e6F, 0.4e6F};
  elements.p.nu = {0.2F, 0.3F, 0.3F, 0.2F};
  elements.p.sigma = {250, 250, 250, 250};
  elements.p.Fc = 20;
  elements.p.Fs = 25;
  elements.p.vs = 2e-3F;
  elements.p.kv = 100;
  control::FriedlandPark<float> coulomb{
      .inertia = mass, .gain = 100, .kv = 100, .least = 0.01F, .highest = 100, .level = 20};
  control::FrictionLeastSquares<float> squares{.inertia = mass, .speed = 0.03F};
  squares.excitation = {0.01F, 0.02F};
  squares.value = {20, 100, 0, 0};  // Fc, kv, offset, asymmetry
  squares.lowest = {4, 20, 0, 0};
  squares.highest = {100, 500, 0, 0};
  control::AdaptiveLuGre<float> adaptive{.observer = {nominal}, .inertia = mass};
  adaptive.excitation = {0.01F, 0.02F};
  control::KalmanObserver<LuGre<float>, 4> kalman;
  kalman.model = nominal;
  kalman.inertia = mass;
  kalman.excitation = {0.01F, 0.02F};
  for (const char* name : {"Fc", "Fs", "kv"}) {
    const auto place = kalman.place_of(name);
    const float value = kalman.parameter(place);
    kalman.estimate(place, 0.2F * value, 0.2F * value, 5 * value, 0.1F * value);
  }
  const Result none = run(Nothing{});
  auto report = [&](const char* name, const Result& r) {
    std::printf("%-22s rms error %8.3f um, slowest step %6.2f us\n", name, 1e6 * r.rms, 1e6 * r.slowest);
    return r.rms < none.rms;
  };
  report("no compensation", none);
  bool good = report("LuGre observer", run(control::LuGreObserver<float>{nominal}));
  good = report("GMS observer", run(control::GmsObserver<float>{elements})) && good;
  good = report("Friedland-Park", run(coulomb)) && good;
  good = report("disturbance observer", run(control::DisturbanceObserver<float>{.inertia = mass})) && good;
  good = report("least squares", run(squares)) && good;
  good = report("adaptive LuGre", run(adaptive)) && good;
  good = report("Kalman filter", run(kalman)) && good;
  return good ? 0 : 1;
}
