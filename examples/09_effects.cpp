/// 09. Effects around any model: asymmetry, ripple along the position, load and temperature; other parameters for negative
/// motion. Needs bristle::core only.
#include <bristle/directed.hpp>
#include <bristle/effects.hpp>
#include <bristle/models/stribeck_tanh.hpp>

#include <cmath>
#include <cstdio>

using namespace bristle;

int main() {
  using Law = StribeckTanh<double>;
  const Law law{{.Fc = 1, .Fs = 1, .vs = 0.01, .k_tanh = 1e3}};
  Law::State s{};
  Law::Mode q{};

  const With<Law, Effects<>> worn{law,
                                  {.asymmetry = 0.1,  // 10 % more forwards, 10 % less backwards
                                   .ripple = 0.05,
                                   .ripple_period = 0.02,
                                   .temperature_coefficient = -0.01}};
  auto F = [&](const Motion<double>& u) { return worn.force(s, q, u); };
  const double forwards = F({.v = 0.1}), backwards = F({.v = -0.1}), crest = F({.x = 0.005, .v = 0.1}),
               heavy = F({.v = 0.1, .r = 2}), warm = F({.v = 0.1, .temperature = 60});
  std::printf("forwards %.4f N, backwards %.4f N, on the crest %.4f N, twice the load %.4f N, at 60 degC %.4f N\n",
              forwards, backwards, crest, heavy, warm);

  Law::Params other = law.p;
  other.Fc = other.Fs = 3;
  const Directed<Law> screw{law, Law{other}};
  Directed<Law>::State z = screw.rest();
  Directed<Law>::Mode m{};
  const double up = screw.force(z, m, {.v = -0.1});
  std::printf("a screw that lifts at 3 N and lowers at 1 N: %.4f N and %.4f N\n", up, screw.force(z, m, {.v = 0.1}));
  auto near = [](double a, double b) { return std::abs(a - b) < 1e-9; };
  return near(forwards, 1.1) && near(backwards, -0.9) && near(crest, 1.1 * 1.05) && near(heavy, 2.2) &&
                 near(warm, 1.1 * std::exp(-0.4)) && near(up, -3)
             ? 0
             : 1;
}
