#pragma once
#include <cstddef>

#include "asperity/shared/ledger.hpp"

/// The loop of the ledger over all asperities, once per instruction set.
namespace bristle::asperity {

/// The step: its length, the height of the profile, velocities of the main mass.
struct LedgerStep {
  double dt, A, U, W;
};
struct LedgerKernel {
  void (*look[4])(const Block<double>*, const Moving*, std::size_t n, const LedgerStep&, LedgerSums&);  // by profile
};

const LedgerKernel& ledger_baseline();
const LedgerKernel& ledger_avx2();
const LedgerKernel& ledger_avx512();

}  // namespace bristle::asperity
