/// The branch-free functions against long double, in units of the last place.
#include "bristle/quick.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/random.hpp"

using namespace bristle;

namespace {

/// Error in units in the last place of the true value.
template <class T> double ulps(T got, long double want) {
  const T near = static_cast<T>(want);
  const long double unit =
      std::abs(static_cast<long double>(std::nextafter(near, std::numeric_limits<T>::infinity())) - near);
  return static_cast<double>(std::abs(static_cast<long double>(got) - want) / unit);
}

template <class T> class QuickTest : public ::testing::Test {
 public:
  static constexpr bool wide = sizeof(T) == 8;
  static constexpr double top = wide ? 709 : 88, bottom = wide ? -707 : -85;
};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(QuickTest, Scalars);

}  // namespace

TYPED_TEST(QuickTest, ExpWithinTwoUlp) {
  using T = TypeParam;
  Draw draw(1);
  double worst = 0;
  for (int i = 0; i < 400000; ++i) {
    const T x =
        static_cast<T>(i % 2 ? draw.uniform(this->bottom, this->top) : draw.sign() * draw.log_uniform(1e-12, 40));
    worst = std::max(worst, ulps(quick::exp(x), std::exp(static_cast<long double>(x))));
    if (x > 0 && x < 80) worst = std::max(worst, ulps(quick::decay(x), std::exp(-static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 2);
  EXPECT_GT(worst, 0.4);  // the measure works
}

TYPED_TEST(QuickTest, Expm1WithinThreeUlpAlsoForTinyArguments) {
  using T = TypeParam;
  Draw draw(2);
  double worst = 0;
  for (int i = 0; i < 400000; ++i) {
    const T x = static_cast<T>(i % 3 == 0 ? draw.uniform(-40, this->top) : draw.sign() * draw.log_uniform(1e-30, 2));
    worst = std::max(worst, ulps(quick::expm1(x), std::expm1(static_cast<long double>(x))));
    if (x > 0) worst = std::max(worst, ulps(quick::gone(x), -std::expm1(-static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 3);
}

TYPED_TEST(QuickTest, LogAndTanh) {
  using T = TypeParam;
  Draw draw(3);
  double log_worst = 0, tanh_worst = 0;
  for (int i = 0; i < 300000; ++i) {
    const T x = static_cast<T>(i % 2 ? draw.log_uniform(1e-30, 1e30) : draw.uniform(0.5, 2));
    if (x != T(1)) log_worst = std::max(log_worst, ulps(quick::log(x), std::log(static_cast<long double>(x))));
    const T y = static_cast<T>(draw.sign() * draw.log_uniform(1e-20, 30));
    tanh_worst = std::max(tanh_worst, ulps(quick::tanh(y), std::tanh(static_cast<long double>(y))));
  }
  EXPECT_LT(log_worst, 2);
  EXPECT_LT(tanh_worst, 4);
}

TYPED_TEST(QuickTest, EndsOfTheRange) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(quick::exp(T(0)), T(1));
  EXPECT_LT(quick::exp(-inf), T(5e-38));
  EXPECT_LT(quick::exp(T(-800)), T(5e-38));
  EXPECT_GT(quick::exp(inf), T(3.3e38));
  EXPECT_LT(quick::decay(inf), T(5e-38));
  EXPECT_EQ(quick::gone(inf), T(1));
  EXPECT_EQ(quick::expm1(T(0)), T(0));
  EXPECT_EQ(quick::expm1(-inf), T(-1));
  EXPECT_GT(quick::expm1(inf), T(3.3e38));
  EXPECT_EQ(quick::log(T(1)), T(0));
  EXPECT_LT(quick::pow(T(0), T(2)), T(1e-37));
  EXPECT_EQ(quick::tanh(inf), T(1));
  for (const T x : {quick::exp(nan), quick::expm1(nan), quick::log(nan), quick::pow(nan, T(2)), quick::tanh(nan),
                    quick::decay(nan), quick::gone(nan)}) {
    EXPECT_TRUE(std::isnan(x));
  }
}
