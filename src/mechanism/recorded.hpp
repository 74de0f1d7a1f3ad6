#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "mechanism/runner.hpp"

namespace bristle::mechanism {

/// The state of a run of a mechanism and all that it writes, by steps of variable and of fixed size.
class Recorded {
 protected:
  Recorded(const Mechanism& m, const Experiment& e, const RunOptions& options)
      : eq_(m, e),
        options_(options),
        rows_(m.columns(e), options.rows ? row_times(e.solver) : std::vector<double>{}),
        probes_(m.columns(e), options.probes),
        limits_(m.columns(e), e.solver, options.rows) {}

  /// The rows so far and the terms of the energy balance, with the losses of the joints.
  EnergyBalance& sum_up(const char* method);
  /// Remarks about servos, and the limits.
  Run hand_over(const SolverParams& solver);

  Equations eq_;
  const RunOptions& options_;
  std::vector<double> y_{}, w_{}, row_{}, losses_{};
  double kinetic0_{}, potential0_{}, drive_{}, damper_{}, violation_{};
  bool several_ = false;
  Rows rows_, probes_;
  Limits limits_;
  std::vector<std::string> notes_{};
  Run run_{};
};

}  // namespace bristle::mechanism
