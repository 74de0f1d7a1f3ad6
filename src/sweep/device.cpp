#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/parallel.hpp"
#include "bristle/gpu.hpp"
#include "bristle/sweep.hpp"

/// Rows of a sweep on a GPU.
namespace bristle::sweep {
namespace {

gpu::Quantity device_quantity(const RunQuantity& q) {
  return {q.function, q.of, q.argument, q.from.value_or(-inf), q.to.value_or(inf)};
}
/// The quantities of all measures; a measure that joins two has both.
std::vector<gpu::Quantity> quantities_of(const std::vector<Measure>& measures) {
  std::vector<gpu::Quantity> out;
  for (const Measure& m : measures) {
    out.push_back(device_quantity(m.quantity));
    if (m.quantity.join != 0) out.push_back(device_quantity(m.quantity.second));
  }
  return out;
}
std::string why_undefined(const RunQuantity& q) {
  if (q.function == "time") return "the run has fewer such events";
  if (q.function == "period") return "a period requires two such events";
  return "the window contains no row, or the value is not finite";
}

RowResult row_of(const std::vector<Measure>& measures, const gpu::Measured& m) {
  if (!m.failure.empty()) return {{}, m.diverged ? "diverged" : "failed", m.failure};
  RowResult row{{}, "done", {}};
  std::size_t k = 0;
  for (const Measure& measure : measures) {
    const Expectation& q = measure.quantity;
    const double a = m.values[k++], b = q.join != 0 ? m.values[k++] : 0;
    std::string why;
    if (!std::isfinite(a)) {
      why = why_undefined(q);
    } else if (q.join != 0 && !std::isfinite(b)) {
      why = why_undefined(q.second);
    } else if (q.join == '/' && b == 0) {
      why = "the divisor is 0";
    }
    row.measures.push_back(!why.empty()    ? std::numeric_limits<double>::quiet_NaN()
                           : q.join == '-' ? a - b
                           : q.join == '/' ? a / b
                                           : a);
    if (!why.empty())
      row.message += fmt::format("{}{} is undefined: {}", row.message.empty() ? "" : "; ", measure.name, why);
  }
  return row;
}

}  // namespace

std::string objection_to_gpu(const Scenario& scenario) {
  if (const std::string why = gpu::objection_to(scenario.experiment); !why.empty()) return why;
  std::size_t count = 0;
  for (const Measure& m : scenario.measures) {
    for (const RunQuantity* q : {static_cast<const RunQuantity*>(&m.quantity), &m.quantity.second}) {
      if (q->function.empty()) continue;
      if (++count > gpu::most_quantities)
        return fmt::format("the measures need more than {} quantities of a run, which a GPU does not compute at once",
                           gpu::most_quantities);
      if (const std::string why = gpu::objection_to(device_quantity(*q), scenario.experiment); !why.empty())
        return fmt::format("measure {}: {}", m.name, why);
    }
  }
  return {};
}

Place place_of(const std::string& device, const Scenario& scenario) {
  if (device == "cpu") return {};
  if (device != "gpu" && device != "auto") throw BadInput(fmt::format("device {}: must be cpu, gpu or auto", device));
  std::string why = gpu::objection();
  if (why.empty()) why = objection_to_gpu(scenario);
  if (why.empty()) return {.gpu = true};
  if (device == "auto") return {false, fmt::format("device auto: the processor computes the runs: {}", why)};
  throw BadInput(fmt::format("device gpu: {}; device cpu is accepted", why));
}

std::vector<RowResult> evaluate_on_gpu(const ScenarioFamily& family, const std::vector<std::vector<double>>& points,
                                       unsigned threads, const std::atomic<bool>* stop) {
  std::vector<RowResult> out(points.size());
  std::vector<Experiment> read(points.size());
  std::vector<char> good(points.size(), 0);
  std::vector<Measure> measures;
  std::mutex mutex;
  std::vector<ScenarioFamily> idle;
  constexpr std::size_t piece = 256;
  in_parallel((points.size() + piece - 1) / piece, threads, [&](std::size_t job) {
    std::optional<ScenarioFamily> own;
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        own.emplace(std::move(idle.back()));
        idle.pop_back();
      }
    }
    if (!own) own.emplace(family);
    if (stop && stop->load(std::memory_order_relaxed)) throw Stopped();
    for (std::size_t i = job * piece; i < std::min(points.size(), (job + 1) * piece); ++i) {
      Loaded loaded = own->at(points[i]);
      if (!loaded.scenario) {
        out[i] = {{}, "failed", loaded.problems.front().text};
        continue;
      }
      read[i] = std::move(loaded.scenario->experiment);
      good[i] = 1;
      const std::lock_guard lock(mutex);
      if (measures.empty()) measures = std::move(loaded.scenario->measures);
    }
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(*own));
  });
  std::vector<Experiment> experiments;
  std::vector<std::size_t> row;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (good[i] == 0) continue;
    experiments.push_back(std::move(read[i]));
    row.push_back(i);
  }
  const std::vector<gpu::Quantity> quantities = quantities_of(measures);
  const std::vector<gpu::Measured> measured =
      gpu::measure_all(experiments, quantities, {.threads = threads, .stop = stop});
  in_parallel((measured.size() + piece - 1) / piece, threads, [&](std::size_t job) {
    for (std::size_t k = job * piece; k < std::min(measured.size(), (job + 1) * piece); ++k)
      out[row[k]] = row_of(measures, measured[k]);
  });
  return out;
}

}  // namespace bristle::sweep
