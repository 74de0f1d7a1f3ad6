#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "asperity/generic2010.hpp"
#include "asperity/gfm.hpp"
#include "batch.hpp"
#include "simulate/ensemble.hpp"

/// The same models and steps on a GPU (CUDA): batches of contacts, ensembles of runs, populations of asperities. Results
/// agree with those of the processor to rounding, which the steps of a run amplify up to their tolerance, and are the same
/// bits from run to run on one device.
namespace bristle::gpu {

/// A device that is missing, that has too little memory, or that failed.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Whether this build contains the code.
bool built();
/// The reason why no GPU can be used, or "".
std::string objection();

/// A graphics processor.
struct Device {
  std::string name{};
  int id = 0, major = 0, minor = 0, multiprocessors = 0;  // multiprocessors: number of its multiprocessors
  double memory = 0, free = 0;                            // bytes
  double clock = 0;                                       // Hz, of the multiprocessors
};
Device device();  // throws DeviceError
/// Memory of the device, freed with its last owner. Throws DeviceError.
std::shared_ptr<void> memory(std::size_t bytes);

/// A batch on the device. The functions of Batch take and give arrays of the processor; those below arrays of the device,
/// without a copy.
template <class T> class DeviceBatch : public Batch<T> {
 public:
  /// `steps` steps of dt at constant velocities v[i]; F[i] is the force at the end. Pointers to the memory of the device.
  virtual void advance(const T* v, T dt, T* F, std::int64_t steps = 1) = 0;
  /// Steps at velocities of their own: v[k size() + i] and F[k size() + i] of contact i in step k.
  virtual void follow(const T* v, T dt, T* F, std::int64_t steps) = 0;
  /// Returns when all steps are done.
  virtual void wait() const = 0;
};
/// A batch on the device, or the problems that prevent it.
template <class T> struct MadeDeviceBatch {
  std::unique_ptr<DeviceBatch<T>> batch{};  // empty if there are problems
  Problems problems{};
};
/// A batch of contacts of one model.
template <class T> MadeDeviceBatch<T> make_batch(std::string_view model, const Table& parameters, std::size_t contacts);

/// Numbers of a run that the device computes while the run goes on, as the functions of [measure] in scenario files.
struct Quantity {
  std::string
      function{};     // max, min, peak_to_peak, final, integral, mean, rms; at; count, time, period; stuck_fraction
  std::string of{};   // a column, or an event
  double argument{};  // time of `at`, number of the event of `time`
  double from = -inf, to = inf;  // from: beginning of the window, s; to: end of the window, s
};
inline constexpr std::size_t most_quantities = 8;  // of a run
/// The reason why a quantity or an experiment cannot be computed on the device, or "".
std::string objection_to(const Quantity& quantity, const Experiment& experiment);
/// The reason why the device cannot run an experiment; empty if it can.
std::string objection_to(const Experiment& experiment);

/// Measures of one run.
struct Measured {
  std::vector<double> values{};      // one per quantity; NaN: undefined
  std::string failure{};             // reason of a failed run; empty on success
  bool diverged = false;             // whether the motion grew without limit
  std::int64_t steps{}, rejected{};  // steps: accepted steps; rejected: rejected steps
  // momentum_error: error of the balance of momentum, relative; energy_error: error of the balance of energy, relative
  double momentum_error{}, energy_error{};
};
/// Options of runs that return measures alone.
struct MeasureOptions {
  unsigned threads = 0;                         // of the processor, which prepares the runs; 0: one per core
  std::function<void(std::size_t)> progress{};  // called with the number of finished runs
  const std::atomic<bool>* stop = nullptr;      // if set, measure_all throws Stopped
};
/// Runs of sliders, one per thread of the device. Throws BadInput for an experiment or quantity with an objection,
/// DeviceError, Stopped.
std::vector<Measured> measure_all(std::span<const Experiment> experiments, std::span<const Quantity> quantities,
                                  const MeasureOptions& options = {});

/// The same in two parts, for experiments that are made one after the other: each of them is needed only while it is
/// prepared, and the device can run one list while the processor prepares the next.
class Prepared {
 public:
  /// Room for this number of runs.
  explicit Prepared(std::size_t runs);
  ~Prepared();
  /// Leaves the other one empty.
  Prepared(Prepared&& o) noexcept;
  /// Leaves the other one empty.
  Prepared& operator=(Prepared&& o) noexcept;
  /// Prepares run i and returns "", or the objection. Several threads may prepare different runs at the same time.
  std::string set(std::size_t i, const Experiment& experiment);
  /// Whether both runs are prepared and equal in every number.
  bool equal(std::size_t i, std::size_t j) const;
  /// The measures of all runs that were prepared; those of the others have no values. Throws as measure_all.
  std::vector<Measured> measure(std::span<const Quantity> quantities, const MeasureOptions& options = {}) const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

/// A population of 2008 along a prescribed motion at its separation. Not accepted: normal_load, distributions of land and gap.
class GfmPopulation {
 public:
  explicit GfmPopulation(const Gfm& from);  // its present state
  ~GfmPopulation();
  GfmPopulation(const GfmPopulation&) = delete;
  GfmPopulation& operator=(const GfmPopulation&) = delete;
  /// The records of all steps, as Gfm::run gives them; r of a step has no effect. Force alone: the other numbers are 0.
  std::vector<asperity::Record> run(std::span<const asperity::Step> steps, bool force_only = false);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

/// Forces of a population along a prescribed motion.
template <class T> class Generic2010Population {
 public:
  explicit Generic2010Population(const Generic2010<T>& from);  // its present state
  ~Generic2010Population();
  Generic2010Population(const Generic2010Population&) = delete;
  Generic2010Population& operator=(const Generic2010Population&) = delete;
  /// One step per velocity, with the normal position held (V = 0); the sums of all steps. Force alone: Fn and contacts
  /// are 0.
  std::vector<asperity::Response> run(std::span<const double> U, bool force_only = false);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace bristle::gpu
