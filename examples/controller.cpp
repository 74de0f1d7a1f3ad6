/// Friction in a controller: the same number of force evaluations in every step, in float.
#include <bristle/couple_fixed.hpp>
#include <bristle/models/lugre.hpp>

#include <cmath>
#include <cstdio>

using namespace bristle;

int main() {
  const LuGre<float> joint{{.Fc = 1, .Fs = 1.5F, .vs = 0.01F, .sigma0 = 1e5F, .sigma1 = 10}};
  auto state = joint.rest();
  LuGre<float>::Mode mode{};
  float v = 0;
  double x = 0, start = 0;
  for (int k = 0; k < 10000; ++k) {  // 10 s at 1 kHz under half the breakaway load
    v = couple_fixed(joint, state, mode, Motion<float>{.v = v, .F_app = 0.5F}, 0.01F, 1e-3F).v;
    x += 1e-3 * static_cast<double>(v);
    if (k == 1000) start = x;
  }
  std::printf("%d evaluations per step, drift from 1 s to 10 s: %.1e rad\n", bisections<float> + 2, x - start);
  return std::abs(x - start) < 1e-8 ? 0 : 1;
}
