#include "gpu/ensemble.hpp"

#include "bristle/models.hpp"
#include "gpu/device.hpp"
#include "simulate/shared/slider_run.hpp"

/// Runs with steps of variable size. A thread takes the next run when it has finished one.
namespace bristle::gpu {
namespace {

constexpr unsigned threads = 128;

template <template <class> class M>
__global__ void __launch_bounds__(threads)
    sliders(const plain::Task* tasks, unsigned long long n, const plain::Gauge* gauges, std::size_t count,
            plain::Result* results, unsigned long long* next) {
  unsigned long long i = atomicAdd(next, 1ULL);
  if (i >= n) return;
  plain::SliderRun<M> run;
  run.begin(tasks[i], gauges, count);
  for (;;) {
    if (run.advance()) continue;
    run.finish(results[i]);
    i = atomicAdd(next, 1ULL);
    if (i >= n) return;
    run.begin(tasks[i], gauges, count);
  }
}

}  // namespace

void run_sliders(std::size_t model, std::span<const plain::Task> tasks, std::span<const plain::Gauge> gauges,
                 std::span<plain::Result> results) {
  const Array<plain::Task> task(tasks);
  const Array<plain::Gauge> gauge(gauges);
  Array<plain::Result> result(results.size());
  Array<unsigned long long> next(1);
  next.clear();
  int id = 0, processors = 0;
  check(cudaGetDevice(&id), "device");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, id), "device");
  Models::visit(model, [&]<template <class> class M>() {
    if constexpr (plain::takes_part<M<double>>) {
      int at_once = 0;
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, sliders<M>, threads, 0), "runs");
      const std::size_t needed = (tasks.size() + threads - 1) / threads,
                        room = static_cast<std::size_t>(processors) * static_cast<std::size_t>(at_once);
      sliders<M><<<static_cast<unsigned>(needed < room ? needed : room), threads>>>(
          task.data(), tasks.size(), gauge.data(), gauges.size(), result.data(), next.data());
      check_launch("runs");
    } else {
      throw DeviceError("GPU: this model has no steps of variable size");
    }
  });
  check(cudaDeviceSynchronize(), "runs");
  result.get(results);
}

}  // namespace bristle::gpu
