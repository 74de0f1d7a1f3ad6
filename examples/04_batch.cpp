/// 04. Ten thousand contacts in one call, in the vector code of this processor; each has its own Coulomb force.
/// Needs bristle::models.
#include <bristle/batch.hpp>
#include <bristle/batch/along.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace bristle;

int main() {
  const Table table{{"Fc", 1.0}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", 1e5}, {"sigma1", 300.0}};
  constexpr std::size_t n = 10000;
  const auto made = make_batch<double>("lugre", table, n);
  for (const Problem& p : made.problems) std::puts(p.line().c_str());
  if (!made.batch) return 1;

  std::vector<double> Fs(n), v(n, 0.05), F(n);  // 0.05 m/s, far above vs: steady friction is Fc whatever Fs is
  for (std::size_t i = 0; i < n; ++i) Fs[i] = 1 + 0.5 * static_cast<double>(i) / n;
  if (!made.batch->vary("Fs", Fs)) return 1;  // false: no parameter of this name
  for (int k = 0; k < 100; ++k) made.batch->step(v, 1e-3, F);
  double worst = 0;
  for (const double f : F) worst = std::fmax(worst, std::abs(f - 1));
  std::printf("%zu contacts, instruction set %s: largest |F - Fc| = %.1e N\n", n, batch_instruction_sets()[0].c_str(),
              worst);

  // One contact along a whole recorded motion: the same forces as step by step.
  Made one = make("lugre", table);
  const Made same = make("lugre", table);
  if (!one.contact || !same.contact) return 1;
  std::vector<double> motion(5000), force(5000);
  for (std::size_t i = 0; i < motion.size(); ++i) motion[i] = 0.01 * std::sin(0.005 * static_cast<double>(i));
  const double dt = 1e-3;
  Place place;
  along(*one.contact, {.dt = {&dt, 1}, .v = motion}, place, force);
  double gap = 0;
  for (std::size_t i = 0; i < motion.size(); ++i)
    gap = std::fmax(gap, std::abs(force[i] - same.contact->step({.v = motion[i]}, dt)));
  std::printf("along %zu samples: differs from single steps by %.1e N\n", motion.size(), gap);
  return worst < 1e-9 && gap < 1e-9 ? 0 : 1;
}
