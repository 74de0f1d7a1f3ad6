#include "bristle/simulate/ensemble.hpp"

#include <array>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "hybrid.hpp"
#include "kernel_stepper.hpp"
#include "start.hpp"

namespace bristle {
namespace {

/// One run in a lane.
struct Member {
  Member(const Experiment& e, const RunOptions& o, std::size_t at)
      : index(at),
        system(e),
        out(system, e, o),
        stepper(make_kernel_stepper(system, Method::rodas)),
        run(system, e, *stepper, out) {}
  std::size_t index;
  System system;
  Recorder out;
  std::unique_ptr<KernelStepper> stepper;
  HybridRunOf<System, KernelStepper> run;
};

/// Shared by the threads. Runs are taken one by one; results do not depend on the lane.
class Ensemble {
 public:
  Ensemble(std::span<const Experiment> experiments, const EnsembleOptions& options)
      : experiments_(experiments), options_(options), outcomes_(options.take ? 0 : experiments.size()) {
    run_options_.probes = options.probes;
    run_options_.stop = options.stop;
    run_options_.rows = options.rows;
    groups_.resize(1 + Models::size);  // single runs, then one group per model
    for (std::size_t i = 0; i < experiments.size(); ++i) {
      const auto model = options.lanes ? lane_model(experiments[i]) : std::nullopt;
      groups_[model ? 1 + *model : 0].members.push_back(i);
    }
  }

  std::vector<Outcome> run() {
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t cores =
                          options_.threads > 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency()),
                      n = std::min(cores, experiments_.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 1; i < n; ++i) threads.emplace_back([this] { work(); });
      work();
    }
    if (error_) std::rethrow_exception(error_);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (Outcome& o : outcomes_) o.run.summary.seconds = seconds / static_cast<double>(experiments_.size());
    return std::move(outcomes_);
  }

 private:
  struct Group {
    std::vector<std::size_t> members{};
    std::size_t next = 0;
  };

  void work() {
    try {
      for (std::size_t g = 1; g < groups_.size(); ++g) {
        if (!groups_[g].members.empty()) in_lanes(groups_[g], (*lane_kernels())[g - 1]);
      }
      while (const auto i = take(groups_[0])) {
        guarded(*i, [&] { finish(*i, {simulate(experiments_[*i], run_options_), {}}); });
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      for (Group& g : groups_) g.next = g.members.size();
    }
  }

  void in_lanes(Group& group, const kernel::LaneKernel& kernel) {
    std::vector<std::unique_ptr<Member>> lanes;
    std::array<kernel::Step*, kernel::most_lanes> steps{};
    kernel::Constants constants;
    kernel::Begun begun;
    bool moved = false;          // a lane has got another run since `place`
    auto each = [&](auto&& f) {  // a run that fails leaves its lane
      for (std::size_t l = 0; l < lanes.size();) {
        Member& m = *lanes[l];
        bool stays = false;
        guarded(m.index, [&] { stays = f(m, l); });
        if (stays) {
          ++l;
        } else {
          lanes.erase(lanes.begin() + static_cast<std::ptrdiff_t>(l));
          moved = true;
        }
      }
    };
    for (;;) {
      while (lanes.size() < kernel.width) {
        const auto i = take(group);
        if (!i) break;
        guarded(*i, [&] {
          auto m = std::make_unique<Member>(experiments_[*i], run_options_, *i);
          m->run.start_step();
          lanes.push_back(std::move(m));
          moved = true;
        });
      }
      if (lanes.empty()) return;
      auto place = [&] {  // idle lanes repeat another one
        if (!std::exchange(moved, false)) return false;
        for (std::size_t l = 0; l < kernel.width; ++l) steps[l] = &lanes[l < lanes.size() ? l : 0]->stepper->step();
        kernel.enter(steps.data(), constants);
        return true;
      };
      place();
      kernel.prepare(steps.data(), constants, begun);
      each([&](Member& m, std::size_t) {
        m.stepper->aim(m.run.choose());
        return true;
      });
      if (lanes.empty()) continue;
      if (place()) kernel.prepare(steps.data(), constants, begun);
      kernel.attempt(steps.data(), constants, begun);
      each([&](Member& m, std::size_t) {
        m.stepper->defer(false);
        m.stepper->computed_elsewhere();
        m.run.judge(m.stepper->step().h, m.stepper->fits());
        m.stepper->defer(true);  // its numbers are at hand now, but not after the other lanes
        if (m.run.start_step()) return true;
        leave(m);
        return false;
      });
    }
  }
  void leave(Member& m) {
    m.run.finish();
    finish(m.index, {m.out.finish(experiments_[m.index]), {}});
  }

  std::optional<std::size_t> take(Group& group) {
    const std::lock_guard lock(mutex_);
    if (options_.stop && options_.stop->load(std::memory_order_relaxed)) throw Stopped();
    if (group.next >= group.members.size()) return {};
    return group.members[group.next++];
  }
  template <class F> void guarded(std::size_t index, F&& f) {
    try {
      f();
    } catch (const RunFailed& e) { finish(index, {{}, e.what(), dynamic_cast<const RunDiverged*>(&e) != nullptr}); }
  }
  void finish(std::size_t index, Outcome&& outcome) {
    const std::lock_guard lock(mutex_);
    if (options_.take) {
      options_.take(index, std::move(outcome));
    } else {
      outcomes_[index] = std::move(outcome);
    }
    ++done_;
    if (options_.progress) options_.progress(done_);
  }

  std::span<const Experiment> experiments_;
  const EnsembleOptions& options_;
  RunOptions run_options_{};
  std::vector<Outcome> outcomes_;
  std::vector<Group> groups_{};
  std::mutex mutex_{};
  std::exception_ptr error_{};
  std::size_t done_ = 0;
};

}  // namespace

std::vector<Outcome> simulate_all(std::span<const Experiment> experiments, const EnsembleOptions& options) {
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    if (const std::string objection = objection_to(experiments[i]); !objection.empty())
      throw BadInput("experiment " + std::to_string(i) + ": " + objection);
  }
  if (experiments.empty()) return {};
  return Ensemble(experiments, options).run();
}

}  // namespace bristle
