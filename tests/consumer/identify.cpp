// A fit without files in a stranger's project: Coulomb and viscous friction from a sinusoidal motion.
#include <bristle/identify.hpp>

#include <cmath>
#include <cstdio>

int main() {
  using namespace bristle::identify;
  Recording r;
  r.name = "made";
  for (int i = 0; i < 2000; ++i) {
    const double t = 1e-3 * i, v = std::sin(6.283185307179586 * t + 0.1);
    r.t.push_back(t);
    r.x.push_back(-std::cos(6.283185307179586 * t + 0.1) / 6.283185307179586);
    r.v.push_back(v);
    r.F.push_back(std::copysign(2, v) + 0.5 * v);
  }
  r.stretches = {0};
  Options options;
  options.models = {"stribeck"};
  options.profiles = false;
  const Ranking ranking = identify({r}, options);
  if (ranking.fits.empty()) return 1;
  std::printf("rmse = %g N\n", ranking.fits.front().rmse);
  return ranking.fits.front().rmse < 0.05 ? 0 : 1;
}
