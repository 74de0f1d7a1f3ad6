#pragma once
#include <string>
#include <vector>

#include "scenario/shared/section.hpp"

namespace bristle::scenario {

/// The key soft_start of any drive.
FieldView soft_start(double& value);
/// A drive of kind table: arrays t and value (in this unit), or two columns of a file. `also`: keys of the section read
/// elsewhere.
Term read_table(const Section& section, const std::string& unit, std::vector<Key> also, Reading& reading);

}  // namespace bristle::scenario
