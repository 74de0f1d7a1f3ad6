#pragma once
#include <string>
#include <vector>

#include "scenario/shared/section.hpp"

namespace bristle::scenario {

/// A drive of kind table: arrays t and value, or two columns of a file. `also`: keys of the section read elsewhere.
Term read_table(const Section& section, std::vector<std::string> also, Reading& reading);

}  // namespace bristle::scenario
