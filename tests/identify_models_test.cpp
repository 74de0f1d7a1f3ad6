/// Fits of models that no line of the fits names: all they know is the header. Parameters, units and noise are drawn at random.
#include <gtest/gtest.h>

#include <cmath>

#include "support/random.hpp"
#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

double unit_factor(std::string_view unit, double newton, double metre) {
  return unit == "N" ? newton : unit == "N/m" ? newton / metre : unit == "N s/m" ? newton / metre : 1;
}

class Unnamed : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(Unnamed, IsRecovered) {
  const auto [model, seed] = GetParam();
  Draw draw(static_cast<std::uint64_t>(seed));
  const double newton = draw.log_uniform(1e-3, 1e3), metre = draw.log_uniform(1e-3, 1e2);
  synthetic::Truth truth{model};
  for (const FieldInfo& f : find_model(model)->parameters) {
    const double* typical = f.value.as<double>();
    if (!f.required || f.kind != Kind::real) continue;
    const double spread = f.unit == "1" ? draw.uniform(0.85, 1.4) : draw.log_uniform(0.4, 2.5);
    truth.parameters.push_back({f.name, *typical * unit_factor(f.unit, newton, metre) * spread});
  }
  auto scales = make(model, truth.parameters).contact->scales();
  truth.motion.duration = 4;
  truth.motion.dt = 2e-3;
  truth.motion.velocity = 100 * scales.displacement;
  truth.motion.frequency = 100 / 60.0;
  truth.parameters.push_back({"kv", 0.02 * scales.force / truth.motion.velocity});
  if (std::string_view(model) == "bouc_wen")
    truth.parameters.push_back({"ke", draw.uniform(0.05, 0.2) * scales.force / (20 * scales.displacement)});
  Options o;
  o.models = {model};
  o.starts = 2;
  o.profiles = false;
  const Ranking ranking = identify::identify({truth.recording({0.005, 0, static_cast<std::uint64_t>(seed)})}, o);
  ASSERT_EQ(ranking.fits.size(), 1U);
  const Fit& fit = ranking.fits[0];
  EXPECT_TRUE(fit.converged) << fit.message;
  for (const Estimate& e : fit.friction) {
    const double value = truth.value(e.name), wide = 0.5 * (e.high - e.low);
    EXPECT_NEAR(e.value, value, 2 * wide) << e.name;  // four standard deviations
    EXPECT_LT(wide, 0.3 * std::abs(value)) << e.name << " is not determined";
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Unnamed, testing::Combine(testing::Values("bouc_wen", "iwan"), testing::Range(1, 5)),
                         [](const auto& i) {
                           return std::get<0>(i.param) + std::string("_") + std::to_string(std::get<1>(i.param));
                         });

}  // namespace
