/// 01. The friction force along a known motion: a model, its state, one `step` per sample. Needs bristle::core only.
/// Next: 02 for a body that friction holds.
#include <bristle/models/lugre.hpp>

#include <cmath>
#include <cstdio>

using namespace bristle;

int main() {
  const LuGre<double> contact{{.Fc = 1, .Fs = 1.5, .vs = 1e-3, .sigma0 = 1e5, .sigma1 = 300, .kv = 0.4}};  // SI units
  auto state = contact.rest();  // a contact has no memory of its own: the state belongs to you
  LuGre<double>::Mode mode{};

  constexpr double period = 1e-3, amplitude = 0.01, omega = 6.28;  // s, m/s, rad/s
  double F = 0, peak = 0, work = 0;
  for (int k = 1; k <= 2000; ++k) {
    const double v = amplitude * std::sin(omega * period * k);  // constant within the sample
    contact.step(state, mode, {.v = v}, period);                // exact for any period
    F = contact.force(state, mode, {.v = v});
    peak = std::fmax(peak, std::abs(F));
    work += F * v * period;
    if (k % 250 == 0) std::printf("t = %5.2f s   v = %8.5f m/s   F = %8.4f N\n", period * k, v, F);
  }
  std::printf("peak %.3f N, between Fc = %g N and Fs = %g N plus damping; dissipated %.4f J\n", peak, contact.p.Fc,
              contact.p.Fs, work);
  return peak > contact.p.Fc && peak < contact.p.Fs + 0.1 && work > 0 ? 0 : 1;
}
