#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "../identify.hpp"

/// Fits of the friction in the joints of a mechanism by simulation: recordings hold columns of its run, by name.
namespace bristle::identify {

/// A recording of a mechanism.
struct JointRecording {
  std::string name{};                // for messages: the file
  std::vector<double> t{};           // s, from the start of the mechanism
  std::vector<Column> columns{};     // NaN: not measured
  std::vector<std::string> notes{};  // ignored columns, skipped rows
};
/// The columns of a table that the mechanism has. Throws BadInput if there are none, or without a column t.
JointRecording joint_recording(const Trace& table, const std::string& name, const Rig& rig);

/// An estimated parameter of a joint.
struct JointEstimate {
  std::string joint{}, name{}, unit{};         // joint: name of the joint
  double start{}, value{}, low{}, high{};      // 95 % interval, from the curvature
  bool identifiable = true, at_limit = false;  // at a limit of the model or of the search: not determined
};
/// Friction of all joints, fitted together.
struct JointFit {
  /// Errors of one measured quantity.
  struct Of {
    std::string name, unit;
    double rmse, spread;  // of the errors, and of the measured values about their mean
  };
  std::vector<JointEstimate> parameters{};
  std::vector<Of> columns{};
  std::vector<std::vector<Column>> predicted{};  // the columns of each recording
  std::vector<std::string> notes{};
  std::size_t rows{}, simulations{};        // simulations: number of simulated runs
  bool converged = false, explains = true;  // false: errors above half the spread
  double relative_error{};                  // rms of the columns' errors, each relative to its spread
  Experiment experiment{};                  // with the fitted contacts
};
/// Options of a fit of joints.
struct JointOptions {
  std::vector<std::string> free{};  // JOINT.PARAMETER; empty: all that the models mark as fitted
  Table fixed{};                    // JOINT.PARAMETER = number
  const std::atomic<bool>* stop = nullptr;
};
/// Throws BadInput if recordings, options and mechanism do not match, RunFailed if the mechanism of the scenario does not run.
JointFit identify_joints(const Rig& rig, const std::vector<JointRecording>& recordings,
                         const JointOptions& options = {});

}  // namespace bristle::identify
