#pragma once
#include "bristle/report.hpp"

/// Balances that compare nothing.
namespace bristle::report {

/// Whether all terms are zero, as in a run without motion: this balance could not fail.
inline bool compares_nothing(const EnergyBalance& e) {
  return e.drive == 0 && e.kinetic == 0 && e.spring == 0 && e.damper == 0 && e.friction == 0 && e.error == 0;
}
inline bool compares_nothing(const WorkCheck& w) { return w.integrated == 0 && w.size == 0; }

}  // namespace bristle::report
