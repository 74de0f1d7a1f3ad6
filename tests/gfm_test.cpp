/// The generic friction model against a slow, obvious implementation, closed forms and its own conservation laws.
#include <gtest/gtest.h>

#include <cstring>

#include "support/random.hpp"
#include "support/slow_gfm.hpp"

using namespace bristle;
using asperity::Record;
using asperity::Step;

namespace {

GfmParams random_params(Draw& draw) {
  GfmParams p;
  p.asperities = 3;
  p.seed = static_cast<std::int64_t>(draw.uniform(0, 1e15));
  p.kt = draw.log_uniform(2, 200);
  p.kn = draw.log_uniform(0.3, 3);
  p.separation = draw.chance(0.5) ? 0 : draw.uniform(-0.5, 1.5);
  p.wavelength = draw.log_uniform(0.2, 3);
  p.topography = draw.log_uniform(0.2, 5);
  p.wavelength_spread = draw.uniform(0, 1);
  p.adhesion = draw.chance(0.5) ? Adhesion::exponential : Adhesion::logarithmic;
  p.mu0 = draw.chance(0.2) ? 0 : draw.uniform(0, 1);
  p.mu_inf = p.mu0 + draw.uniform(0, 1);
  p.tau = draw.log_uniform(0.03, 30);
  p.tau_log = draw.log_uniform(1e-4, 1e-1);
  p.age0 = draw.chance(0.5) ? 0 : draw.log_uniform(1e-2, 1e3);
  return p;
}

struct Works {
  double adh{}, def{}, imp{};
  void add(const Record& r) {
    adh += r.W_adh;
    def += r.W_def;
    imp += r.W_imp;
  }
};

/// To `goal` in n equal steps that take `time` together.
void go(Gfm& g, double goal, double time, int n, std::vector<Record>* out = nullptr, unsigned threads = 1) {
  std::vector<Step> steps;
  const double from = g.u();
  for (int i = 1; i <= n; ++i) steps.push_back({i < n ? from + (goal - from) * i / n : goal, time / n});
  std::vector<Record> records(steps.size());
  g.run(steps, records, threads);
  if (out) out->insert(out->end(), records.begin(), records.end());
}

}  // namespace

/// 2000 paths: reversals, dwell, huge and tiny steps, separation changing in time; both laws.
TEST(Gfm, MatchesTheSlowOne) {
  Draw draw(8);
  double worst = 0, worst_work = 0;
  for (int path = 0; path < 2000; ++path) {
    const GfmParams p = random_params(draw);
    Gfm fast(p);
    slow::Population slow(p);
    Works works;
    double u = 0;
    for (int n = 0; n < 12; ++n) {
      if (draw.chance(0.15)) {
        const double d = draw.uniform(-0.5, 2.2);
        works.add(fast.separate(d));
        slow.separate(d);
      }
      const double dt = draw.log_uniform(1e-4, 1e3);
      if (!draw.chance(0.15)) u += draw.sign() * draw.log_uniform(1e-4, 20) * p.wavelength;
      const Record r = fast.step(u, dt);
      works.add(r);
      slow.step(u, dt);
      const double v2 = std::max(1.0, works.imp);  // impact energies grow with the square of the speed
      const double size = p.kt * 0.1 + 1;
      worst = std::max({worst, std::abs(r.F - slow.mean(&slow::Asperity::force)) / size,
                        std::abs(r.Fn - slow.mean(&slow::Asperity::load)) / size});
      worst_work = std::max({worst_work, std::abs(works.adh - slow.mean(&slow::Asperity::W_adh)) / size,
                             std::abs(works.def - slow.mean(&slow::Asperity::W_def)) / size,
                             std::abs(r.E - slow.mean(&slow::Asperity::energy)) / size,
                             std::abs(works.imp - slow.mean(&slow::Asperity::W_imp)) / v2});
      ASSERT_LT(worst, 1e-10) << "path " << path << " step " << n << " seed " << p.seed;
      ASSERT_LT(worst_work, 1e-10) << "path " << path << " step " << n << " seed " << p.seed;
    }
  }
  std::printf("worst force %.2g, worst work %.2g\n", worst, worst_work);
}

TEST(Gfm, FiveStepsPerSegmentEqualFiveThousand) {
  for (const Adhesion law : {Adhesion::exponential, Adhesion::logarithmic}) {
    const GfmParams p{.asperities = 1000, .seed = 4, .adhesion = law};
    Gfm few(p), many(p);
    Draw draw(5);
    double u = 0, W[2]{};
    for (int n = 0; n < 12; ++n) {
      u += draw.sign() * draw.log_uniform(1e-2, 3);
      const double time = draw.log_uniform(1e-2, 30);
      std::vector<Record> a, b;
      go(few, u, time, 5, &a);
      go(many, u, time, 5000, &b);
      for (const Record& r : a) W[0] += r.W_adh + r.W_def;
      for (const Record& r : b) W[1] += r.W_adh + r.W_def;
      EXPECT_NEAR(a.back().F, b.back().F, 1e-13) << n;
      EXPECT_NEAR(a.back().Fn, b.back().Fn, 1e-13) << n;
      EXPECT_NEAR(W[0], W[1], 1e-12) << n;
    }
  }
}

/// The works against the force alone: trapezoids between fine steps. A jump of kt xi/N inside a step of du is off by half its
/// product with du, either way: some 1e-9 each, 1e4 of them.
TEST(Gfm, WorkOfTheForceIsWhatIsLostAndStored) {
  for (const Adhesion law : {Adhesion::exponential, Adhesion::logarithmic}) {
    Gfm g({.asperities = 1000, .seed = 3, .adhesion = law});
    double W = 0, lost = 0, F0 = 0, u0 = 0;
    for (const double goal : {1.0, -0.5, 0.2, -2.0, 2.0}) {
      std::vector<Record> out;
      const int n = 40000;
      go(g, goal, 3.0, n, &out);
      for (const Record& r : out) {
        W += 0.5 * (r.F + F0) * (goal - u0) / n;
        F0 = r.F;
        lost += r.W_adh + r.W_def;
      }
      u0 = goal;
      EXPECT_NEAR(W, lost + out.back().E, 2e-6);
    }
  }
}

/// The identity itself, to rounding: with saturated adhesion the force of one asperity is a polygon over u, so that trapezoids
/// are exact between its corners, which halving finds.
TEST(Gfm, EnergyIdentityToRounding) {
  for (std::int64_t seed = 1; seed <= 50; ++seed) {
    const GfmParams p{.asperities = 1, .seed = seed, .mu0 = 1, .mu_inf = 1};
    auto at = [&](double u) {
      Gfm g(p);
      return g.step(u, 2.0 * u).F;
    };
    const int n = 150;
    const double end = 3;
    double W = 0, a = 0, Fa = 0;
    auto slope = [&](double x, double y) { return (at(y) - at(x)) / (y - x); };
    for (int i = 1; i <= n; ++i) {
      const double b = end * i / n, Fb = at(b), tiny = 1e-7;
      const double Fa1 = slope(a, a + tiny), Fb1 = slope(b - tiny, b);
      if (std::abs(Fa + Fa1 * (b - a) - Fb) < 1e-6 && std::abs(Fa1 - Fb1) < 1e-3) {
        W += 0.5 * (Fa + Fb) * (b - a);
      } else {  // one or several corners: adaptive halving down to rounding
        auto area = [&](auto&& self, double x, double Fx, double y, double Fy, int depth) -> double {
          const double m = 0.5 * (x + y), Fm = at(m);
          const bool straight = std::abs(Fm - 0.5 * (Fx + Fy)) < 1e-13 && depth < 44;
          if (depth == 0 || straight) return 0.5 * (Fx + Fy) * (y - x);
          return self(self, x, Fx, m, Fm, depth - 1) + self(self, m, Fm, y, Fy, depth - 1);
        };
        W += area(area, a, Fa, b, Fb, 48);
      }
      a = b;
      Fa = Fb;
    }
    Gfm g(p);
    const Record r = g.step(end, 2.0 * end);
    EXPECT_NEAR(r.W_adh + r.W_def + r.E, W, 3e-12 * (1 + W)) << seed;
  }
}

TEST(Gfm, SameBitsForAnyNumberOfThreads) {
  const GfmParams p{.asperities = 3000, .seed = 9};
  std::vector<Record> one, three;
  Gfm a(p), b(p);
  for (const double goal : {3.0, -2.0, 0.5}) {
    go(a, goal, 2.0, 700, &one, 1);
    go(b, goal, 2.0, 700, &three, 3);
  }
  ASSERT_EQ(one.size(), three.size());
  EXPECT_EQ(std::memcmp(one.data(), three.data(), one.size() * sizeof(Record)), 0);
}

TEST(Gfm, InstructionSetsAgree) {
  for (const Adhesion law : {Adhesion::exponential, Adhesion::logarithmic}) {
    std::vector<std::vector<Record>> all;
    for (const char* set : {"baseline", "avx2", "avx512"}) {
      if (!Gfm::use_instruction_set(set)) continue;
      EXPECT_STREQ(Gfm::instruction_set(), set);
      Gfm g({.asperities = 777, .seed = 2, .adhesion = law});
      auto& out = all.emplace_back();
      for (const double goal : {2.0, -1.0, 0.3}) go(g, goal, 1.0, 200, &out);
    }
    EXPECT_TRUE(Gfm::use_instruction_set(""));
    for (const auto& other : all) {
      for (std::size_t i = 0; i < other.size(); ++i) {
        EXPECT_NEAR(other[i].F, all[0][i].F, 1e-13);
        EXPECT_NEAR(other[i].W_adh, all[0][i].W_adh, 1e-14);
        EXPECT_EQ(other[i].contact, all[0][i].contact);
      }
    }
  }
}

/// Renewal theory. Stiff asperities on long lands: deflections are short compared with a land, so that contact covers
/// the fraction a/(a + b) of the displacement and the age on a land at x from its beginning is x/v. The mean force is
/// then <kn zeta> /w E[ int_0^a mu(x/v) dx ], and with uniform a = (1 + e (2U - 1)) A the integral is known.
TEST(Gfm, RenewalTheory) {
  const double v = 0.3, k = 2e4;
  const GfmParams p{.asperities = 4000, .seed = 7, .kt = k, .wavelength = 4, .wavelength_spread = 0.3};
  Gfm g(p, true);
  std::vector<Record> out;
  go(g, 200.0, 200.0 / v, 20, &out, 2);
  const double E0 = out.back().E;
  out.clear();
  go(g, 1400.0, 1200.0 / v, 120, &out, 2);
  double W = out.back().E - E0, Fn = 0;
  for (const Record& r : out) {
    W += r.W_adh + r.W_def;
    Fn += r.Fn / static_cast<double>(out.size());
  }
  const double F = W / 1200;
  // E over a in A(1 -+ e) of int_0^a (1 - 0.8 exp(-x/(v tau))) dx = A - 0.8 L (1 - E exp(-a/L)), L = v tau.
  const double A = 2, e = 0.3, L = v;
  const double mean_exp = (std::exp(-A * (1 - e) / L) - std::exp(-A * (1 + e) / L)) / (2 * A * e / L);
  double load = 0;  // the population's own mean of kn h: 1 within sampling
  for (std::uint64_t i = 0; i < 4000; ++i) load += 2 * uniform(7, 1, i) * (0.5 + uniform(7, 3, i)) / 4000;
  const double theory = load / 4 * (A - 0.8 * L * (1 - mean_exp));
  EXPECT_NEAR(F / theory, 1, 5e-4);
  EXPECT_NEAR(Fn / (load / 2), 1, 5e-3);  // sampled at 120 places only
}

TEST(Gfm, AgesAndStartsAsSpecified) {
  EXPECT_EQ(uniform(1, 1, 0, 0), 0.7867101553239042);
  const GfmParams p{.asperities = 4000, .age0 = 100};
  Gfm g(p);
  const Record start = g.now();
  EXPECT_EQ(start.F, 0);
  double in_contact = 0, stiffness = 0;
  for (const auto& a : g.snapshot()) {
    in_contact += a.phase != asperity::Phase::free;
    if (a.phase != asperity::Phase::free) {
      EXPECT_NEAR(a.age, 100, 1e-9);
      EXPECT_LE(a.land_from, 0);
      EXPECT_GE(a.land_to, 0);
    } else {
      EXPECT_LT(a.land_from, 0);
      EXPECT_GT(a.land_to, 0);
    }
  }
  EXPECT_NEAR(in_contact / 4000, 0.5, 0.03);
  EXPECT_EQ(start.contact, in_contact / 4000);
  stiffness = g.step(1e-9, 1e-6).F / 1e-9;
  EXPECT_NEAR(stiffness, 7.90, 4 * 0.08);
}

TEST(Gfm, GoingBackMeetsTheSameLands) {
  Gfm g({.asperities = 200, .seed = 3});
  const auto before = g.snapshot();
  go(g, 300, 10, 3);
  go(g, 0, 10, 3);
  go(g, -300, 10, 3);
  go(g, 0, 10, 3);
  const auto after = g.snapshot();
  std::size_t same = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    same += std::abs(before[i].land_from - after[i].land_from) < 1e-10 &&
            std::abs(before[i].land_to - after[i].land_to) < 1e-10;
  }
  EXPECT_GT(same, before.size() / 2);  // some tips still hang on to the land before
}

TEST(Gfm, ATrialIsAStepNotTaken) {
  for (const Adhesion law : {Adhesion::exponential, Adhesion::logarithmic}) {
    Gfm g({.asperities = 600, .adhesion = law});
    Draw draw(4);
    for (int n = 0; n < 100; ++n) {
      const double u = draw.uniform(-2, 2), dt = draw.log_uniform(1e-3, 500);
      const Record maybe = g.trial(u, dt), r = g.step(u, dt);
      EXPECT_NEAR(maybe.F, r.F, 1e-13);
      EXPECT_NEAR(maybe.W_imp, r.W_imp, 1e-13 * (1 + r.W_imp));
    }
  }
}

TEST(Gfm, ConstantNormalLoadIsKept) {
  Gfm g({.asperities = 4000, .seed = 1, .normal_load = 0.4});
  EXPECT_NEAR(g.now().Fn, 0.4, 1e-12);
  double u = 0;
  for (int i = 0; i < 200; ++i) {
    const Record before = g.now();
    const Record r = g.step(u += 0.01, 0.01);
    EXPECT_NEAR(r.Fn, 0.4, 0.02);  // lands met and left within the step
    EXPECT_GE(before.E + 1, r.E);
  }
  EXPECT_NEAR(g.step(u, 1e-9, 2).Fn, 0.8, 1e-12);
  EXPECT_EQ(g.step(u += 0.01, 0.01, 0).F, 0);
}

TEST(Gfm, NothingTouchesWhenTheSurfacesAreApart) {
  Gfm g({.asperities = 100, .separation = 2});
  const Record r = g.step(30, 3);
  EXPECT_EQ(r.F, 0);
  EXPECT_EQ(r.Fn, 0);
  EXPECT_EQ(r.W_imp, 0);
}

TEST(Gfm, OneStepOfManyWavelengthsIsExact) {
  const GfmParams p{.asperities = 100, .seed = 6};
  Gfm one(p), many(p);
  const Record a = one.step(2000.25, 4000);
  std::vector<Record> b;
  go(many, 2000.25, 4000, 1000, &b);
  double W = 0, sum = 0;
  for (const Record& r : b) {
    W += r.W_adh;
    sum += r.W_imp;
  }
  EXPECT_NEAR(a.F, b.back().F, 1e-10);  // lands lie where 2000 additions put them
  EXPECT_NEAR(a.W_adh / W, 1, 1e-11);
  EXPECT_NEAR(a.W_imp / sum, 1, 1e-9);
}
