#include "gpu/ensemble.hpp"

#include "bristle/models.hpp"
#include "gpu/device.hpp"
#include "gpu/scalar.hpp"
#include "simulate/shared/slider_run.hpp"

/// Runs with steps of variable size. A warp that has finished its runs takes further ones.
namespace bristle::gpu {
namespace {

constexpr unsigned threads = 128, blocks_at_once = 4;
/// Runs that follow each other are alike: taken together by a warp, its threads make the same kind of attempt most of the time.
/// Therefore a warp takes new runs when all of its threads have finished theirs. On an H200 this and at most 128 registers
/// took 0.78 s for 250,000 runs of LuGre, new runs for every finished thread 1.0 s.
template <template <class> class M, class R>
__global__ void __launch_bounds__(threads, blocks_at_once)
    sliders(const plain::Task* tasks, unsigned long long n, const plain::Gauge* gauges, std::size_t count,
            plain::Result* results, unsigned long long* next) {
  constexpr unsigned all = 0xffffffffU;
  const unsigned lane = threadIdx.x % 32;
  plain::SliderRun<M, R> run;
  unsigned long long i = n;
  bool runs = false, more = true;
  for (;;) {
    const unsigned running = __ballot_sync(all, runs);
    if (running == 0) {
      if (!more) return;
      unsigned long long first = 0;
      if (lane == 0) first = atomicAdd(next, 32ULL);
      first = __shfl_sync(all, first, 0);
      more = first + 32 < n;
      i = first + lane;
      if (i < n) {
        run.begin(tasks[i], gauges, count);
        runs = true;
      }
    }
    __syncwarp();
    if (runs && !run.advance()) {
      run.finish(results[i]);
      runs = false;
    }
    __syncwarp();
  }
}

}  // namespace

void run_sliders(std::size_t model, bool usual, std::span<const plain::Task> tasks,
                 std::span<const plain::Gauge> gauges, std::span<plain::Result> results) {
  const Array<plain::Task> task(tasks);
  const Array<plain::Gauge> gauge(gauges);
  Array<plain::Result> result(results.size());
  result.clear();  // values that nobody asked for are copied back, too
  Array<unsigned long long> next(1);
  next.clear();
  int id = 0, processors = 0;
  check(cudaGetDevice(&id), "device");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, id), "device");
  Models::visit(model, [&]<template <class> class M>() {
    if constexpr (plain::takes_part<M<double>>) {
      const auto launch = [&](auto* kernel) {
        int at_once = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, kernel, threads, 0), "runs");
        const std::size_t needed = (tasks.size() + threads - 1) / threads,
                          room = static_cast<std::size_t>(processors) * static_cast<std::size_t>(at_once);
        kernel<<<static_cast<unsigned>(needed < room ? needed : room), threads>>>(
            task.data(), tasks.size(), gauge.data(), gauges.size(), result.data(), next.data());
        check_launch("runs");
      };
      if (usual) {
        launch(sliders<M, Number<double, CurveOptions::usual>>);
      } else {
        launch(sliders<M, double>);
      }
    } else {
      throw DeviceError("GPU: this model has no steps of variable size");
    }
  });
  check(cudaDeviceSynchronize(), "runs");
  result.get(results);
}

}  // namespace bristle::gpu
