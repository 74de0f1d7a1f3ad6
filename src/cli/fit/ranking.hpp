#pragma once
#include <span>
#include <string>

#include "bristle/report/fit.hpp"
#include "cli/json.hpp"

namespace bristle::cli {

/// A ranking with its data, for --json.
Json to_json(const report::Fitted& fitted);
Json to_json(const identify::Errors& errors);
/// The ranking and the recommended model with its intervals.
void print_ranking(const report::Fitted& fitted);
/// Errors per file and of all files.
Json to_json(const identify::Score& score, std::span<const std::string> files);
void print_errors(std::span<const std::string> files, const identify::Score& score, const std::string& unit);

}  // namespace bristle::cli
