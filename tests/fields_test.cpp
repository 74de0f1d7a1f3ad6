/// The field lists: one list per struct serves files, tables, fits and bindings.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bristle/effects.hpp"
#include "bristle/registry/read.hpp"
#include "support/models.hpp"

using namespace bristle;

namespace {

/// Where the members named by a list lie in the object.
struct Extent {
  std::size_t begin, end, align;
};
template <class P> std::vector<Extent> extents(P& p) {
  std::vector<Extent> out;
  each_field(p, [&](const auto&, auto& v) {
    const auto at = static_cast<std::size_t>(reinterpret_cast<std::byte*>(&v) - reinterpret_cast<std::byte*>(&p));
    out.push_back({at, at + sizeof(v), alignof(std::remove_cvref_t<decltype(v)>)});
  });
  return out;
}

/// Listed in the order of the members, without a gap for a missing one.
template <class P> void expect_complete(P p) {
  std::size_t end = 0, align = 1;
  for (const Extent& e : extents(p)) {
    EXPECT_GE(e.begin, end);
    EXPECT_LT(e.begin - end, e.align);
    end = e.end;
    align = std::max(align, e.align);
  }
  if (end > 0) { EXPECT_LT(sizeof(P) - end, align); }
}

template <class P> void expect_described(P p) {
  for (const FieldView& f : views(p)) {
    EXPECT_FALSE(f.name.empty());
    EXPECT_TRUE(!f.unit.empty() || f.kind == Kind::choice || f.kind == Kind::boolean) << f.name;  // words have none
    EXPECT_FALSE(f.text.empty()) << f.name;
    EXPECT_LE(f.range.lo, f.range.hi) << f.name;
  }
}

/// Every number a struct starts with lies in its own range, and its relations hold.
template <class P> void expect_valid(P p) {
  each_field(p, [](const auto& f, const auto& v) {
    using V = std::remove_cvref_t<decltype(v)>;
    if constexpr (is_vec<V>) {
      for (const double e : v) EXPECT_TRUE(f.range.contains(e)) << f.name << " = " << e;
    } else if constexpr (std::is_arithmetic_v<V>) {
      EXPECT_TRUE(f.range.contains(static_cast<double>(v))) << f.name << " = " << v;
    }
  });
  if constexpr (requires { P::relations(); }) {
    for (const auto& r : P::relations()) EXPECT_TRUE(r.holds(p)) << r.names[0];
  }
}

template <class P> std::vector<std::string> names(P p) {
  std::vector<std::string> out;
  for (const FieldView& f : views(p)) out.push_back(f.name);
  return out;
}

}  // namespace

template <class N> class FieldLists : public ::testing::Test {
 public:
  using C = typename N::template Model<double>;
  C c{};
};
TYPED_TEST_SUITE(FieldLists, AllModels, ModelName);

TYPED_TEST(FieldLists, ListEveryMemberInOrder) { expect_complete(this->c.p); }

TYPED_TEST(FieldLists, CarryUnitAndMeaning) {
  expect_described(this->c.p);
  expect_described(this->c.rest());
}

TYPED_TEST(FieldLists, DefaultsAreValid) { expect_valid(this->c.p); }

/// Parameters, effects and states end up as columns and variables side by side; a scenario's own columns are taken.
TYPED_TEST(FieldLists, NamesAreUniqueAndFree) {
  std::set<std::string> seen{"t", "x", "v", "F", "F_app", "drive", "model", "file", "mu_c", "mu_s"};
  bool forces = false;  // that coefficients stand for
  each_field(this->c.p, [&](const auto& f, const auto&) { forces = forces || f.per_load != nullptr; });
  if (!forces) seen.erase("mu_c");
  auto add = [&](const std::string& name) { EXPECT_TRUE(seen.insert(name).second) << name; };
  auto unrolled = [&](const auto& f, int i, const auto&) { add(i > 0 ? f.name + std::to_string(i) : f.name); };
  each_scalar(this->c.p, unrolled);
  const auto state = this->c.rest();
  each_scalar(state, unrolled);
}

TYPED_TEST(FieldLists, EveryModelHasAViscousPart) {
  const auto keys = names(this->c.p);
  EXPECT_EQ(std::count(keys.begin(), keys.end(), "kv"), 1);
  if (this->c.card.name != std::string("viscous")) { EXPECT_EQ(this->c.p.kv, 0); }
}

TYPED_TEST(FieldLists, CoefficientsStandForForces) {
  each_field(this->c.p, [](const auto& f, const auto&) {
    if (f.per_load) {
      EXPECT_STREQ(f.unit, "N");
      EXPECT_EQ(std::string(f.per_load).substr(0, 3), "mu_");
    }
  });
}

TYPED_TEST(FieldLists, RelationsQuoteTheirOwnFields) {
  const auto keys = names(this->c.p);
  for (const RelationInfo& r : relation_infos<decltype(this->c.p)>()) {
    EXPECT_FALSE(r.rule.empty());
    for (const std::string& name : r.fields)
      EXPECT_NE(std::find(keys.begin(), keys.end(), name), keys.end()) << name << " in " << r.rule;
  }
}

/// Another scalar type and back loses nothing: double is exact in long double.
TYPED_TEST(FieldLists, ConvertThereAndBack) {
  using L = rebound<decltype(this->c), long double>;
  const auto wide = convert<typename L::Params>(this->c.p);
  auto back = convert<typename TestFixture::C::Params>(wide);
  auto here = this->c.p;
  const auto a = views(here), b = views(back);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].get(), b[i].get()) << a[i].name;
}

/// One quantity has one name, so one name has one unit.
TEST(FieldLists, OneNameOneUnit) {
  std::map<std::string, std::string> units;
  Models::each([&]<template <class> class M>() {
    M<double> c{};
    for (const FieldView& f : views(c.p)) {
      if (f.name == "k" && f.unit == "N/m/m") continue;  // brushes: k of the literature, per length of the contact
      const auto known = units.emplace(f.name, f.unit).first;
      EXPECT_EQ(known->second, f.unit) << f.name << " of " << c.card.name;
    }
  });
}

TEST(FieldLists, EffectsAreListedDescribedAndValid) {
  expect_complete(Effects<>{});
  expect_described(Effects<>{});
  expect_valid(Effects<>{});
}

/// An initialiser may refer to an earlier member: Coulomb's Fs is Fc unless given.
TEST(FieldLists, DefaultsFollowEarlierFields) {
  const Coulomb<>::Params p{.Fc = 7, .Fs = 9};
  EXPECT_EQ(default_after<0>(p), 1);
  EXPECT_EQ(default_after<1>(p), 7);
  EXPECT_EQ(default_after<2>(p), 0);
  EXPECT_EQ(default_after<2>(LuGre<>::Params{.vs = 5}), 1e-3);  // not the value, the default
}

/// A parameter struct with every kind of field.
enum class Colour { red, green, blue };
constexpr std::array<const char*, 3> choices(Colour) { return {"red", "green", "blue"}; }
template <class T> struct Paint {
  T weight{2};
  int coats{1};
  bool glossy{false};
  Colour colour{Colour::green};
  Vec<T, 3> mix{T(0.5), T(0.5)};
  static constexpr auto fields() {
    return Fields{Field{&Paint::weight, "weight", "kg", "weight", positive},
                  Field{&Paint::coats, "coats", "1", "coats", Range{1, 9}, role::optional},
                  Field{&Paint::glossy, "glossy", "1", "glossy", any_real, role::optional},
                  Field{&Paint::colour, "colour", "1", "colour", any_real, role::optional},
                  Field{&Paint::mix, "mix", "1", "mix", Range{0, 1}, role::optional}};
  }
  static constexpr auto relations() { return std::array{relation::sum_to_one<&Paint::mix>}; }
};

class Kinds : public ::testing::Test {
 protected:
  Paint<double> p;
  std::vector<std::string> problems(const Table& table) {
    std::vector<std::string> out;
    for (const Problem& e : read(p, table, {"[paint]", "paint", ""})) out.push_back(e.line());
    return out;
  }
};
using Lines = std::vector<std::string>;

TEST_F(Kinds, ViewsKnowThem) {
  const auto all = views(p);
  ASSERT_EQ(all.size(), 5u);
  const Kind want[] = {Kind::real, Kind::integer, Kind::boolean, Kind::choice, Kind::array};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(all[i].kind, want[i]) << all[i].name;
  EXPECT_EQ(all[1].get(), Value(1));
  EXPECT_EQ(all[2].get(), Value(false));
  EXPECT_EQ(all[3].get(), Value("green"));
  EXPECT_EQ(all[4].get(), (Value{0.5, 0.5}));
  EXPECT_EQ(all[3].choices, (Lines{"red", "green", "blue"}));
  EXPECT_EQ(all[4].capacity, 3u);
  EXPECT_TRUE(all[0].required() && !all[1].required());
  EXPECT_TRUE(all[0].fitted() && all[4].fitted() && !all[1].fitted() && !all[2].fitted() && !all[3].fitted());
}

TEST_F(Kinds, ReadTakesThem) {
  EXPECT_EQ(problems({{"weight", 3}, {"coats", 2}, {"glossy", true}, {"colour", "blue"}, {"mix", {0.25, 0.25, 0.5}}}),
            Lines{});
  EXPECT_EQ(p.weight, 3);
  EXPECT_EQ(p.coats, 2);
  EXPECT_TRUE(p.glossy);
  EXPECT_EQ(p.colour, Colour::blue);
  EXPECT_EQ(p.mix.n, 3u);
  EXPECT_EQ(p.mix[2], 0.5);
}

TEST_F(Kinds, ReadKeepsDefaultsOfAbsentOnes) {
  EXPECT_EQ(problems({{"weight", 3}}), Lines{});
  EXPECT_EQ(p.coats, 1);
  EXPECT_EQ(p.colour, Colour::green);
  EXPECT_EQ(p.mix.n, 2u);
}

TEST_F(Kinds, ReadSaysWhatWouldBeRight) {
  EXPECT_EQ(problems({{"weight", true}, {"coats", 2.5}, {"glossy", 1}, {"colour", "blu"}, {"mix", 1}}),
            (Lines{"weight = true must be a number in kg", "coats = 2.5 must be a whole number, 1 to 9",
                   "glossy = 1 must be true or false", "colour = \"blu\" must be one of \"red\", \"green\", \"blue\"",
                   "mix = 1 must be an array such as [0.5, 0.5]"}));
  EXPECT_EQ(
      problems({{"weight", 1}, {"coats", 10}, {"colour", 2}, {"mix", {0.5, 0.25}}}),
      (Lines{"coats = 10 must be a whole number, 1 to 9", "colour = 2 must be one of \"red\", \"green\", \"blue\"",
             "mix = [0.5, 0.25] sums to 0.75, must sum to 1"}));
}

TEST_F(Kinds, ConvertKeepsThem) {
  p = {3, 2, true, Colour::red, {1.0}};
  const auto wide = convert<Paint<long double>>(p);
  EXPECT_EQ(wide.weight, 3.0L);
  EXPECT_EQ(wide.coats, 2);
  EXPECT_TRUE(wide.glossy);
  EXPECT_EQ(wide.colour, Colour::red);
  EXPECT_EQ(wide.mix.n, 1u);
  EXPECT_EQ(wide.mix[0], 1.0L);
}

/// The scalars are what fits and solvers see: arrays unrolled, nothing discrete.
TEST_F(Kinds, ScalarsLeaveOutWhatIsDiscrete) {
  Lines seen;
  each_scalar(p, [&](const auto& f, int i, double&) { seen.push_back(f.name + std::to_string(i)); });
  EXPECT_EQ(seen, (Lines{"weight0", "mix1", "mix2"}));
}

TEST(FieldLists, LocalStructsAreNotModels) {
  EXPECT_FALSE(Models::visit("paint", []<template <class> class M>() {}));
  EXPECT_TRUE(Models::visit("lugre", []<template <class> class M>() { EXPECT_STREQ(M<double>::card.name, "lugre"); }));
}

TEST(Range, ContainsItsEndsAndNoNan) {
  EXPECT_TRUE((Range{0, 1}.contains(0) && Range{0, 1}.contains(1)));
  EXPECT_FALSE((Range{0, 1}.contains(std::nan("")) || Range{0, 1}.contains(-1e-300)));
  EXPECT_TRUE(positive_or_off.contains(inf));
  EXPECT_FALSE(positive.contains(inf) || positive.contains(0) || nonnegative.contains(-limit::least));
}
