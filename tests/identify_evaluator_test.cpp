#include <gtest/gtest.h>

#include <cmath>

#include "identify/fused.hpp"
#include "identify/guess.hpp"
#include "identify/objective.hpp"
#include "identify/solve.hpp"
#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

/// A model along its own motion with a start from the data.
struct Fixture {
  synthetic::Truth truth;
  Recording recording;
  Series data;
  Features features;
  std::unique_ptr<Evaluator> model;
  StartingPoint start;
  Space space;
  Control control{1e9};

  explicit Fixture(const std::string& name)
      : truth(synthetic::truth_of(name, 2, 2e-3)),
        recording(truth.recording({0.01})),
        data(joined({recording}, 5)),
        features(features_of(data, Gravity::none)) {
    Options options;
    options.elements = {3};
    options.fixed = truth.fixed;
    const Shape shape = shapes_of(name, data, features, options).front();
    model = evaluator(name, shape.given);
    start = start_of(shape, *model, data, features, options);
    space = make_space(name, model->scalars(), 0, start.guesses, start.held);
  }
};

class EveryModel : public testing::TestWithParam<std::string> {};

/// The evaluation uses the same contact as a simulation, step by step.
TEST_P(EveryModel, FollowsTheContact) {
  Fixture f(GetParam());
  Recording clean = f.truth.recording({0});
  const auto w = evaluator(GetParam(), f.truth.parameters);
  const std::vector<double> p = w->values();
  std::size_t seen = 0;
  const double largest = f.features.force;  // the same formulas, optimised differently
  w->evaluate(f.data, {p.data()}, [&](const Rows& rows) {
    for (std::size_t k = 0; k < rows.n; ++k)
      EXPECT_NEAR(rows.F[k], clean.F[rows.from + k], 1e-11 * largest) << rows.from + k;
    seen += rows.n;
    return true;
  });
  EXPECT_EQ(seen, f.data.size());
}

/// The gradient computed with the forces is that of the cost: central differences in every coordinate.
TEST_P(EveryModel, CarriesItsDerivatives) {
  if (GetParam() == "haessig_friedland") GTEST_SKIP() << "its force jumps with its parameters: bristles snap";
  Fixture f(GetParam());
  Objective o{f.data, *f.model, f.space, f.control, 0.1};
  std::vector<double> q = scattered(f.space, f.start.guesses, 1, 1).front();
  Gram g;
  ASSERT_TRUE(o.gram(q.data(), g));
  EXPECT_NEAR(g.cost, o.cost(q.data()), 1e-9 * g.cost);
  const std::size_t n = q.size();
  double steepest = 0;
  for (std::size_t j = 0; j < n; ++j) steepest = std::max(steepest, std::abs(g.matrix[n * (n + 1) + j]));
  for (std::size_t j = 0; j < n; ++j) {
    const double h = 1e-6, middle = q[j];
    q[j] = middle + h;
    const double up = o.cost(q.data());
    q[j] = middle - h;
    const double down = o.cost(q.data());
    q[j] = middle;
    // Switches that move from one sample to the next within h cost a little of the agreement.
    EXPECT_NEAR(g.matrix[n * (n + 1) + j], (up - down) / (2 * h), 2e-3 * steepest) << f.space.coordinates[j].name;
  }
}

/// A start at which nothing can be computed is no solution.
TEST(Descend, FailsWithoutACost) {
  Fixture f("stribeck");
  const std::vector<double> q = scattered(f.space, f.start.guesses, 1, 1).front();
  const Objective o{f.data, *f.model, f.space, f.control, 0.1};
  const Solution good = descend(o, q, 25);
  EXPECT_TRUE(std::isfinite(good.cost) && good.cost >= 0);
  EXPECT_LE(good.cost, o.cost(q.data()));
  f.control.stop();
  testing::internal::CaptureStderr();
  const Solution none = descend(o, q, 25);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(none.cost, inf);
  EXPECT_FALSE(none.converged);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::ValuesIn(synthetic::lumped_models()),
                         [](const auto& model) { return model.param; });

/// The short way of LuGre gives what the general one gives: with weights, a block left out, outliers, held and sampled
/// velocities, and with some parameters fixed.
TEST(Fused, AgreesWithTheGeneralWay) {
  Fixture f("lugre");
  for (const bool held : {true, false}) {
    Recording r = f.recording;
    if (!held) r.x.clear();
    for (std::size_t i = 0; i < r.size(); ++i) r.sigma.push_back(1 + 0.1 * static_cast<double>(i % 7));
    for (std::size_t i = 10; i < r.size(); i += 50) r.F[i] += 3;
    r.stretches = {0, 333};
    const Series data = joined({r}, 5);
    ASSERT_EQ(data.held, held);
    ASSERT_EQ(data.turn_dt.empty(), held);
    for (const bool fixed_vs : {false, true}) {
      StartingPoint start = f.start;
      start.held[2] = fixed_vs;
      const Space space = make_space("lugre", f.model->scalars(), 0, start.guesses, start.held);
      Objective general{data, *f.model, space, f.control, 0.05, 2.5, 3},
          quick{data, *f.model, space, f.control, 0.05, 2.5, 3, true};
      ASSERT_TRUE(can_fuse(general));
      const std::vector<double> q = scattered(space, start.guesses, 1, 1).front();
      Gram a, b;
      ASSERT_TRUE(general.gram(q.data(), a));
      ASSERT_TRUE(quick.gram(q.data(), b));
      ASSERT_EQ(a.matrix.size(), b.matrix.size());
      const std::size_t n = space.size() + 1;
      for (std::size_t i = 0; i < n * n; ++i)
        EXPECT_NEAR(a.matrix[i], b.matrix[i], 1e-11 * std::sqrt(a.matrix[i / n * (n + 1)] * a.matrix[i % n * (n + 1)]));
      EXPECT_NEAR(general.cost(q.data()), quick.cost(q.data()), 1e-11 * a.cost);
    }
  }
  const Space with_alpha = make_space("lugre", f.model->scalars(), 0, f.start.guesses, std::vector<bool>(8, false));
  EXPECT_FALSE(can_fuse({f.data, *f.model, with_alpha, f.control}));
}

TEST(Walk, BeginsAnewAtEveryStretch) {
  Fixture f("lugre");
  Recording twice = f.recording;
  const std::size_t n = twice.size();
  for (auto* series : {&twice.x, &twice.v, &twice.F}) series->insert(series->end(), series->begin(), series->end());
  for (std::size_t i = 0; i < n; ++i) twice.t.push_back(twice.t[i] + 100);
  twice.stretches.push_back(n);
  const Series data = joined({twice}, 5);
  std::vector<double> F(data.size());
  const std::vector<double> p = f.model->values();
  f.model->evaluate(data, {p.data()}, [&](const Rows& rows) {
    std::copy(rows.F, rows.F + rows.n, F.begin() + static_cast<std::ptrdiff_t>(rows.from));
    return true;
  });
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(F[i], F[n + i], 1e-8) << i;  // t + 100 has fewer digits
}

/// Longer steps keep the displacement, so a law of displacement alone gives the same forces.
TEST(Thinned, KeepsTheWay) {
  Fixture f("maxwell_slip");
  const Series few = thinned(f.data, 300);
  ASSERT_LE(few.size(), 301U);
  double way = 0, all = 0;
  for (std::size_t i = 0; i < few.size(); ++i) way += few.dt[i] * few.step_v[i];
  for (std::size_t i = 0; i < f.data.size(); ++i) all += f.data.dt[i] * f.data.step_v[i];
  EXPECT_NEAR(way, all, 1e-12 * f.features.travel);
  EXPECT_EQ(thinned(f.data, 5000).size(), f.data.size());
}

/// A stop that rings, ten samples per period: the way there and back within a step counts for the force that stays.
TEST(Walk, SeesTheWayBackAtATurn) {
  auto at_rest = [](double step, double phase) {
    constexpr double w = 600, c = 1000 / 3.0, V = 0.02;
    Recording r;
    for (int i = 0; i * step < 0.04 + step / 2; ++i) {
      const double t = i * step + phase, amplitude = V * std::exp(-c * t);
      r.t.push_back(t);
      r.v.push_back(amplitude * std::cos(w * t));
      r.x.push_back(amplitude * (w * std::sin(w * t) - c * std::cos(w * t)) / (w * w + c * c));
      r.F.push_back(0);
    }
    const auto law = evaluator("lugre", {{"Fc", 8.0}, {"Fs", 12.0}, {"vs", 5e-3}, {"sigma0", 4e5}, {"sigma1", 0.0}});
    const std::vector<double> p = law->values();
    double F = 0;
    law->evaluate(joined({r}, 2), {p.data()}, [&](const Rows& rows) {
      F = rows.F[rows.n - 1];
      return true;
    });
    return F;
  };
  double sum = 0;
  for (const double phase : {0.0, 2e-4, 4e-4, 6e-4, 8e-4})
    sum += std::abs(at_rest(1e-3, phase) - at_rest(1e-3 / 64, phase)) / 5;
  EXPECT_LT(sum, 0.025);  // 0.056 N with a single step
}

/// Velocities of 0 but for rounding errors: the turn is at the sample.
TEST(Walk, TurnsAtASample) {
  for (const double tiny : {1e-16, 1e-18, 1e-300}) {
    Recording r;
    for (int i = 0; i < 40; ++i) {
      const double v[] = {1, -tiny, -1, tiny}, x[] = {0, 0.005, 0, -0.005};
      r.t.push_back(0.01 * i);
      r.v.push_back(v[i % 4]);
      r.x.push_back(x[i % 4]);
      r.F.push_back(0);
    }
    const auto law = evaluator("lugre", {{"Fc", 8.0}, {"Fs", 12.0}, {"vs", 5e-3}, {"sigma0", 4e5}, {"sigma1", 0.0}});
    const std::vector<double> p = law->values();
    law->evaluate(joined({r}, 2), {p.data()}, [&](const Rows& rows) {
      for (std::size_t i = 0; i < rows.n; ++i) EXPECT_LE(std::abs(rows.F[i]), 20) << tiny << ", row " << i;
      return true;
    });
  }
}

/// Velocities as a sensor gives them, at the samples: the force of a smooth motion converges with dt squared.
TEST(Walk, IsOfSecondOrderForSampledVelocities) {
  auto error = [](double dt) {
    auto sampled = [](double step) {
      Recording r;
      for (double t = 0; t < 0.5 + 1e-9; t += step) {
        r.t.push_back(t);
        r.v.push_back(1e-3 * std::sin(20 * t) + 1.5e-3);
        r.F.push_back(0);
      }
      return joined({r}, 2);
    };
    const auto w = evaluator("lugre", {{"sigma0", 1e4}});
    const std::vector<double> p = w->values();
    auto last = [&](const Series& s) {
      double F = 0;
      w->evaluate(s, {p.data()}, [&](const Rows& rows) {
        F = rows.F[rows.n - 1];
        return true;
      });
      return F;
    };
    return std::abs(last(sampled(dt)) - last(sampled(1.0 / 65536)));
  };
  const double coarse = error(1.0 / 1024), fine = error(1.0 / 2048);
  EXPECT_GT(coarse, 1e-8);  // there is something to compare
  EXPECT_NEAR(coarse / fine, 4, 0.5);
}

}  // namespace
