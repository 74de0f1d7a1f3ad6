#pragma once
#include "bristle/report/fit.hpp"
#include "cli/json.hpp"

/// Numbers read from the experiments in recordings.
namespace bristle::cli {

Json experiments_json(const report::Fitted& fitted);
void print_experiments(const report::Fitted& fitted);

}  // namespace bristle::cli
