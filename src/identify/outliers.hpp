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
/// Rows of each recording.
std::vector<std::vector<std::size_t>> by_recording(const std::vector<std::size_t>& found,
                                                   const std::vector<Recording>& recordings);
/// "2 outliers of the force left out of errors and ranking: run1 lines 12, 400"
std::string outliers_text(const std::vector<std::vector<std::size_t>>& rows, const std::vector<Recording>& recordings);

}  // namespace bristle::identify
