#include <fmt/format.h>

#include <algorithm>

#include "bristle/registry/describe.hpp"
#include "bristle/registry/read.hpp"
#include "registry/shared/boxed.hpp"
#include "registry/shared/generic2010.hpp"
#include "registry/shared/population.hpp"

namespace bristle {
namespace {

void append(Problems& to, const Problems& more) { to.insert(to.end(), more.begin(), more.end()); }

constexpr std::string_view of_negative = "negative.";

/// Effects proper, and the keys of [friction.negative].
struct Divided {
  Table effects{}, negative{};
  explicit Divided(const Table& all) {
    for (Entry e : all) {
      const bool negative_key = e.key.starts_with(of_negative);
      if (negative_key) e.key.erase(0, of_negative.size());
      (negative_key ? negative : effects).push_back(std::move(e));
    }
  }
};

/// Changes a copy of the parameters for negative motion; defaults that follow another parameter follow it here as well.
template <class P> Problems read_negative(P& p, const Table& parameters, const Table& negative, const Source& source) {
  const std::vector<FieldView> fields = views(p);
  ReadResult result = read_fields(fields, negative, source, true);
  auto is_given = [&](const std::string& key) {
    return !key.empty() && std::ranges::find(parameters, key, &Entry::key) != parameters.end();
  };
  std::vector<bool> given = result.given;
  for (std::size_t i = 0; i < fields.size(); ++i)
    given[i] = given[i] || is_given(fields[i].name) || is_given(fields[i].per_load);
  detail::complete(p, given);
  if constexpr (requires { P::relations(); }) {
    for (const auto& r : P::relations()) {
      if (!r.holds(p))
        report_relation(fields, result, source, detail::relation_info(r.bond, r.names, r.rule), result.problems);
    }
  }
  return result.problems;
}

/// Populations live on the heap and have no place among the value types of the list. `begins` says how they do.
template <class Box, class P>
Made make_population(P& p, const Card& card, const char* begins, const Table& parameters, const Table& effects,
                     const Table& initial, const std::string& where) {
  Made made;
  const std::string name = card.name;
  append(made.problems, read(p, parameters, {"[friction]", name, where}));
  Effects<double> e{};
  const Divided divided(effects);
  append(made.problems, read(e, divided.effects, {"[friction.effects]", "effects", where}));
  for (const Entry& entry : divided.negative)
    made.problems.push_back(
        {entry.where.empty() ? where : entry.where,
         fmt::format("[friction.negative] is not accepted by {}; a lumped model is required", name)});
  for (const Entry& entry : initial)
    made.problems.push_back({entry.where.empty() ? where : entry.where,
                             fmt::format("'{}' in [friction.initial] is not accepted: {} starts from its seed, {}",
                                         entry.key, name, begins)});
  if (made.problems.empty()) made.contact = std::make_unique<Box>(p, effects.empty() ? std::nullopt : std::optional(e));
  return made;
}

Made make_gfm(const Table& parameters, const Table& effects, const Table& initial, const std::string& where) {
  GfmParams p;
  Made made =
      make_population<BoxedPopulation>(p, Gfm::card, "with contacts of age0", parameters, effects, initial, where);
  if (made.contact && p.normal_load == 0 && p.separation >= p.h_max)
    made.notes.push_back(fmt::format("{}: no asperity in contact at separation = {} m (h_max = {} m): the force is 0",
                                     Gfm::card.name, to_text(p.separation), to_text(p.h_max)));
  return made;
}

Made make_generic2010(const Table& parameters, const Table& effects, const Table& initial, const std::string& where) {
  Generic2010Params p;
  return make_population<BoxedGeneric2010>(p, Generic2010<>::card, "settled under its load", parameters, effects,
                                           initial, where);
}

void check_shape(std::size_t shape, std::size_t given, const Table& initial, const Source& source, Problems& problems) {
  if (given == shape || !problems.empty()) return;
  problems.push_back({initial.front().where.empty() ? source.where : initial.front().where,
                      fmt::format("initial state of {} must have {} values, one per element", source.owner, shape)});
}

}  // namespace

Made make(std::string_view model, const Table& parameters, const Table& effects, const Table& initial,
          const std::string& where) {
  if (model == Gfm::card.name) return make_gfm(parameters, effects, initial, where);
  if (model == Generic2010<>::card.name) return make_generic2010(parameters, effects, initial, where);
  Made made;
  const std::string name(model);
  Effects<double> e{};
  const Divided divided(effects);
  const Problems in_effects = read(e, divided.effects, {"[friction.effects]", "effects", where});
  const char* passive_if = "";
  const bool known = Models::visit(model, [&]<template <class> class M>() {
    M<double> c{};
    append(made.problems, read(c.p, parameters, {"[friction]", name, where}));
    append(made.problems, in_effects);
    Directed<M<double>> both{c, c};
    if (!divided.negative.empty() && made.problems.empty()) {
      append(made.problems,
             read_negative(both.negative.p, parameters, divided.negative, {"[friction.negative]", name, where}));
      auto a = c.rest(), b = both.negative.rest();
      NoMode none;
      const bool alike = slots_of(a, none).size() == slots_of(b, none).size();
      if (made.problems.empty() && (!alike || M<double>::has.random || !reverses_smoothly(both)))
        made.problems.push_back(
            {divided.negative.front().where.empty() ? where : divided.negative.front().where,
             fmt::format("[friction.negative] of {} would make the force jump or create energy at a reversal; elastic "
                         "parameters must be the same in both directions",
                         name)});
    }
    auto s = c.rest();
    NoMode q;
    const std::size_t shape = slots_of(s, q).size();
    const Source source{"[friction.initial]", name, where};
    append(made.problems, read(s, initial, source, true));
    check_shape(shape, slots_of(s, q).size(), initial, source, made.problems);
    passive_if = c.card.passive_if;
    if (!made.problems.empty()) return;
    if (effects.empty()) {
      made.contact = std::make_unique<Boxed<M<double>>>(c, s);
    } else {
      made.contact = std::make_unique<Boxed<Equipped<M>>>(Equipped<M>{both, e}, s);
    }
  });
  if (!known) made.problems.push_back({where, unknown_model(model)});
  if (made.contact && !made.contact->passive())
    made.notes.push_back(
        fmt::format("{} with these parameters can create energy; it is passive if {}", name, passive_if));
  return made;
}

}  // namespace bristle
