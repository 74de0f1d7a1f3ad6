/// Nanoseconds per interval of every observer and adaptive law, mean and worst case, in float and in double.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "bristle/control/adaptive_lugre.hpp"
#include "bristle/control/disturbance_observer.hpp"
#include "bristle/control/friedland_park.hpp"
#include "bristle/control/gms_observer.hpp"
#include "bristle/control/kalman.hpp"
#include "bristle/control/least_squares.hpp"

using namespace bristle;

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) { return std::chrono::duration<double, std::nano>(Clock::now() - begin).count(); }

/// The worst case is the slowest interval of the motion, each at its fastest of many repetitions: other processes are excluded,
/// slow paths of the law are not, nor is the reading of the clock.
template <class Law> void measure(const char* name, const char* scalar, const Law& law) {
  using T = decltype(law.inertia);
  constexpr int intervals = 2000, repetitions = 100;
  std::vector<double> fastest(intervals, inf);
  double best = inf;
  [[maybe_unused]] volatile T sink{};
  auto interval = [](int k) {
    const double t = 1e-3 * k, v = 0.02 * (std::sin(two_pi * 1.3 * t) + 0.3 * std::sin(two_pi * 7.7 * t));
    return control::Interval<T>{T(v), T(1e-6), T(20 * std::tanh(v / 1e-3)), T(v), T(1e-3)};
  };
  std::vector<control::Interval<T>> motion;
  for (int k = 0; k < intervals; ++k) motion.push_back(interval(k));
  for (int r = 0; r < repetitions; ++r) {
    Law one = law, other = law;
    const auto begin = Clock::now();
    for (const auto& in : motion) sink = one.step(in);
    best = std::min(best, since(begin) / intervals);
    for (int k = 0; k < intervals; ++k) {
      const auto now = Clock::now();
      sink = other.step(motion[static_cast<std::size_t>(k)]);
      double& f = fastest[static_cast<std::size_t>(k)];
      f = std::min(f, since(now));
    }
  }
  std::printf("%s %s %.1f %.0f\n", name, scalar, best, *std::max_element(fastest.begin(), fastest.end()));
}

/// With the inertia that `measure` reads the scalar from.
template <class Observer, class T> struct Plain : Observer {
  T inertia{1};
};

template <class T> void all(const char* scalar) {
  LuGre<T> lugre{};
  lugre.p.vs = T(2e-3);
  lugre.p.kv = T(10);
  Gms<T> gms{};
  gms.p.vs = T(2e-3);
  measure("lugre_observer", scalar, Plain<control::LuGreObserver<T>, T>{{lugre, T(1)}});
  measure("gms_observer", scalar, Plain<control::GmsObserver<T>, T>{{gms, T(1), gms.rest()}});
  measure("friedland_park", scalar, control::FriedlandPark<T>{.level = T(1)});
  measure("disturbance_observer", scalar, control::DisturbanceObserver<T>{});
  control::FrictionLeastSquares<T> rls;
  rls.estimated = {true, true, true, true};
  rls.highest = {T(10), T(10), T(10), T(10)};
  measure("adaptive_rls", scalar, rls);
  control::AdaptiveLuGre<T> adaptive{.observer = {lugre}, .factors = 2};
  measure("adaptive_lugre", scalar, adaptive);
  control::KalmanObserver<LuGre<T>, 4> kalman;
  kalman.model = lugre;
  for (const char* name : {"Fc", "Fs", "kv"}) {
    const auto place = kalman.place_of(name);
    kalman.estimate(place, T(0.1), T(0.1), T(100), T(0.1));
  }
  measure("ekf,_lugre,_4", scalar, kalman);
  control::KalmanObserver<Gms<T>, 8> elements;
  elements.model = gms;
  for (const char* name : {"Fc", "Fs"}) elements.estimate(elements.place_of(name), T(0.1), T(0.1), T(100), T(0.1));
  measure("ekf,_gms,_6", scalar, elements);
}

}  // namespace

int main() {
  all<float>("float");
  all<double>("double");
}
