/// The header core by itself: standard library only, without exceptions and RTTI.
#include "bristle/couple.hpp"
#include "bristle/dual.hpp"
#include "bristle/effects.hpp"
#include "bristle/models.hpp"

#include <cmath>
#include <cstdio>

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "to be compiled with -fno-exceptions -fno-rtti"
#endif

using namespace bristle;

int main() {
  int failures = 0;
  Models::each([&]<template <class> class M>() {
    const With<M<double>, Effects<double>> c{};
    auto s = c.rest();
    typename M<double>::Mode q{};
    double x = 0, v = 0;
    for (int i = 0; i < 5000; ++i) {
      const auto out = couple(c, s, q, Motion<double>{.x = x, .v = v, .F_app = 0.5}, 0.01, 1e-3);
      v = out.v;
      x += v * 1e-3;
    }
    const bool held = std::abs(v) < 1e-9;
    if (held != M<double>::has.stiction || !std::isfinite(x)) {
      std::printf("%s: v = %g after 5 s under half the breakaway load\n", M<double>::card.name, v);
      ++failures;
    }
  });
  return failures;
}
