/// A type-erased contact is complete: every parameter and every number it remembers can be read, set, written down and read
/// back, and it continues with the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bristle/models.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"

using namespace bristle;

namespace {

using Numbers = std::vector<double>;

/// Small populations: the state is the same, only shorter.
const Table few_asperities{{"asperities", 40}, {"settle", 0.5}};
Table parameters_of(const std::string& model) {
  if (model == "gfm") return {{"asperities", 300}};
  if (model == "generic2010") return few_asperities;
  Table table;
  for (const FieldInfo& f : find_model(model)->parameters) {
    if (const auto* a = f.value.as<Numbers>(); a && a->empty()) continue;
    table.push_back({f.name, f.value});
  }
  return table;
}
const Table effects{{"asymmetry", 0.1}, {"offset", 0.05}, {"ripple", 0.1}, {"ripple_period", 1e-4}};

/// Every model without and with effects, and with options that change what it remembers.
std::vector<std::unique_ptr<AnyContact>> all_contacts() {
  std::vector<std::unique_ptr<AnyContact>> out;
  auto add = [&](const std::string& model, const Table& p, const Table& e) {
    Made made = make(model, p, e);
    for (const Problem& problem : made.problems) ADD_FAILURE() << problem.line();
    out.push_back(std::move(made.contact));
  };
  for (const std::string& model : model_names()) {
    add(model, parameters_of(model), {});
    add(model, parameters_of(model), effects);
  }
  add("dahl", {{"Fc", 1}, {"sigma0", 1e5}, {"i", 0.5}}, {});
  add("gfm", {{"asperities", 300}, {"normal_load", 0.1}, {"adhesion", "logarithmic"}}, {});
  add("generic2010",
      {{"asperities", 20},
       {"settle", 0.1},
       {"integrator", "abm"},
       {"dt", 1e-5},
       {"tail_share", 0},
       {"scale_time", 0.1}},
      {});
  return out;
}

/// A motion with reversals and rests, over some sizes of the contact.
Numbers moved(AnyContact& c, int steps, unsigned seed) {
  std::mt19937 draw(seed);
  std::uniform_real_distribution<double> in(-1, 1);
  const auto sizes = c.scales();
  const double travel = sizes.displacement > 0 ? sizes.displacement : 1e-5;
  Numbers F;
  for (int i = 0; i < steps; ++i) {
    const double v = i % 7 == 3 ? 0 : travel * 1e3 * in(draw);
    F.push_back(c.step({.x = 1e-3 * i, .v = v, .F_app = sizes.force * in(draw)}, 1e-3));
  }
  return F;
}
std::string said(const std::function<void()>& call) {
  try {
    call();
  } catch (const BadInput& e) { return e.what(); }
  return "";
}
Made read(const std::string& text) { return deserialise(text, "c.txt"); }

}  // namespace

TEST(ContactState, IsAllThatAContactRemembers) {
  for (const auto& c : all_contacts()) {
    SCOPED_TRACE(std::string(c->model()) + (c->has_effects() ? " with effects" : ""));
    const auto fresh = c->clone();
    moved(*c, 60, 1);
    const std::vector<std::string> names = c->state_names();
    const Numbers state = c->state();
    EXPECT_EQ(names.size(), state.size());
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
    for (const Variable& shown : c->states())
      EXPECT_TRUE(c->index() == Models::size || std::find(names.begin(), names.end(), shown.name) != names.end());

    fresh->set_state(state);
    EXPECT_EQ(fresh->state(), state);
    EXPECT_EQ(moved(*fresh, 60, 2), moved(*c, 60, 2));
    EXPECT_EQ(fresh->state(), c->state());
  }
}

TEST(ContactState, RefusesWhatNoStateCanBe) {
  for (const auto& c : all_contacts()) {
    SCOPED_TRACE(c->model());
    moved(*c, 20, 1);
    const Numbers state = c->state();
    Numbers longer = state;
    longer.push_back(0);
    EXPECT_NE(said([&] { c->set_state(longer); }), "");
    for (std::size_t i = 0; i < state.size(); i += 1 + state.size() / 50) {
      Numbers wrong = state;
      wrong[i] = NAN;
      EXPECT_NE(said([&] { c->set_state(wrong); }), "") << c->state_names()[i];
      wrong[i] = INFINITY;
      EXPECT_NE(said([&] { c->set_state(wrong); }), "") << c->state_names()[i];
    }
    EXPECT_EQ(c->state(), state);
  }
  const auto c = make("coulomb", {{"Fc", 1}}).contact;
  EXPECT_EQ(said([&] { c->set_state(Numbers{0.5}); }), "state of coulomb: dir = 0.5 must be a whole number, -1 to 1");
  EXPECT_EQ(said([&] { c->set_state(Numbers{}); }), "state of coulomb: 0 values are given; it has 1");
}

TEST(ContactState, NamesOfModes) {
  const auto gms = make("gms", parameters_of("gms")).contact;
  gms->step({.v = 1e-3}, 1e-2);
  EXPECT_EQ(gms->state_names(),
            (std::vector<std::string>{"f1", "f2", "f3", "f4", "slips1", "slips2", "slips3", "slips4", "dir"}));
  EXPECT_EQ(gms->state().back(), 1);
  EXPECT_EQ(make("armstrong", parameters_of("armstrong")).contact->state_names(),
            (std::vector<std::string>{"d", "t2", "vl", "dFs", "dir"}));
}

/// Every parameter of every model, one at a time, to a value of its own.
TEST(Parameters, AreSetByName) {
  for (const auto& c : all_contacts()) {
    const Table before = c->settings();
    for (const Entry& e : before) {
      SCOPED_TRACE(std::string(c->model()) + " " + e.key);
      EXPECT_EQ(c->parameter(e.key), e.value);
      Value other = e.value;
      if (const double* x = e.value.as<double>()) {
        if (e.key.find("seed") != std::string::npos || e.key == "bristles") {
          other = *x + 1;
        } else {
          other = *x == 0 ? 1e-3 : std::isfinite(*x) ? *x * 1.0001 : 1e3;
        }
        if (e.key == "asperities") continue;
      } else if (const bool* b = e.value.as<bool>()) {
        other = !*b;
      } else {
        continue;
      }
      const auto changed = c->clone();
      const std::string wrong = said([&] { changed->set(e.key, other); });
      if (!wrong.empty()) {  // a relation to others
        EXPECT_TRUE(wrong.find("must") != std::string::npos || wrong.find("both given") != std::string::npos) << wrong;
        EXPECT_EQ(changed->settings().size(), before.size());
        EXPECT_EQ(changed->parameter(e.key), e.value);
        continue;
      }
      EXPECT_EQ(changed->parameter(e.key), other);
      for (const Entry& rest : before) {
        EXPECT_TRUE(rest.key == e.key || changed->parameter(rest.key) == rest.value) << rest.key;
      }
    }
  }
}

TEST(Parameters, ElementsEffectsAndComplaints) {
  const auto c = make("gms", parameters_of("gms"), effects).contact;
  c->set("k2", 5e4);
  EXPECT_EQ(c->parameter("k"), Value({4e4, 5e4, 2e4, 1e4}));
  EXPECT_EQ(c->parameter("k3"), Value(2e4));
  c->set({{"offset", 0.2}, {"effects.ripple", 0.3}});
  EXPECT_EQ(c->parameter("effects.offset"), Value(0.2));
  EXPECT_EQ(c->parameter("ripple"), Value(0.3));
  EXPECT_EQ(said([&] { c->set("sigma0", 1); }), "unknown parameter 'sigma0' of gms, did you mean 'sigma'?");
  EXPECT_EQ(said([&] { c->set("Fc", -1); }), "Fc = -1 N must be > 0");
  EXPECT_EQ(said([&] { c->set("k9", 1); }).find("unknown parameter 'k9'"), 0U);
  EXPECT_EQ(said([&] { c->set("k1", "stiff"); }), "k1 = \"stiff\" must be a number");
  EXPECT_EQ(c->parameter("Fc"), Value(1.0));
  // Both at once, because each alone would break their relation.
  EXPECT_NE(said([&] { c->set("k", {1e4, 1e4}); }), "");
  c->set({{"k", {1e4, 1e4}}, {"nu", {0.5, 0.5}}});
  EXPECT_EQ(c->state().size(), 2U + 2U + 1U);
  // The seed of the model, and that of the noise.
  const auto h = make("haessig_friedland", parameters_of("haessig_friedland"), effects).contact;
  h->set("seed", 5);
  EXPECT_EQ(h->parameter("seed"), Value(5.0));
  EXPECT_EQ(h->parameter("effects.seed"), Value(1.0));
}

/// A changed contact is as one made with those parameters, if it has not moved; else it keeps its state.
TEST(Parameters, KeepTheStateOfAContactThatHasMoved) {
  for (const char* model : {"rate_state", "armstrong", "lugre", "haessig_friedland", "gfm"}) {
    SCOPED_TRACE(model);
    const bool population = std::string(model) == "gfm";
    const char* key = population                           ? "tau"
                      : std::string(model) == "rate_state" ? "Dc"
                      : std::string(model) == "armstrong"  ? "dFs_a"
                      : std::string(model) == "lugre"      ? "sigma0"
                                                           : "delta_s";
    const auto c = make(model, parameters_of(model)).contact;
    const double x = *c->parameter(key).as<double>() * 1.25;
    Table with = parameters_of(model);
    std::erase_if(with, [&](const Entry& e) { return e.key == key; });
    with.push_back({key, x});
    const auto made = make(model, with).contact;
    const auto changed = c->clone();
    changed->set(key, x);
    EXPECT_EQ(changed->state(), made->state());
    EXPECT_EQ(moved(*changed, 30, 3), moved(*made, 30, 3));
    changed->reset();
    made->reset();
    EXPECT_EQ(changed->state(), made->state());
    if (population) continue;  // drawn again
    moved(*c, 30, 3);
    const Numbers state = c->state();
    c->set(key, x);
    EXPECT_EQ(c->state(), state);
  }
  const auto given = make("lugre", parameters_of("lugre"), {}, {{"z", 3e-6}}).contact;
  given->set("sigma0", 2e5);
  given->reset();
  EXPECT_EQ(given->state(), Numbers{3e-6});
}

TEST(Serialise, RoundTripsBits) {
  for (const auto& c : all_contacts()) {
    SCOPED_TRACE(std::string(c->model()) + (c->has_effects() ? " with effects" : ""));
    moved(*c, 40, 5);
    const std::string text = serialise(*c);
    const Made made = read(text);
    ASSERT_TRUE(made.contact) << made.problems.front().line();
    EXPECT_EQ(serialise(*made.contact), text);
    EXPECT_EQ(made.contact->has_effects(), c->has_effects());
    EXPECT_EQ(moved(*made.contact, 40, 6), moved(*c, 40, 6));
    made.contact->reset();
    c->reset();
    EXPECT_EQ(made.contact->state(), c->state());
  }
  const auto given = make("gms", parameters_of("gms"), {}, {{"f", {0.1, 0.1, 0, 0}}}).contact;
  const Made again = read(serialise(*given));
  ASSERT_TRUE(again.contact);
  again.contact->step({.v = 1}, 1);
  again.contact->reset();
  EXPECT_EQ(again.contact->state(), given->state());
}

TEST(Serialise, SaysWhatIsWrong) {
  auto line = [](const std::string& text) { return read(text).problems.at(0).line(); };
  const std::string good = serialise(*make("coulomb", {{"Fc", 1}}).contact);
  EXPECT_EQ(good.substr(0, 39), "bristle_contact = 1\nmodel = \"coulomb\"\nf");
  EXPECT_EQ(line(""), "c.txt: not a contact: the line 'bristle_contact = 1' is missing");
  EXPECT_EQ(line("bristle_contact = 2\n"), "c.txt:1: bristle_contact = 2 is of another version; this one reads 1");
  EXPECT_EQ(line("bristle_contact = 1\n"), "c.txt: a contact needs the line model = \"NAME\"");
  EXPECT_EQ(line("bristle_contact = 1\nmodel = \"coulom\"\n"),
            "c.txt: unknown model 'coulom', did you mean 'coulomb'?");
  EXPECT_EQ(line(good + "state = [1]\n"), "c.txt:8: key 'state' is given twice");
  EXPECT_EQ(line(good + "more\n"), "c.txt:8: 'more' is not of the form key = value");
  EXPECT_EQ(line(good + "friction.Fs = 1\n"), "c.txt:8: key 'Fs' is given twice in [friction]");
}

/// Whatever the text: a contact that steps, or one-line complaints.
TEST(Serialise, HostileTextsAreRefused) {
  std::mt19937 draw(7);
  auto any = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(draw); };
  const char* numbers[] = {"nan",  "-inf", "1e400", "-1", "0", "1e308", "1e-320", "[", "9007199254740993",
                           "true", "\"\"", "]"};
  std::vector<std::string> texts;
  for (const auto& c : all_contacts()) {
    if (c->index() == Models::size && c->model() == "generic2010") continue;  // settles again each time
    moved(*c, 20, 9);
    texts.push_back(serialise(*c));
  }
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = texts[any(texts.size())];
    for (std::size_t k = 0, n = 1 + any(3); k < n; ++k) {
      switch (any(4)) {
        case 0: text[any(text.size())] = static_cast<char>(any(256)); break;
        case 1: text.erase(any(text.size()), 1 + any(20)); break;
        case 2: text.insert(any(text.size()), numbers[any(std::size(numbers))]); break;
        default: {  // a number for another one
          const auto at = text.find_first_of("0123456789", any(text.size()));
          if (at != std::string::npos)
            text.replace(at, text.find_first_not_of("0123456789.e+-", at) - at, numbers[any(std::size(numbers))]);
        }
      }
      if (text.empty()) text = " ";
    }
    const Made made = read(text);
    EXPECT_EQ(made.contact == nullptr, !made.problems.empty());
    for (const Problem& p : made.problems) EXPECT_EQ(p.line().find('\n'), std::string::npos);
    if (!made.contact) continue;
    ++accepted;
    for (const double v : {1e-3, -1e-5, 0.0}) made.contact->step({.v = v}, 1e-3);
  }
  EXPECT_GT(accepted, 30);
}

TEST(Force, ChangesNothingAndFollowsTheMotion) {
  for (const auto& c : all_contacts()) {
    SCOPED_TRACE(std::string(c->model()) + (c->has_effects() ? " with effects" : ""));
    moved(*c, 30, 11);
    const Numbers state = c->state();
    const double scale = c->scales().force;
    for (const double v : {1e-3, -2e-3}) {
      const Motion<double> u{.x = 0.01, .v = v, .F_app = 0.2 * scale, .r = 1};
      const double F = c->force(u);
      EXPECT_EQ(c->state(), state);
      if (c->index() == Models::size) continue;         // a population goes on in steps of its own
      const double later = c->clone()->step(u, 1e-13);  // no time to change
      EXPECT_NEAR(F, later, 1e-6 * (std::abs(F) + scale));
    }
  }
  const auto coulomb = make("coulomb", {{"Fc", 1}, {"Fs", 1.5}}, {{"offset", 0.1}}).contact;
  EXPECT_DOUBLE_EQ(coulomb->force({.v = 0.1}), 1.1);
  EXPECT_DOUBLE_EQ(coulomb->force({.v = -0.1, .r = 2}), -1.9);
  EXPECT_DOUBLE_EQ(coulomb->force({.v = 0, .F_app = 1.2}), 1.2);
  EXPECT_NE(said([&] { coulomb->force({.v = NAN}); }), "");
}

TEST(CoupleAny, IsTheStaticOne) {
  Models::each([]<template <class> class M>() {
    SCOPED_TRACE(M<double>::card.name);
    const M<double> c{};
    auto s = c.rest();
    typename M<double>::Mode q{};
    const auto any = make(M<double>::card.name, parameters_of(M<double>::card.name)).contact;
    double v = 0, x = 0;
    for (int i = 0; i < 200; ++i) {
      const Motion<double> u{.x = x, .v = v, .F_app = 1.8 * std::sin(0.1 * i)};
      const auto a = couple(c, s, q, u, 0.1, 1e-3), b = any->couple(u, 0.1, 1e-3);
      EXPECT_EQ(a.v, b.v);
      EXPECT_EQ(a.F, b.F);
      EXPECT_EQ(a.dFdv, b.dFdv);
      EXPECT_EQ(a.holds, b.holds);
      v = a.v;
      x += v * 1e-3;
    }
  });
}
