/// The generic friction model as a contact: by name, in scenarios, on bodies, with invalid input.
#include <gtest/gtest.h>

#include "bristle/asperity/gfm.hpp"
#include "bristle/scenario.hpp"
#include "support/experiment.hpp"
#include "support/random.hpp"

using namespace bristle;
using Lines = std::vector<std::string>;

namespace {

Lines problems(const Table& parameters, const Table& effects = {}, const Table& initial = {}) {
  Lines out;
  for (const Problem& p : make("gfm", parameters, effects, initial).problems) out.push_back(p.line());
  return out;
}

const std::string prescribed_text = R"([friction]
model = "gfm"
asperities = 300
seed = 5
[system]
kind = "prescribed"
[drive]
kind = "table"
t = [0, 2, 5, 6, 9]
value = [0.5, 2.5, -1, -1, 3.25]
[solver]
duration = 9
output_step = 0.5
)";

Scenario scenario(const std::string& text, const Lines& changes = {}) {
  Loaded loaded = read_scenario(text, "f.toml", changes);
  for (const Problem& p : loaded.problems) ADD_FAILURE() << p.line();
  return std::move(*loaded.scenario);
}
Lines scenario_problems(const Lines& changes) {
  Lines out;
  for (const Problem& p : read_scenario(prescribed_text, "f.toml", changes).problems) out.push_back(p.line());
  return out;
}

}  // namespace

TEST(GfmContact, IsListedWithItsParameters) {
  const ModelInfo* info = find_model("gfm");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->level, "contact");
  Lines names;
  for (const FieldInfo& f : info->parameters) {
    names.push_back(f.name);
    EXPECT_FALSE(f.required) << f.name;
  }
  for (const char* name : {"asperities", "seed",       "kt",         "kn",         "mass",
                           "h_max",      "separation", "wavelength", "topography", "wavelength_spread",
                           "adhesion",   "mu0",        "mu_inf",     "tau",        "mu_log",
                           "b_log",      "tau_log",    "age0",       "impact",     "scale"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST(GfmContact, BadInputIsNamed) {
  EXPECT_EQ(problems({{"asperities", 0}}), Lines{"asperities = 0 must be a whole number, 1 to 20000000"});
  EXPECT_EQ(problems({{"wavelength_spread", -0.1}}), Lines{"wavelength_spread = -0.1 must be 0 to 1"});
  EXPECT_EQ(problems({{"kt", -16}}), Lines{"kt = -16 N/m must be > 0"});
  EXPECT_EQ(problems({{"kn", 0}}), Lines{"kn = 0 N/m must be > 0"});
  EXPECT_EQ(problems({{"mu0", 1.5}}), Lines{"mu_inf = 1, mu0 = 1.5 must satisfy mu_inf >= mu0"});
  EXPECT_EQ(problems({{"adhesion", "log"}}),
            Lines{"adhesion = \"log\" must be one of \"exponential\", \"logarithmic\""});
  EXPECT_EQ(problems({}, {}, {{"z", 1}}),
            Lines{"'z' in [friction.initial] is not accepted: gfm starts from its seed, with contacts of age0"});
  EXPECT_THROW(contact("gfm", {{"asperities", 1}})->step({.v = 1e9}, 1), BadInput);
  for (const std::string change : {"drive.value=[0, 1e9, 0, 0, 0]", "friction.wavelength=1e-30"})
    EXPECT_THROW(simulate(scenario(prescribed_text, {change}).experiment), BadInput) << change;
}

TEST(GfmContact, SurfacesApartAreSaidOnce) {
  const Made made = make("gfm", {{"separation", 2.5}, {"asperities", 10}});
  ASSERT_TRUE(made.contact);
  EXPECT_EQ(made.notes, Lines{"gfm: no asperity in contact at separation = 2.5 m (h_max = 2 m): the force is 0"});
  EXPECT_EQ(made.contact->step({.v = 1}, 1), 0);
  EXPECT_TRUE(make("gfm", {}).notes.empty());
}

TEST(GfmContact, VariableStepsAreRefused) {
  for (const std::string method : {"rodas", "explicit", "cvode"}) {
    EXPECT_EQ(scenario_problems({"solver.method=\"" + method + "\""}),
              Lines{"f.toml: gfm is a population of asperities without a state equation; method must be \"auto\", or "
                    "\"fixed\" with a step"});
  }
  EXPECT_EQ(scenario_problems({"load={kind=\"constant\", value=2}"}),
            Lines{"f.toml: [load] does not act on gfm at constant separation; normal_load in [friction] is required"});
  EXPECT_EQ(scenario_problems({"load={kind=\"constant\", value=2}", "friction.normal_load=0.3"}), Lines{});
}

/// The rows of a scenario are those of the population moved by hand, for any step; F contains the impacts since the previous row.
TEST(GfmContact, PrescribedRowsAreExact) {
  Gfm g({.asperities = 300, .seed = 5});
  const auto run = simulate(scenario(prescribed_text).experiment),
             fine = simulate(scenario(prescribed_text, {"solver.method=\"fixed\"", "solver.step=0.003"}).experiment);
  const auto &t = column(run.trace, "t"), &x = column(run.trace, "x"), &F = column(run.trace, "F");
  ASSERT_EQ(t.size(), 19u);
  EXPECT_EQ(x[0], 0.5);
  for (std::size_t i = 1; i < t.size(); ++i) {
    const auto r = g.step(x[i] - 0.5, t[i] - t[i - 1]);
    const double way = x[i] - x[i - 1];
    EXPECT_NEAR(F[i], r.F + (way != 0 ? r.W_imp / way : 0), 1e-12) << t[i];
    EXPECT_NEAR(F[i], column(fine.trace, "F")[i], 1e-11) << t[i];
    EXPECT_NEAR(column(run.trace, "Fn")[i], r.Fn, 1e-13);
  }
  EXPECT_NEAR(run.summary.energy.friction,
              column(run.trace, "W_adh").back() + column(run.trace, "W_def").back() + column(run.trace, "E_el").back() +
                  column(run.trace, "W_imp").back(),
              1e-12);
  const auto quiet = simulate(scenario(prescribed_text, {"friction.impact=false"}).experiment);
  EXPECT_NEAR(column(quiet.trace, "F")[3], F[3] - (column(run.trace, "W_imp")[3] - column(run.trace, "W_imp")[2]) / 0.5,
              1e-12);
}

TEST(GfmContact, VelocityDrivesAreIntegrated) {
  Experiment e = prescribed(contact("gfm", {{"asperities", 200}}), velocity(Sine{1, 0.25, 0, 0}), 4);
  const auto run = simulate(e);
  const auto& x = column(run.trace, "x");
  EXPECT_NEAR(x[500], 2 / (two_pi * 0.25), 1e-12);
  EXPECT_NEAR(x[1000], 0, 1e-12);
  e.drive = position(Sine{1 / (two_pi * 0.25), 0.25, -two_pi / 4, 1 / (two_pi * 0.25)});
  const auto same = simulate(e);
  for (std::size_t i = 0; i < x.size(); i += 100)
    EXPECT_NEAR(column(same.trace, "F")[i], column(run.trace, "F")[i], 1e-9);
}

/// A body with a load below breakaway is held, for any step; above it the body moves.
TEST(GfmContact, HoldsABody) {
  for (const double dt : {1e-3, 0.1, 10.0}) {
    auto held = contact("gfm", {{"asperities", 500}, {"age0", 100.0}, {"impact", false}}), gone = held->clone();
    double x[1]{}, v[1]{}, furthest = 0;
    const int n = dt < 0.01 ? 10000 : 400;
    for (int i = 0; i < n; ++i) {
      const auto a = held->couple({.x = x[0], .v = v[0], .F_app = 0.3}, 0.3, dt);
      x[0] += (v[0] = a.v) * dt;
      furthest = std::max(furthest, x[0]);
    }
    EXPECT_LT(furthest, 0.15) << dt;
    double w = 0, y = 0;
    for (int i = 0; i < 200; ++i) {
      w = gone->couple({.x = y, .v = w, .F_app = 0.8}, 0.3, 0.1).v;
      y += w * 0.1;
    }
    EXPECT_GT(y, 10) << dt;
  }
}

/// Momentum over each implicit step, and the work of the contact against what it lost and stored.
TEST(GfmContact, CoupledStepsBalance) {
  auto c = contact("gfm", {{"asperities", 400}, {"scale", 2.0}});
  double x = 0, v = 0, work = 0;
  for (int i = 0; i < 4000; ++i) {
    const double load = 1.5 * std::sin(0.02 * i), dt = 0.02;
    const auto s = c->couple({.x = x, .v = v, .F_app = load}, 0.5, dt);
    EXPECT_NEAR(0.5 * (s.v - v) / dt, load - s.F, 1e-10);
    v = s.v;
    x += v * dt;
    work += s.F * v * dt;
  }
  double kept = 0;
  for (const Variable& s : c->states()) kept += s.name == "W" || s.name == "E_el" ? s.value : 0;
  EXPECT_GT(work, 1);
  EXPECT_NEAR(work / kept, 1, 0.02);  // the force at the end of a step stands for all of it
}

TEST(GfmContact, SliderSticksAndSlips) {
  Experiment e =
      slider(contact("gfm", {{"asperities", 1000}, {"impact", false}}), 0.3, 0.3, position(Ramp{.velocity = 0.08}), 90);
  e.solver.stick_velocity = 0.2;
  const auto run = simulate(e);
  int slips = 0;
  for (const Event& event : run.events) slips += event.kind == Event::slip_forward;
  EXPECT_GE(slips, 3);
  EXPECT_LT(run.summary.energy.error, 5e-3);
  EXPECT_GT(largest(column(run.trace, "v")), 0.5);
}

TEST(GfmContact, EffectsGoAround) {
  const Table small{{"asperities", 50}};
  auto plain = contact("gfm", small), with = contact("gfm", small, {{"offset", 0.5}, {"asymmetry", 0.1}});
  for (const double v : {1.0, -1.0, 0.3}) {
    const double F = plain->step({.v = v}, 0.3), G = with->step({.v = v}, 0.3);
    EXPECT_NEAR(G, 0.5 + F * (F > 0 ? 1.1 : 0.9), 1e-14);
  }
  const auto copy = with->clone();
  EXPECT_EQ(copy->step({.v = 1}, 0.1), with->step({.v = 1}, 0.1));
  with->reset();
  plain->reset();
  const double F = plain->step({.v = 1}, 0.7);
  EXPECT_NEAR(with->step({.v = 1}, 0.7), 0.5 + 1.1 * F, 1e-14);
}

/// All accepted input runs, with finite results.
TEST(GfmContact, RandomInputIsFiniteOrNamed) {
  Draw draw(3);
  const double numbers[]{0, -1, 1, 0.5, 1e5, 1e-3, 1e30, 1e31, 1e-30, 1e308, -0.0, inf, -inf, std::nan("")};
  int made_some = 0;
  for (int n = 0; n < 3000; ++n) {
    Table table{{"asperities", 3}, {"adhesion", draw.chance(0.5) ? "exponential" : "logarithmic"}};
    for (const FieldInfo& f : find_model("gfm")->parameters) {
      if (f.kind != Kind::real || !draw.chance(0.15)) continue;
      const double x = *f.value.as<double>();
      table.push_back({f.name, draw.chance(0.8) ? x * draw.log_uniform(0.01, 100)
                                                : numbers[static_cast<std::size_t>(draw.uniform(0, 14))]});
    }
    const Made made = make("gfm", table);
    ASSERT_EQ(made.contact == nullptr, !made.problems.empty());
    if (!made.contact) continue;
    ++made_some;
    for (int i = 0; i < 5; ++i) {
      const Motion<double> u{.v = draw.chance(0.2) ? 0 : draw.sign() * draw.log_uniform(1e-9, 10)};
      double F = 0;
      try {
        F = made.contact->step(u, draw.log_uniform(1e-9, 10));
      } catch (const BadInput&) {  // so tiny a wavelength
        break;
      }
      ASSERT_TRUE(std::isfinite(F)) << n;
      for (const Variable& s : made.contact->states()) ASSERT_TRUE(std::isfinite(s.value)) << n << " " << s.name;
    }
  }
  EXPECT_GT(made_some, 1000);
}
