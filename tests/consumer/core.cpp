// The header core in a stranger's project: half the holding force on a resting body, which must not move.
#include <bristle/couple.hpp>
#include <bristle/models/lugre.hpp>

#include <cmath>
#include <cstdio>

int main() {
  const bristle::LuGre<double> contact{{.Fc = 1, .Fs = 1.5, .vs = 0.01, .sigma0 = 1e5, .sigma1 = 10}};
  auto state = contact.rest();
  bristle::LuGre<double>::Mode mode{};
  double v = 0, F = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto out = bristle::couple(contact, state, mode, bristle::Motion<double>{.v = v, .F_app = 0.5}, 0.01, 1e-3);
    v = out.v;
    F = out.F;
  }
  std::printf("v = %g m/s, F = %g N\n", v, F);
  return std::abs(v) < 1e-12 && std::abs(F - 0.5) < 1e-9 ? 0 : 1;
}
