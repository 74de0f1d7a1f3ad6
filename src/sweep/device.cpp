#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/parallel.hpp"
#include "bristle/gpu.hpp"
#include "sweep/device.hpp"
#include "sweep/points.hpp"

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

/// Readers of points, one per thread: what one of them has read remains for the next piece.
class DeviceRows::Readers {
 public:
  Readers(const ScenarioFamily& family, const std::vector<std::string>& keys) : family_(family), keys_(keys) {}
  std::unique_ptr<PointReader> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto out = std::move(idle_.back());
        idle_.pop_back();
        return out;
      }
    }
    return std::make_unique<PointReader>(family_, keys_);
  }
  void give(std::unique_ptr<PointReader> reader) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(reader));
  }

 private:
  const ScenarioFamily& family_;
  const std::vector<std::string>& keys_;
  std::mutex mutex_{};
  std::vector<std::unique_ptr<PointReader>> idle_{};
};

namespace {
std::string named(const std::vector<std::string>& keys, const std::vector<double>& values) {
  std::string out;
  for (std::size_t k = 0; k < keys.size(); ++k)
    out += fmt::format("{}{} = {}", k == 0 ? "" : ", ", keys[k], bristle::to_text(values[k]));
  return out + ": ";
}
}  // namespace

struct DeviceRows::Inside {
  ScenarioFamily family;
  std::vector<std::string> keys;
  unsigned threads;
  const std::atomic<bool>* stop;
  Readers readers{family, keys};
  std::once_flag once{};
  std::vector<Measure> measures{};
};
struct DeviceRows::List {
  gpu::Prepared prepared;
  std::vector<RowResult> refused;  // rows that cannot be read
  std::size_t count;
};

DeviceRows::DeviceRows(const ScenarioFamily& family, std::vector<std::string> keys, unsigned threads,
                       const std::atomic<bool>* stop)
    : inside_(new Inside{family, std::move(keys), threads, stop}) {}
DeviceRows::~DeviceRows() = default;

std::shared_ptr<DeviceRows::List> DeviceRows::prepare(
    std::size_t count, const std::function<void(std::size_t, std::vector<double>&)>& point) {
  Inside& in = *inside_;
  constexpr std::size_t piece = 256;
  const std::size_t pieces = (count + piece - 1) / piece;
  // One more run per piece: its last point once more, read as a whole scenario.
  auto list = std::make_shared<List>(List{gpu::Prepared(count + pieces), std::vector<RowResult>(count), count});
  in_parallel(pieces, in.threads, [&](std::size_t job) {
    if (in.stop && in.stop->load(std::memory_order_relaxed)) throw Stopped();
    std::unique_ptr<PointReader> reader = in.readers.take();
    std::vector<double> values;
    std::string problem;
    auto set = [&](std::size_t i, std::size_t to, bool afresh) {
      point(i, values);
      const Experiment* e = reader->at(values, problem, afresh);
      if (!e) {
        if (to == i) list->refused[i] = {{}, "failed", problem};
        return false;
      }
      std::call_once(in.once, [&] { in.measures = reader->measures(); });
      if (const std::string why = list->prepared.set(to, *e); !why.empty())
        throw BadInput(named(in.keys, values) + why);
      return true;
    };
    const std::size_t from = job * piece, to = std::min(count, from + piece);
    for (std::size_t i = from; i < to; ++i) (void)set(i, i, i == from);
    if (reader->sets() && set(to - 1, count + job, true) && !list->prepared.equal(to - 1, count + job))
      throw std::logic_error("a sweep on a GPU set a number of the scenario that others depend on");
    in.readers.give(std::move(reader));
  });
  return list;
}

std::vector<RowResult> DeviceRows::results(const List& list) {
  Inside& in = *inside_;
  std::vector<RowResult> out = list.refused;
  const std::vector<gpu::Measured> measured =
      list.prepared.measure(quantities_of(in.measures), {.threads = in.threads, .stop = in.stop});
  constexpr std::size_t piece = 256;
  in_parallel((out.size() + piece - 1) / piece, in.threads, [&](std::size_t job) {
    for (std::size_t i = job * piece; i < std::min(out.size(), (job + 1) * piece); ++i) {
      if (out[i].status.empty()) out[i] = row_of(in.measures, measured[i]);
    }
  });
  return out;
}

std::vector<RowResult> evaluate_on_gpu(const ScenarioFamily& family, const std::vector<std::string>& keys,
                                       const std::vector<std::vector<double>>& points, unsigned threads,
                                       const std::atomic<bool>* stop) {
  DeviceRows rows(family, keys, threads, stop);
  return rows.results(
      *rows.prepare(points.size(), [&](std::size_t i, std::vector<double>& values) { values = points[i]; }));
}

}  // namespace bristle::sweep
