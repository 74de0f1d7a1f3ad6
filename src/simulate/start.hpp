#pragma once
#include <string>

#include "bristle/simulate.hpp"

namespace bristle {

/// The reason why a body without mass cannot be simulated, or "".
std::string objection_to_quasi_static(const Experiment& experiment);

/// Number of columns mu, and the columns themselves at the end of a trace: F over the normal load.
std::size_t coefficient_count(const Experiment& experiment);
void add_coefficients(const Experiment& experiment, Trace& trace);

}  // namespace bristle
