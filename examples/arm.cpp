/// Two links under gravity with friction in both joints, 10 s at 5 ms: one joint at a time sinks, both together hold.
#include <bristle/couple_all.hpp>
#include <bristle/models/lugre.hpp>

#include <array>
#include <cmath>
#include <cstdio>

using namespace bristle;

constexpr double period = 5e-3;  // s
/// Inertia and gravity of two rods of 1 kg and 0.3 m, almost horizontal.
constexpr std::array<double, 4> mass{0.24, 0.075, 0.075, 0.03}, inverse{19.0476, -47.619, -47.619, 152.381};
constexpr std::array<double, 2> torque{-5.9, -1.5};

LuGre<> joint(double load) {
  const double Fc = 1.2 * std::abs(load);
  return {{.Fc = Fc, .Fs = 1.5 * Fc, .vs = 0.01, .sigma0 = 1e4 * Fc, .sigma1 = 20 * Fc}};
}

int main() {
  const std::array<LuGre<>, 2> joints{joint(torque[0]), joint(torque[1])};
  NoMode q;
  double together = 0, apart = 0;
  {
    std::array<LuGre<>::State, 2> z{};
    const std::array<ContactRef, 2> contacts{ContactRef(joints[0], z[0], q), ContactRef(joints[1], z[1], q)};
    CoupleAll work(2);  // memory is taken here, and not in the steps
    std::array<double, 2> v{};
    for (double t = 0; t < 10; t += period) {
      const auto next = couple_all(contacts, MassMatrix{mass}, v, torque, period, work);
      if (next.empty()) return 1;
      v = {next[0].v, next[1].v};
      if (t >= 1) together += v[1] * period;
    }
  }
  {
    std::array<LuGre<>::State, 2> z{};
    std::array<double, 2> v{};
    for (double t = 0; t < 10; t += period) {
      std::array<double, 2> F{}, free{};
      for (std::size_t i = 0; i < 2; ++i) {
        free[i] = inverse[2 * i] * torque[0] + inverse[2 * i + 1] * torque[1];
        const double felt = 1 / inverse[3 * i];
        F[i] = couple(joints[i], z[i], q, Motion<double>{.v = v[i], .F_app = felt * free[i]}, felt, period).F;
      }
      for (std::size_t i = 0; i < 2; ++i)
        v[i] += period * (free[i] - inverse[2 * i] * F[0] - inverse[2 * i + 1] * F[1]);
      if (t >= 1) apart += v[1] * period;
    }
  }
  std::printf(
      "drift of the second joint from 1 s to 10 s\n  one joint at a time %10.3e rad\n  all together        %10.3e rad\n",
      apart, together);
  return std::abs(together) < 1e-10 ? 0 : 1;
}
