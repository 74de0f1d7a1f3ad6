#pragma once
#include <memory>
#include <vector>

#include "bristle/simulate.hpp"

namespace bristle {

/// The blocks of a chain with their disorder.
struct Blocks {
  std::vector<double> x0, mass, stiffness, damping;  // of the springs to the drive; 0 where it does not act
  std::vector<double> pull;                          // constant force of the boundary
  std::vector<double> link;                          // stiffness of the spring before each block, and after the last
  std::vector<double> U0;
  std::vector<std::unique_ptr<AnyContact>> contacts;  // empty: equal ones
};
Blocks blocks_of(const Experiment& e);
/// Factor of a parameter of block b, from 0.
double spread_factor(const SpreadParams& spread, const std::string& parameter, std::size_t b);
/// Names in [system.spread] that are no parameters of a chain itself but of its contact.
bool belongs_to_chain(const std::string& parameter);
/// Problem with the parameters of a chain, or "".
std::string objection_to_chain(const Experiment& e);

/// Whether stuck blocks cost nothing: a set-valued law of velocity, and a drive that advances evenly.
bool goes_from_event_to_event(const Experiment& e);
struct Recorder;
void run_events(const Experiment& e, double x_scale, double v_scale, Recorder& out);
/// Langevin dynamics of a chain in steps of fixed size.
void run_thermal(const Experiment& e, Recorder& out);

}  // namespace bristle
