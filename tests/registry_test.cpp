/// From a name and a table to a contact: accepted input, exact error messages, and no invalid value in a contact.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "bristle/models.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "support/random.hpp"

using namespace bristle;

namespace {

using Lines = std::vector<std::string>;
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

Lines lines(const Problems& problems) {
  Lines out;
  for (const Problem& p : problems) out.push_back(p.line());
  return out;
}
/// The table with some keys replaced or added, and some removed.
Table changed(Table table, const Table& with, const Lines& without = {}) {
  std::erase_if(table, [&](const Entry& e) {
    return std::any_of(with.begin(), with.end(), [&](const Entry& w) { return w.key == e.key; }) ||
           std::find(without.begin(), without.end(), e.key) != without.end();
  });
  table.insert(table.end(), with.begin(), with.end());
  return table;
}
/// A model's own typical values, as a user would copy them from `bristle models NAME`.
Table typical(const std::string& model) {
  Table table;
  for (const FieldInfo& f : find_model(model)->parameters) {
    if (const auto* a = f.value.as<std::vector<double>>(); a && a->empty()) continue;  // absent by default
    table.push_back({f.name, f.value});
  }
  return table;
}
const Table lugre{{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", 1e5}, {"sigma1", 300}};
const Table gms{{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"k", {1e4, 2e4}}, {"nu", {0.25, 0.75}}, {"C", 100}};
Lines problems(const std::string& model, const Table& parameters, const Table& effects = {},
               const Table& initial = {}) {
  const Made made = make(model, parameters, effects, initial);
  EXPECT_EQ(made.contact == nullptr, !made.problems.empty());
  return lines(made.problems);
}
double parameter(const Made& made, const std::string& name) {
  EXPECT_EQ(lines(made.problems), Lines{});
  if (!made.contact) return not_a_number;
  for (const Variable& v : made.contact->parameters()) {
    if (v.name == name) return v.value;
  }
  ADD_FAILURE() << "no parameter " << name;
  return 0;
}

TEST(Variants, AreAModelWithOneOfItsChoices) {
  const Variant slip = find_variant("rate_state_slip");
  ASSERT_TRUE(slip.model);
  EXPECT_EQ(slip.model->name, "rate_state");
  ASSERT_EQ(slip.choice.size(), 1U);
  EXPECT_EQ(slip.choice[0].key, "law");
  EXPECT_EQ(*slip.choice[0].value.as<std::string>(), "slip");
  EXPECT_TRUE(find_variant("lugre").choice.empty());
  EXPECT_EQ(find_variant("rate_state_fast").model, nullptr);
  EXPECT_EQ(variant_names(*find_model("rate_state")), (Lines{"rate_state_ageing", "rate_state_slip"}));
  EXPECT_EQ(variant_names(*find_model("lugre")), Lines{"lugre"});
}

}  // namespace

TEST(Make, EveryModelFromItsTypicalValues) {
  for (const ModelInfo& m : model_infos()) {
    const Made made = make(m.name, typical(m.name));
    ASSERT_EQ(lines(made.problems), Lines{}) << m.name;
    EXPECT_EQ(made.contact->model(), m.name);
    EXPECT_EQ(made.contact->passive(), m.passive) << m.name;
    EXPECT_EQ(made.notes.empty(), m.passive) << m.name;
    for (const double v : {1e-3, 0.0, -1.0}) EXPECT_TRUE(std::isfinite(made.contact->step({.v = v}, 1e-3))) << m.name;
  }
}

TEST(AnyContact, KnowsItsPlaceAmongTheModels) {
  Models::each([]<template <class> class M>() {
    const auto c = make(M<double>::card.name, typical(M<double>::card.name)).contact;
    std::string_view there;
    EXPECT_TRUE(Models::visit(c->index(), [&]<template <class> class X>() { there = X<double>::card.name; }));
    EXPECT_EQ(there, c->model());
    EXPECT_FALSE(c->has_effects());
    EXPECT_TRUE(make(M<double>::card.name, typical(M<double>::card.name), {{"offset", 0.1}}).contact->has_effects());
  });
  EXPECT_EQ(make("gfm", {}).contact->index(), Models::size);
  EXPECT_EQ(Models::index_of("nothing"), Models::size);
}

TEST(Make, ReadsValuesIntoTheirPlaces) {
  const Made made = make("lugre", changed(lugre, {{"alpha", 1}, {"kv", 0.4}}));
  const std::vector<std::pair<std::string, double>> want{{"Fc", 1},    {"Fs", 1.5},     {"vs", 1e-3},
                                                         {"alpha", 1}, {"sigma0", 1e5}, {"sigma1", 300},
                                                         {"vd", inf},  {"kv", 0.4},     {"kv_exponent", 1}};
  std::vector<std::pair<std::string, double>> got;
  for (const Variable& v : made.contact->parameters()) got.emplace_back(v.name, v.value);
  EXPECT_EQ(got, want);
  EXPECT_EQ(made.contact->parameters()[4].unit, "N/m");
}

TEST(Make, AbsentBreakawayFollowsTheCoulombForce) {
  EXPECT_EQ(parameter(make("coulomb", {{"Fc", 7}}), "Fs"), 7);
  EXPECT_EQ(parameter(make("coulomb", {{"mu_c", 0.5}, {"normal_load", 20}}), "Fs"), 10);
}

TEST(Make, CoefficientsTimesNormalLoad) {
  const Made made = make("lugre", changed(lugre, {{"mu_c", 0.125}, {"mu_s", 0.25}, {"normal_load", 16}}, {"Fc", "Fs"}));
  ASSERT_EQ(lines(made.problems), Lines{});
  EXPECT_EQ(parameter(made, "Fc"), 2);
  EXPECT_EQ(parameter(made, "Fs"), 4);
  EXPECT_EQ(parameter(make("lugre", changed(lugre, {{"mu_s", 0.25}, {"normal_load", 16}}, {"Fs"})), "Fs"), 4);
}

TEST(Make, ArraysSetTheShapeOfParametersAndStates) {
  const Made made = make("gms", gms, {}, {{"f", {0.1, -0.2}}});
  ASSERT_EQ(lines(made.problems), Lines{});
  const auto states = made.contact->states();
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[0].name, "f1");
  EXPECT_EQ(states[1].name, "f2");
  EXPECT_EQ(states[1].unit, "N");
  EXPECT_EQ(states[1].value, -0.2);
  EXPECT_EQ(parameter(made, "nu2"), 0.75);
  EXPECT_TRUE(make("coulomb", {{"Fc", 1}}).contact->states().empty());
}

TEST(Make, SaysWhetherTheModelCanCreateEnergy) {
  const Made active = make("lugre", lugre), passive = make("lugre", changed(lugre, {{"kv", 150}}));
  ASSERT_EQ(active.notes.size(), 1u);
  EXPECT_EQ(active.notes[0].find("lugre with these parameters can create energy; it is passive if kv >= "), 0u);
  EXPECT_FALSE(active.contact->passive());
  EXPECT_TRUE(passive.notes.empty() && passive.contact->passive());
  EXPECT_TRUE(make("gms", changed(gms, {{"Fs", 1}})).notes.empty());
  EXPECT_EQ(make("gms", gms).notes.size(), 1u);
}

TEST(Make, EffectsWrapTheModel) {
  const Made made = make("coulomb", {{"Fc", 2}}, {{"asymmetry", 0.25}, {"offset", 0.5}});
  ASSERT_EQ(lines(made.problems), Lines{});
  EXPECT_EQ(made.contact->step({.v = 1}, 0.1), 3);
  EXPECT_EQ(made.contact->step({.v = -1}, 0.1), -1);
  EXPECT_EQ(made.contact->model(), "coulomb");
  EXPECT_EQ(parameter(made, "offset"), 0.5);
}

// Exact error messages.

TEST(Complaint, UnknownModel) {
  EXPECT_EQ(problems("lugra", lugre), Lines{"unknown model 'lugra', did you mean 'lugre'?"});
  EXPECT_EQ(problems("Coulomb", {}), Lines{"unknown model 'Coulomb', did you mean 'coulomb'?"});
  EXPECT_EQ(problems("xyzzy", {}), Lines{"unknown model 'xyzzy'; 'bristle models' lists the accepted names"});
  EXPECT_EQ(problems("", {}), Lines{"unknown model ''; 'bristle models' lists the accepted names"});
}

TEST(Complaint, UnknownKey) {
  EXPECT_EQ(problems("lugre", changed(lugre, {{"sigma_0", 1e5}}, {"sigma0"})),
            Lines{"unknown key 'sigma_0' in [friction], did you mean 'sigma0'?"});
  EXPECT_EQ(problems("coulomb", {{"Fc", 1}, {"banana", 1}}),
            Lines{"unknown key 'banana' in [friction]; coulomb accepts Fc, mu_c, Fs, mu_s, kv, kv_exponent"});
  EXPECT_EQ(problems("lugre", lugre, {{"asymetry", 0.1}}),
            Lines{"unknown key 'asymetry' in [friction.effects], did you mean 'asymmetry'?"});
  EXPECT_EQ(problems("gms", gms, {}, {{"z", {0, 0}}}),
            Lines{"unknown key 'z' in [friction.initial], did you mean 'f'?"});
  EXPECT_EQ(problems("viscous", {{"kv", 1}}, {}, {{"state", 0}}),
            Lines{"unknown key 'state' in [friction.initial]; viscous accepts none"});
}

TEST(Complaint, MissingKey) {
  EXPECT_EQ(problems("lugre", changed(lugre, {}, {"sigma0"})),
            Lines{"missing key 'sigma0' in [friction]; required: bristle stiffness, typically 100000 N/m"});
  EXPECT_EQ(problems("viscous", {}),
            Lines{"missing key 'kv' in [friction]; required: viscous coefficient, typically 0.4 N s/m"});
}

TEST(Complaint, GivenTwice) {
  Table twice = lugre;
  twice.push_back({"Fc", 1});
  EXPECT_EQ(problems("lugre", twice), Lines{"key 'Fc' is given twice in [friction]"});
}

TEST(Complaint, WrongKindOfValue) {
  EXPECT_EQ(problems("lugre", changed(lugre, {{"sigma0", "stiff"}})),
            Lines{"sigma0 = \"stiff\" must be a number in N/m"});
  EXPECT_EQ(problems("lugre", changed(lugre, {{"sigma0", true}})), Lines{"sigma0 = true must be a number in N/m"});
  EXPECT_EQ(problems("lugre", changed(lugre, {{"sigma0", {1, 2}}})), Lines{"sigma0 = [1, 2] must be a number in N/m"});
  EXPECT_EQ(problems("lugre", changed(lugre, {{"alpha", "two"}})), Lines{"alpha = \"two\" must be a number"});
  EXPECT_EQ(problems("gms", changed(gms, {{"k", 1e4}})),
            Lines{"k = 10000 must be an array such as [40000, 30000, 20000, 10000]"});
}

TEST(Complaint, OutOfRange) {
  EXPECT_EQ(problems("lugre", changed(lugre, {{"sigma0", -1e5}})), Lines{"sigma0 = -100000 N/m must be > 0"});
  EXPECT_EQ(problems("lugre", changed(lugre, {{"sigma0", 0}})), Lines{"sigma0 = 0 N/m must be > 0"});
  EXPECT_EQ(problems("lugre", changed(lugre, {{"sigma1", -1}})), Lines{"sigma1 = -1 N s/m must be >= 0"});
  EXPECT_EQ(problems("lugre", changed(lugre, {{"alpha", 5}})), Lines{"alpha = 5 must be 0.1 to 4"});
  EXPECT_EQ(problems("coulomb", {{"Fc", 1}}, {{"seed", 1.5}}),
            Lines{"seed = 1.5 must be a whole number, 0 to 2147483647"});
  EXPECT_EQ(problems("gms", changed(gms, {{"k", {1e4, -2}}})), Lines{"k[2] = -2 N/m must be > 0"});
  EXPECT_EQ(problems("gms", changed(gms, {{"nu", {-0.5, 1.5}}})),
            (Lines{"nu[1] = -0.5 must be above 0 to 1", "nu[2] = 1.5 must be above 0 to 1"}));
}

TEST(Complaint, NotANumberAndInfinity) {
  EXPECT_EQ(problems("lugre", changed(lugre, {{"Fc", not_a_number}})), Lines{"Fc = nan N must be > 0"});
  EXPECT_EQ(problems("lugre", lugre, {}, {{"z", not_a_number}}), Lines{"z = nan m must be a finite number"});
  EXPECT_EQ(problems("gms", changed(gms, {{"k", {not_a_number, 1}}})), Lines{"k[1] = nan N/m must be > 0"});
  for (const double x : {inf, 1e31}) {
    const Lines said = problems("lugre", changed(lugre, {{"sigma0", x}}));
    ASSERT_EQ(said.size(), 1u) << x;
    EXPECT_EQ(said[0].find("sigma0 = " + to_text(x) + " N/m must be "), 0u) << said[0];
  }
  EXPECT_EQ(problems("lugre", changed(lugre, {{"vd", inf}})), Lines{});  // documented as "off"
  // The bound that is exceeded, where "> 0" or "a finite number" would be no help.
  EXPECT_EQ(problems("lugre", changed(lugre, {{"vs", 1e-300}})), Lines{"vs = 1e-300 m/s must be at least 1e-30"});
  EXPECT_EQ(problems("lugre", changed(lugre, {{"vs", 1e300}})), Lines{"vs = 1e+300 m/s must be at most 1e+30"});
  EXPECT_EQ(problems("lugre", changed(lugre, {{"vs", -1e-300}})), Lines{"vs = -1e-300 m/s must be > 0"});
  EXPECT_EQ(problems("lugre", changed(lugre, {{"vd", 1e-31}})), Lines{"vd = 1e-31 m/s must be at least 1e-30"});
  EXPECT_EQ(problems("lugre", changed(lugre, {{"vs", 1e-30}})), Lines{});
  EXPECT_EQ(problems("gms", changed(gms, {{"k", {1e4, 1e-200}}})), Lines{"k[2] = 1e-200 N/m must be at least 1e-30"});
  EXPECT_EQ(problems("lugre", lugre, {}, {{"z", -1e300}}), Lines{"z = -1e+300 m must be at least -1e+30"});
  EXPECT_EQ(problems("lugre", lugre, {{"offset", 1e300}}), Lines{"offset = 1e+300 N must be at most 1e+30"});
  EXPECT_EQ(problems("coulomb", {{"mu_c", 0.1}, {"normal_load", 1e-300}}),
            Lines{"normal_load = 1e-300 must be a number in N at least 1e-30"});
}

TEST(Complaint, ArrayLengths) {
  EXPECT_EQ(problems("gms", changed(gms, {{"k", std::vector<double>{}}})), Lines{"k has 0 values, must have 1 to 64"});
  EXPECT_EQ(problems("gms", changed(gms, {{"k", std::vector<double>(65, 1e4)}})),
            Lines{"k has 65 values, must have 1 to 64"});
  EXPECT_EQ(problems("gms", changed(gms, {{"k", {1e4}}})),
            Lines{"k = [10000] N/m, nu = [0.25, 0.75] must satisfy k and nu have the same length"});
  EXPECT_EQ(problems("gms", changed(gms, {{"sigma", {1}}})),
            Lines{"k = [10000, 20000] N/m, sigma = [1] N s/m must satisfy sigma is absent or as long as k"});
  EXPECT_EQ(problems("gms", gms, {}, {{"f", {0, 0, 0}}}),
            Lines{"initial state of gms must have 2 values, one per element"});
}

TEST(Complaint, RelationsBetweenParameters) {
  EXPECT_EQ(problems("lugre", changed(lugre, {{"Fs", 0.5}})), Lines{"Fs = 0.5 N, Fc = 1 N must satisfy Fs >= Fc"});
  EXPECT_EQ(problems("gms", changed(gms, {{"nu", {0.5, 0.4}}})), Lines{"nu = [0.5, 0.4] sums to 0.9, must sum to 1"});
  EXPECT_EQ(problems("gms", changed(gms, {{"nu", {0.333333, 0.666667}}})), Lines{});  // six printed digits are enough
  // A bad Fc is one mistake, not two.
  EXPECT_EQ(problems("lugre", changed(lugre, {{"Fc", -3}, {"Fs", -4}})),
            (Lines{"Fc = -3 N must be > 0", "Fs = -4 N must be > 0"}));
}

TEST(Complaint, CoefficientsAndNormalLoad) {
  EXPECT_EQ(problems("coulomb", {{"mu_c", 0.1}}), Lines{"mu_c requires normal_load (N) in [friction]"});
  EXPECT_EQ(problems("coulomb", {{"Fc", 1}, {"mu_c", 0.1}, {"normal_load", 10}}),
            Lines{"mu_c and Fc are both given in [friction]; one is accepted"});
  EXPECT_EQ(problems("coulomb", {{"mu_c", "low"}, {"normal_load", 10}}), Lines{"mu_c = \"low\" must be a number"});
  EXPECT_EQ(problems("coulomb", {{"mu_c", 0.1}, {"normal_load", -10}}),
            Lines{"normal_load = -10 must be a number in N > 0"});
  EXPECT_EQ(problems("coulomb", {{"mu_c", 0.1}, {"normal_load", "heavy"}}),
            Lines{"normal_load = \"heavy\" must be a number in N > 0"});
}

TEST(Complaint, AllProblemsAtOnce) {
  EXPECT_EQ(
      problems("gms", {{"Fc", -1}, {"Fs", "x"}, {"vs", 1e-3}, {"k", {1e4, 2e4}}, {"nu", {0.5, 0.4}}, {"kvv", 1}},
               {{"noise", -1}, {"ripples", 1}}, {{"f", {not_a_number, 0}}}),
      (Lines{"Fc = -1 N must be > 0", "Fs = \"x\" must be a number in N",
             "unknown key 'kvv' in [friction], did you mean 'kv'?",
             "missing key 'C' in [friction]; required: attraction: how fast slipping elements find the Stribeck curve, "
             "typically 100 N/s, or C_i",
             "nu = [0.5, 0.4] sums to 0.9, must sum to 1", "noise = -1 N must be >= 0",
             "unknown key 'ripples' in [friction.effects], did you mean 'ripple'?",
             "f[1] = nan N must be a finite number"}));
}

TEST(Complaint, SaysWhere) {
  EXPECT_EQ(lines(make("viscous", {}, {}, {}, "a.toml").problems),
            Lines{"a.toml: missing key 'kv' in [friction]; required: viscous coefficient, typically 0.4 N s/m"});
  EXPECT_EQ(lines(make("viscous", {{"kv", -1, "a.toml:12"}}, {}, {}, "a.toml").problems),
            Lines{"a.toml:12: kv = -1 N s/m must be >= 0"});
  // A relation at the first of its parameters that is given; before it one of the file itself, before all an option.
  const Entry Fc{"Fc", 1, "a.toml:3"}, Fs{"Fs", 0.5, "a.toml:7"};
  EXPECT_EQ(lines(make("coulomb", {Fc, Fs}, {}, {}, "a.toml:1").problems),
            Lines{"a.toml:7: Fs = 0.5 N, Fc = 1 N must satisfy Fs >= Fc"});
  EXPECT_EQ(lines(make("coulomb", {{"Fc", 1, "--set friction.Fc"}, Fs}, {}, {}, "a.toml:1").problems),
            Lines{"--set friction.Fc: Fs = 0.5 N, Fc = 1 N must satisfy Fs >= Fc"});
  EXPECT_EQ(lines(make("coulomb", {Fc, {"Fs", 0.5, "fit.toml:7"}}, {}, {}, "a.toml:1").problems),
            Lines{"a.toml:3: Fs = 0.5 N, Fc = 1 N must satisfy Fs >= Fc"});
  EXPECT_EQ(lines(make("coulomb", {{"mu_c", 0.1, "a.toml:4"}, {"mu_s", 0.05, "a.toml:2"}, {"normal_load", 10}}, {}, {},
                       "a.toml")
                      .problems),
            Lines{"a.toml:2: Fs = 0.5 N, Fc = 1 N must satisfy Fs >= Fc"});
  EXPECT_EQ(lines(make("gms", changed(gms, {{"nu", {0.5, 0.4}, "a.toml:9"}}), {}, {}, "a.toml:1").problems),
            Lines{"a.toml:9: nu = [0.5, 0.4] sums to 0.9, must sum to 1"});
  EXPECT_EQ(lines(make("gms", gms, {}, {{"f", {0, 0, 0}, "a.toml:5"}}, "a.toml:1").problems),
            Lines{"a.toml:5: initial state of gms must have 2 values, one per element"});
  EXPECT_EQ(lines(make("none", {}, {}, {}, "a.toml").problems),
            Lines{"a.toml: unknown model 'none'; 'bristle models' lists the accepted names"});
}

// The contact behind one type.

/// The message that a call throws, or "" if it does not throw.
template <class F> std::string complaint(F&& call) {
  try {
    call();
  } catch (const BadInput& e) { return e.what(); }
  return "";
}

TEST(AnyContact, RefusesStepsThatMakeNoSense) {
  const auto c = make("lugre", lugre).contact;
  auto step = [&](double dt) { return complaint([&] { c->step({.v = 1}, dt); }); };
  auto couple = [&](double mass, double dt) { return complaint([&] { c->couple({.v = 1}, mass, dt); }); };
  EXPECT_EQ(step(0), "dt = 0 s must be > 0");
  EXPECT_EQ(step(-1e-3), "dt = -0.001 s must be > 0");
  EXPECT_EQ(step(not_a_number), "dt = nan s must be > 0");
  EXPECT_EQ(step(inf).find("dt = inf s must be "), 0u);
  EXPECT_EQ(couple(1, 0), "dt = 0 s must be > 0");
  EXPECT_EQ(couple(0, 1e-3), "mass = 0 kg must be > 0");
  EXPECT_EQ(couple(-2, 1e-3), "mass = -2 kg must be > 0");
  EXPECT_EQ(couple(not_a_number, 1e-3), "mass = nan kg must be > 0");
  EXPECT_EQ(couple(inf, 1e-3).find("mass = inf kg must be "), 0u);
}

TEST(AnyContact, RefusesMotionThatIsNotFinite) {
  const auto c = make("lugre", lugre).contact;
  auto said = [&](const Motion<double>& u) {
    const std::string step = complaint([&] { c->step(u, 1e-3); }), couple = complaint([&] { c->couple(u, 1, 1e-3); });
    EXPECT_EQ(step, couple);
    return step;
  };
  EXPECT_EQ(said({.v = not_a_number}), "v = nan m/s must be a finite number");
  EXPECT_EQ(said({.x = inf}), "x = inf m must be a finite number");
  EXPECT_EQ(said({.F_app = -inf}), "F_app = -inf N must be a finite number");
  EXPECT_EQ(said({.t = not_a_number}), "t = nan s must be a finite number");
  EXPECT_EQ(said({.r = not_a_number}).find("r = nan"), 0u);
  EXPECT_EQ(said({.r = -1}), "normal load ratio r = -1 must be >= 0");
  EXPECT_EQ(c->step({}, 1e-3), 0);  // and nothing of it has touched the state
}

TEST(AnyContact, ResetGoesBackToTheInitialState) {
  const auto c = make("lugre", lugre, {}, {{"z", 2e-6}}).contact;
  const double first = c->step({.v = 1e-3}, 1e-3);
  EXPECT_NE(c->step({.v = 1e-3}, 1e-3), first);
  c->reset();
  EXPECT_EQ(c->states()[0].value, 2e-6);
  EXPECT_EQ(c->step({.v = 1e-3}, 1e-3), first);
}

/// Slipping elements are a mode, not a state: after a reset they stick, so the force rises with k again.
TEST(AnyContact, ResetForgetsTheMode) {
  const auto c = make("gms", gms).contact;
  const double first = c->step({.v = 1e-2}, 1e-4);
  EXPECT_DOUBLE_EQ(first, 0.03);  // 3e4 N/m over 1 um
  c->step({.v = 1e-2}, 1);
  c->reset();
  EXPECT_EQ(c->step({.v = 1e-2}, 1e-4), first);
}

TEST(AnyContact, CloneIsIndependent) {
  const auto c = make("lugre", lugre).contact;
  c->step({.v = 1e-3}, 1e-3);
  const auto twin = c->clone();
  const double z = c->states()[0].value;
  EXPECT_EQ(twin->states()[0].value, z);
  const double F = twin->step({.v = -1e-3}, 5e-3);
  EXPECT_EQ(c->states()[0].value, z);
  EXPECT_EQ(c->step({.v = -1e-3}, 5e-3), F);
  EXPECT_EQ(twin->model(), "lugre");
}

TEST(AnyContact, CoupledStepBalancesTheMass) {
  const auto c = make("lugre", lugre).contact;
  double v = 0.3;
  for (int i = 0; i < 50; ++i) {
    const auto out = c->couple({.v = v, .F_app = 0.2}, 0.5, 0.01);
    EXPECT_NEAR(0.5 * (out.v - v) / 0.01, 0.2 - out.F, 1e-12);  // of terms up to 15 N
    v = out.v;
  }
}

/// Random tables around the typical ones: each gives a contact that steps to finite numbers, or problems of one line.
TEST(Fuzz, RandomTablesNeverCrash) {
  Draw draw(11);
  auto whole = [&](double n) { return static_cast<std::size_t>(draw.uniform(0, n)); };
  auto pick = [&](const auto& from) { return from[whole(static_cast<double>(from.size()))]; };
  const std::vector<std::string> words{"",     "Fc", "fc", "sigma", "normal_load", "mu_c",
                                       "mu_s", "z",  "f",  "noise", "\xff\n",      "banana"};
  const std::vector<double> numbers{0,     -1,    1,     0.5,  1e5, 1e-3, 1e30,        1e31,
                                    1e-30, 1e-31, 1e308, -0.0, inf, -inf, not_a_number};
  auto any_value = [&]() -> Value {
    const double kind = draw.uniform();
    if (kind < 0.5) return pick(numbers);
    if (kind < 0.6) return draw.chance(0.5);
    if (kind < 0.7) return pick(words);
    std::vector<double> array(whole(draw.chance(0.1) ? 80 : 4));
    for (double& x : array) x = draw.chance(0.2) ? pick(numbers) : draw.uniform();
    return array;
  };
  auto near = [&](const Value& v) -> Value {
    if (const auto* x = v.as<double>()) return *x * draw.log_uniform(0.3, 3);
    if (const auto* a = v.as<std::vector<double>>()) {
      std::vector<double> b = *a;
      const double scale = draw.log_uniform(0.3, 3);
      for (double& x : b) x *= scale;
      return b;
    }
    return v;
  };
  auto shaken = [&](Table table, double wild) {
    for (Entry& e : table) {
      if (draw.chance(0.3)) e.value = near(e.value);
      if (draw.chance(wild)) e.value = any_value();
      if (draw.chance(0.2 * wild)) e.key = pick(words);
    }
    if (draw.chance(wild)) table.push_back({pick(words), any_value()});
    if (draw.chance(wild) && !table.empty())
      table.erase(table.begin() + static_cast<std::ptrdiff_t>(whole(static_cast<double>(table.size()))));
    return table;
  };
  Table all_effects;
  for (const FieldInfo& f : effect_infos())
    all_effects.push_back({f.name, f.kind == Kind::array ? Value({1.0, 2.0, 3.0}) : f.value});
  std::vector<ModelInfo> infos = model_infos();
  std::erase_if(infos, [](const ModelInfo& m) { return m.level == "contact"; });  // populations: gfm_contact_test.cpp
  int made_some = 0;
  for (int n = 0; n < 20000; ++n) {
    const ModelInfo& m = pick(infos);
    const double wild = draw.chance(0.4) ? 0 : 0.15;
    Table effects = draw.chance(0.5) ? Table{} : shaken(all_effects, 0.5 * wild);
    if (draw.chance(0.1)) effects.push_back({"negative." + pick(m.parameters).name, any_value()});
    Table initial;
    if (draw.chance(0.2) && !m.states.empty()) initial.push_back({m.states[0].name, any_value()});
    const Made made =
        make(draw.chance(0.02) ? pick(words) : m.name, shaken(typical(m.name), wild), effects, initial, "fuzz");
    ASSERT_EQ(made.contact == nullptr, !made.problems.empty()) << n;
    for (const Problem& p : made.problems) ASSERT_FALSE(p.text.empty()) << n;
    if (!made.contact) continue;
    ++made_some;
    for (int i = 0; i < 5; ++i) {
      const double v = draw.chance(0.2) ? 0 : draw.sign() * draw.log_uniform(1e-9, 1e3);
      const Motion<double> u{
          .x = draw.uniform(-1, 1), .v = v, .F_app = draw.uniform(-2, 2), .r = draw.uniform(0, 3), .t = 0.1 * i};
      ASSERT_TRUE(std::isfinite(made.contact->step(u, draw.log_uniform(1e-9, 10)))) << n << " " << m.name;
      for (const Variable& s : made.contact->states())
        ASSERT_TRUE(std::isfinite(s.value)) << n << " " << m.name << " " << s.name;
    }
  }
  EXPECT_GT(made_some, 5000);  // or the fuzz would test the complaints alone
}
