#include "bristle/simulate/ensemble.hpp"
#include "support/experiment.hpp"

/// Runs without rows at output_step.
namespace {

using namespace bristle;

Experiment block(const char* model, Method method) {
  Experiment e = ::slider(contact(model, typical(model)), 1, 2, position(Ramp{0.1, 0}), 3);
  e.method = method;
  if (method == Method::fixed) e.solver.step = 1e-3;
  return e;
}

/// Rows are read off the solution: without them it stays the same, bit by bit.
void expect_same_but_rows(const Run& all, const Run& none) {
  ASSERT_EQ(none.trace.names(), all.trace.names());
  EXPECT_EQ(none.trace.rows(), 0U);
  ASSERT_EQ(none.probes.rows(), 2U);
  for (std::size_t c = 0; c < all.probes.columns.size(); ++c) {
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(none.probes.columns[c].values[k], all.probes.columns[c].values[k],
                  1e-12 * (1 + std::abs(all.probes.columns[c].values[k])))  // a force may be computed in a vector
          << all.probes.columns[c].name;
  }
  ASSERT_EQ(none.events.size(), all.events.size());
  for (std::size_t i = 0; i < all.events.size(); ++i) EXPECT_EQ(none.events[i].t, all.events[i].t);
  EXPECT_EQ(none.summary.steps, all.summary.steps);
  EXPECT_EQ(none.summary.duration, 3);
  EXPECT_EQ(none.summary.energy.friction, all.summary.energy.friction);
}

TEST(RunsWithoutRows, KeepTheRest) {
  for (const char* model : {"lugre", "coulomb", "gms"}) {
    for (const Method method : {Method::automatic, Method::fixed, Method::cvode}) {
      const Experiment e = block(model, method);
      expect_same_but_rows(simulate(e, {.probes = {1, 2.345}}), simulate(e, {.probes = {1, 2.345}, .rows = false}));
    }
  }
}

TEST(RunsWithoutRows, Ensembles) {
  std::vector<Experiment> all;
  for (int i = 0; i < 9; ++i) all.push_back(block(i % 3 == 2 ? "coulomb" : "lugre", Method::automatic));
  EnsembleOptions options{.threads = 1, .probes = {1, 2.345}};
  const auto with = simulate_all(all, options);
  options.rows = false;
  const auto without = simulate_all(all, options);
  for (std::size_t i = 0; i < all.size(); ++i) expect_same_but_rows(with[i].run, without[i].run);
}

}  // namespace
