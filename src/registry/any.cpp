#include "bristle/registry/any.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bristle/effects.hpp"
#include "bristle/models.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/registry/read.hpp"
#include "registry/shared/boxed.hpp"
#include "registry/shared/generic2010.hpp"
#include "registry/shared/population.hpp"

namespace bristle {
namespace {

void require_positive(const char* name, const char* unit, double x) {
  if (!positive.contains(x)) {
    throw BadInput(fmt::format("{} = {} {} must be {}", name, number(x), unit, describe(positive, x)));
  }
}
void require_finite(const Motion<double>& u) {
  struct Input {
    const char *name, *unit;
    double x;
  };
  for (const auto& [name, unit, x] : {Input{"x", " m", u.x},
                                      {"v", " m/s", u.v},
                                      {"F_app", " N", u.F_app},
                                      {"r", "", u.r},
                                      {"path", " m", u.path},
                                      {"t", " s", u.t},
                                      {"temperature", " degC", u.temperature}}) {
    if (!std::isfinite(x)) throw BadInput(fmt::format("{} = {}{} must be a finite number", name, number(x), unit));
  }
  if (u.r < 0) throw BadInput(fmt::format("r = {} must be >= 0: the normal load ratio", number(u.r)));
}

}  // namespace

std::size_t AnyContact::index() const { return Models::size; }

double AnyContact::step(const Motion<double>& u, double dt) {
  require_positive("dt", "s", dt);
  require_finite(u);
  return do_step(u, dt);
}

Coupled<double> AnyContact::couple(const Motion<double>& u, double mass, double dt) {
  require_positive("dt", "s", dt);
  require_positive("mass", "kg", mass);
  require_finite(u);
  return do_couple(u, mass, dt);
}

namespace {

/// Populations live on the heap and have no place among the value types of the list. `begins` says how they do.
template <class Box, class P>
Made make_population(P& p, const Card& card, const char* begins, const Table& parameters, const Table& effects,
                     const Table& initial, const std::string& where) {
  Made made;
  auto add = [&](const Problems& more) { made.problems.insert(made.problems.end(), more.begin(), more.end()); };
  const std::string name = card.name;
  add(read(p, parameters, {"[friction]", name, where}));
  Effects<double> e{};
  add(read(e, effects, {"[friction.effects]", "effects", where}));
  for (const Entry& entry : initial)
    made.problems.push_back(
        {entry.where.empty() ? where : entry.where,
         fmt::format("'{}' in [friction.initial]: {} starts from its seed, {}", entry.key, name, begins)});
  if (made.problems.empty()) made.contact = std::make_unique<Box>(p, effects.empty() ? std::nullopt : std::optional(e));
  return made;
}

Made make_gfm(const Table& parameters, const Table& effects, const Table& initial, const std::string& where) {
  GfmParams p;
  Made made =
      make_population<BoxedPopulation>(p, Gfm::card, "with contacts of age0", parameters, effects, initial, where);
  if (made.contact && p.normal_load == 0 && p.separation >= p.h_max)
    made.notes.push_back(
        fmt::format("{}: separation = {} m leaves no asperity in contact (h_max = {} m): the force is 0",
                    Gfm::card.name, number(p.separation), number(p.h_max)));
  return made;
}

Made make_generic2010(const Table& parameters, const Table& effects, const Table& initial, const std::string& where) {
  Generic2010Params p;
  return make_population<BoxedGeneric2010>(p, Generic2010<>::card, "settled under its load", parameters, effects,
                                           initial, where);
}

}  // namespace

Made make(std::string_view model, const Table& parameters, const Table& effects, const Table& initial,
          const std::string& where) {
  if (model == Gfm::card.name) return make_gfm(parameters, effects, initial, where);
  if (model == Generic2010<>::card.name) return make_generic2010(parameters, effects, initial, where);
  Made made;
  const bool known = Models::visit(model, [&]<template <class> class M>() {
    const std::string name(model);
    auto add = [&](const Problems& more) { made.problems.insert(made.problems.end(), more.begin(), more.end()); };
    M<double> c{};
    add(read(c.p, parameters, {"[friction]", name, where}));
    Effects<double> e{};
    add(read(e, effects, {"[friction.effects]", "effects", where}));
    auto s = c.rest();
    const auto shape = s;
    add(read(s, initial, {"[friction.initial]", name, where}, true));
    auto count = [](const auto& state) {
      std::size_t n = 0;
      each_scalar(state, [&](const auto&, int, const double&) { ++n; });
      return n;
    };
    if (made.problems.empty() && count(s) != count(shape)) {
      made.problems.push_back(
          {initial.front().where.empty() ? where : initial.front().where,
           fmt::format("initial state of {} must have {} values, as many as its parameters say", name, count(shape))});
    }
    if (!made.problems.empty()) return;
    if (!c.passive())
      made.notes.push_back(
          fmt::format("{} with these parameters can create energy; it is passive if {}", name, c.card.passive_if));
    if (effects.empty()) {
      made.contact = std::make_unique<Boxed<M<double>>>(c, s);
    } else {
      made.contact = std::make_unique<Boxed<WithEffects<M, double>>>(WithEffects<M, double>{c, e}, s);
    }
  });
  if (!known) made.problems.push_back({where, unknown_model(model)});
  return made;
}

}  // namespace bristle
