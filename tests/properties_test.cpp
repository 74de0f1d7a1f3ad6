/// Measurements of the declared properties: each one holds if the header declares it and fails if the header denies it.
#include <gtest/gtest.h>

#include <cmath>

#include "support/drive.hpp"
#include "support/models.hpp"

using namespace bristle;

template <class N> class Property : public ::testing::Test {
 public:
  using C = typename N::template Model<double>;
  C c{};
  Sizes size = sizes(c);
  /// Sliding friction at speed, without a viscous part.
  double sliding() {
    const double F = c.steady(100 * size.velocity);
    return F > 0 ? F : 1;
  }
};
TYPED_TEST_SUITE(Property, AllModels, ModelName);

TYPED_TEST(Property, Stiction) {
  Body body(this->c);
  for (int i = 0; i < 5000; ++i) body.push(0.5 * this->sliding(), 1e-3);
  if (this->c.has.stiction) {
    EXPECT_LT(std::abs(body.v), 1e-9 * this->size.velocity);
  } else {
    EXPECT_GT(std::abs(body.v), 1e-6 * this->size.velocity);
  }
}

TYPED_TEST(Property, Presliding) {
  // Deflect by a hundredth of the travel and come back: an elastic contact pushes back before it has returned.
  Mover body(this->c);
  const double a = 0.01 * this->size.travel, v = 1e-6 * this->size.velocity, start = body.move(0, 1e-9);
  const double there = body.go(a, v, 50) - start, on_the_way = body.go(0.5 * a, v, 50) - start;
  const bool elastic = there > 0 && on_the_way > 0.2 * there && on_the_way < 0.8 * there;
  EXPECT_EQ(elastic, this->c.has.presliding) << there << " " << on_the_way;
}

TYPED_TEST(Property, NonlocalMemory) {
  if (!this->c.has.presliding) {
    EXPECT_FALSE(this->c.has.memory);
    return;
  }
  Mover body(this->c);
  // Slowly, and far enough that the inner loop leaves the elastic range of every contact with several yield travels.
  const double a = 1.4 * this->size.travel, v = 1e-5 * this->size.velocity;
  double work = 0;
  auto go = [&](double goal) {
    double F = static_cast<double>(body.F);
    const double from = body.x, step = (goal - from) / 2000;
    for (int i = 1; i <= 2000; ++i) {
      const double next = body.go(from + i * step, v, 1);
      work += 0.5 * (F + next) * step;
      F = next;
    }
    return F;
  };
  go(a);
  const double bottom = go(-a), start = work, top = go(a);
  go(-a);
  const double outer = work - start, first = go(0.5 * a), before = work;
  go(-0.3 * a);
  const double again = go(0.5 * a), closure = std::abs(again - first) / (top - bottom), inner = work - before;
  const bool encloses = outer > 0.01 * 2 * a * (top - bottom) && inner > 0.01 * outer;
  if (this->c.has.memory) {
    EXPECT_LT(closure, 0.02);
    EXPECT_TRUE(encloses) << inner / outer;  // an elastic contact has nothing to remember
  } else {
    EXPECT_TRUE(closure > 0.04 || !encloses) << closure << " " << inner / outer;
  }
}

TYPED_TEST(Property, RateIndependence) {
  auto path = [&](double v) {
    Mover body(this->c);
    std::vector<double> F;
    for (const double goal : {1., -0.6, 2., 1.9, -3.}) {
      for (int i = 1; i <= 20; ++i) {
        const double from = body.x;
        F.push_back(body.go(from + (goal * this->size.travel - from) / (21 - i), v, 5));
      }
    }
    return F;
  };
  const auto slow = path(0.01 * this->size.velocity), fast = path(10 * this->size.velocity);
  double differs = 0;
  for (std::size_t i = 0; i < slow.size(); ++i)
    differs = std::max(differs, std::abs(slow[i] - fast[i]) / this->size.force);
  if (this->c.has.rate_independent) {
    EXPECT_LT(differs, 1e-12);
  } else {
    EXPECT_GT(differs, 1e-3);
  }
}

TYPED_TEST(Property, StribeckEffect) {
  double falls = 0, highest = 0;
  for (double v = 1e-4 * this->size.velocity; v < 1e3 * this->size.velocity; v *= 1.1) {
    const double F = this->c.steady(v);
    highest = std::max(highest, F);
    falls = std::max(falls, (highest - F) / this->size.force);
  }
  if (this->c.has.stribeck) {
    EXPECT_GT(falls, 0.05);
  } else {
    EXPECT_LT(falls, 1e-12);
  }
}

TYPED_TEST(Property, Lag) {
  if (this->c.has.random) return;  // rate independent, so there can be none; the force fluctuates
  Mover body(this->c);
  const int n = 4000;
  const double A = this->size.velocity, dt = 40 * this->size.travel / A / n;
  double rising = 0, falling = 0;
  for (int i = 1; i <= 3 * n; ++i) {
    const double F = body.move(A * (1.5 + std::sin(two_pi * i / n)), dt);
    if (i == 2 * n) rising = F;
    if (i == 2 * n + n / 2) falling = F;
  }
  const double lag = (rising - falling) / this->size.force;
  if (this->c.has.lag) {
    EXPECT_GT(lag, 1e-3);
  } else {
    EXPECT_LT(std::abs(lag), 1e-9);
  }
}

TYPED_TEST(Property, VaryingBreakaway) {
  if (this->c.has.random) return;  // the force depends on the draws
  if (this->c.scales().force == 0) {
    EXPECT_FALSE(this->c.has.varying_breakaway);
    return;
  }
  // Rates on which the state of the contact has time to change, with a body that does not count.
  auto breakaway = [&](double part) {
    const double time = this->size.travel / this->size.velocity, rate = part * this->sliding() / time;
    Body body(this->c, 1e-3 * this->size.force * time / this->size.velocity);
    double highest = 0;
    for (const double dt = 1e-4 / part * time; body.v < 100 * this->size.velocity && body.t < 4 / part * time;) {
      body.push(rate * (body.t + dt), dt);
      highest = std::max(highest, body.F);
    }
    return highest;
  };
  const double slow = breakaway(0.005), fast = breakaway(0.3);
  if (this->c.has.varying_breakaway) {
    EXPECT_GT(std::abs(slow - fast), 0.03 * slow) << slow << " " << fast;
  } else {
    EXPECT_LT(std::abs(slow - fast), 0.02 * slow) << slow << " " << fast;
  }
}

TYPED_TEST(Property, Drift) {
  Body body(this->c);
  const int cycle = 1000;
  double before = 0;
  for (int i = 1; i <= 24 * cycle; ++i) {
    const double t = i * 1e-3, soft = t < 1 ? std::pow(std::sin(0.25 * two_pi * t), 2) : 1;
    body.push(this->sliding() * soft * (0.35 + 0.3 * std::sin(two_pi * t)), 1e-3);
    if (i == 20 * cycle) before = body.x;
  }
  const double per_cycle = (body.x - before) / 4;
  const double unit = this->c.has.presliding ? this->size.travel : this->size.velocity;
  if (this->c.has.drifts) {
    EXPECT_GT(per_cycle, 1e-3 * unit);
  } else {
    EXPECT_LT(std::abs(per_cycle), 1e-9 * unit);
  }
}
