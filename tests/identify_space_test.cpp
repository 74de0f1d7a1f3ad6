#include <gtest/gtest.h>

#include <cmath>

#include "identify/guess.hpp"
#include "identify/statistics.hpp"
#include "support/random.hpp"
#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

struct Made {
  std::unique_ptr<Evaluator> model;
  StartingPoint start;
  Space space;
  Shape shape;
};
Made space_of(const std::string& name, const Options& options) {
  const synthetic::Truth truth = synthetic::truth_of(name, 2, 2e-3);
  const Series data = joined({truth.recording({0.01})}, 5);
  const Features features = features_of(data, Gravity::none);
  Made m;
  m.shape = shapes_of(name, data, features, options).front();
  m.model = evaluator(name, m.shape.given);
  m.start = start_of(m.shape, *m.model, data, features, options);
  m.space = make_space(name, m.model->scalars(), 0, m.start.guesses, m.start.held);
  return m;
}

class EverySpace : public testing::TestWithParam<std::string> {};

/// Whatever the coordinates, the parameters are ones that every reader of a friction file accepts.
TEST_P(EverySpace, HasNoForbiddenPoint) {
  const Made m = space_of(GetParam(), {.elements = {4}});
  Draw draw(7);
  for (int k = 0; k < 200; ++k) {
    std::vector<double> q;
    for (const Coordinate& c : m.space.coordinates) {
      const double u = draw.uniform();  // ends of the range come up as well
      q.push_back(u < 0.1 ? c.lo : u > 0.9 ? c.hi : draw.uniform(c.lo, c.hi));
    }
    std::vector<double> p(m.space.parameters());
    m.space.parameters_at(q.data(), p.data(), nullptr);
    const auto made = make(GetParam(), m.model->table(p.data()));
    ASSERT_TRUE(made.contact) << made.problems.front().line();
  }
}

TEST_P(EverySpace, LeadsBackToItsCoordinates) {
  const Made m = space_of(GetParam(), {.elements = {4}});
  for (const auto& q : scattered(m.space, m.start.guesses, 20, 3)) {
    std::vector<double> p(m.space.parameters());
    m.space.parameters_at(q.data(), p.data(), nullptr);
    const std::vector<double> back = m.space.coordinates_at(p);
    // A difference of parameters (Fs - Fc) keeps the digits of the larger one.
    for (std::size_t j = 0; j < q.size(); ++j) EXPECT_NEAR(back[j], q[j], 1e-9 * std::max(1.0, std::abs(q[j])));
  }
}

/// The factor of a unit such as "N s/m" when newtons, metres and seconds are measured in other units.
double unit_factor(std::string_view unit, double newton, double metre, double second) {
  double factor = 1;
  bool below = false;
  for (const char c : unit) {
    if (c == '/') below = true;
    const double part = c == 'N' ? newton : c == 'm' ? metre : c == 's' ? second : 1;
    factor *= below ? 1 / part : part;
  }
  return factor;
}

/// A start is what the data show: inside its limits, and in other units it is converted. A number that stands for another
/// model's parameter, or for none, breaks this.
TEST_P(EverySpace, StartsFromTheDataInAnyUnits) {
  const double newton = 37, metre = 1e-4, second = 0.3;
  const synthetic::Truth truth = synthetic::truth_of(GetParam(), 2, 2e-3);
  Recording there = truth.recording({0.01}), here = there;
  for (std::size_t i = 0; i < here.t.size(); ++i) {
    here.t[i] *= second;
    here.x[i] *= metre;
    here.v[i] *= metre / second;
    here.F[i] *= newton;
  }
  const Options options{.elements = {4}};
  auto start = [&](const Recording& r) {
    const Series data = joined({r}, 5);
    const Features features = features_of(data, Gravity::none);
    const Shape shape = shapes_of(GetParam(), data, features, options).front();
    const auto model = evaluator(GetParam(), shape.given);
    return std::pair(start_of(shape, *model, data, features, options), model->scalars());
  };
  const auto [plain, scalars] = start(there);
  const StartingPoint converted = start(here).first;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    if (plain.held[i]) continue;
    const Guess &a = plain.guesses[i], &b = converted.guesses[i];
    const double factor = unit_factor(scalars[i].unit, newton, metre, second);
    const bool related = a.lo == 0 && a.hi == 0;
    EXPECT_TRUE(related || (a.lo <= a.value && a.value <= a.hi)) << scalars[i].name << " = " << a.value;
    EXPECT_NEAR(b.value / factor, a.value, 1e-6 * std::abs(a.value)) << scalars[i].name;
    EXPECT_NEAR(b.lo / factor, a.lo, 1e-6 * std::abs(a.lo)) << scalars[i].name;
    EXPECT_NEAR(b.hi / factor, a.hi, 1e-6 * std::abs(a.hi)) << scalars[i].name;
  }
}

TEST_P(EverySpace, KnowsItsSlopes) {
  const Made m = space_of(GetParam(), {.elements = {4}});
  std::vector<double> q = scattered(m.space, m.start.guesses, 2, 5).back();
  const std::size_t n = q.size(), rows = m.space.parameters();
  std::vector<double> p(rows), slopes(rows * n), up(rows), down(rows);
  m.space.parameters_at(q.data(), p.data(), slopes.data());
  for (std::size_t j = 0; j < n; ++j) {
    const double h = 1e-6, middle = q[j];
    q[j] = middle + h;
    m.space.parameters_at(q.data(), up.data(), nullptr);
    q[j] = middle - h;
    m.space.parameters_at(q.data(), down.data(), nullptr);
    q[j] = middle;
    for (std::size_t i = 0; i < rows; ++i) {
      if (!std::isfinite(p[i])) continue;  // an absent term
      EXPECT_NEAR(slopes[i * n + j], (up[i] - down[i]) / (2 * h), 1e-7 * std::abs(p[i]) + 1e-30) << i << " " << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EverySpace, testing::ValuesIn(synthetic::lumped_models()),
                         [](const auto& model) { return model.param; });

TEST(Space, HoldsWhatIsFixed) {
  const Made m = space_of("lugre", {.fixed = {{"Fs", 1.2}, {"vs", 2e-3}}});
  EXPECT_EQ(m.space.size(), 4U);  // Fc, sigma0, sigma1, kv
  std::vector<double> p(m.space.parameters());
  for (const auto& q : scattered(m.space, m.start.guesses, 50, 3)) {
    m.space.parameters_at(q.data(), p.data(), nullptr);
    EXPECT_EQ(p[1], 1.2);
    EXPECT_EQ(p[2], 2e-3);
    EXPECT_LE(p[0], 1.2);  // Fc stays below the static force that was given
  }
}

TEST(Space, OptionalParametersAreFittedOnRequest) {
  EXPECT_EQ(space_of("lugre", {}).space.size(), 6U);
  EXPECT_EQ(space_of("lugre", {.free = {"alpha"}}).space.size(), 7U);
  EXPECT_EQ(space_of("coulomb", {}).space.size(), 2U);
  const Made coulomb = space_of("coulomb", {});
  std::vector<double> p(coulomb.space.parameters());
  coulomb.space.parameters_at(scattered(coulomb.space, coulomb.start.guesses, 1, 1).front().data(), p.data(), nullptr);
  EXPECT_EQ(p[0], p[1]);  // Fs follows Fc
}

/// A default that refers to another parameter follows it in a fit as well: the stick zone of karnopp is vs/100.
TEST(Space, DefaultsFollowTheirParameter) {
  const Made m = space_of("karnopp", {});
  std::vector<double> p(m.space.parameters());
  for (const auto& q : scattered(m.space, m.start.guesses, 20, 3)) {
    m.space.parameters_at(q.data(), p.data(), nullptr);
    EXPECT_NEAR(p[4], p[2] / 100, 1e-15 * p[2]);  // Fc Fs vs alpha dv kv
  }
  const Made given = space_of("karnopp", {.fixed = {{"dv", 1e-4}}});
  given.space.parameters_at(scattered(given.space, given.start.guesses, 1, 1).front().data(), p.data(), nullptr);
  EXPECT_EQ(p[4], 1e-4);
}

TEST(Elements, AreSortedByYield) {
  const auto w = evaluator("maxwell_slip", {{"k", {1.0, 2.0, 4.0}}, {"W", {3.0, 2.0, 1.0}}});
  std::vector<double> p = w->values();
  sort_elements(w->scalars(), p);
  EXPECT_EQ(p, (std::vector<double>{4, 2, 1, 1, 2, 3, 0, 1}));
}

/// The damping of an element of gms moves with the element.
TEST(Elements, KeepWhatBelongsToThem) {
  const auto w = evaluator("gms", {{"k", {1.0, 2.0}}, {"nu", {0.6, 0.4}}, {"sigma", {10.0, 20.0}}});
  std::vector<double> p = w->values();
  const std::vector<double> before = p;
  sort_elements(w->scalars(), p);  // Fc Fs vs alpha k1 k2 nu1 nu2 C sigma1 sigma2 kv kv_exponent
  EXPECT_EQ(p,
            (std::vector<double>{before[0], before[1], before[2], before[3], 2, 1, 0.4, 0.6, before[8], 20, 10, 0, 1}));
}

/// Tables of the chi-squared and Student distributions.
TEST(Statistics, QuantilesOfTheTables) {
  EXPECT_NEAR(chi_squared_beyond(3.841, 1), 0.05, 1e-4);
  EXPECT_NEAR(chi_squared_beyond(18.307, 10), 0.05, 1e-4);
  EXPECT_NEAR(chi_squared_beyond(37.566, 20), 0.01, 1e-4);
  EXPECT_NEAR(chi_squared_beyond(2.0, 10), 0.99634, 1e-4);
  EXPECT_NEAR(student_95(3), 3.182, 0.03);
  EXPECT_NEAR(student_95(10), 2.228, 1e-3);
  EXPECT_NEAR(student_95(1e6), 1.95996, 1e-4);
}

/// A process whose memory is known: x_t = 0.6 x_(t-1) + 0.2 x_(t-2) + e.
TEST(Statistics, FindsTheMemoryOfNoise) {
  std::vector<double> x{0, 0};
  for (std::uint64_t i = 2; i < 50'000; ++i) x.push_back(0.6 * x[i - 1] + 0.2 * x[i - 2] + synthetic::normal(3, i));
  const Autoregression a = autoregression(x, {0}, 20);
  ASSERT_GE(a.phi.size(), 2U);
  EXPECT_NEAR(a.phi[0], 0.6, 0.02);  // standard error 1/sqrt(n) = 0.0045
  EXPECT_NEAR(a.phi[1], 0.2, 0.02);
  EXPECT_NEAR(a.innovation, 1, 0.03);
  // The variance of a mean: innovation/(1 - 0.8)^2 over the variance of x.
  EXPECT_NEAR(a.inflation() * a.variance, 25, 2.5);
  const Autoregression white = autoregression(
      [] {
        std::vector<double> e;
        for (std::uint64_t i = 0; i < 20'000; ++i) e.push_back(synthetic::normal(4, i));
        return e;
      }(),
      {0}, 20);
  EXPECT_TRUE(white.phi.empty());
}

}  // namespace
