/// A million asperities, in float on all cores: pressed into the profile and then pulled. A longer run than the default:
///   million_asperities 4000
#include <bristle/asperity/generic2010.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 100;
  bristle::Generic2010<float> surface({.asperities = 1000000, .seed = 2});
  surface.use_threads(std::thread::hardware_concurrency());
  const auto begin = std::chrono::steady_clock::now();
  std::printf("%10s %10s %10s %12s\n", "depth", "contacts", "normal F", "friction F");
  for (int k = 1; k <= steps; ++k) {
    const bool presses = 2 * k <= steps;
    const double depth = presses ? 0.6 * (2.0 * k / steps) : 0.6;
    const auto r = surface.step_to(presses ? 0 : 0.5, surface.start() - depth);
    if (k % (steps / 6 > 0 ? steps / 6 : 1) == 0)
      std::printf("%10.3f %10.0f %10.3f %12.4f\n", depth, r.contacts, r.Fn, r.F);
  }
  const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%.2e asperity-steps per second, %s\n", 1e6 * steps / s, bristle::Generic2010<float>::instruction_set());
}
