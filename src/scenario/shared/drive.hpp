#pragma once
#include <string>

#include "bristle/simulate/drive.hpp"

/// Words of drives in files and reports.
namespace bristle::scenario {

/// "ramp", as in a file.
const std::string& kind_of(const Term& term);
/// The unit of the driven quantity.
const char* unit_of(DriveOf of);
/// The unit of a field: "*" is that of the driven quantity, "*/s" and "*/s^2" are those of its derivatives.
std::string derived_unit(const std::string& unit, std::string of);

}  // namespace bristle::scenario
