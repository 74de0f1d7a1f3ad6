/// Hooks that a model declares but misspells, types wrongly or does not declare are errors, and so are parameters without a
/// start: seen on models with one such mistake each.
#include <gtest/gtest.h>

#include "bristle/model_check.hpp"
#include "support/models.hpp"

using namespace bristle;

namespace {

using L = LuGre<>;
template <Hooks declared> struct Declares : L {
  static constexpr Hooks hooks = declared;
};
constexpr Hooks of_lugre = L::hooks;
constexpr Hooks but(bool Hooks::* at) {
  Hooks h = of_lugre;
  h.*at = !(h.*at);
  return h;
}

/// advance with another result, or under another name.
struct WrongAdvance : L {
  void advance(State&, Mode&, const U&, double) const {}
};
struct MisspeltGuards : Dankowicz<> {
  static constexpr Hooks hooks{.rate = true, .guards = true, .vector_lanes = true};
  template <class F> void gaurds(const State&, const Mode&, const U&, F&&) const {}
  void jump(State&, Mode&, const U&, int) const {}
};
struct WrongHolds : Coulomb<> {
  int holds(Mode) const { return 1; }
};
struct WrongRate : Dahl<> {
  static constexpr Hooks hooks{};
  double rate(const State&) const { return 0; }
};
struct WrongMemory : L {
  struct State : L::State {
    static constexpr int memory() { return 1; }
  };
};

struct Heat {
  double heat{1};
  static constexpr auto fields() { return Fields{Field{&Heat::heat, "heat", "K", "of the contact", positive}}; }
};
struct NamedHeat {
  double heat{1};
  static constexpr auto fields() {
    return Fields{Field{&NamedHeat::heat, "heat", "K", "of the contact", positive}.as(Part::dwell)};
  }
};
struct Unbounded {
  double shape{1};
  static constexpr auto fields() { return Fields{Field{&Unbounded::shape, "shape", "1", "of the knee", positive}}; }
};
struct FixedHeat {
  double heat{1};
  static constexpr auto fields() {
    return Fields{Field{&FixedHeat::heat, "heat", "K", "of the contact", positive, role::fixed}};
  }
};

}  // namespace

template <class N> class CheckedModels : public ::testing::Test {};
TYPED_TEST_SUITE(CheckedModels, AllModels, ModelName);
TYPED_TEST(CheckedModels, BringWhatTheyDeclare) {
  static_assert(CheckedModel<typename TypeParam::template Model<double>>::good);
  static_assert(CheckedModel<typename TypeParam::template Model<float>>::good);
}

TEST(Hooks, DeclaredAndThere) {
  static_assert(hook::advance<L> && hook::prepare<L> && hook::vector_lanes<L> && hook::relations<L>);
  static_assert(!hook::guards<Declares<but(&Hooks::guards)>>, "declared, not there");
  static_assert(!hook::holds<Declares<but(&Hooks::holds)>> && !hook::switches<Declares<but(&Hooks::switches)>>);
  static_assert(!hook::elements<Declares<but(&Hooks::elements)>> && !hook::memory<Declares<but(&Hooks::memory)>>);
  static_assert(!hook::rate<Declares<but(&Hooks::rate)>>, "there, not declared");
  static_assert(!hook::advance<Declares<but(&Hooks::advance)>> && !hook::prepare<Declares<but(&Hooks::prepare)>>);
  static_assert(!hook::vector_lanes<Declares<but(&Hooks::vector_lanes)>>);
  static_assert(!hook::relations<Declares<but(&Hooks::relations)>>);
}

TEST(Hooks, OfAnotherTypeOrMisspelt) {
  static_assert(!hook::advance<WrongAdvance>);
  static_assert(!hook::guards<MisspeltGuards>);
  static_assert(!hook::holds<WrongHolds> && hook::holds<Coulomb<>>);
  static_assert(!hook::rate<WrongRate>, "not declared, but something of that name is there");
  static_assert(!hook::memory<WrongMemory> && hook::memory<Armstrong<>>);
}

TEST(Starts, UnitOrPart) {
  static_assert(!has_starts<Heat> && has_starts<NamedHeat> && has_starts<FixedHeat>);
  static_assert(!has_starts<Unbounded>, "a pure number begins at its typical value, within its range");
  static_assert(part_of("N/m") == Part::stiffness && part_of("N s/m") == Part::viscous &&
                part_of("s") == Part::by_unit);
}

TEST(Places, OfMembers) {
  static_assert(place_of<&L::Params::Fc> == 0 && place_of<&L::Params::kv_exponent> == fields_of<L::Params>.size - 1);
  EXPECT_STREQ(detail::name_of<&L::Params::sigma1>, "sigma1");
}
