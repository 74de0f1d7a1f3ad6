/// Random scenarios: any model, parameters over decades, any system, drive, load and effect, against CVODE or, where CVODE
/// gives up, against ourselves at a tighter tolerance. BRISTLE_RANDOM=N runs N of them, BRISTLE_RANDOM_FROM=K from the K-th.
#include <gtest/gtest.h>

#include <array>
#include <iostream>

#include "support/experiment.hpp"
#include "support/random_experiment.hpp"
#include "support/second_opinion.hpp"

using namespace bristle;
using random_experiment::from_environment;
using random_experiment::Generator;
using random_experiment::Scenario;
using random_experiment::SecondOpinion;

TEST(Random, ScenariosAgreeWithASecondSolver) {
  const long first = from_environment("BRISTLE_RANDOM_FROM", 0), n = from_environment("BRISTLE_RANDOM", 120);
  std::array<long, 4> count{};
  for (long i = first; i < first + n; ++i) {
    Scenario s = Generator(static_cast<std::uint64_t>(i)).scenario();
    ++count[static_cast<std::size_t>(SecondOpinion(s, "scenario " + std::to_string(i)).outcome())];
  }
  std::cout << n << " scenarios: " << count[0] << " agree, " << count[1] << " converge, " << count[2]
            << " are sensitive, " << count[3] << " take too many steps\n";
  if (n >= 100) { EXPECT_GT(static_cast<double>(count[0]), 0.8 * static_cast<double>(n)); }
}
