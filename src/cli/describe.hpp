#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "bristle/registry/describe.hpp"
#include "bristle/report.hpp"
#include "bristle/tribometer.hpp"
#include "cli/json.hpp"
#include "cli/summary.hpp"

/// Results as JSON, for --json and for the page of `bristle studio`.
namespace bristle::cli {

/// The number of events of each kind.
std::vector<std::pair<Event::Kind, std::ptrdiff_t>> counted_events(const Run& run);

Json to_json(const ModelInfo& model);
Json to_json(const Result& result);
Json to_json(const report::Characterized& contact, bool rotational);
/// A dimensionless quantity keeps "1": an empty cell would mean an unknown unit. `none`: the contact has no units.
std::string unit_of(const tribometer::Quantity& q, bool rotational, bool none = false);

}  // namespace bristle::cli
