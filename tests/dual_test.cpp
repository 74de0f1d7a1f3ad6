/// Dual numbers: every derivative against differences in long double, and the rules that let models be written once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "bristle/dual.hpp"

using namespace bristle;
using L = long double;
using D = Dual<double>;
using DD = Dual<D>;

namespace {
/// Central difference of fourth order: truncation h^4 and rounding eps/h both stay below 1e-14 of the function.
template <class F> L slope(const F& f, L x) {
  const L h = 2e-4L * std::abs(x);
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

/// Value, first and second derivative of f. The difference of a difference loses four digits more.
template <class F> void check(const char* name, const std::vector<double>& points, const F& f) {
  for (const double x : points) {
    const auto first = [&](L y) { return slope(f, y); };
    const double value = static_cast<double>(f(L(x))), d = static_cast<double>(first(x)),
                 dd = static_cast<double>(slope(first, x));
    const D once = f(D::variable(x));
    const DD twice = f(DD::variable(D::variable(x)));
    const double scale = std::abs(value / x) + std::abs(d);
    EXPECT_DOUBLE_EQ(once.a, value) << name << " at " << x;
    EXPECT_NEAR(once.d[0], d, 1e-11 * scale) << name << "' at " << x;
    EXPECT_EQ(twice.a.a, once.a) << name << " at " << x;
    EXPECT_EQ(twice.d[0].a, once.d[0]) << name << "' at " << x;
    EXPECT_EQ(twice.a.d[0], once.d[0]) << name << "' at " << x;
    EXPECT_NEAR(twice.d[0].d[0], dd, 1e-8 * (scale / std::abs(x) + std::abs(dd))) << name << "'' at " << x;
  }
}
const std::vector<double> everywhere{-2.3, -0.7, -1e-3, 1e-3, 0.4, 1.1, 5}, upright{1e-3, 0.4, 1.1, 5};
}  // namespace

TEST(Dual, ElementaryFunctionsMatchDifferences) {
  // clang-format off
  check("abs", everywhere, [](auto x) { using std::abs; return abs(x); });
  check("exp", everywhere, [](auto x) { using std::exp; return exp(x); });
  check("expm1", everywhere, [](auto x) { using std::expm1; return expm1(x); });
  check("log", upright, [](auto x) { using std::log; return log(x); });
  check("log1p", {-0.7, 1e-3, 0.4, 5}, [](auto x) { using std::log1p; return log1p(x); });
  check("sqrt", upright, [](auto x) { using std::sqrt; return sqrt(x); });
  check("sin", everywhere, [](auto x) { using std::sin; return sin(x); });
  check("cos", everywhere, [](auto x) { using std::cos; return cos(x); });
  check("tan", {-0.7, -1e-3, 1e-3, 0.4, 1.1}, [](auto x) { using std::tan; return tan(x); });
  check("atan", everywhere, [](auto x) { using std::atan; return atan(x); });
  check("tanh", everywhere, [](auto x) { using std::tanh; return tanh(x); });
  check("asinh", everywhere, [](auto x) { using std::asinh; return asinh(x); });
  check("x^2.5", upright, [](auto x) { using std::pow; return pow(x, decltype(x)(2.5)); });
  check("2.5^x", everywhere, [](auto x) { using std::pow; return pow(decltype(x)(2.5), x); });
  check("x^x", upright, [](auto x) { using std::pow; return pow(x, x); });
  // clang-format on
}

TEST(Dual, ArithmeticMatchesDifferences) {
  check("polynomial", everywhere, [](auto x) { return x * x * x - 3 * x + 0.5; });
  check("rational", everywhere, [](auto x) { return (x - 7) / (x * x + 2) - 1 / x; });
  check("signs", everywhere, [](auto x) { return -x * (+x) - (2 - x); });
  check("compound", everywhere, [](auto x) {
    auto y = x;
    y += 2;
    y *= x;
    y -= x / 3;
    y /= x * x + 1;
    return y;
  });
}

TEST(Dual, SmallFunctionsOfTheLibraryMatchDifferences) {
  check("decay", upright, [](auto x) { return decay(x); });
  check("relax", upright, [](auto x) { return relax(x * x, decltype(x)(3), x); });
  check("log1p(x)/x", {-0.5, -0.0099, -1e-3, 1e-6, 0.0098, 0.3}, [](auto x) { return log1p_over(x); });
  check("clamped", {0.5, -0.5, 3, -3}, [](auto x) { return clamped(x, decltype(x)(1)); });
}

/// Around 0 the series: 1 - x/2 + x^2/3.
TEST(Dual, LogarithmOverItsArgumentIsSmoothThroughZero) {
  const DD y = log1p_over(DD::variable(D::variable(0)));
  EXPECT_EQ(y.a.a, 1);
  EXPECT_EQ(y.d[0].a, -0.5);
  EXPECT_DOUBLE_EQ(y.d[0].d[0], 2.0 / 3);
}

/// Beyond 800 an exponential is nothing, and so is its slope: no 0 * inf.
TEST(Dual, VanishedExponentialHasNoSlope) {
  const D huge{chain(D::variable(1), 1e300, inf)};
  EXPECT_EQ(decay(huge).a, 0);
  EXPECT_EQ(decay(huge).d[0], 0);
  EXPECT_EQ(relax(D(2), D(5), huge).a, 5);
  EXPECT_EQ(relax(D(2), D(5), huge).d[0], 0);
}

TEST(Dual, PowerAtZero) {
  auto base = [](double y) { return pow(D::variable(0), D(y)); };
  EXPECT_EQ(base(2).a, 0);
  EXPECT_EQ(base(2).d[0], 0);
  EXPECT_EQ(base(1).d[0], 1);
  EXPECT_EQ(base(0.5).d[0], inf);
  EXPECT_EQ(pow(DD::variable(D::variable(0)), DD(2)).d[0].d[0], 2);
  // A constant base has no slope, be it infinite, and x^y ln x tends to 0.
  EXPECT_EQ(pow(D(0), D(0.5)).d[0], 0);
  EXPECT_EQ(pow(D(0), D::variable(0.5)).d[0], 0);
  EXPECT_EQ(pow(D(0), D::variable(2)).d[0], 0);
  EXPECT_EQ(pow(D(0), D(0)).a, 1);
}

TEST(Dual, PartialDerivativesStayApart) {
  using D3 = Dual<double, 3>;
  const D3 x = D3::variable(2, 0), y = D3::variable(3, 1), z = D3::variable(4, 2);
  const D3 f = x * y / z + pow(x, y);  // 1.5 + 8
  EXPECT_DOUBLE_EQ(f.a, 9.5);
  EXPECT_DOUBLE_EQ(f.d[0], 0.75 + 12);
  EXPECT_DOUBLE_EQ(f.d[1], 0.5 + 8 * std::log(2));
  EXPECT_DOUBLE_EQ(f.d[2], -0.375);
}

/// d2/dxdy of x^2 y^3 = 6 x y^2, from inner and outer derivative.
TEST(Dual, MixedSecondDerivatives) {
  using In = Dual<double, 2>;
  using Out = Dual<In, 2>;
  const Out x = Out::variable(In::variable(2, 0), 0), y = Out::variable(In::variable(3, 1), 1), f = x * x * y * y * y;
  EXPECT_EQ(f.d[0].d[1], 108);
  EXPECT_EQ(f.d[1].d[0], 108);
  EXPECT_EQ(f.d[0].d[0], 54);  // 2 y^3
  EXPECT_EQ(f.d[1].d[1], 72);  // 6 x^2 y
  EXPECT_EQ(real_part(f), 108);
}

TEST(Dual, ComparisonsLookAtTheValueAlone) {
  const D a = D::variable(1), b(1.0), c(2.0);
  EXPECT_TRUE(a == b && a <= b && a >= b && !(a != b) && !(a < b) && !(a > b));
  EXPECT_TRUE(a < c && c > a && a != c && a < 2 && 0.5 < a && a == 1);
  const D bad(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(bad < a || bad > a || bad == a || bad == bad);
  EXPECT_TRUE((DD(D::variable(1)) < DD(2)));
  EXPECT_EQ(sgn(D::variable(-3)).a, -1);
  EXPECT_EQ(sgn(D::variable(-3)).d[0], 0);
  EXPECT_EQ(side(D::variable(0)), 0);
  EXPECT_EQ(smaller(D::variable(1), D(1)).d[0], 1);  // the first of two equals, with its derivative
}

TEST(Dual, MixesWithEveryPlainNumber) {
  const D x = D::variable(0.5);
  for (const D& y : {x + 1, 1 + x, x + 1.0f, 1.0f + x, x + 1.0, 1.0 + x}) {
    EXPECT_EQ(y.a, 1.5);
    EXPECT_EQ(y.d[0], 1);
  }
  for (const D& y : {2 * x, x * 2.0f, x / 0.5, 2.0 * x, x - -x}) {
    EXPECT_EQ(y.a, 1);
    EXPECT_EQ(y.d[0], 2);
  }
  for (const D& y : {1 / x, 1.0f / x, 1.0 / x}) {
    EXPECT_EQ(y.a, 2);
    EXPECT_EQ(y.d[0], -4);
  }
  const DD z = 3 - DD::variable(x) * 2 + 1.0f * x;  // a constant of the inner type is a constant
  EXPECT_EQ(z.d[0].a, -2);
  EXPECT_EQ(z.a.d[0], -1);
  const Dual<float> f = Dual<float>::variable(0.5f) * 3 + 0.25;
  EXPECT_EQ(f.a, 1.75f);
  EXPECT_EQ(f.d[0], 3.0f);
  static_assert(std::is_same_v<decltype(real_part(z)), double> && std::is_same_v<decltype(real_part(f)), float>);
  static_assert(epsilon<DD> == epsilon<double> && epsilon<Dual<float>> == epsilon<float>);
}

TEST(Dual, IsUsableInConstantExpressions) {
  constexpr D y = D::variable(3.0) * D::variable(3.0) - 1;
  static_assert(y.a == 8 && y.d[0] == 6);
}
