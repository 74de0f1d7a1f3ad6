#include "bristle/identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "identify/beside.hpp"
#include "identify/choices.hpp"
#include "identify/diagnosis.hpp"
#include "identify/effects.hpp"
#include "identify/errors.hpp"
#include "identify/experiments.hpp"
#include "identify/fleet.hpp"
#include "identify/free_values.hpp"
#include "identify/fused.hpp"
#include "identify/gravity.hpp"
#include "identify/hold.hpp"
#include "identify/order.hpp"
#include "identify/outliers.hpp"
#include "identify/replay.hpp"
#include "identify/rivals.hpp"
#include "identify/sampling.hpp"
#include "identify/simplify.hpp"
#include "identify/validate.hpp"
#include "identify/warming.hpp"
#include "identify/weights.hpp"

namespace bristle::identify {
namespace {

void prepare(Parts& parts, const std::vector<std::string>& models, const Setting& s, const Replay* replay) {
  for (const std::string& model : models) {
    for (Shape& shape : shapes_of(model, s.data, s.features, s.options)) {
      auto c = std::make_unique<Candidate>();
      c->shape = std::move(shape);
      try {
        if (replay) {
          c->evaluator = replay->evaluator(model, c->shape.given);
          c->start = replay->start(c->shape, *c->evaluator, s.data, s.options);
        } else {
          c->evaluator = evaluator_of(c->shape, s.data);
          c->start = start_of(c->shape, *c->evaluator, s.data, s.features, s.options);
        }
        c->space = make_space(model, c->evaluator->scalars(), c->start.guesses.size() - c->evaluator->scalars().size(),
                              c->start.guesses, c->start.held, c->start.beliefs);
        c->fuses = can_fuse({s.data, *c->evaluator, c->space, s.control});
        if (c->space.size() + 1 >= s.data.used)
          c->failure = fmt::format("{} rows are too few for {} parameters", s.data.used, c->space.size());
      } catch (const BadInput& e) { c->failure = e.what(); }  // only this model fails
      if (find_variant(model).model->has.random) c->failure = "a random model cannot reproduce a recording";
      if (const std::string reason = unfitted(find_variant(model).model->name); !reason.empty()) c->failure = reason;
      parts.candidates.push_back(std::move(c));
    }
  }
}

/// Adds failed models with the reason.
void report_failed(const Parts& parts, const std::vector<Candidate*>& good, bool stopped, Ranking& ranking) {
  for (const auto& c : parts.candidates) {
    auto is_same = [&](const std::string& name) { return name == c->shape.model; };
    if (std::ranges::any_of(good, is_same, [](const Candidate* e) { return e->shape.model; })) continue;
    if (std::ranges::any_of(ranking.failed, is_same, &Fit::model)) continue;
    Fit failed;
    failed.model = c->shape.model;
    failed.elements = c->shape.elements;
    failed.message = !c->failure.empty() ? c->failure
                     : stopped           ? "time limit exceeded before the fit"
                                         : "no starting point with finite forces found";
    ranking.failed.push_back(std::move(failed));
  }
}

/// Profile likelihood for the best models with few parameters.
void profile_best(const std::vector<Candidate*>& best, const std::string& recommended, const Setting& s,
                  Workers& workers, std::mutex& mutex) {
  std::vector<std::pair<Candidate*, std::size_t>> jobs;
  for (std::size_t i = 0; i < best.size(); ++i) {
    const bool among_best = i < 3 && best[i]->held_out_rmse <= 1.1 * best.front()->held_out_rmse;
    if ((!among_best && best[i]->shape.model != recommended) || best[i]->space.size() > 12) continue;
    for (std::size_t k = 0; k < best[i]->fit.friction.size(); ++k) {
      if (best[i]->dropped.empty()) jobs.emplace_back(best[i], k);  // intervals may include terms that were dropped
    }
  }
  std::vector<Estimate> found(jobs.size());
  workers.each(jobs.size(), 0.1, "profiles", [&](std::size_t i) {
    auto& [c, k] = jobs[i];
    found[i] = c->fit.friction[k];
    account(*c, mutex, [&](std::size_t&) { profile(*c, s, k, found[i]); });
  });
  for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].first->fit.friction[jobs[i].second] = found[i];
}

/// Steps to the first samples of the segments.
using FirstSteps = std::vector<std::pair<double, double>>;
FirstSteps first_steps(const Series& data) {
  FirstSteps out;
  for (const Stretch& stretch : data.stretches) out.emplace_back(data.step_v[stretch.from], data.dt[stretch.from]);
  return out;
}

/// A recording may begin at rest with a force at once, by damping: a state that no displacement to this force has.
/// Segments which the best law describes clearly better from rest begin there.
bool start_from_rest(Series& data, const FirstSteps& from_rest, const std::vector<Candidate*>& all,
                     const Control& control) {
  const auto best = std::ranges::min_element(all, {}, &Candidate::scale);
  if (best == all.end() || data.fine || !std::isfinite((*best)->best.cost) || from_rest == first_steps(data))
    return false;
  const Candidate& c = **best;
  Series rested = data;
  for (std::size_t k = 0; k < from_rest.size(); ++k)
    std::tie(rested.step_v[data.stretches[k].from], rested.dt[data.stretches[k].from]) = from_rest[k];
  rested.held = rested.step_v == rested.v;
  const std::vector<double> now = Objective{data, *c.evaluator, c.space, control}.residuals(c.best.q.data()),
                            then = Objective{rested, *c.evaluator, c.space, control}.residuals(c.best.q.data());
  bool changed = false;
  for (std::size_t k = 0; k < from_rest.size(); ++k) {
    double before = 0, after = 0;
    for (std::size_t i = data.stretches[k].from; i < data.stretches[k].to; ++i) {
      if (!(data.weight[i] > 0)) continue;
      before += now[i] * now[i];
      after += then[i] * then[i];
    }
    constexpr double clearly = 0.8;  // the values were fitted with the other state
    if (!(after < clearly * before)) continue;
    std::tie(data.step_v[data.stretches[k].from], data.dt[data.stretches[k].from]) = from_rest[k];
    changed = true;
  }
  data.held = data.step_v == data.v;
  return changed;
}

/// The change of the best simulated motion by finer steps must be small compared with its residual.
constexpr double negligible_change = 0.1;

std::vector<double> values_of(const Candidate& c) {
  std::vector<double> p(c.space.parameters());
  c.space.parameters_at(c.best.q.data(), p.data(), nullptr);
  return p;
}

/// Refines the steps of simulations until their error is small compared with the residual of the best model.
bool refine_steps(Replay& replay, const std::vector<Candidate*>& all) {
  const auto best = std::ranges::min_element(all, {}, &Candidate::scale);
  if (best == all.end() || !std::isfinite((*best)->best.cost)) return false;
  return replay.refine(*(*best)->evaluator, values_of(**best).data(), negligible_change * (*best)->scale);
}

/// A note if the finest steps are still too long: the error of the simulation is then a part of the residual.
std::string note_of_steps(const Replay& replay, const Candidate& c) {
  const double share = replay.change_by_finer_steps(*c.evaluator, values_of(c).data()) / c.scale;
  if (!(share > 2 * negligible_change)) return "";
  return fmt::format(
      "{}: the steps of the simulation change the motion by {:.0f} % of the residual; values may be wrong "
      "by more than their intervals, a recording with shorter intervals is required",
      c.shape.model, 100 * share);
}

/// Speed of steady sliding before the recordings, if the user gave it: the reference velocity of a law.
double given_start_speed(const Options& options, const std::vector<std::string>& models) {
  for (const std::string& model : models) {
    for (const FieldInfo& f : find_variant(model).model->parameters) {
      const double* speed = f.start.part == Part::first_speed ? number_in(options.fixed, f.name) : nullptr;
      if (speed) return *speed;
    }
  }
  return 0;
}

bool assumes_load(const Options& options, const std::vector<std::string>& models, const Series& data) {
  if (data.coefficient || data.normal_load > 0) return false;
  return std::ranges::any_of(models, [&](const std::string& model) {
    return std::ranges::any_of(find_variant(model).model->parameters, [&](const FieldInfo& f) {
      return f.start.part == Part::load && !number_in(options.fixed, f.name);
    });
  });
}

std::vector<std::string> notes_of(const Features& features) {
  std::vector<std::string> notes;
  if (!features.sliding)
    notes.emplace_back("no sliding in this recording, only pre-sliding: friction levels are not identifiable");
  return notes;
}

/// `is_centred`: the force of each row acts at the row.
Ranking ranked(const std::vector<Recording>& recordings, const Options& given, bool is_centred) {
  Options options = given;
  Control control(options.seconds);
  Series data = joined(recordings, std::max(2, options.folds));
  if (data.motion != (options.rig != nullptr))
    throw BadInput(data.motion ? "recordings of motion without force require a scenario"
                               : "a scenario requires recordings of motion");
  std::string assumption;
  if (options.gravity == Gravity::automatic) assumption = decide_gravity(data.fine ? data.fine->whole : data, options);
  std::optional<Replay> replay;
  if (options.rig) replay.emplace(*options.rig, recordings, options);
  std::vector<std::string> models =
      replay && options.models.empty() ? std::vector{replay->model()} : chosen_models(options, data);
  const bool with_effects = !options.effects.empty() && !replay;  // a simulation includes them
  const std::vector<std::string> named = replay ? options.effects : named_effects(options, data);
  const std::vector<std::string> possible = replay                          ? effects_of_a_scenario()
                                            : with_effects && named.empty() ? visible_effects(data)
                                                                            : named;
  check_choices(options, models, possible, data);
  models = variants_of(models, options);
  Ranking ranking;
  ranking.experiments = experiments_of(recordings);
  Features features = replay ? replay->features() : features_of(data.fine ? data.fine->whole : data, options.gravity);
  start_from(ranking.experiments, features);
  // Motion in one direction has single transients: blocks are short, so that no fold lacks a whole transient.
  if (features.reversals == 0 && !replay) cut_into_blocks(data, std::max(2, options.folds), 20);
  transmit(data, features);
  const double start_speed = given_start_speed(options, models);
  const FirstSteps from_rest = first_steps(data);
  estimate_initial_states(data, features, start_speed);
  const Setting s{
      data, features, options, control, 1e-7 * features.y_rms, 1 + data.size() / 200'000, data.motion ? 1e-5 : 1e-7};
  // Starting points and number of elements come from fewer, longer steps; the fit uses all data.
  Series coarse = thinned(data, 6000);
  const Setting first{coarse, features, options, control, s.least_scale, 1, s.tolerance};
  const bool twice = coarse.size() < data.size() || coarse.fine != data.fine;

  ranking.notes = notes_of(features);
  if (!assumption.empty()) ranking.notes.push_back(assumption);
  Parts parts;
  prepare(parts, models, first, replay ? &*replay : nullptr);
  std::vector<Candidate*> all;
  for (auto& c : parts.candidates) {
    if (c->failure.empty()) all.push_back(c.get());
  }
  Workers workers(options, control);
  fit(all, first, workers, parts.mutex);
  // Motion without reversals begins in steady sliding.
  if (!replay && features.reversals > 0 && start_from_rest(data, from_rest, all, control)) {
    for (Candidate* c : all) c->minima.clear();  // of other data
    coarse = thinned(data, 6000);
    refine(all, first, workers, parts.mutex);
  }
  if (!is_centred && shows_held_force(all, s)) {
    Ranking held = ranked(centred(recordings), given, true);
    held.notes.insert(
        held.notes.begin(),
        "the force u of a row acts until the next row, half a sample later than its row: fitted is the mean of "
        "the forces of a row and of the row before");
    return held;
  }
  if (auto outliers = leave_out_outliers(data, all, control, workers); !outliers.empty()) {
    const auto unresolved = take_unresolved(outliers, data, recordings, all, control);
    coarse = thinned(data, 6000);
    refine(all, first, workers, parts.mutex);
    if (!outliers.empty()) {
      ranking.outliers = by_recording(outliers, recordings);
      ranking.notes.push_back(fmt::format("{} outlier{} of the force {}", outliers.size(),
                                          outliers.size() == 1 ? "" : "s",
                                          left_out_text(ranking.outliers, recordings)));
    }
    if (!unresolved.empty())
      ranking.notes.push_back(
          fmt::format("{} rows where the motion changes faster than they resolve (stops, releases) {}",
                      unresolved.size(), left_out_text(by_recording(unresolved, recordings), recordings)));
  }
  if (with_effects) {
    const std::vector<Series> sparse = sparse_series(data, recordings, features);
    std::vector<const Series*> others;
    if ((!data.fine && twice) || !sparse.empty()) others.push_back(&data);
    for (const Series& half : sparse) others.push_back(&half);
    add_effects(parts, all, named, others, first, workers, ranking.notes);
  }
  weigh_recordings(
      all, s, recordings, {&data, &coarse}, [&] { refine(all, first, workers, parts.mutex); }, ranking.notes);
  while (replay && !control.stopped() && refine_steps(*replay, all)) refine(all, first, workers, parts.mutex);
  std::vector<Candidate*> best = all;
  if (twice && all.size() > models.size()) {
    std::vector<Candidate*> open = all;  // the search for effects has evaluated the others
    if (with_effects) std::erase_if(open, [](const Candidate* c) { return c->validated; });
    hold_out_all(open, first, workers, parts.mutex);
    best = best_shapes(all, first);
  }
  if (twice) {
    double least = inf;
    for (const Candidate* c : best) least = std::min(least, c->scale);
    for (Candidate* c : best) c->hopeless = c->scale > 4 * least;
    refine(best, s, workers, parts.mutex);
  }
  hold_out_all(best, s, workers, parts.mutex);
  best = best_shapes(best, s);
  report_failed(parts, best, control.stopped(), ranking);
  workers.each(best.size(), 0.1, "intervals", [&](std::size_t i) {
    account(*best[i], parts.mutex, [&](std::size_t&) { find_intervals(*best[i], s); });
  });
  if (!replay) {
    try_rivals(best, s, workers, ranking.notes);
    simplify(best, s, workers);
  }
  rank(ranking, best, s);
  if (const std::string late = delay_note(best, ranking.recommended); !late.empty()) ranking.notes.push_back(late);
  if (!replay && !ranking.recommended.empty() &&
      assumes_load(options, options.models.empty() ? std::vector{ranking.recommended} : models, data))
    ranking.notes.push_back(
        fmt::format("normal load unknown: a coefficient of {} is assumed at the first speed, and all "
                    "coefficients scale with it; --fix normal_load=NUMBER sets the load",
                    typical_coefficient));
  if (options.profiles && !options.simplex && !replay && !control.stopped())
    profile_best(best, ranking.recommended, s, workers, parts.mutex);
  widen_by_doubt(best, all, s);
  widen_by_rivals(best);
  if (!replay) widen_by_sampling(best, sparse_series(data, recordings, features), s, workers, ranking);
  for (const Candidate* c : best) {
    if (!replay || c->shape.model != ranking.recommended) continue;
    if (const std::string text = note_of_steps(*replay, *c); !text.empty()) ranking.notes.push_back(text);
  }
  for (Candidate* c : best) finish_warming(c->fit, recordings, options, ranking.notes);
  for (Candidate* c : best) {
    const Objective o{data, *c->evaluator, c->space, control};
    const std::vector<double> predicted = o.predicted(c->best.q.data());
    auto from = predicted.begin();
    for (const Recording& r : recordings) {
      std::vector<bool> counts;
      for (const double w :
           std::span(data.weight).subspan(static_cast<std::size_t>(from - predicted.begin()), r.size()))
        counts.push_back(w > 0);
      c->fit.predicted.emplace_back(from, from + static_cast<std::ptrdiff_t>(r.size()));
      c->fit.each.push_back(ErrorSum{}.add(r, c->fit.predicted.back(), counts));
      from += static_cast<std::ptrdiff_t>(r.size());
    }
    c->fit.seconds = c->seconds;
    c->fit.evaluations = c->evaluations;
    c->fit.start_speed = start_speed;
    ranking.fits.push_back(std::move(c->fit));
  }
  add_rate_state(ranking);
  ranking.stopped = control.stopped();
  if (options.progress) options.progress(1, "done");
  return ranking;
}

}  // namespace

Ranking identify_in_order(const std::vector<Recording>& recordings, const Options& given) {
  if (given.train != 1 || !given.validation.empty()) return identify_and_validate(recordings, given);
  return ranked(recordings, given, recordings.empty() || recordings.front().u.empty());
}

}  // namespace bristle::identify
