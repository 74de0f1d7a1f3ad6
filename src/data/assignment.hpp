#pragma once
#include <string>
#include <vector>

#include "data/clean.hpp"
#include "data/roles.hpp"

/// Reports and checks the roles and units of the columns.
namespace bristle::identify {

std::vector<Header> headers_of(const Trace& trace);

/// Reports "t = t_s, x = x_mm, F = friction_N; not used: ...", the units, and doubts.
void say_roles(const Roles& roles, const Trace& trace, const std::vector<Header>& headers, Findings& findings);
/// Whether the units, or without units the names, are those of a rotation.
bool is_rotational(const Roles& roles, const std::vector<Header>& headers, Findings& findings);
/// Reports missing roles; `motion`: for a fit by simulation.
void check_roles(const Roles& roles, const Trace& trace, const std::vector<Header>& headers, const std::string& path,
                 bool motion, Problems& problems);
/// Questions numbers without a unit that are implausible in SI.
void question_units(const Roles& roles, const Recording& r, Findings& findings);

}  // namespace bristle::identify
