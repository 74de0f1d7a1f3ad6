/// Stribeck exponents below 1: the slope of the curve is infinite at rest. A Jacobian with such a slope keeps the
/// body at rest under any load, which the energy balance does not show.
#include <gtest/gtest.h>

#include <random>

#include "support/experiment.hpp"

using namespace bristle;

namespace {

/// The explicit pair uses no Jacobian.
bristle::Run explicit_run(Experiment e, double rtol) {
  e.method = Method::explicit_pair;
  e.solver.rtol = rtol;
  return simulate(e);
}

Experiment two_contacts(double alpha, double duration) {
  Experiment e = slider(contact("lugre", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", 1e5}, {"sigma1", 300}}), 1,
                        2, position(Ramp{0.1, 0}), duration);
  e.contacts.front().name = "bristles";
  e.contacts.push_back({"dry", contact("stribeck", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"alpha", alpha}})});
  return e;
}

}  // namespace

/// A bristle law, whose slopes depend on the side of rest, and a dry law that starts to slip in the other direction.
TEST(Cusp, BodyOnTwoContactsMoves) {
  for (const double alpha : {0.1, 0.5, 0.9}) {
    const auto run = simulate(two_contacts(alpha, 20)), other = explicit_run(two_contacts(alpha, 20), 1e-9);
    EXPECT_EQ(kinds_of(run), kinds_of(other)) << alpha;
    EXPECT_NEAR(column(run.trace, "x").back(), column(other.trace, "x").back(), 1e-5) << alpha;
    EXPECT_GT(column(run.trace, "x").back(), 0.5) << alpha;
    EXPECT_LT(run.summary.momentum.error, 1e-9) << alpha;
  }
}

/// x(30) by the explicit pair, by CVODE and at rtol 1e-12: 2.3227, 2.3226, 2.32253. An undamped law rings and loses
/// digits.
TEST(Cusp, StribeckDankowiczMoves) {
  const Table values{{"Fc", 1}, {"Fs", 1.5}, {"vs", 0.02}, {"delta", 1e-5}, {"alpha", 0.7}};
  const auto run = simulate(slider(contact("stribeck_dankowicz", values), 1, 2, position(Ramp{0.1, 0}), 30));
  EXPECT_NEAR(column(run.trace, "x").back(), 2.32253, 1e-4);
}

/// Any law with a Stribeck exponent, sliders and rollers, exponents over the whole documented range below 1. Far above
/// breakaway a body must follow the drive whatever the law, so its mean velocity is known.
TEST(Cusp, EveryLawFollowsTheDrive) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> exponent(0.1, 0.95);
  for (const auto& m : model_infos()) {
    bool has_alpha = false;
    for (const auto& p : m.parameters) has_alpha = has_alpha || p.name == "alpha";
    if (!has_alpha || m.level == "contact") continue;
    for (int i = 0; i < 3; ++i) {
      Table values = typical(m.name);
      const double alpha = exponent(random);
      values.push_back({"alpha", alpha});
      values.push_back({"kv", 0.4});
      const double v = 0.5, duration = 4;
      const bool rolls = i == 2;
      Experiment e = rolls ? roller(contact(m.name, values), 1, 400, 0.1, force(Constant{60}), duration)
                           : slider(contact(m.name, values), 1, 400, position(Ramp{v, 0}), duration);
      if (rolls) e.body.stiffness = 0;
      const auto run = simulate(e);
      EXPECT_LT(run.summary.momentum.error, 1e-6) << m.name;
      const double x = column(run.trace, "x").back();
      if (rolls) {
        EXPECT_GT(x, 0.3 * 60 * duration * duration / 2) << m.name;  // friction is at most 1.5 N
      } else {
        EXPECT_NEAR(x, v * duration, 0.05) << m.name << " alpha " << alpha;
      }
    }
  }
}
