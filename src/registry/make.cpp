#include <fmt/format.h>

#include <algorithm>

#include "bristle/registry/describe.hpp"
#include "bristle/registry/read.hpp"
#include "bristle/registry/sections.hpp"
#include "registry/shared/boxed.hpp"
#include "registry/shared/distribution.hpp"
#include "registry/shared/generic2010.hpp"
#include "registry/shared/heated.hpp"
#include "registry/shared/population.hpp"

namespace bristle {
namespace {

void append(Problems& to, const Problems& more) { to.insert(to.end(), more.begin(), more.end()); }

/// Effects proper, and the keys of the other sections below [friction].
struct Divided {
  Table effects{}, negative{}, distribution{}, heat{};
  explicit Divided(const Table& all) {
    for (Entry e : all) place(std::move(e));
  }

 private:
  void place(Entry e) {
    for (auto [prefix, table] :
         {std::pair{of_negative, &negative}, {of_distribution, &distribution}, {of_heat, &heat}}) {
      if (!e.key.starts_with(prefix)) continue;
      e.key.erase(0, prefix.size());
      table->push_back(std::move(e));
      return;
    }
    effects.push_back(std::move(e));
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
  const Divided divided(effects);
  const Source drawn{"[friction.distribution]", name, where};
  append(made.problems, read_distributions(drawn_views(p.distribution), divided.distribution, drawn));
  append(made.problems, check_replaced(replaced_by(p.distribution), parameters, drawn));
  append(made.problems, read(p, parameters, {"[friction]", name, where}));
  Effects<double> e{};
  append(made.problems, read(e, divided.effects, {"[friction.effects]", "effects", where}));
  for (const Entry& entry : divided.negative)
    made.problems.push_back(
        {entry.where.empty() ? where : entry.where,
         fmt::format("[friction.negative] is not accepted by {}; a lumped model is required", name)});
  for (const Entry& entry : initial)
    made.problems.push_back({entry.where.empty() ? where : entry.where,
                             fmt::format("'{}' in [friction.initial] is not accepted: {} starts from its seed, {}",
                                         entry.key, name, begins)});
  if (made.problems.empty())
    made.contact = std::make_unique<Box>(p, divided.effects.empty() ? std::nullopt : std::optional(e));
  return made;
}

Made make_gfm(const Table& parameters, const Table& effects, const Table& initial, const std::string& where) {
  GfmParams p;
  Made made =
      make_population<BoxedPopulation>(p, Gfm::card, "with contacts of age0", parameters, effects, initial, where);
  if (!made.contact || p.normal_load > 0) return made;
  const double highest = static_cast<const BoxedPopulation&>(*made.contact).population().highest();
  if (p.separation >= highest)
    made.notes.push_back(fmt::format("{}: no asperity in contact at separation = {} m ({} = {} m): the force is 0",
                                     Gfm::card.name, to_text(p.separation),
                                     p.distribution.h ? "greatest height" : "h_max", to_text(highest)));
  return made;
}

Made make_generic2010(const Table& parameters, const Table& effects, const Table& initial, const std::string& where) {
  Generic2010Params p;
  Made made = make_population<BoxedGeneric2010>(p, Generic2010<>::card, "settled under its load", parameters, effects,
                                                initial, where);
  const Generic2010Distribution& d = p.distribution;
  if (!made.contact || !(d.wP || d.wTe || d.wTp || d.wNe || d.wNp)) return made;
  if (const double most = Generic2010<>(p).fastest(); !(p.dt * p.dt * most < 4)) {
    made.contact.reset();
    made.problems.push_back(
        {where,
         fmt::format("[friction.distribution]: dt = {} is too long for the fastest asperity drawn, wP^2 + we^2 + "
                     "wp^2 = {}; dt^2 times this must be less than 4: a shorter dt, or `to` of wP, wTe, wTp, wNe, wNp",
                     to_text(p.dt), to_text(most))});
  }
  return made;
}

void check_shape(std::size_t shape, std::size_t given, const Table& initial, const Source& source, Problems& problems) {
  if (given == shape || !problems.empty()) return;
  problems.push_back({initial.front().where.empty() ? source.where : initial.front().where,
                      fmt::format("initial state of {} must have {} values, one per element", source.owner, shape)});
}

}  // namespace

namespace {

/// The contact of the model inside, and the temperature around it.
Made make_heated(std::string_view model, const Table& parameters, const Table& effects, const Table& initial,
                 const std::string& where) {
  Heat heat;
  const Divided divided(effects);
  const Problems problems = read(heat, divided.heat, {"[friction.heat]", "heat", where});
  Table inside, states, warm;
  for (const Entry& e : effects) {
    if (!e.key.starts_with(of_heat)) inside.push_back(e);
  }
  const bool plain = inside.empty();
  for (const Entry& e : initial) (e.key == "T" || e.key == "T_flash" ? warm : states).push_back(e);
  Made made = make(model, parameters, inside, states, where);
  made.problems.insert(made.problems.end(), problems.begin(), problems.end());
  const ModelInfo* info = find_model(model);
  if (info && (info->level == "contact" || info->has.random))
    made.problems.push_back(
        {divided.heat.front().where.empty() ? where : divided.heat.front().where,
         fmt::format("[friction.heat] is not accepted by {}; a lumped model with a state equation is required",
                     model)});
  Heat::Nodes start = heat.start();
  for (const Entry& e : warm) {
    const double* T = e.value.as<double>();
    const std::string at = e.where.empty() ? where : e.where;
    if (!T || !Range{-273.15, 5000}.contains(*T)) {
      made.problems.push_back(
          {at, fmt::format("{} = {} in [friction.initial] must be a number between -273.15 and 5000 degC", e.key,
                           e.value.text())});
    } else if (e.key == "T_flash" && !heat.flash()) {
      made.problems.push_back({at, "T_flash in [friction.initial] requires flash_capacity in [friction.heat]"});
    } else {
      (e.key == "T" ? start.T : start.T_flash) = *T;
    }
  }
  if (!heat.flash()) start.T_flash = 0;
  if (!made.problems.empty()) {
    made.contact.reset();
    return made;
  }
  made.contact = std::make_unique<HeatedContact>(std::move(made.contact), heat, start, !plain);
  return made;
}

}  // namespace

Made make(std::string_view model, const Table& parameters, const Table& effects, const Table& initial,
          const std::string& where) {
  if (std::ranges::any_of(effects, [](const Entry& e) { return e.key.starts_with(of_heat); }))
    return make_heated(model, parameters, effects, initial, where);
  if (model == Gfm::card.name) return make_gfm(parameters, effects, initial, where);
  if (model == Generic2010<>::card.name) return make_generic2010(parameters, effects, initial, where);
  Made made;
  const std::string name(model);
  Effects<double> e{};
  const Divided divided(effects);
  for (const Entry& entry : divided.distribution)
    made.problems.push_back(
        {entry.where.empty() ? where : entry.where,
         fmt::format("[friction.distribution] is not accepted by {}; gfm or generic2010 is required", name)});
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
  if (made.contact && !made.contact->passive() && *made.contact->parameter("kv_exponent").as<double>() != 1) {
    made.notes.push_back(fmt::format("passivity of {} is not decided for kv_exponent != 1", name));
  } else if (made.contact && !made.contact->passive())
    made.notes.push_back(
        fmt::format("{} with these parameters can create energy; it is passive if {}", name, passive_if));
  return made;
}

}  // namespace bristle
