/// Rows of equal blocks on contacts of their own, joined by springs.
#include <gtest/gtest.h>

#include <functional>

#include "bristle/scenario.hpp"
#include "support/experiment.hpp"

using namespace bristle;

namespace {

const Table lugre{{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", 1e5}, {"sigma1", 316.22776601}, {"kv", 0.4}};
const Table soft_lugre{{"Fc", 0.981}, {"Fs", 1.962}, {"vs", 0.5}, {"sigma0", 400}, {"sigma1", 0.1}};

Experiment chain(std::unique_ptr<AnyContact> c, int blocks, double stiffness, double coupling, Drive drive,
                 double duration) {
  Experiment e = slider(std::move(c), 1, stiffness, std::move(drive), duration);
  e.kind = SystemKind::chain;
  e.chain.blocks = blocks;
  e.chain.coupling = coupling;
  return e;
}
/// "1 slip+ 2 stick ...", without the beginning.
std::string story(const Run& run) {
  std::string out;
  for (const Event& e : run.events) {
    if (e.t > 0) out += (out.empty() ? "" : " ") + std::to_string(e.body) + to_string(e.kind);
  }
  return out;
}
std::vector<double> times_of_body(const Run& run, int body, Event::Kind kind) {
  std::vector<double> out;
  for (const Event& e : run.events) {
    if (e.body == body && e.kind == kind && e.t > 0) out.push_back(e.t);
  }
  return out;
}
double worst_difference(const Run& a, const Run& b, const std::string& name) {
  const auto &p = column(a.trace, name), &q = column(b.trace, name);
  double worst = 0;
  for (std::size_t i = 0; i < p.size(); ++i) worst = std::max(worst, std::abs(p[i] - q[i]));
  return worst / std::max(largest(p), 1e-300);
}

/// Three soft LuGre blocks by the classical Runge-Kutta method, written down from the equations.
struct Brute {
  double stiffness, coupling, loss, pull;
  std::array<double, 9> y{};  // x, v, z of each

  std::array<double, 9> rates(double t, const std::array<double, 9>& s) const {
    std::array<double, 9> f{};
    for (std::size_t b = 0; b < 3; ++b) {
      const double x = s[3 * b], v = s[3 * b + 1], z = s[3 * b + 2];
      double F = b == 0 ? stiffness * (pull * t - x) : 0;
      if (b > 0) F += coupling * (s[3 * b - 3] - x) + loss * (s[3 * b - 2] - v);
      if (b < 2) F += coupling * (s[3 * b + 3] - x) + loss * (s[3 * b + 4] - v);
      const double S = 0.981 + 0.981 * std::exp(-4 * v * v), dz = v - 400 * std::abs(v) / S * z;
      f[3 * b] = v;
      f[3 * b + 1] = F - 400 * z - 0.1 * dz;
      f[3 * b + 2] = dz;
    }
    return f;
  }
  void run(double duration, double h) {
    auto at = [&](const std::array<double, 9>& k, double part) {
      auto s = y;
      for (std::size_t i = 0; i < 9; ++i) s[i] += part * k[i];
      return s;
    };
    const auto n = static_cast<long>(std::lround(duration / h));
    for (long i = 0; i < n; ++i) {
      const double t = static_cast<double>(i) * h;
      const auto k1 = rates(t, y), k2 = rates(t + h / 2, at(k1, h / 2)), k3 = rates(t + h / 2, at(k2, h / 2)),
                 k4 = rates(t + h, at(k3, h));
      for (std::size_t j = 0; j < 9; ++j) y[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    }
  }
};

}  // namespace

TEST(Chain, OneBlockIsASlider) {
  for (const std::string model : {"lugre", "stribeck", "brown_mcphee", "dahl", "gms"}) {
    Experiment one = slider(contact(model, typical(model)), 1, 2, position(Ramp{0.1, 0}), 20);
    const auto a = simulate(one);
    one.kind = SystemKind::chain;
    one.chain.blocks = 1;
    const auto b = simulate(one);
    ASSERT_EQ(a.trace.columns.size(), b.trace.columns.size()) << model;
    // Their vectors and tables round differently, and slips magnify that.
    for (const Column& c : a.trace.columns) EXPECT_LT(worst_difference(a, b, c.name), 1e-6) << model << " " << c.name;
    EXPECT_EQ(kinds_of(a), kinds_of(b)) << model;
    EXPECT_LT(b.summary.energy.error, 1e-6) << model;
  }
}

TEST(Chain, AgreesWithRungeKutta) {
  for (const double loss : {0.0, 0.7}) {
    Experiment e = chain(contact("lugre", soft_lugre), 3, 10, 20, position(Ramp{0.4, 0}), 10);
    e.chain.coupling_damping = loss;
    e.solver.rtol = 1e-10;
    const auto run = simulate(e);
    Brute brute{10, 20, loss, 0.4};
    brute.run(10, 1e-4);  // the kinks at v = 0 leave some 1e-8
    for (std::size_t b = 0; b < 3; ++b) {
      const std::string n = b > 0 ? std::to_string(b + 1) : "";
      EXPECT_NEAR(column(run.trace, "x" + n).back(), brute.y[3 * b], 1e-6) << b << " " << loss;
      EXPECT_NEAR(column(run.trace, "v" + n).back(), brute.y[3 * b + 1], 1e-6) << b << " " << loss;
      EXPECT_NEAR(column(run.trace, "z" + n).back(), brute.y[3 * b + 2], 1e-8) << b << " " << loss;
    }
    EXPECT_LT(run.summary.energy.error, 1e-7);
    EXPECT_EQ(run.summary.energy.damper > 1e-3, loss > 0);
  }
}

/// The stiff one of the benchmarks, against CVODE, and vectors of blocks against blocks one by one (a ripple of nothing
/// keeps the contact out of the vectors).
TEST(Chain, ThreeStiffBlocksAgreeWithCvode) {
  Experiment e = chain(contact("lugre", lugre), 3, 2, 10, position(Ramp{0.1, 0}), 25);
  e.solver.rtol = 1e-10;
  const auto fast = simulate(e);
  e.contacts.front().contact = contact("lugre", lugre, {{"ripple", 1e-300}, {"ripple_period", 1.0}});
  const auto general = simulate(e);
  e.contacts.front().contact = contact("lugre", lugre);
  e.method = Method::cvode;
  const auto cvode = simulate(e);
  EXPECT_EQ(story(fast), story(general));
  EXPECT_EQ(story(fast), story(cvode));
  for (const std::string name : {"x", "x2", "x3", "v", "v2", "v3", "F", "F2", "F3", "z", "z2", "z3", "F_app"}) {
    EXPECT_LT(worst_difference(fast, general, name), 1e-6) << name;
    EXPECT_LT(worst_difference(fast, cvode, name), 1e-6) << name;
  }
}

TEST(Chain, EnergyAndMomentumBalance) {
  struct Kind {
    std::string model;
    Method method;
  };
  for (const auto& [model, method] : {Kind{"lugre", Method::automatic}, Kind{"coulomb", Method::automatic},
                                      Kind{"gms", Method::automatic}, Kind{"stribeck", Method::rodas},
                                      Kind{"brown_mcphee", Method::automatic}, Kind{"maxwell_slip", Method::automatic},
                                      Kind{"coulomb", Method::cvode}, Kind{"elasto_plastic", Method::automatic}}) {
    for (const Pulled pulled : {Pulled::first, Pulled::all}) {
      Experiment e = chain(contact(model, typical(model)), 4, 5, 8, position(Sine{1.5, 0.3, 0, 0}), 10);
      e.chain.coupling_damping = 0.3;
      e.chain.pulled = pulled;
      e.body.damping = 0.2;
      e.method = method;
      e.solver.rtol = 1e-9;
      e.solver.output_step = 1e-3;
      const auto run = simulate(e);
      EXPECT_LT(run.summary.energy.error, 1e-6) << model;
      EXPECT_GT(run.summary.energy.friction, 0) << model;
      EXPECT_GT(run.summary.energy.damper, 0) << model;
      // m sum(v) is the impulse of drive and friction: couplings cancel. F_app of the first block holds its coupling, so
      // the spring is taken from the positions; the rows are summed by the trapezoidal rule, across jumps of F.
      const auto& t = column(run.trace, "t");
      double impulse = 0, last = 0, momentum = 0, size = 0;
      for (std::size_t i = 0; i < t.size(); ++i) {
        double force = 0;
        momentum = 0;
        for (int b = 1; b <= 4; ++b) {
          const std::string n = b > 1 ? std::to_string(b) : "";
          const double x = column(run.trace, "x" + n)[i], v = column(run.trace, "v" + n)[i];
          const double w = two_pi * 0.3, end = 1.5 * std::sin(w * t[i]), end_v = 1.5 * w * std::cos(w * t[i]);
          if (b == 1 || pulled == Pulled::all) force += 5 * (end - x) + 0.2 * (end_v - v);
          force -= column(run.trace, "F" + n)[i];
          momentum += v;
        }
        if (i > 0) impulse += (t[i] - t[i - 1]) * (last + force) / 2;
        last = force;
        size = std::max(size, std::abs(momentum));
        ASSERT_NEAR(impulse, momentum, 0.02 * std::max(size, 0.1)) << model << " " << t[i];
      }
    }
  }
}

/// Coulomb blocks, pulled so slowly that the first one begins to move at k V t = Fc. From there
/// m x'' = k V (t - t1) - (k + c) x: x = k V/(k + c) (s - sin(w s)/w), s = t - t1, until c x = Fc moves the second one.
TEST(Chain, CoulombBlocksBreakLooseOneAfterTheOther) {
  const double k = 2, c = 30, V = 0.5, Fc = 1, w = std::sqrt(k + c), t1 = Fc / (k * V);
  double lo = 0, hi = 2;  // bisection for c x(s) = Fc: x grows for ever
  for (int i = 0; i < 200; ++i) {
    const double s = (lo + hi) / 2;
    (c * k * V / (k + c) * (s - std::sin(w * s) / w) > Fc ? hi : lo) = s;
  }
  for (const Method method : {Method::automatic, Method::rodas, Method::cvode}) {
    Experiment e = chain(contact("coulomb", {{"Fc", Fc}}), 3, k, c, position(Ramp{V, 0}), t1 + lo + 0.2);
    e.method = method;
    const auto run = simulate(e);
    ASSERT_GE(times_of_body(run, 1, Event::slip_forward).size(), 1u);
    ASSERT_GE(times_of_body(run, 2, Event::slip_forward).size(), 1u);
    EXPECT_NEAR(times_of_body(run, 1, Event::slip_forward).front(), t1, 1e-9);
    EXPECT_NEAR(times_of_body(run, 2, Event::slip_forward).front(), t1 + lo, 1e-7);
    const auto& x3 = column(run.trace, "x3");
    const auto third = times_of_body(run, 3, Event::slip_forward);
    for (std::size_t i = 0; i < x3.size(); ++i) {
      const bool held = third.empty() || column(run.trace, "t")[i] < third.front();
      ASSERT_TRUE(!held || x3[i] == 0) << i;  // exactly
    }
    int began = 0;
    for (const Event& event : run.events) began += event.t == 0 && event.kind == Event::stick;
    EXPECT_EQ(began, 3);
  }
}

/// All blocks pulled alike: no coupling acts, every block is a slider, and all move together.
TEST(Chain, BlocksPulledAlikeMoveAlike) {
  for (const std::string model : {"coulomb", "lugre", "stribeck"}) {
    Experiment e = chain(contact(model, typical(model)), 40, 2, 50, position(Ramp{0.1, 0}), 15);
    e.chain.pulled = Pulled::all;
    const auto many = simulate(e);
    e.kind = SystemKind::slider;
    const auto one = simulate(e);
    for (const std::string number : {"", "2", "17", "40"}) {
      for (std::size_t i = 0; i < one.trace.rows(); ++i) {
        ASSERT_NEAR(column(many.trace, "x" + number)[i], column(one.trace, "x")[i], 1e-6) << model << number;
      }
    }
    EXPECT_EQ(count_of(many, Event::slip_forward), 40 * count_of(one, Event::slip_forward)) << model;
    EXPECT_LT(many.summary.energy.error, 1e-6) << model;
  }
}

TEST(Chain, SameEventsAtAnyTolerance) {
  for (const std::string model : {"coulomb", "lugre"}) {
    const Table p = model == "lugre" ? lugre : Table{{"Fc", 1.0}, {"Fs", 1.5}};
    std::string first;
    std::vector<double> times;
    for (const double rtol : {1e-6, 1e-7, 1e-8, 1e-9}) {
      Experiment e = chain(contact(model, p), 3, 2, 10, position(Ramp{0.1, 0}), 25);
      e.solver.rtol = rtol;
      const auto run = simulate(e);
      if (first.empty()) {
        first = story(run);
        for (const Event& event : run.events) times.push_back(event.t);
        for (const char* body : {"1slip+", "2slip+", "3slip+"}) EXPECT_NE(first.find(body), std::string::npos) << first;
      }
      EXPECT_EQ(story(run), first) << model << " " << rtol;
      for (std::size_t i = 0; i < std::min(times.size(), run.events.size()); ++i)
        EXPECT_NEAR(run.events[i].t, times[i], 1e-3) << model << " " << rtol;
    }
  }
}

TEST(Chain, HundredBlocks) {
  Experiment e = chain(contact("lugre", lugre), 100, 2, 40, position(Ramp{0.1, 0}), 20);
  const auto run = simulate(e);
  EXPECT_LT(run.summary.energy.error, 1e-6);
  EXPECT_EQ(run.trace.columns.size(), 7 + 99 * 4);
  EXPECT_GT(times_of_body(run, 1, Event::slip_forward).size(), 2u);
  EXPECT_LT(largest(column(run.trace, "x100")), 1e-9);  // far away
}

/// A force drive pushes the first block; a normal load acts on all.
TEST(Chain, ForceAndLoad) {
  Experiment e = chain(contact("coulomb", {{"Fc", 1}}), 2, 0, 10, force(Ramp{0.5, 0}), 3.5);
  e.load = Drive{DriveOf::position, {{Constant{0.5}, 0}}, 0};
  const auto run = simulate(e);
  EXPECT_NEAR(times_of_body(run, 1, Event::slip_forward).at(0), 1, 1e-9);  // 0.5 N against 0.5 x 1 N
  EXPECT_LT(run.summary.energy.error, 1e-6);
  EXPECT_EQ(times_of_body(run, 2, Event::slip_forward).size(), 1u);
}

TEST(Chain, Objections) {
  auto objects = [](const std::string& part, const std::function<void(Experiment&)>& spoil) {
    Experiment e = chain(contact("lugre", lugre), 3, 2, 10, position(Ramp{0.1, 0}), 1);
    ASSERT_EQ(objection_to(e), "");
    spoil(e);
    EXPECT_NE(objection_to(e).find(part), std::string::npos) << objection_to(e);
    EXPECT_THROW(simulate(e), BadInput);
  };
  objects("controller needs a slider", [](Experiment& e) { e.controller.emplace().kp = 1; });
  objects("method fixed", [](Experiment& e) {
    e.method = Method::fixed;
    e.solver.step = 1e-3;
  });
  objects("one contact each", [](Experiment& e) { e.contacts.push_back({"b", contact("viscous", {{"kv", 1}})}); });
  objects("one body", [](Experiment& e) { e.contacts.front().contact = contact("gfm"); });
  objects("blocks = 0", [](Experiment& e) { e.chain.blocks = 0; });
  objects("blocks = 100001", [](Experiment& e) { e.chain.blocks = 100001; });
  objects("negative", [](Experiment& e) { e.chain.coupling = -1; });
  objects("at most 200 blocks", [](Experiment& e) {
    e.chain.blocks = 300;
    e.method = Method::cvode;
  });
  objects("GB", [](Experiment& e) {
    e.chain.blocks = 100000;
    e.solver.output_step = 1e-4;
  });
}

TEST(Chain, Scenario) {
  const std::string head =
      "[friction]\nmodel = \"gms\"\nFc = 1\nFs = 1.5\nvs = 0.01\nk = [1e4, 2e4]\nnu = [0.5, 0.5]\nC = 100\n"
      "[drive]\nkind = \"ramp\"\nvelocity = 0.1\n[solver]\nduration = 1\n[system]\nkind = \"chain\"\nmass = 1\n"
      "stiffness = 2\n";
  auto problems = [&](const std::string& rest) {
    std::string out;
    for (const auto& p : read_scenario(head + rest, "a.toml").problems) out += p.line() + "\n";
    return out;
  };
  EXPECT_EQ(problems("blocks = 2\ncoupling = 10\npulled = \"all\"\n[expect]\n\"max(f1_2)\" = { max = 1 }\n"
                     "\"final(x2)\" = { max = 1 }\n"),
            "");
  EXPECT_NE(problems("blocks = 2\n").find("coupling"), std::string::npos);
  EXPECT_EQ(problems("blocks = 0\ncoupling = 1\n"), "a.toml:18: blocks = 0 must be a whole number, 1 to 100000\n");
  EXPECT_NE(problems("blocks = 2.5\ncoupling = 1\n").find("blocks"), std::string::npos);
  EXPECT_NE(problems("coupling = 1\npulled = \"last\"\n").find("\"first\", \"all\""), std::string::npos);
  EXPECT_NE(problems("block = 2\ncoupling = 1\n").find("did you mean 'blocks'"), std::string::npos);
  EXPECT_NE(problems("coupling = 1\n[expect]\n\"final(x4)\" = { max = 1 }\n").find("x4"), std::string::npos);
  EXPECT_NE(problems("coupling = 1\n[controller]\nkp = 1\n").find("[controller]"), std::string::npos);
}
