#pragma once
#include <memory>
#include <vector>

#include "asperity/shared/ledger.hpp"
#include "bristle/scenario.hpp"

namespace bristle::cli {

/// A finished run with its checks.
struct Result {
  const Scenario& scenario;
  Run run;
  std::vector<Checked> checks;
  std::shared_ptr<const asperity::Ledger> works{};  // of the asperities of generic2010
};

void print_summary(const Result& result);
void print_json(const Result& result);

}  // namespace bristle::cli
