#include "identify/rivals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/registry/describe.hpp"
#include "identify/effects.hpp"
#include "identify/stages.hpp"

namespace bristle::identify {
namespace {

struct Rival {
  Shape shape{};
  std::string form{};    // "a free alpha"
  bool equal = false;    // as many parameters: the smaller error decides
  std::string option{};  // "--free alpha"
};

bool is_given(const Options& options, const std::string& name) {
  return std::ranges::find(options.fixed, name, &Entry::key) != options.fixed.end() ||
         std::ranges::find(options.free, name) != options.free.end();
}

bool rejects(const Candidate& c, std::string_view test) {
  const auto at = std::ranges::find(c.fit.tests, test, &ResidualTest::name);
  return at != c.fit.tests.end() && at->p < 0.01;
}

std::vector<Rival> rivals_of(const Candidate& c, const Setting& s) {
  std::vector<Rival> out;
  const std::vector<FieldInfo>& parameters = find_variant(c.shape.model).model->parameters;
  // Steady points are few: a wrong exponent is invisible in their residual, but not in Fs.
  if (s.data.steady() || rejects(c, "velocity")) {
    for (const FieldInfo& f : parameters) {
      if (f.start.part != Part::fall || f.required || !f.fitted || is_given(s.options, f.name)) continue;
      out.push_back({c.shape, "a free " + f.name, false, "--free " + f.name});
      out.back().shape.freed.push_back(f.name);
    }
  }
  const auto& effects = c.shape.effects;
  for (const auto& [one, other] : {std::pair("curve_gain", "curve_load"), std::pair("curve_load", "curve_gain")}) {
    const auto at = std::ranges::find(effects, one, &Entry::key);
    if (at == effects.end()) continue;
    out.push_back({c.shape, other, true});
    out.back().shape.effects[static_cast<std::size_t>(at - effects.begin())].key = other;
  }
  const bool directed = std::ranges::any_of(effects, [](const Entry& e) { return e.key.starts_with(of_negative); });
  std::vector<double> p(c.space.parameters());
  c.space.parameters_at(c.best.q.data(), p.data(), nullptr);
  Rival more{c.shape, ""};
  for (const std::string& name : directed ? directed_parameters(c.shape.model, false) : std::vector<std::string>{}) {
    const auto at = std::ranges::find(c.evaluator->scalars(), name, &Scalar::name);
    const std::string key = std::string(of_negative) + name;
    if (at == c.evaluator->scalars().end() || is_given(s.options, name) || is_given(s.options, key)) continue;
    more.shape.effects.push_back({key, p[static_cast<std::size_t>(at - c.evaluator->scalars().begin())]});
    more.form += (more.form.empty() ? "" : ", ") + key;
  }
  if (!more.form.empty()) out.push_back(std::move(more));
  return out;
}

bool adds_determined(const Candidate& with, const Candidate& without) {
  return std::ranges::all_of(with.fit.friction, [&](const Estimate& e) {
    const bool common = std::ranges::find(without.fit.friction, e.name, &Estimate::name) != without.fit.friction.end();
    return common || (e.identifiable && !e.at_bound);
  });
}

void face_rivals(Candidate& c, const Setting& s, std::vector<std::string>& notes) {
  for (const Rival& rival : rivals_of(c, s)) {
    if (s.control.stopped()) return;
    auto other = reshaped(c, rival.shape, s);
    if (!other->failure.empty()) continue;
    polish(*other, s, c.evaluations);
    hold_out_alone(*other, s);
    if (!other->validated || !std::isfinite(other->best.cost)) continue;
    find_intervals(*other, s);
    // An additional number must be determined; otherwise it is a doubt about the others.
    const bool better = clearly_better(*other, c, s) && (rival.equal || adds_determined(*other, c));
    if (better || (rival.equal && other->held_out_rmse < c.held_out_rmse)) {
      const Candidate before = std::move(c);
      c = std::move(*other);
      c.seconds += before.seconds;
      c.evaluations += before.evaluations;
      if (better)
        notes.push_back(fmt::format("{}: {} lowers the held-out error from {:.3g} to {:.3g} and is used", c.shape.model,
                                    rival.form, before.held_out_rmse, c.held_out_rmse));
      if (better || clearly_better(c, before, s)) continue;
      for (const Estimate& e : before.fit.friction) c.doubts.push_back({e.name, "the other curve along x", e.value});
    } else if (!clearly_better(c, *other, s)) {
      std::vector<double> p(other->space.parameters());
      other->space.parameters_at(other->best.q.data(), p.data(), nullptr);
      for (std::size_t i = 0; i < other->evaluator->scalars().size(); ++i)
        c.doubts.push_back({other->evaluator->scalars()[i].name, rival.form, p[i], rival.option});
    }
  }
}

/// Other choices of a law, such as the evolution of rate_state, that the data do not exclude.
void doubt_choices(const std::vector<Candidate*>& all, const Setting& s) {
  for (Candidate* c : all) {
    for (const Candidate* other : all) {
      const bool choice = other != c && find_variant(c->shape.model).model == find_variant(other->shape.model).model;
      if (!choice || !c->validated || !other->validated || clearly_better(*c, *other, s)) continue;
      std::vector<double> p(other->space.parameters());
      other->space.parameters_at(other->best.q.data(), p.data(), nullptr);
      for (std::size_t i = 0; i < other->evaluator->scalars().size(); ++i)
        c->doubts.push_back(
            {other->evaluator->scalars()[i].name, other->shape.model, p[i], "--models " + other->shape.model});
    }
  }
}

}  // namespace

void try_rivals(const std::vector<Candidate*>& best, const Setting& s, Workers& workers,
                std::vector<std::string>& notes) {
  double least = inf;
  for (const Candidate* c : best) {
    if (c->validated) least = std::min(least, c->held_out_rmse);
  }
  std::vector<Candidate*> close;
  for (Candidate* c : best) {
    // A wrong form may cost more than the margin of the ranking.
    if (c->validated && c->fit.used > 0 && c->held_out_rmse <= 2 * least) close.push_back(c);
  }
  std::vector<std::vector<std::string>> remarks(close.size());
  workers.each(close.size(), 0, "forms", [&](std::size_t i) {
    const double begin = worked();
    face_rivals(*close[i], s, remarks[i]);
    close[i]->seconds += worked() - begin;
  });
  for (const auto& list : remarks) notes.insert(notes.end(), list.begin(), list.end());
  doubt_choices(best, s);
}

void widen_by_rivals(const std::vector<Candidate*>& best) {
  for (Candidate* c : best) {
    for (const Candidate::Doubt& doubt : c->doubts) {
      const auto e = std::ranges::find(c->fit.friction, doubt.name, &Estimate::name);
      if (e == c->fit.friction.end() || e->dropped || doubt.name.starts_with("curve_")) continue;
      const double moved = doubt.value - e->value;
      if (std::abs(moved) > 0.5 * (e->high - e->low))
        e->diagnosis += fmt::format("{}{} would be {:.3g} with {}, which the data neither show nor exclude{}",
                                    e->diagnosis.empty() ? "" : "; ", e->name, doubt.value, doubt.form,
                                    doubt.option.empty() ? "" : "; " + doubt.option + " fits it");
      if (e->low > 0 && doubt.value > 0) {  // as far in the ratio: the low end stays positive
        e->low *= std::min(1.0, doubt.value / e->value);
        e->high *= std::max(1.0, doubt.value / e->value);
      } else {
        widen(*e, moved);
      }
    }
  }
}

}  // namespace bristle::identify
