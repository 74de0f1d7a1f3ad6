/// Steps of fixed size for disks and given motions, and what makes given motions cheap: sums of sines in vectors, reversals
/// that are known in advance.
#include <gtest/gtest.h>

#include "simulate/kernel_stepper.hpp"
#include "simulate/stepper.hpp"
#include "support/experiment.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {

Drive multisine(DriveOf of, double amplitude) {
  Drive d{of, {}, 0};
  for (int i = 1; i <= 10; ++i) d.terms.push_back({Sine{amplitude, 0.5 * i, 0.31 * i * (i - 1), 0}, 0});
  return d;
}

struct Stepped {
  std::vector<double> y, middle, error, rows;
  double work;
};
/// One step of length h from where n others of that length have led; rows at its begin, middle and three quarters.
Stepped step(const System& system, Stepper& stepper, std::vector<double> y, double h, int n) {
  for (int i = 0; i < n; ++i) {
    stepper.from(i * h, y.data());
    EXPECT_TRUE(stepper.attempt(h));
    y.assign(stepper.end(), stepper.end() + y.size());
  }
  stepper.from(n * h, y.data());
  EXPECT_TRUE(stepper.attempt(h));
  Stepped out{{stepper.end(), stepper.end() + y.size()}, y, {stepper.error(), stepper.error() + y.size()}, {}, 0};
  stepper.dense(0.4, out.middle.data());
  const std::array t{n * h, (n + 0.5) * h, (n + 0.75) * h};
  const std::size_t columns = system.columns().size();
  std::vector<double*> to;
  out.rows.resize(columns * t.size());
  for (std::size_t i = 0; i < columns; ++i) to.push_back(&out.rows[i * t.size()]);
  stepper.rows(t.data(), t.size(), to.data());
  stepper.flush();
  out.work = system.prescribed() ? stepper.work() : 0;
  return out;
}
void expect_same(const std::vector<double>& a, const std::vector<double>& b, double part, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], part * std::abs(b[i]) + 1e-18) << what << " " << i;
}

}  // namespace

/// The same numbers as the stepper for systems of any size, up to rounding: that one knows nothing of the structure.
TEST(Typed, StepsLikeTheGeneralOne) {
  std::size_t taken = 0;
  for (const std::string& model : flow_names()) {
    std::vector<Experiment> all;
    for (const Table& options : {Table{}, Table{{"alpha", 1.5}}}) {
      Table p = typical(model);
      const auto& known = find_model(model)->parameters;
      const bool has_alpha = std::any_of(known.begin(), known.end(), [](const auto& f) { return f.name == "alpha"; });
      if (!options.empty() && !has_alpha) continue;
      p = p + options;
      all.push_back(roller(contact(model, p), 1, 1000, 0.1, position(Sine{2e-2, 1, 0.4, 0}), 1));
      all.back().body.damping = 3;
      all.back().body.v0 = 0.3;
      all.push_back(roller(contact(model, p), 1, 100, 0.1, force(Sine{3, 1, 0.4, 0}), 1));
      all.back().disk.omega0 = 2;
      all.push_back(prescribed(contact(model, p), position(Sine{1e-4, 1, 0.4, 0}), 1));
      all.push_back(prescribed(contact(model, p), multisine(DriveOf::velocity, 1e-3), 1));
      all.push_back(::slider(contact(model, p), 1, 300, position(Sine{2e-2, 1, 0.4, 0}), 1));
      all.back().body.damping = 3;
      all.back().body.v0 = 0.3;
      const Table effects{{"asymmetry", 0.2}, {"offset", 0.1},          {"ripple", 0.3},       {"ripple_period", 1e-2},
                          {"cogging", 0.2},   {"cogging_period", 3e-2}, {"load_exponent", 0.7}};
      const std::size_t plain = all.size();
      for (std::size_t i = plain - 5; i < plain; ++i) {  // the same with all that may act on them
        Experiment e;
        e.kind = all[i].kind;
        e.body = all[i].body;
        e.disk = all[i].disk;
        e.drive = all[i].drive;
        e.solver = all[i].solver;
        e.load = force(Sine{0.4, 0.3, 0.5, 1});
        if (e.kind == SystemKind::slider) e.body.gravity = 5;
        e.contacts.push_back({"one", contact(model, p, effects)});
        all.push_back(std::move(e));
      }
    }
    for (const Experiment& e : all) {
      System system(e);
      std::vector<double> y = system.start();
      system.enter_piece(0, e.solver.duration, y);
      if (!make_kernel_stepper(system, Method::rodas)) continue;
      ++taken;
      const auto general = system.smooth_law() ? make_rodas4(system) : make_rodas5p(system);
      const Stepped b = step(system, *general, y, 1e-5, 3);
      for (const bool baseline : {true, false}) {
        const auto typed = make_kernel_stepper(system, Method::rodas, baseline);
        EXPECT_STREQ(typed->name(), general->name());
        const Stepped a = step(system, *typed, y, 1e-5, 3);
        expect_same(a.y, b.y, 1e-10, model);
        expect_same(a.middle, b.middle, 1e-10, model + ", between");
        expect_same(a.rows, b.rows, 1e-9, model + ", rows");
        EXPECT_NEAR(a.work, b.work, 1e-10 * std::abs(b.work)) << model;
        EXPECT_EQ(typed->restless(), general->restless()) << model;
        // The estimate is a small difference of large numbers.
        double size = 0;
        for (double v : b.y) size = std::max(size, std::abs(v));
        for (std::size_t i = 0; i < a.error.size(); ++i) EXPECT_NEAR(a.error[i], b.error[i], 1e-10 * size) << model;
      }
    }
  }
  EXPECT_GE(taken, 150U);
}

/// A hybrid law along a given motion is not theirs: below 1 dahl switches.
TEST(Typed, LeavesHybridMotionsAlone) {
  const auto takes = [](const Experiment& e) { return make_kernel_stepper(System(e), Method::rodas) != nullptr; };
  EXPECT_FALSE(takes(prescribed(contact("gms", typical("gms")), multisine(DriveOf::velocity, 1e-3), 1)));
  for (const double i : {0., 0.5, 1., 2.}) {
    const auto dahl = [i] { return contact("dahl", typical("dahl") + Table{{"i", i}}); };
    EXPECT_EQ(takes(prescribed(dahl(), multisine(DriveOf::velocity, 1e-3), 1)), i >= 1) << i;
    EXPECT_TRUE(takes(roller(dahl(), 1, 10, 0.1, position(Ramp{1, 0}), 1))) << i;
  }
}

/// Against sums in long double: phases are rounded to numbers of their own size, waves to some of theirs.
TEST(DrivePiece, SumsOfSines) {
  Draw random(5);
  const auto check = [](const Drive& d, double t, double end, const DrivePiece& piece) {
    long double value = 0, rate = 0, rate2 = 0;
    double all = 0, phase = 0, fastest = 0;
    for (const Term& term : d.terms) {
      const Sine& s = std::get<Sine>(term.shape);
      const long double omega = static_cast<long double>(two_pi * s.frequency), p = omega * t + s.phase;
      value += s.offset + s.amplitude * std::sin(p);
      rate += s.amplitude * omega * std::cos(p);
      rate2 -= s.amplitude * omega * omega * std::sin(p);
      all += std::abs(s.amplitude) + std::abs(s.offset);
      phase = std::max(phase, two_pi * s.frequency * end + std::abs(s.phase));
      fastest = std::max(fastest, two_pi * s.frequency);
    }
    const Signal got = piece.at(t);
    const double allowed = (4 + phase) * epsilon<double> * all;
    EXPECT_NEAR(got.value, static_cast<double>(value), allowed) << t;
    EXPECT_NEAR(got.rate, static_cast<double>(rate), allowed * fastest) << t;
    EXPECT_NEAR(got.rate2, static_cast<double>(rate2), allowed * fastest * fastest) << t;
  };
  for (int n = 1; n <= 13; ++n) {
    for (const double end : {1.0, 1e3, 1e7}) {  // the last: phases too large for vectors
      Drive d;
      for (int i = 0; i < n; ++i)
        d.terms.push_back({Sine{random.uniform(-2, 2), random.uniform(0.01, 5), random.uniform(-10, 10), 0.1}, 0});
      DrivePiece piece(d);
      piece.enter(end / 2, end);
      for (int i = 0; i < 50; ++i) {
        std::array<double, 11> t{};
        for (double& each : t) each = random.uniform(0, end);
        if (i % 2 == 0) piece.foresee(t.data(), t.size());
        for (double each : t) check(d, each, end, piece);
      }
    }
  }
}

/// Every change of sign on a fine grid, and nothing else; also where the curve only just reaches over.
TEST(DrivePiece, FindsEveryZero) {
  Drive barely = velocity(Sine{1, 2, 0.3, 1 - 1e-9});
  for (const bool of_rate : {false, true}) {
    for (const Drive& d : {multisine(DriveOf::velocity, 1e-3), velocity(Sine{2, 3, 0.1, 0.5}), barely}) {
      const double end = 3;
      DrivePiece piece(d);
      piece.enter(end / 2, end);
      const auto value = [&](double t) { return of_rate ? piece.at(t).rate : piece.at(t).value; };
      std::vector<double> found;
      for (double t = 0; (t = piece.next_zero(t, end, of_rate)) < end;) {
        ASSERT_TRUE(found.empty() || t > found.back());
        found.push_back(t);
        ASSERT_LT(found.size(), 200U);
      }
      std::size_t next = 0;
      const double step = 1e-5;
      for (int i = 0; (i + 1) * step < end; ++i) {
        if (!(value(i * step) * value((i + 1) * step) < 0)) continue;
        ASSERT_LT(next, found.size());
        EXPECT_GT(found[next], i * step - 1e-12);
        EXPECT_LT(found[next], (i + 1) * step + 1e-12);
        ++next;
      }
      EXPECT_EQ(next, found.size());
    }
  }
  Drive still = velocity(Constant{0});
  DrivePiece rest(still);
  rest.enter(0.5, 1);
  EXPECT_EQ(rest.next_zero(0, 1, false), inf);
}

/// Slip changes its direction where the velocity that is given does, to the spacing of numbers.
TEST(GivenMotion, TurnsWhereItsVelocityDoes) {
  for (const std::string model : {"lugre", "gms", "coulomb"}) {
    const Drive drive = multisine(DriveOf::velocity, 1e-3);
    const auto run = simulate(prescribed(contact(model, typical(model)), drive, 4));
    std::size_t turns = 0;
    for (const Event& e : run.events) {
      if (e.t == 0) continue;
      ++turns;
      const Signal d = drive.at(e.t);
      EXPECT_LT(std::abs(d.value), 1e-13 * std::abs(d.rate)) << model << " " << e.t;
      EXPECT_EQ(e.kind, d.rate > 0 ? Event::slip_forward : Event::slip_backward) << model << " " << e.t;
    }
    std::size_t expected = 0;
    for (int i = 0; i < 40000; ++i) expected += drive.at(i * 1e-4).value * drive.at((i + 1) * 1e-4).value < 0;
    EXPECT_EQ(turns, expected) << model;
  }
}

/// A step that looks good although it has passed over a curvature of the law shows in its work: no stray errors.
TEST(GivenMotion, ManySwingsInStepWithTheRunAreSeen) {  // the sizes of a run are found by looking at its drive
  for (const auto& drive : {velocity(Sine{1, 1e5, 0, 0}), position(Sine{1e-5, 1e5, 0, 0})}) {
    Experiment e = prescribed(contact("lugre", typical("lugre")), drive, 0.01);
    e.solver.output_step = 1e-4;
    const auto run = simulate(e);
    EXPECT_GT(run.events.size(), 1500U);
    EXPECT_LT(run.summary.energy.error, 1e-6);
  }
}

TEST(GivenMotion, ErrorsFollowTheTolerance) {
  const Table p{{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", 1e5}, {"sigma1", 316.23}, {"kv", 0.4}};
  Experiment e = prescribed(contact("lugre", p), multisine(DriveOf::velocity, 1e-3), 10);
  e.solver.output_step = 1e-3;
  e.solver.rtol = 1e-11;
  const auto exact = simulate(e);
  for (const double rtol : {1e-5, 1e-6, 1e-7, 1e-8}) {
    e.solver.rtol = rtol;
    EXPECT_LT(difference(simulate(e), exact).worst, 10 * rtol) << rtol;
  }
}
