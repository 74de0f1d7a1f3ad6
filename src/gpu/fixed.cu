#include "bristle/models.hpp"
#include "gpu/device.hpp"
#include "gpu/ensemble.hpp"
#include "registry/shared/visit.hpp"
#include "simulate/shared/fixed_run.hpp"

/// Runs with steps of fixed size through `couple`, for every lumped model.
namespace bristle::gpu {
namespace {

constexpr unsigned threads = 128;

template <class C>
__global__ void __launch_bounds__(threads)
    fixed_runs(const plain::Task* tasks, const typename plain::FixedRun<C>::Start* starts, unsigned long long n,
               const plain::Gauge* gauges, std::size_t count, plain::Result* results) {
  const unsigned long long i = blockIdx.x * static_cast<unsigned long long>(threads) + threadIdx.x;
  if (i >= n) return;
  plain::FixedRun<C> run;
  run.begin(tasks[i], starts[i], gauges, count);
  while (run.advance()) {}
  run.finish(results[i]);
}

}  // namespace

void run_fixed(std::size_t model, std::span<const plain::Task> tasks, const std::vector<const AnyContact*>& contacts,
               std::span<const plain::Gauge> gauges, std::span<plain::Result> results) {
  const Array<plain::Task> task(tasks);
  const Array<plain::Gauge> gauge(gauges);
  Array<plain::Result> result(results.size());
  result.clear();  // values that nobody asked for are copied back, too
  Models::visit(model, [&]<template <class> class M>() {
    using C = M<double>;
    using Start = typename plain::FixedRun<C>::Start;
    std::vector<Start> starts(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const auto& box = static_cast<const Boxed<C>&>(*contacts[i]);
      starts[i] = {box.contact, box.start};
    }
    const Array<Start> start{std::span<const Start>(starts)};
    fixed_runs<C><<<static_cast<unsigned>((tasks.size() + threads - 1) / threads), threads>>>(
        task.data(), start.data(), tasks.size(), gauge.data(), gauges.size(), result.data());
    check_launch("runs");
    check(cudaDeviceSynchronize(), "runs");
  });
  result.get(results);
}

}  // namespace bristle::gpu
