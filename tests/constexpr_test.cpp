/// The header core is constexpr: laws of physics stated where the compiler checks them.
#include <gtest/gtest.h>

#include "bristle/couple.hpp"
#include "bristle/effects.hpp"
#include "bristle/models.hpp"
#include "bristle/quick.hpp"

namespace bristle {
namespace {

/// Force, and work done on the contact, after `steps` steps of dt at velocity v.
template <class C> struct Slider {
  C c;
  typename C::State s;
  typename C::Mode q{};
  double F = 0, work = 0;
  constexpr explicit Slider(const typename C::Params& p = {}) : c{p}, s(c.rest()) {}
  constexpr Slider& slide(double v, double dt, int steps) {
    for (int i = 0; i < steps; ++i) {
      F = static_cast<double>(advance(c, s, q, {.v = v}, typename C::Scalar(dt)));
      work += F * v * dt;
    }
    return *this;
  }
};

constexpr double distance(double a, double b) { return a < b ? b - a : a - b; }

/// One coupled step of 1 kg over 1 ms from velocity v.
template <class C> constexpr Coupled<double> pushed(const C& c, double F_app, double v = 0) {
  auto s = c.rest();
  typename C::Mode q{};
  return couple(c, s, q, Motion<double>{.v = v, .F_app = F_app}, 1.0, 1e-3);
}

// Coulomb friction holds a load below breakaway, in both directions, and carries exactly that load.
constexpr Coulomb<double> block{{.Fc = 1, .Fs = 1.5}};
static_assert(pushed(block, 1.4).v == 0 && pushed(block, 1.4).F == 1.4 && pushed(block, 1.4).holds);
static_assert(pushed(block, -1.4).v == 0 && pushed(block, -1.4).F == -1.4);
// Beyond it, the excess over friction accelerates the body; a slow one stops instead of reversing.
static_assert(distance(pushed(block, 1.6).v, 0.6e-3) < 1e-15 && !pushed(block, 1.6).holds);
static_assert(pushed(block, 0, 0.5e-3).v == 0 && pushed(block, 0, -0.5e-3).v == 0);
static_assert(distance(pushed(block, 0, 1).v, 1 - 1e-3) < 1e-15);

// A constant force from outside passes through a law that holds.
static_assert(pushed(With<Coulomb<double>, Effects<double>>{block, {.offset = 0.3}}, 1.7).v == 0);
static_assert(pushed(With<Coulomb<double>, Effects<double>>{block, {.offset = 0.3}}, 1.9).v > 0);

// Viscous friction: m (w - v)/dt = F_app - kv w, and the slope of the force comes along.
constexpr Coupled<double> damped = pushed(Viscous<double>{{.kv = 10}}, 1, 0.5);
static_assert(distance(damped.v, (1e-3 + 0.5) / 1.01) < 1e-15 && distance(damped.dFdv, 10) < 1e-12);

// Elements that yield: the initial stiffness, the limit, and a closed loop that takes up energy.
using Elastoslip = Slider<MaxwellSlip<double>>;
static_assert(distance(Elastoslip{}.slide(1e-6, 1, 1).F, 0.1) < 1e-15);  // 1e5 N/m times 1 um
static_assert(distance(Elastoslip{}.slide(1e-6, 1, 100).F, 1) < 1e-15);  // sum of W
static_assert(Elastoslip{}.slide(1e-6, 1, 20).slide(-1e-6, 1, 40).slide(1e-6, 1, 40).work > 0);
// Nonlocal memory: a closed inner loop leaves no trace.
static_assert(distance(Elastoslip{}.slide(1e-6, 1, 9).slide(-1e-6, 1, 4).slide(1e-6, 1, 4).slide(1e-6, 1, 3).F,
                       Elastoslip{}.slide(1e-6, 1, 12).F) < 1e-15);

// The quick numbers have elementary functions for every compiler. Dahl: a step takes up energy, and a force from f0 at
// constant velocity follows exp(-sigma0 x/Fc), in one step or in many.
using Q = Quick<double>;
static_assert(Slider<Dahl<Q>>().slide(1e-3, 1e-3, 10).work > 0);
static_assert(Slider<Dahl<Q>>().slide(1e-3, 1e-3, 20).slide(-1e-3, 1e-3, 40).slide(1e-3, 1e-3, 40).work > 0);
static_assert(distance(Slider<Dahl<Q>>().slide(1e-3, 1e-2, 1).F, 1 - 0.36787944117144233) < 1e-15);
static_assert(distance(Slider<Dahl<Q>>().slide(1e-3, 1e-3, 10).F, 1 - 0.36787944117144233) < 4e-15);
// LuGre: in steady sliding S(v) + kv v, and never beyond its bound.
constexpr auto sliding = Slider<LuGre<Q>>({.kv = 0.4}).slide(1e-3, 1e-3, 400);
static_assert(distance(sliding.F, 1 + 0.5 * 0.36787944117144233 + 0.4e-3) < 1e-12);
static_assert(distance(sliding.F, sliding.c.steady(1e-3).x) < 1e-12);
static_assert(sliding.s.z <= sliding.c.bound().z);

// Derivatives at compile time: d/dv of kv v.
static_assert(Viscous<Dual<double>>{{.kv = 3.0}}.force({}, {}, {.v = Dual<double>::variable(2.0)}).d[0] == 3);

#if !defined(__clang__)
/// GCC folds the functions of <cmath>, so here every model slides at compile time: friction resists, and takes up energy.
template <template <class> class M> constexpr bool resists() {
  const M<double> c{};
  const auto sizes = c.scales();
  const double v = sizes.velocity > 0 ? 2 * sizes.velocity : 1e-3;
  const double travel = sizes.displacement > 0 ? 5 * sizes.displacement : 1e-3;
  const auto there = Slider<M<double>>().slide(v, travel / v / 40, 40);
  return there.F > 0 && there.work > 0;
}
/// The step of fixed size on a GPU: a free body under a force moves with it, and the balance of momentum holds.
template <template <class> class M> constexpr bool couples() {
  const Coupled<double> step = pushed(M<double>{}, 5, 1e-3);
  return distance(step.v - 1e-3, 1e-3 * (5 - step.F)) < 1e-9 && step.F > 0;
}
static_assert(pushed(Stribeck<double>{}, 1.4).v == 0);
// A bristle is a spring and a damper in parallel with the inertia: w = F_app/(m/dt + sigma1 + sigma0 dt).
static_assert(distance(pushed(LuGre<double>{}, 0.01).v, 0.01 / (1e3 + 316.23 + 100)) < 1e-8);
#endif

TEST(Constexpr, EveryModelSlides) {
#if !defined(__clang__)
  Models::each([]<template <class> class M>() {
    static_assert(M<double>::has.random || resists<M>());
    static_assert(M<double>::has.random || couples<M>());
  });
#endif
  EXPECT_EQ(pushed(block, 1.4).v, 0);  // at run time as at compile time
}

}  // namespace
}  // namespace bristle
