/// Slopes of laws with elements, in one pass where their elements do not see each other, against differences.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bristle/models/gms.hpp"
#include "bristle/models/iwan.hpp"
#include "bristle/models/leuven.hpp"
#include "bristle/models/maxwell_slip.hpp"
#include "simulate/typed_flow.hpp"

using namespace bristle;

namespace {

/// Slopes around a motion in which every other element slips.
template <class C> void expect_slopes(const C& c, const char* name) {
  TypedFlow<C> flow(c, c.rest());
  const std::size_t n = flow.size();
  const auto& traits = flow.traits();
  std::vector<double> z(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double bound = std::isfinite(traits.bound[i]) ? traits.bound[i] : 0;
    z[i] = (i % 2 == 0 ? 1.001 : 0.3) * bound;
  }
  const Motion<double> u{.v = 0.7e-3, .r = 1.3};
  flow.begin(z.data(), u);
  Slopes slopes(n);
  flow.slopes(z.data(), u, slopes);

  const auto expect_column = [&](auto&& moved, double step, double F_slope, auto&& rate_slope) {
    std::vector<double> ahead(n), behind(n);
    const double F = moved(step, ahead.data()) - moved(-step, behind.data());
    EXPECT_NEAR(F / (2 * step), F_slope, 1e-5 * (1 + std::abs(F_slope))) << name;
    for (std::size_t i = 0; i < n; ++i) {
      const double slope = (ahead[i] - behind[i]) / (2 * step);
      EXPECT_NEAR(slope, rate_slope(i), 1e-5 * (1 + std::abs(slope))) << name << ", rate of state " << i;
    }
  };
  expect_column(
      [&](double d, double* rate) {
        Motion<double> m = u;
        m.v += d;
        return flow.eval(z.data(), m, rate);
      },
      1e-8, slopes.F_v, [&](std::size_t i) { return slopes.rate_v[i]; });
  expect_column(
      [&](double d, double* rate) {
        Motion<double> m = u;
        m.r += d;
        return flow.eval(z.data(), m, rate);
      },
      1e-5, slopes.F_r, [&](std::size_t i) { return slopes.rate_r[i]; });
  for (std::size_t k = 0; k < n; ++k) {
    expect_column(
        [&](double d, double* rate) {
          std::vector<double> y = z;
          y[k] += d;
          return flow.eval(y.data(), u, rate);
        },
        1e-6 * traits.state_scale[k], slopes.F_z[k], [&](std::size_t i) { return slopes.rate_z[i * n + k]; });
  }
  std::vector<double> rate(n);
  EXPECT_EQ(slopes.F, flow.eval(z.data(), u, rate.data())) << name;
  EXPECT_EQ(slopes.rate, rate) << name;
}

}  // namespace

TEST(Slopes, AgreeWithDifferences) {
  expect_slopes(Iwan<>{{.kv = 3}}, "iwan");
  expect_slopes(MaxwellSlip<>{{.kv = 3}}, "maxwell_slip");
  expect_slopes(Gms<>{}, "gms");
  expect_slopes(Gms<>{{.sigma = {1, 2, 3, 4}}}, "gms with sigma");
  expect_slopes(Gms<>{{.Fc_i = {0.1, 0.2, 0.3, 0.4}, .Fs_i = {0.2, 0.3, 0.4, 0.5}, .vs_i = {1e-3, 2e-3, 1e-3, 3e-3}}},
                "gms with curves of its elements");
  expect_slopes(Leuven<>{}, "leuven");
}
