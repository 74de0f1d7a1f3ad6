/// The energy law for every model of the list.
#include <gtest/gtest.h>

#include <cmath>

#include "support/drive.hpp"
#include "support/models.hpp"
#include "support/random.hpp"

using namespace bristle;

/// Work done on a contact over constant-velocity legs, by trapezoids of their substeps.
template <class C> struct WorkMeter {
  Mover<C> body;
  double work = 0, exchanged = 0;
  void leg(double v, double time, int steps) {
    double F = body.move(v, 1e-9 * time / steps);
    for (int i = 0; i < steps; ++i) {
      const double next = body.move(v, time / steps), dW = 0.5 * (F + next) * v * time / steps;
      work += dW;
      exchanged += std::abs(dW);
      F = next;
    }
  }
};

template <class N> class Energy : public ::testing::Test {
 public:
  using Contact = typename N::template Model<double>;
  Contact c{};
  Sizes size = sizes(c);
};
TYPED_TEST_SUITE(Energy, AllModels, ModelName);

/// No sequence of motions from rest, and no closed cycle, extracts more work from a passive contact than it received; if
/// a header denies passivity, one does.
TYPED_TEST(Energy, IsNotCreatedUnlessDenied) {
  if (this->c.has.random) return;  // starts with energy stored; has a test of its own
  Draw draw(6);
  double worst = 0;  // work done on the contact over all work exchanged
  for (int n = 0; n < 6000; ++n) {
    WorkMeter<typename TestFixture::Contact> meter{Mover(this->c)};
    for (int leg = 0; leg < 2 + n % 4; ++leg) {
      const double v = (leg > 0 && draw.chance(0.5) ? -1 : 1) * this->size.velocity * draw.log_uniform(1e-6, 1e3);
      meter.leg(
          v, draw.chance(0.3) ? draw.log_uniform(1e-3, 1) : this->size.travel / std::abs(v) * draw.log_uniform(0.03, 3),
          100);
      worst = std::min(worst, meter.work / meter.exchanged);
    }
  }
  for (int n = 0; n < 1500; ++n) {  // fast strokes with a dwell, almost without motion, at each end
    WorkMeter<typename TestFixture::Contact> meter{Mover(this->c)};
    const double v = this->size.velocity * draw.log_uniform(1, 1e3),
                 stroke = this->size.travel * draw.log_uniform(0.02, 2);
    const double creep = 1e-6 * this->size.velocity, dwell = draw.log_uniform(1e-3, 1);
    for (int cycle = 0; cycle < 12; ++cycle) {
      if (cycle == 11) meter.work = meter.exchanged = 0;
      for (const double dir : {1., -1.}) {
        meter.leg(dir * v, stroke / v, 60);
        meter.leg(dir * creep, dwell, 10);
      }
    }
    worst = std::min(worst, meter.work / meter.exchanged);
  }
  if (this->c.passive()) {
    EXPECT_GT(worst, -2e-3);  // the trapezoids: sharp knees inside a substep
  } else if (!this->c.has.passivity_open) {
    EXPECT_LT(worst, -0.01);
  }
}
