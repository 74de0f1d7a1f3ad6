#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "base/parallel.hpp"
#include "gpu/device.hpp"
#include "gpu/ensemble.hpp"

/// Ensembles: the processor writes experiments as tasks, the device runs them.
namespace bristle::gpu {
namespace {

constexpr std::size_t piece = 256;  // runs that a thread of the processor takes at once

template <class F> void each_run(std::size_t count, unsigned threads, F&& f) {
  in_parallel((count + piece - 1) / piece, threads, [&](std::size_t job) {
    for (std::size_t i = job * piece; i < std::min(count, (job + 1) * piece); ++i) f(i);
  });
}
void stop_if(const MeasureOptions& options) {
  if (options.stop && options.stop->load(std::memory_order_relaxed)) throw Stopped();
}

}  // namespace

struct Prepared::Inside {
  explicit Inside(std::size_t n)
      : tasks(std::make_unique_for_overwrite<std::byte[]>(n * sizeof(plain::Task))), size(n), kinds(n), contacts(n) {}
  plain::Task* task(std::size_t i) const { return reinterpret_cast<plain::Task*>(tasks.get()) + i; }

  struct KindOfRun {
    bool set = false, fixed = false, usual = false;
    std::uint16_t model = 0;
    std::array<int, 4> key() const { return {set ? 1 : 0, fixed ? 1 : 0, usual ? 1 : 0, model}; }
    friend bool operator==(const KindOfRun& a, const KindOfRun& b) { return a.key() == b.key(); }
    friend bool operator<(const KindOfRun& a, const KindOfRun& b) { return a.key() < b.key(); }
  };
  std::unique_ptr<std::byte[]> tasks;  // unset ones are never touched
  std::size_t size;
  std::vector<KindOfRun> kinds;
  std::vector<std::unique_ptr<AnyContact>> contacts;  // of runs by fixed steps
  std::once_flag once;
  Experiment first{};  // decides about quantities
};
template <class T>
constexpr bool lies_in_bytes = std::is_trivially_copyable_v<T> && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
static_assert(lies_in_bytes<plain::Task> && lies_in_bytes<plain::Result>);

Prepared::Prepared(std::size_t runs) : inside_(std::make_unique<Inside>(runs)) {}
Prepared::~Prepared() = default;
Prepared::Prepared(Prepared&&) noexcept = default;
Prepared& Prepared::operator=(Prepared&&) noexcept = default;

std::string Prepared::set(std::size_t i, const Experiment& e) {
  if (std::string why = bristle::objection_to(e); !why.empty()) return why;
  plain::Written written = plain::write_task(e, true);
  if (!written.objection.empty()) return "device gpu: " + written.objection;
  Inside& in = *inside_;
  std::call_once(in.once, [&] { in.first = copy_of(e); });
  const bool fixed = written.task.step > 0;
  ::new (in.task(i)) plain::Task(written.task);
  if (fixed) in.contacts[i] = e.contacts.front().contact->clone();
  in.kinds[i] = {true, fixed, written.usual, static_cast<std::uint16_t>(written.model)};
  return {};
}

bool Prepared::equal(std::size_t i, std::size_t j) const {
  const Inside& in = *inside_;
  return in.kinds[i].set && in.kinds[i] == in.kinds[j] && std::memcmp(in.task(i), in.task(j), sizeof(plain::Task)) == 0;
}

std::vector<Measured> Prepared::measure(std::span<const Quantity> quantities, const MeasureOptions& options) const {
  const Inside& in = *inside_;
  require_device();
  if (quantities.size() > plain::most_measures)
    throw BadInput("at most " + std::to_string(plain::most_measures) + " measures are accepted on a GPU");
  std::map<Inside::KindOfRun, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < in.size; ++i) {
    if (in.kinds[i].set) groups[in.kinds[i]].push_back(i);
  }
  std::vector<Measured> out(in.size);
  if (groups.empty()) return out;
  std::vector<plain::Gauge> gauges;
  bool rows = false;
  for (const Quantity& q : quantities) {
    if (const std::string why = objection_to(q, in.first); !why.empty()) throw BadInput(why);
    gauges.push_back(gauge_of(q, in.first));
    rows = rows || gauges.back().needs_rows();
  }
  std::size_t finished = 0;
  for (const auto& [kind, members] : groups) {
    const std::size_t at_once = std::size_t{1} << 20;  // runs per launch
    for (std::size_t from = 0; from < members.size(); from += at_once) {
      stop_if(options);
      const std::span<const std::size_t> some(members.data() + from, std::min(at_once, members.size() - from));
      // Memory that no single thread touches first: filling a million tasks with zeros takes a quarter of a second.
      const auto task = std::make_unique_for_overwrite<std::byte[]>(some.size() * sizeof(plain::Task));
      const std::span<plain::Task> tasks(reinterpret_cast<plain::Task*>(task.get()), some.size());
      each_run(some.size(), options.threads, [&](std::size_t k) {
        ::new (&tasks[k]) plain::Task(*in.task(some[k]));
        if (!rows) tasks[k].rows = 0;
      });
      const auto result = std::make_unique_for_overwrite<std::byte[]>(some.size() * sizeof(plain::Result));
      const std::span<plain::Result> results(reinterpret_cast<plain::Result*>(result.get()), some.size());
      if (kind.fixed) {
        std::vector<const AnyContact*> contacts;
        for (const std::size_t i : some) contacts.push_back(in.contacts[i].get());
        run_fixed(kind.model, tasks, contacts, gauges, results);
      } else {
        run_sliders(kind.model, kind.usual, tasks, gauges, results);
      }
      each_run(some.size(), options.threads, [&](std::size_t k) {
        const plain::Result& r = results[k];
        Measured& m = out[some[k]];
        m.failure = plain::failure_of(r, tasks[k]);
        m.diverged = r.ending == plain::Ending::diverged;
        m.steps = r.steps;
        m.rejected = r.rejected;
        m.momentum_error = r.momentum_error;
        m.energy_error = r.energy_error;
        if (m.failure.empty())
          m.values.assign(r.values.begin(), r.values.begin() + static_cast<std::ptrdiff_t>(gauges.size()));
      });
      finished += some.size();
      if (options.progress) options.progress(finished);
    }
  }
  stop_if(options);
  return out;
}

std::vector<Measured> measure_all(std::span<const Experiment> experiments, std::span<const Quantity> quantities,
                                  const MeasureOptions& options) {
  require_device();
  if (experiments.empty()) return {};
  for (const Quantity& q : quantities) {
    if (const std::string why = objection_to(q, experiments.front()); !why.empty()) throw BadInput(why);
  }
  Prepared all(experiments.size());
  each_run(experiments.size(), options.threads, [&](std::size_t i) {
    if (const std::string why = all.set(i, experiments[i]); !why.empty())
      throw BadInput("experiment " + std::to_string(i) + ": " + why);
  });
  return all.measure(quantities, options);
}

}  // namespace bristle::gpu
