#pragma once
#include <vector>

#include "bristle/scenario.hpp"

namespace bristle::cli {

/// A finished run with its checks.
struct Result {
  const Scenario& scenario;
  Run run;
  std::vector<Checked> checks;
};

void print_summary(const Result& result);
void print_json(const Result& result);

}  // namespace bristle::cli
