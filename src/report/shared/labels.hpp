#pragma once
#include <span>
#include <string>
#include <string_view>

#include "bristle/scenario.hpp"

/// What the columns of a trace are called in pictures and tables.
namespace bristle::report {

/// As shown: "N m" for "N" where the motion is a rotation; empty for a pure number.
std::string shown_unit(std::string_view unit, bool rotational);

/// "Friction force F", "Bristle deflection z", "reference − x".
std::string title_of(std::string_view column, const Scenario& scenario);

/// For one column "Friction force F (N)"; for several what they have in common: "Force (N)".
std::string axis_label(std::span<const Column> columns, const Scenario& scenario);

}  // namespace bristle::report
