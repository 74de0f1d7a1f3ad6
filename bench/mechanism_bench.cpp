/// Arms whose joints are all coupled in one step: Newton iterations and microseconds per step, one line per case.
/// `make bench` puts them into docs/benchmarks.md.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <deque>
#include <vector>

#include "bristle/couple_all.hpp"
#include "bristle/models.hpp"
#include "support/arm.hpp"

using namespace bristle;

namespace {

template <class C> struct Joint {
  C c;
  typename C::State s = c.rest();
  typename C::Mode q{};
};

LuGre<> joint(double Fc, LuGre<>*) {
  return {{.Fc = Fc, .Fs = 1.5 * Fc, .vs = 0.01, .sigma0 = 1e4 * Fc, .sigma1 = 20 * Fc}};
}
Stribeck<> joint(double Fc, Stribeck<>*) { return {{.Fc = Fc, .Fs = 1.5 * Fc, .vs = 0.01}}; }
Gms<> joint(double Fc, Gms<>*) {
  return {{.Fc = Fc,
           .Fs = 1.5 * Fc,
           .vs = 0.01,
           .k = {4e3 * Fc, 3e3 * Fc, 2e3 * Fc, 1e3 * Fc},
           .C = 100 * Fc,
           .sigma = {8 * Fc, 6 * Fc, 4 * Fc, 2 * Fc}}};
}

struct Recorded {
  std::vector<double> M;
  std::vector<Motion<double>> u;
};

/// Ten seconds: held by friction under gravity, or without it and driven by torques of 1.3 times the static friction. The steps
/// are recorded and then timed alone, in processor time, the best of three.
template <class C> void arm(std::size_t links, double dt, bool driven) {
  Arm arm(links);
  std::vector<double> q(links, 0.1), v(links);
  arm.at(q, v);
  std::deque<Joint<C>> joints;
  std::vector<ContactRef> contacts;
  for (std::size_t i = 0; i < links; ++i) {
    auto& k = joints.emplace_back(Joint<C>{joint(1.2 * std::abs(arm.bias[i]) + 0.1, static_cast<C*>(nullptr))});
    contacts.emplace_back(k.c, k.s, k.q);
  }
  CoupleAll work(links);
  std::vector<Recorded> steps(static_cast<std::size_t>(std::lround(10 / dt)));
  double t = 0, iterations = 0;
  int most_iterations = 0;
  for (Recorded& step : steps) {
    arm.at(q, v);
    step = {arm.M, std::vector<Motion<double>>(links)};
    for (std::size_t i = 0; i < links; ++i) {
      const double phase = two_pi * (0.7 + 0.2 * static_cast<double>(i)) * t;
      step.u[i] = {.x = q[i], .v = v[i], .F_app = driven ? 1.3 * joints[i].c.p.Fs * std::sin(phase) : -arm.bias[i]};
    }
    work.step(contacts, MassMatrix{step.M}, step.u, dt);
    iterations += work.iterations();
    most_iterations = std::max(most_iterations, work.iterations());
    for (std::size_t i = 0; i < links; ++i) {
      v[i] = work.result()[i].v;
      q[i] += dt * v[i];
    }
    t += dt;
  }
  double best = inf;
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (auto& k : joints) k = Joint<C>{k.c};
    const std::clock_t begin = std::clock();
    for (const Recorded& step : steps) work.step(contacts, MassMatrix{step.M}, step.u, dt);
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  const auto n = static_cast<double>(steps.size());
  std::printf("%zu %s %g %s %.2f %d %.2f\n", links, C::card.name, dt * 1e3, driven ? "driven" : "held", iterations / n,
              most_iterations, best / n * 1e6);
}

}  // namespace

int main() {
  for (const std::size_t links : {3U, 7U}) {
    for (const bool driven : {false, true}) {
      for (const double dt : {1e-3, 2e-3, 5e-3, 2e-2}) {
        arm<LuGre<>>(links, dt, driven);
        arm<Stribeck<>>(links, dt, driven);
        arm<Gms<>>(links, dt, driven);
      }
    }
  }
}
