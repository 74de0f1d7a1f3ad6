#pragma once
#include <string>
#include <vector>

#include "identify/candidate.hpp"
#include "identify/workers.hpp"

/// Motion that the rows of a recording do not resolve: a fit to every second row, with the motion that these rows alone show, has
/// several times the errors of a fit to all rows that come from the motion between them.
namespace bristle::identify {

/// The data by every second row, from the first and from the second one; empty if no recording has such a motion.
std::vector<Series> sparse_series(const Series& data, const std::vector<Recording>& recordings, const Features& f);

/// Whether an effect of the candidate has nearly the same size in other series of the same motion, the finest one first.
bool has_one_size(const std::string& effect, const Candidate& c, const std::vector<const Series*>& others,
                  const Setting& s);

/// Extends intervals to the values that fits to sparse series have, and as far to the other side. A number that changes by
/// 30 % is not determined.
void widen_by_sampling(const std::vector<Candidate*>& best, const std::vector<Series>& sparse, const Setting& s,
                       Workers& workers, Ranking& ranking);

}  // namespace bristle::identify
