#pragma once
#include <cstddef>
#include <string>

#include "scenario/shared/section.hpp"

/// Bounds of a check, without its quantity.
namespace bristle::scenario {

/// Reads value, abs, rel, min and max; reports other keys, and bounds that can never fail.
Expectation read_bounds(const Member& member, Reading& reading);
/// Compares a value with bounds; `runs`: it is the mean of this number of runs; `why`: the reason why it is undefined.
Checked compared(const Expectation& bounds, const Measured& value, std::size_t runs, const std::string& why);

}  // namespace bristle::scenario
