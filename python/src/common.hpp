#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

#include "bristle/plot.hpp"
#include "bristle/trace.hpp"
#include "bristle/value.hpp"

/// Shared by the parts of the module: values and arrays between the languages, errors, Ctrl-C.
namespace bristle::python {

namespace nb = nanobind;
using namespace nb::literals;

/// Converted and made contiguous by the package before the call, where that is needed at all.
using In = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Array = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

inline std::span<const double> span_of(const In& a) { return {a.data(), a.shape(0)}; }

/// Raises bristle.InputError with all problems; nothing for none.
void raise_if(const Problems& problems);
[[noreturn]] void raise(const std::vector<std::string>& problems);

Table table_of(const nb::dict& values);
nb::object object_of(const Value& value);
nb::dict dict_of(const Table& table);

/// An array that takes the numbers over, without a copy.
Array owned(std::vector<double>&& values);
/// An array of numbers inside `owner`, which lives as long as the array.
Array inside(const std::vector<double>& values, nb::handle owner);
/// {name: array} with the numbers inside `owner`.
nb::dict columns_of(const Trace& trace, nb::handle owner);
nb::dict units_of(const Trace& trace);
/// A figure as plain values, for matplotlib.
nb::dict figure_of(const plot::Figure& figure);

/// Between the computing thread and the one that listens for Ctrl-C.
struct Watched {
  std::atomic<bool> stop{false};
  std::atomic<double> done{0};  // fraction
};

/// Runs f(watched) in a second thread without the GIL. This thread handles signals and calls progress(fraction) every 20 ms;
/// an exception of either ends the work.
template <class F> auto interruptible(const nb::object& progress, F&& f) {
  Watched watched;
  std::optional<decltype(f(watched))> result;
  std::exception_ptr error, interrupted;
  std::mutex mutex;
  std::condition_variable ended;
  bool over = false;
  {
    const nb::gil_scoped_release without;
    std::thread worker([&] {
      try {
        result.emplace(f(watched));
      } catch (...) { error = std::current_exception(); }
      const std::lock_guard lock(mutex);
      over = true;
      ended.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(20), [&] { return over; })) {
      lock.unlock();
      if (!interrupted) {
        const nb::gil_scoped_acquire with;
        try {
          if (PyErr_CheckSignals() != 0) throw nb::python_error();
          if (PyCallable_Check(progress.ptr()) != 0) progress(watched.done.load());
        } catch (...) {
          interrupted = std::current_exception();
          watched.stop = true;
        }
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (interrupted) std::rethrow_exception(interrupted);
  if (error) std::rethrow_exception(error);
  if (PyCallable_Check(progress.ptr()) != 0) progress(1.0);
  return std::move(*result);
}

void bind_contact(nb::module_& m);
void bind_batch(nb::module_& m);
void bind_gpu(nb::module_& m);
void bind_simulate(nb::module_& m);
void bind_sweep(nb::module_& m);
void bind_identify(nb::module_& m);
void bind_characterize(nb::module_& m);
void bind_surface(nb::module_& m);

}  // namespace bristle::python
