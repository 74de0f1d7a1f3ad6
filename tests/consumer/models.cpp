// The compiled library in a stranger's project: a model by its name.
#include <bristle/registry/any.hpp>

#include <cstdio>

int main() {
  auto made = bristle::make("lugre", {{"Fc", 1.0}, {"Fs", 1.5}, {"vs", 0.01}, {"sigma0", 1e5}, {"sigma1", 10.0}});
  if (!made.contact) return 1;
  double F = 0;
  for (int i = 0; i < 1000; ++i) F = made.contact->step({.v = 0.1}, 1e-3);
  std::printf("F = %g N\n", F);
  return F > 0.99 && F < 1.01 ? 0 : 1;  // far above vs: Coulomb friction
}
