#pragma once
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>

#include "bristle/sweep.hpp"

/// Files of a sweep.
namespace bristle::sweep {

inline constexpr const char* plan_file = "sweep.toml";

/// A plan whose columns come from a scenario of the family, or problems.
PlanRead plan_with(ScenarioFamily& family, const SweepSpec& spec, const Shard& shard,
                   const std::vector<std::string>& changes,
                   const std::function<void(Scenario&, Plan&, Problems&)>& add_columns);
/// Whether a folder is new or empty. Throws BadFolder for a file.
bool is_empty(const std::string& folder);
/// The plan in a folder. Throws BadFolder.
Plan plan_in(const std::string& folder);
/// Copies a file without its first lines.
void append_file(const std::string& path, std::size_t skip_lines, std::ostream& out);

}  // namespace bristle::sweep
