#pragma once
#include <string>
#include <vector>

#include "bristle/data.hpp"

namespace bristle::identify {

/// The columns of one file, or of several files side by side.
TraceRead read_signals(const std::vector<std::string>& paths, const Reading& reading);
/// Joins the columns of several files: row by row, or interpolated at the times of the one with the force.
TraceRead join(std::vector<TraceRead> files, const std::vector<std::string>& paths);

}  // namespace bristle::identify
