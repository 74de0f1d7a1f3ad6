#include "bristle/identify/fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "bristle/registry/describe.hpp"
#include "identify/candidate.hpp"
#include "identify/choices.hpp"
#include "identify/errors.hpp"
#include "identify/fused.hpp"
#include "identify/gravity.hpp"

namespace bristle::identify {
namespace {

/// Puts the given values into the starting point; the limits of the search widen to contain them.
void begin_at(const Table& start, const std::vector<Scalar>& scalars, StartingPoint& point) {
  for (const Entry& e : start) {
    bool found = false;
    for (std::size_t i = 0; i < scalars.size(); ++i) {
      if (scalars[i].name != e.key && scalars[i].field != e.key) continue;
      const auto* array = e.value.as<std::vector<double>>();
      const auto at = static_cast<std::size_t>(std::max(0, scalars[i].index - 1));
      const double* x = array && at < array->size() ? &(*array)[at] : e.value.as<double>();
      if (!x) continue;
      if (!std::isfinite(*x) || !scalars[i].range.contains(*x))
        throw BadInput(fmt::format("start: {} = {} {} must be {}", scalars[i].name, to_text(*x), scalars[i].unit,
                                   describe(scalars[i].range, *x)));
      Guess& g = point.guesses[i];
      g.value = *x;
      g.lo = std::min(g.lo, *x > 0 ? 1e-3 * *x : *x);
      g.hi = std::max(g.hi, *x > 0 ? 1e3 * *x : *x);
      found = true;
    }
    if (found) continue;
    std::vector<std::string> names;
    names.reserve(scalars.size());
    for (const Scalar& s : scalars) names.push_back(s.name);
    const std::string near = nearest(e.key, names);
    throw BadInput(near.empty()
                       ? fmt::format("start: unknown parameter '{}'; accepted: {}", e.key, fmt::join(names, ", "))
                       : fmt::format("start: unknown parameter '{}', did you mean '{}'?", e.key, near));
  }
}

/// The length of the arrays in `start`, and choices, which are no numbers to fit.
Table shape_given(const Table& start, const ModelInfo& info, Table& values) {
  Table given;
  for (const Entry& e : start) {
    const bool number = e.value.as<double>() || e.value.as<std::vector<double>>();
    if (e.value.as<std::vector<double>>() || !number) given.push_back(e);
    if (number) values.push_back(e);
    if (!number && std::ranges::find(info.parameters, e.key, &FieldInfo::name) == info.parameters.end())
      throw BadInput(fmt::format("start: unknown parameter '{}' of {}", e.key, info.name));
  }
  return given;
}

/// Asks the user every 20 ms whether to go on.
class Watch {
 public:
  Watch(const Options& options, Control& control) {
    if (!options.progress) return;
    thread_ = std::jthread([&options, &control](const std::stop_token& over) {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any wake;
      while (!over.stop_requested()) {
        if (!options.progress(0, options.models.front())) control.stop();
        wake.wait_for(lock, over, std::chrono::milliseconds(20), [] { return false; });
      }
    });
  }

 private:
  std::jthread thread_{};
};

}  // namespace

Fit fit(const std::vector<Recording>& recordings, const std::string& model, const Table& start, const Options& given,
        bool intervals) {
  const Variant variant = find_variant(model);
  if (!variant.model) throw BadInput(unknown_model(model));
  if (variant.model->has.random) throw BadInput(fmt::format("{}: a random model cannot reproduce a recording", model));
  if (const std::string reason = unfitted(variant.model->name); !reason.empty())
    throw BadInput(fmt::format("{}: {}", model, reason));
  Options options = given;
  options.models = {model};
  options.effects.clear();
  Control control(options.seconds);
  const Watch watch(options, control);
  Series data = joined(recordings, 2);
  if (data.motion) throw BadInput("recordings of motion without force require identify with a scenario");
  if (options.gravity == Gravity::automatic) decide_gravity(data.fine ? data.fine->whole : data, options);
  check_choices(options, {model}, {}, data);
  const Features features = features_of(data.fine ? data.fine->whole : data, options.gravity);
  transmit(data, features);
  estimate_initial_states(data, features);
  const Setting s{data, features, options, control, 1e-7 * features.y_rms, 1 + data.size() / 200'000};

  Table values;
  const Table arrays = shape_given(start, *variant.model, values);
  Candidate c;
  std::vector<Shape> shapes = shapes_of(model, data, features, options);
  std::size_t elements = 0;
  for (const Entry& e : arrays) {
    const auto* a = e.value.as<std::vector<double>>();
    if (!a || a->empty()) continue;
    if (elements > 0 && a->size() != elements)
      throw BadInput(
          fmt::format("start: {} has {} values, another array has {}; must be the same", e.key, a->size(), elements));
    elements = a->size();
  }
  for (Shape& shape : shapes) {
    if (&shape == &shapes.front() || shape.elements == elements) c.shape = shape;
  }
  for (const Entry& e : arrays) {
    std::erase_if(c.shape.given, [&](const Entry& other) { return other.key == e.key; });
    c.shape.given.push_back(e);
    if (elements > 0) c.shape.elements = elements;
  }
  c.evaluator = evaluator_of(c.shape, data);
  c.start = start_of(c.shape, *c.evaluator, data, features, options);
  begin_at(values, c.evaluator->scalars(), c.start);
  separate(model, c.evaluator->scalars(), c.start);
  c.space = make_space(model, c.evaluator->scalars(), c.start.guesses.size() - c.evaluator->scalars().size(),
                       c.start.guesses, c.start.held, c.start.beliefs);
  if (c.space.size() + 1 >= data.used)
    throw BadInput(fmt::format("{} rows are too few for {} parameters", data.used, c.space.size()));
  c.fuses = can_fuse({data, *c.evaluator, c.space, control});
  std::vector<double> p;
  p.reserve(c.start.guesses.size());
  for (const Guess& g : c.start.guesses) p.push_back(g.value);
  Objective o{data, *c.evaluator, c.space, control, 1, 0, -1, c.fuses};
  c.best = descend(o, c.space.coordinates_at(p), 100, 1e-7);
  if (!std::isfinite(c.best.cost))
    throw BadInput("no finite forces at the start; other values of `start` are required");
  std::vector<double> residuals = o.residuals(c.best.q.data());
  c.scale = noise_scale(o, residuals, s.least_scale);
  if (s.threshold() > 0) {  // squares lead to the neighbourhood of the robust minimum
    Objective robust{data, *c.evaluator, c.space, control, c.scale, s.threshold(), -1, c.fuses};
    const Solution next = descend(robust, c.best.q, 60, 1e-7);
    if (std::isfinite(next.cost)) c.best = next;
    c.evaluations += robust.evaluations;
    residuals = o.residuals(c.best.q.data());
  }
  c.evaluations += o.evaluations;
  if (control.stopped() && options.progress && !options.progress(0, model)) throw Stopped();
  if (intervals) {
    find_intervals(c, s);
  } else {
    c.space.parameters_at(c.best.q.data(), p.data(), nullptr);
    c.fit.parameters = c.evaluator->table(p.data());
    const auto& scalars = c.evaluator->scalars();
    const auto body = body_of(data, options.gravity);
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (c.space.rules[i].kind == Rule::constant) continue;
      Estimate e{.value = p[i], .low = std::nan(""), .high = std::nan("")};
      e.name = i < scalars.size() ? scalars[i].name : body[i - scalars.size()].name;
      e.unit = i < scalars.size() ? scalars[i].unit : body[i - scalars.size()].unit;
      (i < scalars.size() && !is_beside(e.name) ? c.fit.friction : c.fit.body).push_back(std::move(e));
    }
  }
  Fit& out = c.fit;
  out.model = model;
  out.elements = c.shape.elements;
  out.used = c.space.size();
  out.normal_load = data.normal_load;
  out.converged = c.best.converged;
  out.evaluations = c.evaluations;
  std::size_t from = 0;
  ErrorSum all;
  for (const Recording& r : recordings) {
    std::vector<double> predicted(r.size());
    std::vector<bool> counts(r.size());
    for (std::size_t i = 0; i < r.size(); ++i) {
      predicted[i] = data.y[from + i] - residuals[from + i];
      counts[i] = data.weight[from + i] > 0;
    }
    from += r.size();
    out.each.push_back(all.add(r, predicted, counts));
    out.predicted.push_back(std::move(predicted));
  }
  if (!intervals) {
    const Errors errors = all.errors();
    out.rmse = errors.rmse;
    out.relative = errors.relative;
    out.mean_abs = errors.mean_abs;
    out.r_squared = errors.r_squared;
  }
  out.held_out = out.held_out_relative = std::nan("");
  return out;
}

}  // namespace bristle::identify
