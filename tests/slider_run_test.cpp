#include "simulate/shared/slider_run.hpp"
#include "bristle/models.hpp"
#include "bristle/scenario.hpp"
#include "gpu/scalar.hpp"
#include "registry/shared/visit.hpp"
#include "simulate/shared/fixed_run.hpp"
#include "support/experiment.hpp"

/// Runs in plain numbers, as a GPU makes them, on the processor: the same steps, events and measures as `simulate`.
namespace {

using namespace bristle;
using plain::Function;
using plain::Gauge;

double draw(unsigned i, unsigned k) { return uniform(7, i, k); }

/// quick: in the scalar of a GPU with the usual options of the Stribeck curve.
plain::Result run(const Experiment& e, const std::vector<Gauge>& gauges, bool quick) {
  bool rows = false;
  for (const Gauge& g : gauges) rows = rows || g.needs_rows();
  const plain::Written w = plain::write_task(e, rows);
  EXPECT_EQ(w.objection, "");
  plain::Result out;
  Models::visit(w.model, [&]<template <class> class M>() {
    if constexpr (plain::takes_part<M<double>>) {
      const auto go = [&](auto one) {
        one.begin(w.task, gauges.data(), gauges.size());
        while (one.advance()) {}
        one.finish(out);
      };
      EXPECT_TRUE(w.usual || !quick);
      if (quick) {
        go(plain::SliderRun<M, gpu::Number<double, CurveOptions::usual>>{});
      } else {
        go(plain::SliderRun<M>{});
      }
    }
  });
  EXPECT_EQ(plain::failure_of(out, w.task), "");
  return out;
}

Expectation quantity(const char* function, const char* of, double argument = 1) {
  Expectation q;
  q.function = function;
  q.of = of;
  q.argument = argument;
  return q;
}

struct Pair {
  Gauge gauge;
  Expectation quantity;
};
std::vector<Pair> pairs() {
  using plain::Shown;
  std::vector<Pair> out{{{Function::max, Shown::F}, quantity("max", "F")},
                        {{Function::min, Shown::v}, quantity("min", "v")},
                        {{Function::peak_to_peak, Shown::F_app}, quantity("peak_to_peak", "F_app")},
                        {{Function::mean, Shown::F}, quantity("mean", "F")},
                        {{Function::rms, Shown::v}, quantity("rms", "v")},
                        {{Function::final, Shown::x}, quantity("final", "x")},
                        {{Function::at, Shown::x, 0, Event::stick, -inf, inf, 1.234}, quantity("at", "x", 1.234)},
                        {{Function::count, Shown::x, 0, Event::slip_forward}, quantity("count", "slip+")}};
  out[3].gauge.from = out[3].quantity.from.emplace(0.4567);
  out[3].gauge.to = out[3].quantity.to.emplace(1.7891);
  return out;
}

/// Steps of the same tolerance from the same formulas: measures differ by rounding, which stick-slip amplifies.
void expect_alike(const Experiment& e, double tolerance, bool quick) {
  std::vector<Gauge> gauges;
  RunOptions options;
  options.probes = {1.234};
  for (const Pair& p : pairs()) gauges.push_back(p.gauge);
  const plain::Result a = run(e, gauges, quick);
  const bristle::Run b = simulate(e, options);
  const double size = std::max(1e-12, measure(quantity("peak_to_peak", "x"), b));
  for (std::size_t i = 0; i < gauges.size(); ++i) {
    const double there = measure(pairs()[i].quantity, b), scale = i == 5 || i == 6 ? size : std::abs(there);
    EXPECT_NEAR(a.values[i], there, tolerance * std::max(scale, 1e-6)) << i;
  }
  EXPECT_EQ(a.events, static_cast<std::int64_t>(b.events.size()));
  if (b.summary.method == "rodas5p") {  // laws without a state take the explicit pair in single runs
    EXPECT_NEAR(static_cast<double>(a.steps), static_cast<double>(b.summary.steps),
                0.03 * static_cast<double>(b.summary.steps) + 4);
  }
  EXPECT_NEAR(a.friction, b.summary.energy.friction, tolerance * std::abs(a.friction) + 1e-9);
  EXPECT_NEAR(a.drive, b.summary.energy.drive, tolerance * std::abs(a.drive) + 1e-9);
  EXPECT_LT(a.momentum_error, 100 * e.solver.rtol);
}
void expect_alike(const Experiment& e, double tolerance) {
  expect_alike(e, tolerance, false);
  expect_alike(e, tolerance, true);
}

TEST(SliderRun, GivesTheMeasuresOfSimulateForStickSlip) {
  for (unsigned i = 0; i < 24; ++i) {
    auto vary = [&](unsigned k) { return 0.7 + 0.6 * draw(i, k); };
    Experiment e = ::slider(contact("lugre", {{"Fc", 1},
                                              {"Fs", 1.2 + vary(0)},
                                              {"vs", 1e-3 * vary(1)},
                                              {"sigma0", 1e5 * vary(2)},
                                              {"sigma1", 300 * vary(3)},
                                              {"kv", i % 2 == 0 ? 0.4 : 0}}),
                            vary(4), 2 * vary(5), position(Ramp{0.1 * vary(6), 0}), 8);
    e.solver.rtol = i % 3 == 0 ? 1e-6 : 1e-8;
    SCOPED_TRACE(i);
    expect_alike(e, i % 3 == 0 ? 1e-4 : 1e-6);
  }
}

TEST(SliderRun, GivesTheMeasuresOfSimulateForEveryModelThatTakesPart) {
  int count = 0;
  Models::each([&]<template <class> class M>() {
    if constexpr (plain::takes_part<M<double>>) {
      const char* name = M<double>::card.name;
      SCOPED_TRACE(name);
      ++count;
      expect_alike(::slider(contact(name, typical(name)), 1, 100, position(Ramp{0.05, 0}), 2), 1e-6);
      Experiment pushed = ::slider(contact(name, typical(name)), 1, 10, force(Ramp{1.5, 0}), 3);
      pushed.body.damping = 0.5;
      expect_alike(pushed, 1e-6);
    }
  });
  EXPECT_GE(count, 10);
}

/// Options that are not the usual ones.
TEST(SliderRun, TakesOtherExponents) {
  Experiment e = ::slider(contact("lugre", {{"Fc", 1},
                                            {"Fs", 1.5},
                                            {"vs", 1e-3},
                                            {"sigma0", 1e5},
                                            {"sigma1", 300},
                                            {"kv", 0.4},
                                            {"alpha", 1},
                                            {"kv_exponent", 0.7}}),
                          1, 2, position(Ramp{0.1, 0}), 8);
  EXPECT_FALSE(plain::write_task(e, true).usual);
  expect_alike(e, 1e-6, false);
}

TEST(FixedRun, GivesTheMeasuresOfSimulateForEveryModel) {
  std::vector<Gauge> gauges;
  for (const Pair& p : pairs()) {
    if (p.gauge.function < Function::at) gauges.push_back(p.gauge);
  }
  Models::each([&]<template <class> class M>() {
    using C = M<double>;
    const std::string name = C::card.name;
    if (name == "rolling") return;  // refused, see below
    SCOPED_TRACE(name);
    Experiment e = ::slider(contact(name, typical(name)), 1, 100, position(Ramp{0.05, 0}), 2);
    e.method = Method::fixed;
    e.solver.step = 1e-3;
    const plain::Written w = plain::write_task(e, true);
    ASSERT_EQ(w.objection, "");
    const auto& box = static_cast<const Boxed<C>&>(*e.contacts.front().contact);
    const typename plain::FixedRun<C>::Start start{box.contact, box.start};  // outlives the run
    plain::FixedRun<C> one;
    one.begin(w.task, start, gauges.data(), gauges.size());
    while (one.advance()) {}
    plain::Result a;
    one.finish(a);
    EXPECT_EQ(plain::failure_of(a, w.task), "");
    const bristle::Run b = simulate(e);
    EXPECT_EQ(a.steps, 2000);
    EXPECT_GT(std::abs(a.values[0]), 0);
    for (std::size_t i = 0; i < gauges.size(); ++i) {
      const double there = measure(pairs()[i].quantity, b);
      EXPECT_NEAR(a.values[i], there, 1e-6 * std::abs(there) + 1e-12) << i;
    }
  });
}

TEST(SliderRun, RefusesWhatItCannotRun) {
  auto why = [](const Experiment& e) { return plain::write_task(e, true).objection; };
  Experiment e = ::slider(contact("lugre", typical("lugre")), 1, 100, position(Sine{0.05, 1, 0, 0}), 2);
  EXPECT_NE(why(e).find("straight"), std::string::npos);
  e = ::slider(contact("coulomb", typical("coulomb")), 1, 100, position(Ramp{0.05, 0}), 2);
  EXPECT_NE(why(e).find("coulomb"), std::string::npos);
  e = ::slider(contact("lugre", typical("lugre"), {{"asymmetry", 0.1}}), 1, 100, position(Ramp{0.05, 0}), 2);
  EXPECT_NE(why(e).find("effects"), std::string::npos);
  Table rolling = typical("rolling");
  rolling.push_back({"creepage", Value(std::vector<double>{0.01})});
  e = ::slider(contact("rolling", rolling), 1, 100, position(Ramp{0.05, 0}), 2);
  e.method = Method::fixed;
  e.solver.step = 1e-3;
  EXPECT_NE(why(e).find("rolling"), std::string::npos);
  e = ::slider(contact("lugre", typical("lugre"), {{"heat.capacity", 10}, {"heat.conductance", 1}}), 1, 100,
               position(Ramp{0.05, 0}), 2);
  EXPECT_NE(why(e).find("heat"), std::string::npos);
}

}  // namespace
