#pragma once
#include <vector>

#include "identify/candidate.hpp"

/// A force that a controller holds from each row to the next one acts half a sample later than its row says.
namespace bristle::identify {

/// Delay of the force against the motion in samples, fitted together with the values of the law.
struct ForceDelay {
  double samples = 0, error = inf;
  bool is_half() const;
};
ForceDelay force_delay(const Candidate& c, const Setting& s);

/// Whether the best law shows that the force was held from each row to the next one.
bool shows_held_force(const std::vector<Candidate*>& all, const Setting& s);

/// The recordings with the mean of the forces of each row and the row before, which acts at the row.
std::vector<Recording> centred(const std::vector<Recording>& recordings);

}  // namespace bristle::identify
