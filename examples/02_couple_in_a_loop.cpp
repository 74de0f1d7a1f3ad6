/// 02. `couple` in a loop: a robot joint under half its breakaway load at 1 kHz, with three methods. It should stay at rest.
/// Needs bristle::core only. Next: controller.cpp for float and fixed work, arm.cpp for several joints on one mechanism.
#include <bristle/couple.hpp>
#include <bristle/models/brown_mcphee.hpp>
#include <bristle/models/lugre.hpp>

#include <cmath>
#include <cstdio>

using namespace bristle;

constexpr double inertia = 0.01, load = 0.5, period = 1e-3;  // kg m^2, N m, s

/// The usual co-simulation: the friction force of the previous step, then an explicit step of the body.
template <class C> double explicit_exchange(const C& c, double duration) {
  auto s = c.rest();
  typename C::Mode q{};
  double x = 0, v = 0, F = 0;
  for (double t = 0; t < duration; t += period) {
    v += period / inertia * (load - F);
    x += period * v;
    c.step(s, q, {.x = x, .v = v}, period);
    F = c.force(s, q, {.x = x, .v = v});
  }
  return x;
}

/// The same contact with `couple`.
template <class C> double coupled(const C& c, double duration) {
  auto s = c.rest();
  typename C::Mode q{};
  double x = 0, v = 0;
  for (double t = 0; t < duration; t += period) {
    v = couple(c, s, q, Motion<double>{.x = x, .v = v, .F_app = load}, inertia, period).v;
    x += period * v;
  }
  return x;
}

int main() {
  const LuGre<double> lugre{{.Fc = 1, .Fs = 1.5, .vs = 0.01, .sigma0 = 1e5, .sigma1 = 10}};
  const BrownMcPhee<double> smooth{{.Fc = 1, .Fs = 1.5, .vs = 0.01}};
  std::printf("A joint of %g kg m^2 under %g N m, breakaway at %g N m, dt = %g s. Angle after 2 s and 10 s, rad:\n",
              inertia, load, lugre.p.Fs, period);
  std::printf("  %-42s %12.3e %12.3e\n", "LuGre, explicit exchange of forces", explicit_exchange(lugre, 2),
              explicit_exchange(lugre, 10));
  std::printf("  %-42s %12.3e %12.3e   creeps\n", "smoothed law (Brown-McPhee), couple", coupled(smooth, 2),
              coupled(smooth, 10));
  const double a = coupled(lugre, 2), b = coupled(lugre, 10);
  std::printf("  %-42s %12.3e %12.3e   holds\n", "LuGre, couple", a, b);
  return std::abs(a - b) < 1e-12 ? 0 : 1;
}
