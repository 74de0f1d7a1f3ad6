#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "bristle/gpu.hpp"
#include "simulate/shared/slider_task.hpp"

/// Launches of runs, one model per call.
namespace bristle::gpu {

/// A quantity without an objection.
plain::Gauge gauge_of(const Quantity& quantity, const Experiment& experiment);

/// Steps of variable size. usual: see usual_options, of all contacts.
void run_sliders(std::size_t model, bool usual, std::span<const plain::Task> tasks,
                 std::span<const plain::Gauge> gauges, std::span<plain::Result> results);
/// Steps of fixed size; the contacts of the experiments are all of this model.
void run_fixed(std::size_t model, std::span<const plain::Task> tasks, const std::vector<const AnyContact*>& contacts,
               std::span<const plain::Gauge> gauges, std::span<plain::Result> results);

}  // namespace bristle::gpu
