/// Velocity steps of random laws, machines and sensors: intervals contain the truth, and the spring of the machine is
/// found where there is one, and nowhere else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bristle/trace.hpp"
#include "support/synthetic.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

/// A random contact and its experiment.
struct World {
  std::uint64_t seed;
  bool spring, slip_law, up;
  mutable std::uint64_t draws = 0;
  double random(double low, double high) const { return low + (high - low) * uniform(seed, 72, draws++); }
  double scale(double low, double high) const { return std::exp(random(std::log(low), std::log(high))); }

  double a = random(0.008, 0.02), b = random(0.005, 0.025) * (seed % 4 == 0 ? -0.5 : 1);
  double Dc = scale(1e-6, 1e-3);
  double K = a / (Dc * random(0.15, 0.5));  // 1/m, of a coefficient
  double slow = Dc * random(0.5, 2), ratio = scale(2.5, 10);
  double first = up ? slow : ratio * slow, second = up ? ratio * slow : slow;
  double rows_per_Dc = random(4, 9);  // at the higher speed
  double dt = Dc / (ratio * slow) / rows_per_Dc;
  double place = seed % 3 == 0 ? 0 : random(0, 1);  // of the step between two rows
  double noise = scale(1e-4, 1e-3);
};

constexpr double mu0 = 0.6;

/// dmu/dt = K (V - v) by fine Runge-Kutta steps, or v = V; nothing of the library.
struct Contact {
  const World& w;
  double mu = mu0, log_theta = std::log(w.Dc / w.first);

  double v(double m, double l) const {
    return w.first * std::exp((m - mu0 - w.b * (l + std::log(w.first / w.Dc))) / w.a);
  }
  double evolution(double speed, double l) const {
    const double omega = speed * std::exp(l) / w.Dc;
    return w.slip_law ? -speed / w.Dc * std::log(omega) : std::exp(-l) * (1 - omega);
  }
  void move(double V, double time) {
    const int parts = static_cast<int>(std::ceil(time * V * 100 / w.Dc)) + 20;
    for (int k = 0; k < parts; ++k) {
      const double h = time / parts;
      auto rate = [&](double m, double l) {
        const double speed = w.spring ? v(m, l) : V;
        return std::pair(w.spring ? w.K * (V - speed) : 0, evolution(speed, l));
      };
      const auto [m1, l1] = rate(mu, log_theta);
      const auto [m2, l2] = rate(mu + 0.5 * h * m1, log_theta + 0.5 * h * l1);
      const auto [m3, l3] = rate(mu + 0.5 * h * m2, log_theta + 0.5 * h * l2);
      const auto [m4, l4] = rate(mu + h * m3, log_theta + h * l3);
      mu += h * (m1 + 2 * m2 + 2 * m3 + m4) / 6;
      log_theta += h * (l1 + 2 * l2 + 2 * l3 + l4) / 6;
    }
    if (!w.spring) mu = mu0 + w.a * std::log(V / w.first) + w.b * (log_theta + std::log(w.first / w.Dc));
  }
};

Recording recorded(const World& w) {
  Trace trace{{{"t", "s"}, {"x", "m"}, {"mu", ""}}};
  Contact contact{w};
  const auto before = static_cast<std::size_t>(3 * w.Dc / w.first / w.dt),
             after = static_cast<std::size_t>(8 * w.Dc / w.second / w.dt);
  double x = 0;
  for (std::size_t i = 0; i < before + after; ++i) {
    if (i > 0) {
      const double early = i < before ? 1 : i == before ? w.place : 0;  // share of the interval before the step
      if (early > 0) contact.move(w.first, early * w.dt);
      if (early < 1) contact.move(w.second, (1 - early) * w.dt);
      x += w.dt * (early * w.first + (1 - early) * w.second);
    }
    trace.columns[0].values.push_back(static_cast<double>(i) * w.dt);
    trace.columns[1].values.push_back(x + 1e-4 * w.Dc * synthetic::normal(w.seed, 2 * i));
    trace.columns[2].values.push_back(contact.mu + w.noise * synthetic::normal(w.seed, 2 * i + 1));
  }
  const Read read = make_recording(trace, {}, "made");
  for (const Problem& p : read.problems) ADD_FAILURE() << p.line();
  return read.recording;
}

const Estimate* find(const Fit& fit, const std::string& name) {
  for (const auto* list : {&fit.friction, &fit.body}) {
    const auto e = std::ranges::find(*list, name, &Estimate::name);
    if (e != list->end()) return &*e;
  }
  return nullptr;
}

class Machine : public testing::TestWithParam<bool> {};

TEST_P(Machine, IsFoundWhereThereIsOne) {
  int inside = 0, all = 0;
  std::string missed;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    const World w{seed, GetParam(), seed % 2 == 0, (seed / 2) % 2 == 0};
    Options o;
    o.models = {w.slip_law ? "rate_state_slip" : "rate_state_ageing"};
    o.starts = 1;
    o.global = false;
    o.profiles = false;
    const Ranking ranking = identify::identify({recorded(w)}, o);
    ASSERT_FALSE(ranking.fits.empty());
    const Fit& fit = ranking.fits.front();
    // Friction that rises with the displacement after a step (b < 0) looks like a spring that is loaded.
    if (w.b > 0 || !w.spring) { EXPECT_EQ(find(fit, "machine_stiffness") != nullptr, w.spring) << seed; }
    EXPECT_EQ(find(fit, "trend"), nullptr) << seed;
    std::vector<std::pair<std::string, double>> truths{{"a", w.a}, {"b", w.b}, {"Dc", w.Dc}};
    if (w.spring) truths.emplace_back("machine_stiffness", w.K);
    for (const auto& [name, truth] : truths) {
      const Estimate* e = find(fit, name);
      if (!e) continue;
      ++all;
      if (e->low <= truth && truth <= e->high) {
        ++inside;
      } else {
        missed += " " + std::to_string(seed) + " " + name + " " + std::to_string(truth) + ": " +
                  std::to_string(e->low) + "..." + std::to_string(e->high) + ";";
      }
      // No interval is far from the truth: half a width of it is two standard errors.
      EXPECT_LT(std::abs(e->value - truth), e->high - e->low) << seed << " " << name << " " << truth;
    }
  }
  // The numbers of a recording miss together: two recordings of sixteen may, which 95 % exceed once in twenty times.
  EXPECT_GE(inside, 0.85 * all) << missed;
}

INSTANTIATE_TEST_SUITE_P(Contact, Machine, testing::Bool(), [](const auto& p) { return p.param ? "spring" : "rigid"; });

}  // namespace
