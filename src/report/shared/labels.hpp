#pragma once
#include <span>
#include <string>
#include <string_view>

#include "bristle/scenario.hpp"

/// Names of columns in figures and tables.
namespace bristle::report {

/// The displayed unit: "N m" for "N" in rotation; empty for a pure number.
std::string shown_unit(std::string_view unit, bool rotational);

/// The displayed unit in the tables and figures of a scenario.
std::string unit_in(std::string_view unit, const Scenario& scenario);

/// "Friction force F", "Bristle deflection z", "reference − x".
std::string title_of(std::string_view column, const Scenario& scenario);

/// Axis label: "Friction force F (N)" for one column, the common quantity "Force (N)" for several.
std::string axis_label(std::span<const Column> columns, const Scenario& scenario);

}  // namespace bristle::report
