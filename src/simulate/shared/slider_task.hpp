#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "bristle/simulate.hpp"

/// Runs of a slider on one contact in plain numbers, for code that has neither memory to allocate nor exceptions: a GPU.
namespace bristle::plain {

inline constexpr std::size_t most_states = 3, most_size = most_states + 5, most_parameters = 12, most_measures = 8;

/// A number and not the variable `inf`: `c ? x : inf` may take the address of either, and that of a variable of the
/// processor is 0 in device code, without a warning. `tools/check gpu` searches the code of the device for it.
constexpr double never() { return inf; }

/// An experiment: a slider with a spring and a damper, driven along a straight line by a position or a force.
struct Task {
  std::array<double, most_parameters> contact{};  // M<double>::Params
  std::array<double, most_states> z0{}, bound{};  // initial states of the contact, and their invariant bound
  double mass{}, stiffness{}, damping{}, rest_length{};
  double end{}, end_v{}, external{}, external_rate{};  // drive at t = 0: end of the spring, or a force
  double x0{}, v0{};
  double duration{}, output_step{}, rtol{}, max_steps{}, temperature{20};
  double step{};  // of method fixed; 0: steps of variable size
  std::int64_t rows{};
  // Of the solver, see System and HybridRunOf.
  double allowed_rtol{};
  std::array<double, most_size> atol{}, largest{};
  double slow_time{}, longest_step{}, knee_velocity{}, stick_velocity{}, rest{}, beside_rest{};
  double work_scale{}, force_size{}, momentum_bound{};
};

enum class Function { max, min, peak_to_peak, final, integral, mean, rms, at, count, time, period, stuck_fraction };
enum class Shown { t, x, v, F, F_app, drive, state };
/// A number of a run, as RunQuantity in scenario.hpp.
struct Gauge {
  Function function = Function::max;
  Shown column = Shown::x;
  int state = 0;                               // of the contact
  Event::Kind event = Event::stick;            // counted
  double from = -inf, to = inf, argument = 0;  // window; time of a value, number of an event
  bool needs_rows() const { return function < Function::at; }
};

enum class Ending { done, step_too_small, too_many_steps, diverged, momentum, energy, too_many_events, not_finite };
struct Result {
  std::array<double, most_measures> values{};  // NaN: undefined
  std::array<double, most_size> y{};           // at the end: states, x, v, works
  double t{}, h{};                             // reached, and the last step
  double momentum_error{}, energy_error{};
  double drive{}, kinetic{}, spring{}, damper{}, friction{};
  std::int64_t steps{}, rejected{}, events{};
  Ending ending = Ending::done;
};

/// The place of the model in the list, if runs of this experiment can be written as a Task; otherwise the reason.
struct Written {
  std::size_t model{};
  bool usual = true;  // options of the Stribeck curve, see usual_options
  Task task{};
  std::string objection{};
};
Written write_task(const Experiment& experiment, bool rows);
/// The reason of a failed run in words, as a run on the processor gives it.
std::string failure_of(const Result& result, const Task& task);

}  // namespace bristle::plain
