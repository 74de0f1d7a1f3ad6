#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "identify/workers.hpp"

/// Single samples of the force that no law explains: disturbances of the sensor.
namespace bristle::identify {

/// Sets the weights of outliers to 0 and returns their places. `all`: fitted candidates.
std::vector<std::size_t> leave_out_outliers(Series& data, const std::vector<Candidate*>& all, const Control& control,
                                            Workers& workers);
/// Takes rows out of the list at which the motion is not resolved: every second row alone shows another acceleration there,
/// by which the best law errs as much. They are no disturbances of the force.
std::vector<std::size_t> take_unresolved(std::vector<std::size_t>& found, const Series& data,
                                         const std::vector<Recording>& recordings, const std::vector<Candidate*>& all,
                                         const Control& control);
/// Rows of each recording.
std::vector<std::vector<std::size_t>> by_recording(const std::vector<std::size_t>& found,
                                                   const std::vector<Recording>& recordings);
/// "left out of errors and ranking: run1 lines 12, 400"
std::string left_out_text(const std::vector<std::vector<std::size_t>>& rows, const std::vector<Recording>& recordings);

}  // namespace bristle::identify
