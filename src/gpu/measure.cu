#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "base/parallel.hpp"
#include "gpu/device.hpp"
#include "gpu/ensemble.hpp"

/// Ensembles: the processor writes experiments as tasks, the device runs them.
namespace bristle::gpu {

std::vector<Measured> measure_all(std::span<const Experiment> experiments, std::span<const Quantity> quantities,
                                  const MeasureOptions& options) {
  require_device();
  std::vector<Measured> out(experiments.size());
  if (experiments.empty()) return out;
  if (quantities.size() > plain::most_measures)
    throw BadInput("at most " + std::to_string(plain::most_measures) + " measures are accepted on a GPU");
  std::vector<plain::Gauge> gauges;
  bool rows = false;
  for (const Quantity& q : quantities) {
    if (const std::string why = objection_to(q, experiments.front()); !why.empty()) throw BadInput(why);
    gauges.push_back(gauge_of(q, experiments.front()));
    rows = rows || gauges.back().needs_rows();
  }
  const std::size_t at_once = std::size_t{1} << 20;  // runs per launch
  std::size_t finished = 0;
  for (std::size_t from = 0; from < experiments.size(); from += at_once) {
    const std::size_t count = std::min(at_once, experiments.size() - from);
    std::vector<plain::Written> written(count);
    constexpr std::size_t piece = 256;
    in_parallel((count + piece - 1) / piece, options.threads, [&](std::size_t job) {
      for (std::size_t i = job * piece; i < std::min(count, (job + 1) * piece); ++i) {
        const Experiment& e = experiments[from + i];
        if (const std::string why = bristle::objection_to(e); !why.empty())
          throw BadInput("experiment " + std::to_string(from + i) + ": " + why);
        written[i] = plain::write_task(e, rows);
        if (!written[i].objection.empty())
          throw BadInput("experiment " + std::to_string(from + i) + ": device gpu: " + written[i].objection);
      }
    });
    if (options.stop && options.stop->load(std::memory_order_relaxed)) throw Stopped();
    std::map<std::pair<std::size_t, bool>, std::vector<std::size_t>> groups;  // by model and kind of step
    for (std::size_t i = 0; i < count; ++i) groups[{written[i].model, written[i].task.step > 0}].push_back(i);
    for (const auto& [kind, members] : groups) {
      std::vector<plain::Task> tasks;
      tasks.reserve(members.size());
      for (const std::size_t i : members) tasks.push_back(written[i].task);
      std::vector<plain::Result> results(members.size());
      if (kind.second) {
        std::vector<const AnyContact*> contacts;
        for (const std::size_t i : members) contacts.push_back(experiments[from + i].contacts.front().contact.get());
        run_fixed(kind.first, tasks, contacts, gauges, results);
      } else {
        run_sliders(kind.first, tasks, gauges, results);
      }
      for (std::size_t k = 0; k < members.size(); ++k) {
        const plain::Result& r = results[k];
        Measured& m = out[from + members[k]];
        m.failure = plain::failure_of(r, tasks[k]);
        m.diverged = r.ending == plain::Ending::diverged;
        m.steps = r.steps;
        m.rejected = r.rejected;
        m.momentum_error = r.momentum_error;
        m.energy_error = r.energy_error;
        if (m.failure.empty())
          m.values.assign(r.values.begin(), r.values.begin() + static_cast<std::ptrdiff_t>(gauges.size()));
      }
      finished += members.size();
      if (options.progress) options.progress(finished);
    }
    if (options.stop && options.stop->load(std::memory_order_relaxed)) throw Stopped();
  }
  return out;
}

}  // namespace bristle::gpu
