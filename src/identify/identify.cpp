#include "bristle/identify/identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <exception>
#include <thread>

#include "bristle/boundary/any.hpp"
#include "bristle/boundary/describe.hpp"
#include "identify/fused.hpp"
#include "identify/stages.hpp"
#include "identify/validate.hpp"

namespace bristle::identify {
namespace {

/// Time that this thread has worked, in s.
double worked() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The work of all threads. What a job computes depends on the job alone, so any number of threads gives the same.
class Workers {
 public:
  Workers(const Options& options, Control& control) : options_(options), control_(control) {}
  /// `share` of the whole work, for the progress bar.
  template <class F> void each(std::size_t jobs, double share, const std::string& what, F&& job) {
    std::atomic<std::size_t> next = 0, finished = 0;
    std::exception_ptr error;
    auto work = [&] {
      for (std::size_t i = next++; i < jobs; i = next++) {
        try {
          job(i);
        } catch (...) {
          const std::lock_guard lock(mutex_);
          if (!error) error = std::current_exception();
          next = jobs;
        }
        const std::size_t now = ++finished;
        tell(done_ + share * static_cast<double>(now) / static_cast<double>(jobs), what);
      }
    };
    {
      std::vector<std::jthread> threads;
      const std::size_t count = options_.threads > 0 ? static_cast<std::size_t>(options_.threads)
                                                     : std::max(1U, std::thread::hardware_concurrency());
      for (std::size_t i = 1; i < std::min(count, jobs); ++i) threads.emplace_back(work);
      work();
    }
    done_ += share;
    if (error) std::rethrow_exception(error);
  }

 private:
  void tell(double done, const std::string& what) {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    if (!options_.progress(std::min(done, 1.0), what)) control_.stop();
  }
  const Options& options_;
  Control& control_;
  std::mutex mutex_;
  double done_ = 0;
};

/// Keeps the books of one job: time and evaluations.
template <class F> void account(Candidate& c, std::mutex& mutex, F&& f) {
  const double begin = worked();
  std::string failure;
  std::size_t evaluations = 0;
  try {
    f(evaluations);
  } catch (const BadInput& e) { failure = e.what(); }
  const std::lock_guard lock(mutex);
  c.seconds += worked() - begin;
  c.evaluations += evaluations;
  if (c.failure.empty()) c.failure = failure;
}

std::vector<std::string> chosen_models(const Options& options, const Series& s) {
  std::vector<std::string> names = options.models;
  if (names.empty()) {
    for (const ModelInfo& info : model_infos()) {
      if (info.has.random) continue;                    // no seed repeats what was measured
      if (s.steady() && info.has.presliding) continue;  // the steady curve does not show it
      if (s.steady() && (info.name == "karnopp")) continue;
      names.push_back(info.name);
    }
  }
  for (const std::string& name : names) {
    const ModelInfo* info = find_model(name);
    if (!info) throw BadInput(unknown_model(name));
    if (info->level == "contact")
      throw BadInput(name + " is a population of asperities, which no fit adjusts; its lumped counterpart is gms");
  }
  return names;
}

void check_fixed(const Options& options, const std::vector<std::string>& models) {
  for (const Entry& e : options.fixed) {
    const auto* value = e.value.as<double>();
    bool known = e.key == "inertia" || e.key == "offset" || e.key == "gravity", allowed = known;
    if (is_beside(e.key) && std::ranges::find(models, "rate_state") != models.end()) {
      known = allowed = true;
      if (value && e.key == machine_stiffness && !(*value > 0))
        throw BadInput(fmt::format("{} = {} cannot be fixed: it must be > 0", e.key, number(*value)));
    }
    Range range = any_real;
    for (const std::string& name : models) {
      for (const FieldInfo& f : find_model(name)->parameters) {
        if (f.name != e.key) continue;
        known = true;
        range = f.range;
        allowed = allowed || !value || f.range.contains(*value);
      }
    }
    if (!known) throw BadInput(fmt::format("'{}' cannot be fixed: no model that is fitted has it", e.key));
    if (!allowed)
      throw BadInput(fmt::format("{} = {} cannot be fixed: it must be {}", e.key, number(*value), describe(range)));
  }
}

struct Parts {
  std::vector<std::unique_ptr<Candidate>> candidates;
  std::mutex mutex;
};

void prepare(Parts& parts, const std::vector<std::string>& models, const Setting& s) {
  for (const std::string& model : models) {
    for (Shape& shape : shapes_of(model, s.data, s.features, s.options)) {
      auto c = std::make_unique<Candidate>();
      c->shape = std::move(shape);
      try {
        c->walker = c->shape.compliant ? compliant_walker(c->shape.given) : walker(model, c->shape.given);
        if (c->shape.trending) c->walker = trending_walker(std::move(c->walker));
        c->start = start_of(c->shape, *c->walker, s.data, s.features, s.options);
        c->space = make_space(model, c->walker->scalars(), c->start.guesses.size() - c->walker->scalars().size(),
                              c->start.guesses, c->start.held);
        c->fuses = can_fuse({s.data, *c->walker, c->space, s.control});
        if (c->space.size() + 1 >= s.data.used)
          c->failure = fmt::format("{} rows are too few for {} parameters", s.data.used, c->space.size());
      } catch (const BadInput& e) { c->failure = e.what(); }  // of this model alone
      if (find_model(model)->has.random)
        c->failure = "its bristles snap at random: a recording shows one draw of many, which no seed repeats";
      parts.candidates.push_back(std::move(c));
    }
  }
}

void refine(const std::vector<Candidate*>& all, const Setting& s, Workers& workers, std::mutex& mutex) {
  workers.each(all.size(), 0.1, "fits",
               [&](std::size_t i) { account(*all[i], mutex, [&](std::size_t& n) { polish(*all[i], s, n); }); });
}

/// Where a law, with or without a trend, has found its best, the others of the same model begin once more.
std::vector<std::pair<Candidate*, std::size_t>> exchange_starts(const std::vector<Candidate*>& all) {
  std::vector<std::pair<Candidate*, std::size_t>> jobs;
  for (Candidate* c : all) {
    for (const Candidate* other : all) {
      const bool related = other != c && other->shape.model == c->shape.model && c->shape.elements == 0 &&
                           other->shape.compliant == c->shape.compliant;
      const auto best = std::ranges::min_element(other->tried, {}, &Solution::cost);
      if (!related || best == other->tried.end() || !std::isfinite(best->cost)) continue;
      std::vector<double> theirs(other->space.parameters()), p;
      other->space.parameters_at(best->q.data(), theirs.data(), nullptr);
      for (const Guess& g : c->start.guesses) p.push_back(g.value);
      for (std::size_t i = 0; i < c->walker->scalars().size(); ++i) {
        const auto same = std::ranges::find(other->walker->scalars(), c->walker->scalars()[i].name, &Scalar::name);
        if (same != other->walker->scalars().end())
          p[i] = theirs[static_cast<std::size_t>(same - other->walker->scalars().begin())];
      }
      jobs.emplace_back(c, c->starts.size());
      c->starts.push_back(c->space.coordinates_at(p));
    }
  }
  for (Candidate* c : all) c->tried.resize(c->starts.size());
  return jobs;
}

/// From the starts to a minimum.
void fit(const std::vector<Candidate*>& all, const Setting& s, Workers& workers, std::mutex& mutex) {
  workers.each(all.size(), 0.2, "starting points",
               [&](std::size_t i) { account(*all[i], mutex, [&](std::size_t& n) { choose_starts(*all[i], s, n); }); });
  std::vector<std::pair<Candidate*, std::size_t>> jobs;
  for (Candidate* c : all) {
    for (std::size_t k = 0; k < c->starts.size(); ++k) jobs.emplace_back(c, k);
  }
  auto follow = [&](std::size_t i) {
    account(*jobs[i].first, mutex, [&](std::size_t& n) { follow_start(*jobs[i].first, s, jobs[i].second, n); });
  };
  workers.each(jobs.size(), 0.25, "fits", follow);
  jobs = exchange_starts(all);
  workers.each(jobs.size(), 0.05, "fits", follow);
  refine(all, s, workers, mutex);
}

/// Blocked cross-validation.
void hold_out_all(const std::vector<Candidate*>& all, const Setting& s, Workers& workers, std::mutex& mutex) {
  const auto folds = static_cast<std::size_t>(s.data.blocks);
  std::vector<HeldOut> parts(all.size() * folds);
  workers.each(parts.size(), 0.1, "held-out error", [&](std::size_t i) {
    Candidate& c = *all[i / folds];
    account(c, mutex, [&](std::size_t& n) { parts[i] = hold_out(c, s, static_cast<int>(i % folds), n); });
  });
  double size = 0;
  for (std::size_t i = 0; i < s.data.size(); ++i) {
    if (s.data.weight[i] > 0) size += s.data.y[i] * s.data.y[i];
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    Candidate& c = *all[k];
    c.held_out.assign((s.data.size() + s.stride - 1) / s.stride, 0.0F);
    c.validated = true;
    double sum = 0;
    for (std::size_t f = 0; f < folds; ++f) {
      HeldOut& part = parts[k * folds + f];
      sum += part.squares;
      c.validated = c.validated && part.complete;
      for (std::size_t i = 0; i < part.residuals.size(); ++i) c.held_out[i] += part.residuals[i];
      part = {};
    }
    c.held_out_rmse = std::sqrt(sum / static_cast<double>(s.data.used));
    c.held_out_relative = size > 0 ? 100 * std::sqrt(sum / size) : 0;
  }
}

/// Of every model the shape that predicts best what it has not seen; more elements must earn their place.
std::vector<Candidate*> best_shapes(const std::vector<Candidate*>& all) {
  std::vector<Candidate*> out;
  for (Candidate* c : all) {
    if (!std::isfinite(c->held_out_rmse) || !std::isfinite(c->best.cost)) continue;
    auto same = std::ranges::find(out, c->shape.model, [](const Candidate* e) { return e->shape.model; });
    if (same == out.end()) {
      out.push_back(c);
    } else if (c->held_out_rmse < 0.98 * (*same)->held_out_rmse) {
      *same = c;
    }
  }
  return out;
}

/// Models of which nothing came, with the reason.
void report_failed(const Parts& parts, const std::vector<Candidate*>& good, bool stopped, Ranking& ranking) {
  for (const auto& c : parts.candidates) {
    auto is_same = [&](const std::string& name) { return name == c->shape.model; };
    if (std::ranges::any_of(good, is_same, [](const Candidate* e) { return e->shape.model; })) continue;
    if (std::ranges::any_of(ranking.failed, is_same, &Fit::model)) continue;
    Fit failed;
    failed.model = c->shape.model;
    failed.elements = c->shape.elements;
    failed.message = !c->failure.empty() ? c->failure
                     : stopped           ? "the time was up before it was fitted"
                                         : "no point was found at which the model gives finite forces";
    ranking.failed.push_back(std::move(failed));
  }
}

/// Profile likelihood for the best few, where there are not too many parameters.
void profile_best(const std::vector<Candidate*>& best, const Setting& s, Workers& workers, std::mutex& mutex) {
  std::vector<std::pair<Candidate*, std::size_t>> jobs;
  for (std::size_t i = 0; i < best.size() && i < 3; ++i) {
    if (best[i]->held_out_rmse > 1.1 * best.front()->held_out_rmse || best[i]->space.size() > 12) continue;
    for (std::size_t k = 0; k < best[i]->fit.friction.size(); ++k) jobs.emplace_back(best[i], k);
  }
  std::vector<Estimate> found(jobs.size());
  workers.each(jobs.size(), 0.1, "profiles", [&](std::size_t i) {
    auto& [c, k] = jobs[i];
    found[i] = c->fit.friction[k];
    account(*c, mutex, [&](std::size_t&) { profile(*c, s, k, found[i]); });
  });
  for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].first->fit.friction[jobs[i].second] = found[i];
}

std::vector<std::string> notes_of(const Series& data, const Features& features) {
  std::vector<std::string> notes;
  if (!features.sliding)
    notes.emplace_back(
        "no sliding in this recording: it stays within pre-sliding, and levels of friction are not seen");
  if (data.used < data.size())
    notes.push_back(
        fmt::format("{} of {} rows were left out of the fits: the state of the contact at the start of a recording "
                    "is not known",
                    data.size() - data.used, data.size()));
  return notes;
}

}  // namespace

Ranking identify(const std::vector<Recording>& recordings, const Options& options) {
  if (options.train != 1 || !options.validation.empty()) return identify_and_validate(recordings, options);
  if (!options.effects.empty())
    throw BadInput(fmt::format("effect '{}' cannot be fitted yet: leave effects out", options.effects.front()));
  Control control(options.seconds);
  Series data = joined(recordings, std::max(2, options.folds));
  const std::vector<std::string> models = chosen_models(options, data);
  check_fixed(options, models);
  const Features features = features_of(data, options.gravity);
  // On one way things happen once: blocks so short that no fold is without all of a transient.
  if (features.reversals == 0) cut_into_blocks(data, std::max(2, options.folds), 20);
  leave_out_transients(data, features);
  const Setting s{data, features, options, control, 1e-7 * features.y_rms, 1 + data.size() / 200'000};
  // Starts, and the number of elements, on fewer and longer steps; the fit itself on all of the data.
  const Series coarse = thinned(data, 6000);
  const Setting first{coarse, features, options, control, s.least_scale};
  const bool twice = coarse.size() < data.size();

  Ranking ranking;
  ranking.notes = notes_of(data, features);
  Parts parts;
  prepare(parts, models, first);
  std::vector<Candidate*> all;
  for (auto& c : parts.candidates) {
    if (c->failure.empty()) all.push_back(c.get());
  }
  Workers workers(options, control);
  fit(all, first, workers, parts.mutex);
  std::vector<Candidate*> best = all;
  if (twice && all.size() > models.size()) {
    hold_out_all(all, first, workers, parts.mutex);
    best = best_shapes(all);
  }
  if (twice) {
    double least = inf;
    for (const Candidate* c : best) least = std::min(least, c->scale);
    for (Candidate* c : best) c->hopeless = c->scale > 4 * least;
    refine(best, s, workers, parts.mutex);
  }
  hold_out_all(best, s, workers, parts.mutex);
  best = best_shapes(best);
  report_failed(parts, best, control.stopped(), ranking);
  workers.each(best.size(), 0.1, "intervals",
               [&](std::size_t i) { account(*best[i], parts.mutex, [&](std::size_t&) { judge(*best[i], s); }); });
  rank(ranking, best, s);
  if (options.profiles && !options.simplex && !control.stopped()) profile_best(best, s, workers, parts.mutex);
  for (Candidate* c : best) {
    const Objective o{data, *c->walker, c->space, control};
    const std::vector<double> predicted = o.predicted(c->best.q.data());
    auto from = predicted.begin();
    for (const Recording& r : recordings) {
      c->fit.predicted.emplace_back(from, from + static_cast<std::ptrdiff_t>(r.size()));
      from += static_cast<std::ptrdiff_t>(r.size());
    }
    c->fit.seconds = c->seconds;
    c->fit.evaluations = c->evaluations;
    ranking.fits.push_back(std::move(c->fit));
  }
  ranking.stopped = control.stopped();
  if (options.progress) options.progress(1, "done");
  return ranking;
}

std::vector<double> predict(const Fit& fit, const Recording& recording) {
  const Series data = joined({recording}, 2, fit.normal_load);
  const auto spring = std::ranges::find(fit.body, machine_stiffness, &Estimate::name);
  const auto rise = std::ranges::find(fit.body, trend, &Estimate::name);
  std::unique_ptr<Walker> model =
      spring != fit.body.end() ? compliant_walker(fit.parameters) : walker(fit.model, fit.parameters);
  if (rise != fit.body.end()) model = trending_walker(std::move(model));
  std::vector<double> p = model->values();
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (model->scalars()[i].name == machine_stiffness) p[i] = spring->value;
    if (model->scalars()[i].name == trend) p[i] = rise->value;
  }
  std::vector<double> out(data.size());
  model->walk(data, {p.data()}, [&](const Rows& rows) {
    std::copy(rows.F, rows.F + rows.n, out.begin() + static_cast<std::ptrdiff_t>(rows.from));
    return true;
  });
  auto body = [&](std::string_view name) {
    const auto at = std::ranges::find(fit.body, name, &Estimate::name);
    return at == fit.body.end() ? 0.0 : at->value;
  };
  const bool sine = std::ranges::find(fit.body, "gravity_phase", &Estimate::name) != fit.body.end();
  const double constant = body("offset") + (sine ? 0 : body("gravity"));
  for (std::size_t i = 0; i < out.size() && data.inverse; ++i) {
    out[i] += body("inertia") * data.a[i] + constant;
    if (sine) out[i] += body("gravity") * std::sin(data.x[i] - body("gravity_phase"));
  }
  return out;
}

}  // namespace bristle::identify
