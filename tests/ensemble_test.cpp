#include "bristle/simulate/ensemble.hpp"

#include "base/decay_table.hpp"
#include "simulate/kernels/step.hpp"
#include "support/experiment.hpp"

/// Many runs at once, and the kernels below them.
namespace {

using namespace bristle;

/// Number k of stream i between 0 and 1, the same everywhere.
double draw(unsigned i, unsigned k) {
  unsigned h = i * 2654435761U + k * 40503U + 12345U;
  h = (h ^ (h >> 15)) * 2246822519U;
  h = (h ^ (h >> 13)) * 3266489917U;
  return static_cast<double>(h ^ (h >> 16)) / 4294967296.0;
}

/// Stick-slip of LuGre bodies that differ in everything.
Experiment stick_slip(unsigned i, double rtol = 1e-8) {
  auto vary = [&](unsigned k) { return 0.7 + 0.6 * draw(i, k); };
  Experiment e = ::slider(contact("lugre", {{"Fc", 1},
                                            {"Fs", 1.2 + vary(0)},
                                            {"vs", 1e-3 * vary(1)},
                                            {"sigma0", 1e5 * vary(2)},
                                            {"sigma1", 300 * vary(3)},
                                            {"kv", 0.4}}),
                          vary(4), 2 * vary(5), position(Ramp{0.1 * vary(6), 0}), 8);
  e.solver.rtol = rtol;
  return e;
}

double difference(const Run& a, const Run& b, const char* column) {
  const auto &x = a.trace.find(column)->values, &y = b.trace.find(column)->values;
  double worst = 0, largest = 1e-300;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, std::abs(x[i] - y[i]));
    largest = std::max(largest, std::abs(x[i]));
  }
  return x.size() == y.size() ? worst / largest : inf;
}
void expect_same_bits(const Run& a, const Run& b) {
  ASSERT_EQ(a.trace.columns.size(), b.trace.columns.size());
  for (std::size_t c = 0; c < a.trace.columns.size(); ++c)
    EXPECT_EQ(a.trace.columns[c].values, b.trace.columns[c].values) << a.trace.columns[c].name;
  EXPECT_EQ(a.summary.steps, b.summary.steps);
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) EXPECT_EQ(a.events[i].t, b.events[i].t);
}

TEST(Ensemble, GivesWhatSingleRunsGive) {
  std::vector<Experiment> all;
  for (unsigned i = 0; i < 21; ++i) {
    all.push_back(stick_slip(i));
    all.back().solver.duration = 14;  // most have stopped by then, with steps that end on a reversal
  }
  const auto together = simulate_all(all, {.threads = 1});
  ASSERT_EQ(together.size(), all.size());
  double steps_together = 0, steps_alone = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(together[i].failure, "");
    const bristle::Run &a = together[i].run, b = simulate(all[i]);
    steps_together += static_cast<double>(a.summary.steps);
    steps_alone += static_cast<double>(b.summary.steps);
    EXPECT_LT(difference(a, b, "x"), 1e-7) << i;
    EXPECT_LT(difference(a, b, "v"), 1e-6) << i;
    EXPECT_LT(difference(a, b, "F_app"), 1e-6) << i;
    EXPECT_LT(a.summary.energy.error, 1e-6);
    EXPECT_LT(a.summary.momentum.error, 1e-6);
    EXPECT_EQ(a.summary.method, b.summary.method);
    ASSERT_EQ(a.events.size(), b.events.size());
    for (std::size_t k = 0; k < a.events.size(); ++k) {
      EXPECT_EQ(a.events[k].kind, b.events[k].kind);
      EXPECT_NEAR(a.events[k].t, b.events[k].t, 1e-6);
    }
  }
  EXPECT_NEAR(steps_together, steps_alone, 0.02 * steps_alone);  // rounding decides a few
}

TEST(Ensemble, GivesTheSameBitsForAnyNumberOfThreadsAndInAnyCompany) {
  std::vector<Experiment> all;
  for (unsigned i = 0; i < 13; ++i) {
    all.push_back(stick_slip(i, 1e-6));
    if (i % 4 == 2) all.back().drive = position(Sine{0.2, 0.25, 0, 0});  // needs more of its neighbours' stages
  }
  const auto one = simulate_all(all, {.threads = 1});
  for (const unsigned threads : {2U, 5U}) {
    const auto many = simulate_all(all, {.threads = threads});
    for (std::size_t i = 0; i < all.size(); ++i) expect_same_bits(one[i].run, many[i].run);
  }
  for (const std::size_t i : {6U, 7U}) {  // curved and straight
    const auto alone = simulate_all(std::span(all).subspan(i, 1), {.threads = 1});
    expect_same_bits(one[i].run, alone[0].run);
  }
}

TEST(Ensemble, TakesEveryKindOfRun) {
  std::vector<Experiment> all;
  for (const ModelInfo& info : model_infos()) {
    if (info.name == "haessig_friedland") continue;  // chaotic
    all.push_back(::slider(contact(info.name, typical(info.name)), 1, 100, position(Sine{0.05, 1, 0, 0}), 2));
    all.push_back(::slider(contact(info.name, typical(info.name)), 1, 100, position(Ramp{0.05, 0}), 2));
    all.push_back(::slider(contact(info.name, typical(info.name)), 1, 10, force(Sine{3, 1, 0.3, 0}), 2));
    all.back().body.damping = 0.5;
  }
  all.push_back(::slider(contact("lugre", typical("lugre") + Table{{"alpha", 1}}), 1, 100, position(Ramp{0.05, 0}), 2));
  all.push_back(::slider(contact("lugre", typical("lugre"), {{"asymmetry", 0.1}}), 1, 100, position(Ramp{0.05, 0}), 2));
  const auto together = simulate_all(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(together[i].failure, "") << i;
    const bristle::Run alone = simulate(all[i]);
    EXPECT_LT(difference(together[i].run, alone, "x"), 1e-6) << all[i].contacts.front().contact->model() << ' ' << i;
  }
}

TEST(Ensemble, SaysWhichRunsFailAndGoesOn) {
  std::vector<Experiment> all;
  for (unsigned i = 0; i < 12; ++i) {
    all.push_back(stick_slip(i, 1e-6));
    if (i % 5 == 2) all.back().solver.max_steps = 20;
  }
  const auto out = simulate_all(all, {.threads = 2});
  for (unsigned i = 0; i < 12; ++i) {
    if (i % 5 == 2) {
      EXPECT_NE(out[i].failure.find("max_steps exceeded at t = "), std::string::npos) << out[i].failure;
      EXPECT_TRUE(out[i].run.trace.columns.empty());
    } else {
      EXPECT_EQ(out[i].failure, "");
      EXPECT_EQ(out[i].run.trace.find("t")->values.back(), 8);
    }
  }
}

TEST(Ensemble, HandsOverWhatIsNotToBeKept) {
  std::vector<Experiment> all;
  for (unsigned i = 0; i < 20; ++i) {
    all.push_back(stick_slip(i, 1e-6));
    if (i % 7 == 3) all.back().solver.max_steps = 20;
    if (i % 5 == 1) all.back().method = Method::cvode;  // does not share a lane
  }
  const auto kept = simulate_all(all, {.threads = 1});
  std::vector<Outcome> taken(all.size());
  std::vector<int> times(all.size());
  EXPECT_TRUE(simulate_all(all, {.threads = 3,
                                 .take =
                                     [&](std::size_t i, Outcome&& o) {
                                       taken[i] = std::move(o);
                                       ++times[i];
                                     }})
                  .empty());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(times[i], 1) << i;
    EXPECT_EQ(taken[i].failure, kept[i].failure);
    expect_same_bits(taken[i].run, kept[i].run);
  }
}

TEST(Ensemble, HasProbesProgressAndAWayToStop) {
  std::vector<Experiment> all;
  for (unsigned i = 0; i < 9; ++i) all.push_back(stick_slip(i, 1e-6));
  std::size_t last = 0;
  const auto out = simulate_all(all, {.threads = 2, .probes = {1.0, 3.25}, .progress = [&](std::size_t n) {
                                        EXPECT_EQ(n, last + 1);
                                        last = n;
                                      }});
  EXPECT_EQ(last, all.size());
  EXPECT_EQ(out[3].run.probes.find("t")->values, (std::vector{1.0, 3.25}));
  std::atomic<bool> stop{true};
  EXPECT_THROW(simulate_all(all, {.stop = &stop}), Stopped);
  EXPECT_TRUE(simulate_all({}).empty());
  all[4].contacts.clear();
  EXPECT_THROW(simulate_all(all), BadInput);
}

TEST(BellTable, IsGoodToTheLastDigit) {
  using bristle::table_bell;
  for (unsigned i = 0; i < 100000; ++i) {
    const double u = (2 * draw(i, 1) - 1) * 6.32 * (i % 3 == 0 ? 1e-2 : 1);
    const auto exact = static_cast<double>(std::exp(-static_cast<long double>(u) * u));
    EXPECT_NEAR(table_bell(0, 1, u) / exact, 1, 4.5e-16 * (1 + u * u)) << u;  // 2 ulp, and u * u itself is rounded
    EXPECT_NEAR(table_bell(1, 0.5, u), 1 + 0.5 * exact, 5e-16) << u;          // 2 ulp
  }
  EXPECT_EQ(table_bell(0, 1, 0), 1);
  EXPECT_EQ(table_bell(3, 1, 6.4), 3);
  EXPECT_EQ(table_bell(3, 1, -1e200), 3);
  EXPECT_TRUE(std::isnan(table_bell(3, 1, std::nan(""))));
}

/// Every kernel of every instruction set takes the same step.
TEST(SliderKernels, AgreeBetweenInstructionSets) {
#if defined(BRISTLE_AVX2)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "no AVX2 here";
  std::size_t index = 0, kernels = 0;
  Models::each([&]<template <class> class M>() {
    const bristle::kernel::Pair &baseline = bristle::kernel::slider_baseline()[index].usual,
                                &avx2 = bristle::kernel::slider_avx2()[index].usual;
    ++index;
    for (const auto kind : {&bristle::kernel::Pair::implicit, &bristle::kernel::Pair::explicit_pair}) {
      const bristle::kernel::Kernel &a = baseline.*kind, &b = avx2.*kind;
      ASSERT_EQ(a.name == nullptr, b.name == nullptr);
      if (!a.name) continue;
      ++kernels;
      const M<double> c{};
      for (unsigned i = 0; i < 20; ++i) {
        bristle::kernel::Step s;
        const auto state = c.rest();
        const typename M<double>::Mode mode{};
        s.contact = &c;
        s.state = &state;
        s.mode = &mode;
        s.inverse_mass = s.inverse_slip_mass = 1 / (0.5 + draw(i, 1));
        s.spring.stiffness = 10 * draw(i, 2);
        s.spring.damping = draw(i, 3);
        s.load.fill(1);
        s.straight = i % 2 == 0;
        s.h = 1e-4 * draw(i, 4);
        s.y[1] = 1e-6 * draw(i, 5);
        s.y[std::tuple_size_v<decltype(M<double>::State::fields())> + 1] = 1e-3 * (0.1 + draw(i, 6));
        s.end.fill(0.3);
        s.end_v.fill(0.1);
        s.atol.fill(1e-6);
        s.largest.fill(1);
        s.rtol = 1e-6;
        bristle::kernel::Step t = s;
        for (auto [kernel, step] : {std::pair{&a, &s}, std::pair{&b, &t}}) {
          kernel->prepare(*step);
          kernel->attempt(*step);
          kernel->curvature(*step);
        }
        for (std::size_t k = 0; k < bristle::kernel::room; ++k) {
          EXPECT_NEAR(s.y1[k], t.y1[k], 1e-12 * (std::abs(s.y1[k]) + 1e-6)) << c.card.name << ' ' << k;
          EXPECT_NEAR(s.dense[1][k], t.dense[1][k], 1e-9 * (std::abs(s.y1[k]) + 1e-6)) << c.card.name << ' ' << k;
        }
        EXPECT_NEAR(s.pivot, t.pivot, 1e-9 * std::abs(s.pivot));
      }
    }
  });
  EXPECT_GT(kernels, 20U);
#endif
}

}  // namespace
