/// Distributions of asperity parameters: inversion, truncation, populations drawn from them, and their keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "bristle/asperity/generic2010.hpp"
#include "bristle/asperity/gfm.hpp"
#include "bristle/registry/any.hpp"
#include "support/random.hpp"

using namespace bristle;
using asperity::Distribution;
using asperity::inner;
using asperity::normal_probability;
using asperity::normal_quantile;
using asperity::Sampler;
using Kind = Distribution::Kind;

namespace {

Distribution table(std::vector<double> values) {
  Distribution d{.kind = Kind::table};
  d.values = std::make_shared<std::vector<double>>(std::move(values));
  return d;
}
double at(int i) { return inner(uniform(1, 1, static_cast<std::uint64_t>(i))); }

std::string first_problem(const char* model, const Table& parameters, const Table& effects) {
  const Made made = make(model, parameters, effects);
  EXPECT_EQ(made.contact == nullptr, !made.problems.empty());
  return made.problems.empty() ? "" : made.problems.front().line();
}

}  // namespace

TEST(Distribution, InvertsTheHashOfItsPlace) {
  EXPECT_NEAR(at(0), 0.78671016, 1e-8);
  EXPECT_NEAR(at(1), 0.24463888, 1e-8);
  const Sampler gaussian({.kind = Kind::gaussian, .a = 2, .b = 0.5});
  const Sampler cut({.kind = Kind::gaussian, .a = 2, .b = 0.5, .from = 1.5, .to = 3});
  EXPECT_NEAR(gaussian(at(0)), 2.3975291, 1e-7);
  EXPECT_NEAR(gaussian(at(1)), 1.654271, 1e-7);
  EXPECT_NEAR(cut(at(0)), 2.4255659, 1e-7);
  EXPECT_NEAR(cut(at(1)), 1.8193202, 1e-7);
  EXPECT_NEAR(Sampler({.kind = Kind::exponential, .a = 0.5})(at(0)), 0.77255163, 1e-8);
  EXPECT_NEAR(Sampler({.kind = Kind::lognormal, .a = 1.5, .b = 0.4})(at(0)), 2.0616123, 1e-7);
  EXPECT_NEAR(Sampler({.kind = Kind::weibull, .a = 2, .b = 1.5})(at(0)), 2.6730167, 1e-7);
  EXPECT_NEAR(Sampler(table({1, 2, 4, 5}))(at(0)), 4.3601305, 1e-7);
}

/// Both tails: the probability of the quantile is the argument. A relative error of 1e-15 in x is one of x^2 1e-15 in p.
TEST(Distribution, NormalQuantileInvertsErfc) {
  for (double e = -300; e < -0.31; e += 0.1) {
    const double p = std::pow(10, e), x = normal_quantile(p);
    EXPECT_NEAR(normal_probability(x) / p, 1, 1e-15 * (2 + x * x)) << p;
    if (p > 1e-10) { EXPECT_NEAR(normal_quantile(1 - p), -x, 1e-14 + 4e-16 / p) << p; }
  }
  EXPECT_EQ(normal_quantile(0.5), 0);
}

/// The share of draws below any value is its probability, within four standard deviations; truncated ones too.
TEST(Distribution, DrawsFollowTheirProbability) {
  Draw draw(3);
  for (int trial = 0; trial < 60; ++trial) {
    Distribution d{.kind = static_cast<Kind>(2 + trial % 4), .a = draw.log_uniform(0.1, 10)};
    d.b = d.kind == Kind::exponential ? draw.uniform(-1, 1) : draw.log_uniform(0.3, 3);
    const Distribution whole = d;
    if (draw.chance(0.5)) {
      d.from = whole.quantile(draw.uniform(0.01, 0.4));
      d.to = whole.quantile(draw.uniform(0.5, 0.99));
    }
    const Sampler sample(d);
    const int n = 20000;
    const double x = sample(draw.uniform(0.05, 0.95));
    int below = 0;
    for (int i = 0; i < n; ++i) {
      const double y = sample(inner(uniform(static_cast<std::uint64_t>(trial), 1, static_cast<std::uint64_t>(i))));
      EXPECT_GE(y, d.lowest());
      EXPECT_LE(y, d.highest());
      below += y < x ? 1 : 0;
    }
    const double a = d.from > -inf ? whole.probability(d.from) : 0, b = d.to < inf ? whole.probability(d.to) : 1;
    const double p = (whole.probability(x) - a) / (b - a);
    EXPECT_NEAR(below / double(n), p, 4 * std::sqrt(p * (1 - p) / n) + 1e-9)
        << Distribution::names[static_cast<std::size_t>(trial % 4 + 2)];
  }
}

TEST(Distribution, Means) {
  EXPECT_NEAR(Sampler({.kind = Kind::exponential, .a = 0.5, .b = 0.2}).mean(), 0.7, 1e-5);
  EXPECT_NEAR(Sampler({.kind = Kind::exponential, .a = 0.5}).mean_above(1), 0.5 * std::exp(-2), 1e-5);
  EXPECT_NEAR(Sampler({.kind = Kind::lognormal, .a = 1.5, .b = 0.4}).mean(), 1.5 * std::exp(0.08), 1e-4);
  EXPECT_NEAR(Sampler(table({1, 2, 4, 5})).mean(), 3, 1e-6);
}

/// Exponential heights carry exp(-d/mean) of the load at a separation d (Greenwood and Williamson), at a coefficient that does not
/// depend on it.
TEST(Distribution, ExponentialHeightsOfGfm) {
  auto slides = [](double separation) {
    GfmParams p;
    p.asperities = 200000;
    p.impact = false;
    p.separation = separation;
    p.distribution.h = Distribution{.kind = Kind::exponential, .a = 0.5};
    Gfm g(p, false);
    std::vector<asperity::Step> steps;
    for (int i = 1; i <= 60; ++i) steps.push_back({0.1 * i, 1});
    std::vector<asperity::Record> out(steps.size());
    g.run(steps, out, 2);
    double F = 0, Fn = 0;
    for (std::size_t i = 30; i < out.size(); ++i) {
      F += out[i].F / 30;
      Fn += out[i].Fn / 30;
    }
    return std::pair{F, Fn};
  };
  const auto [F0, N0] = slides(0);
  for (const double d : {0.5, 1.0}) {
    const auto [F, N] = slides(d);
    EXPECT_NEAR(N / N0, std::exp(-d / 0.5), 0.05 * std::exp(-d / 0.5)) << d;
    EXPECT_NEAR(F / N, 0.850, 0.01) << d;
  }
  EXPECT_NEAR(F0 / N0, 0.850, 0.01);
}

/// Uniform distributions over the ranges of the keys are the populations of the keys: forces agree to rounding.
TEST(Distribution, UniformIsThePopulationOfTheKeys) {
  GfmParams keys;
  keys.asperities = 600;
  GfmParams own = keys;
  auto over = [](double from, double to) { return Distribution{.kind = Kind::uniform, .from = from, .to = to}; };
  own.distribution = {.h = over(0, 2),
                      .kt = over(8, 24),
                      .kn = over(0.5, 1.5),
                      .mass = over(0.015, 0.045),
                      .land = over(0.125, 0.875),
                      .gap = over(0.125, 0.875)};
  Gfm a(keys), b(own);
  EXPECT_NEAR(b.period(), a.period(), 1e-9);
  EXPECT_NEAR(b.scales().force, a.scales().force, 1e-4 * a.scales().force);
  for (int i = 1; i <= 200; ++i) {
    const auto ra = a.step(0.05 * i, 0.3), rb = b.step(0.05 * i, 0.3);
    EXPECT_NEAR(rb.F, ra.F, 1e-9);
    EXPECT_NEAR(rb.W_imp, ra.W_imp, 1e-9);
  }
}

/// At one seed a population is a smooth function of the parameters: differences of a standing load, where no contact is gained
/// or lost, have the slope of the distribution.
TEST(Distribution, PopulationIsSmoothInItsParameters) {
  auto load = [](double mean) {
    GfmParams p;
    p.asperities = 2000;
    p.separation = -20;
    p.distribution.h = Distribution{.kind = Kind::gaussian, .a = mean, .b = 0.3};
    p.distribution.kn = Distribution{.kind = Kind::lognormal, .a = 1, .b = 0.2};
    return Gfm(p).now().Fn;
  };
  const double slope = (load(1.01) - load(1)) / 0.01;
  for (const double h : {1e-1, 1e-3, 1e-5}) EXPECT_NEAR((load(1 + h) - load(1)) / h, slope, 1e-6 * slope) << h;
}

TEST(Distribution, NormalLoadHoldsForNegativeHeights) {
  GfmParams p;
  p.asperities = 3000;
  p.normal_load = 0.02;
  p.distribution.h = Distribution{.kind = Kind::gaussian, .a = -3, .b = 1};
  Gfm g(p);
  EXPECT_NEAR(g.now().Fn, 0.02, 1e-9);
  for (int i = 1; i < 50; ++i) g.step(0.1 * i, 1);
  EXPECT_NEAR(g.step(5, 1, 2).Fn, 0.04, 0.004);
}

TEST(Distribution, Generic2010DrawsFromThem) {
  Generic2010Params p;
  p.asperities = 200;
  p.distribution.L = table({-0.1, 0.3});
  p.distribution.m = Distribution{.kind = Kind::constant, .a = 4e-4};
  p.distribution.wNe = Distribution{.kind = Kind::constant, .a = 20};
  const Generic2010<double> g(p);
  double longest = -1;
  for (std::uint64_t i = 0; i < 200; ++i) longest = std::max(longest, -0.1 + 0.4 * inner(uniform(1, 11, i, 10)));
  EXPECT_NEAR(g.start(), p.A + longest, 1e-12);
  EXPECT_LT(g.fastest(), 1000 * 1000 + 75 * 75 + 150 * 150);
}

TEST(Distribution, KeysOfTheRegistry) {
  const Made made = make("gfm", {{"asperities", 100}},
                         {{"distribution.h.kind", "gaussian"},
                          {"distribution.h.mean", 1.0},
                          {"distribution.h.sd", 0.2},
                          {"distribution.kt.kind", "table"},
                          {"distribution.kt.values", Value{20, 10, 14}}});
  ASSERT_TRUE(made.contact);
  EXPECT_FALSE(made.contact->has_effects());
  EXPECT_EQ(made.contact->parameter("distribution.h.mean"), Value(1.0));
  EXPECT_EQ(made.contact->parameter("distribution.kt.values"), Value({10, 14, 20}));
  // The text of a contact brings the same population back.
  const Made again = deserialise(serialise(*made.contact));
  ASSERT_TRUE(again.contact) << again.problems.front().line();
  auto a = made.contact->clone(), b = again.contact->clone();
  for (int i = 1; i < 20; ++i) {
    const Motion<double> u{.x = 0.1 * i, .v = 0.1};
    EXPECT_EQ(a->step(u, 1), b->step(u, 1));
  }
  made.contact->set("distribution.h.mean", 1.5);
  EXPECT_EQ(made.contact->parameter("distribution.h.mean"), Value(1.5));
}

TEST(Distribution, RefusesWithAReason) {
  using T = Table;
  const std::string title = "[friction.distribution] ";
  auto gfm = [](const Table& effects, const Table& parameters = {}) {
    return first_problem("gfm", parameters, effects);
  };
  EXPECT_EQ(gfm(T{{"distribution.kt.kind", "gaussian"}, {"distribution.kt.mean", 16}, {"distribution.kt.sd", 4}}),
            title + "kt: values reach -inf, must be > 0; give from");
  EXPECT_EQ(gfm(T{{"distribution.land.kind", "exponential"}, {"distribution.land.mean", 1}}),
            title + "land: values reach 0, must be > 0; give from");
  EXPECT_EQ(
      gfm(T{{"distribution.kt.kind", "lognormal"}, {"distribution.kt.median", 16}, {"distribution.kt.sd_log", 0.3}}),
      "");  // never 0
  EXPECT_EQ(gfm(T{{"distribution.mass.kind", "exponential"}, {"distribution.mass.mean", 1}}), "");
  EXPECT_EQ(gfm(T{{"distribution.kt.kind", "uniform"}, {"distribution.kt.from", -1}, {"distribution.kt.to", 4}}),
            title + "kt: the least value -1 must be > 0");
  EXPECT_EQ(gfm(T{{"distribution.kt.kind", "constant"}, {"distribution.kt.value", 4}}, {{"kt", 5}}),
            "kt in [friction] and kt in [friction.distribution] are both given; one is accepted");
  EXPECT_EQ(gfm(T{{"distribution.h.kind", "constant"}, {"distribution.h.value", 4}}, {{"h_max", 5}}),
            "h_max in [friction] and h in [friction.distribution] are both given; one is accepted");
  EXPECT_EQ(
      gfm(T{{"distribution.h.kind", "normal"}}),
      title +
          "h: kind = \"normal\" is not known; kind is one of \"constant\", \"uniform\", \"gaussian\", \"exponential\", "
          "\"lognormal\", \"weibull\", \"table\"");
  EXPECT_EQ(gfm(T{{"distribution.h.kind", "gaussian"}, {"distribution.h.mean", 0}}),
            title + "h: missing key 'sd' (standard deviation) of kind \"gaussian\"");
  EXPECT_EQ(gfm(T{{"distribution.h.kind", "constant"}, {"distribution.h.value", 0}, {"distribution.h.sd", 1}}),
            title + "h: unknown key 'sd'; kind \"constant\" has kind, value");
  EXPECT_EQ(gfm(T{{"distribution.h.kind", "gaussian"},
                  {"distribution.h.mean", 0},
                  {"distribution.h.sd", 1},
                  {"distribution.h.from", 2},
                  {"distribution.h.to", 1}}),
            title + "h: from = 2 must be less than to = 1");
  EXPECT_NE(gfm(T{{"distribution.h.kind", "gaussian"},
                  {"distribution.h.mean", 0},
                  {"distribution.h.sd", 1},
                  {"distribution.h.from", 9}})
                .find("the probability between from and to is"),
            std::string::npos);
  EXPECT_EQ(gfm(T{{"distribution.height.kind", "constant"}}),
            "unknown key 'height' in [friction.distribution]; gfm has h, kt, kn, mass, land, gap");
  EXPECT_EQ(gfm(T{{"distribution.h.kind", "table"}, {"distribution.h.values", Value{1}}}),
            title + "h: values must be an array of at least 2 numbers");
  EXPECT_EQ(first_problem("lugre", {{"Fc", 1}, {"Fs", 1}, {"vs", 1}, {"sigma0", 1}, {"sigma1", 1}},
                          {{"distribution.h.kind", "constant"}}),
            "[friction.distribution] is not accepted by lugre; gfm or generic2010 is required");
  EXPECT_NE(first_problem("generic2010", {}, {{"distribution.wP.kind", "constant"}, {"distribution.wP.value", 1e5}})
                .find("is too long for the fastest asperity drawn"),
            std::string::npos);
  EXPECT_NE(first_problem("generic2010", {}, {{"distribution.R.kind", "constant"}, {"distribution.R.value", 1e-3}})
                .find("R > A"),
            std::string::npos);
}

/// Both of land and gap replace the wavelength; one alone leaves it to the other.
TEST(Distribution, LandAndGapReplaceTheWavelength) {
  const Table both{{"distribution.land.kind", "constant"},
                   {"distribution.land.value", 2.0},
                   {"distribution.gap.kind", "constant"},
                   {"distribution.gap.value", 6.0}};
  EXPECT_EQ(first_problem("gfm", {{"wavelength", 2}}, both),
            "wavelength in [friction] and land, gap in [friction.distribution] are both given; one is accepted");
  EXPECT_EQ(first_problem("gfm", {{"wavelength", 2}}, {both[0], both[1]}), "");
  GfmParams p;
  p.asperities = 4000;
  p.distribution.land = Distribution{.kind = Kind::constant, .a = 2};
  p.distribution.gap = Distribution{.kind = Kind::constant, .a = 6};
  const Gfm g(p);
  EXPECT_DOUBLE_EQ(g.period(), 8);
  EXPECT_NEAR(g.now().contact, 0.25, 0.03);  // land over period, of those above separation 0: all
}
