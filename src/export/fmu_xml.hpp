#pragma once
#include <string>

#include "bristle/export.hpp"
#include "element/unit.hpp"

namespace bristle::exports {

/// modelDescription.xml of FMI 2 or 3.
std::string model_description(element::Unit& unit, const Block& block, int version);

}  // namespace bristle::exports
