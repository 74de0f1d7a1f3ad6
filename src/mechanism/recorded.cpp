#include "mechanism/recorded.hpp"

#include <utility>

#include "simulate/shared/servo.hpp"

namespace bristle::mechanism {

EnergyBalance& Recorded::sum_up(const char* method) {
  run_.trace = std::move(rows_.trace);
  run_.probes = std::move(probes_.trace);
  run_.summary.notes = std::move(notes_);
  Summary& s = run_.summary;
  s.method = method;
  s.violation = violation_;
  EnergyBalance& e = s.energy;
  e.kinetic = eq_.kinetic(y_.data()) - kinetic0_;
  e.spring = eq_.potential(y_.data()) - potential0_;
  e.drive = drive_;
  e.damper = damper_;
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    e.friction += losses_[i];
    if (eq_.joints[i].flow) s.losses.push_back({eq_.joints[i].of->name, losses_[i]});
  }
  return e;
}

Run Recorded::hand_over(const SolverParams& solver) {
  for (const JointState& j : eq_.joints) {
    if (j.servo) note_frozen(j.servo->of->params, 0, run_.trace, j.of->name + ".", run_.summary.notes);
  }
  finish_limits(solver, limits_, run_);
  return std::move(run_);
}

}  // namespace bristle::mechanism
