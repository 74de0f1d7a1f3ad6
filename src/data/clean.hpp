#pragma once
#include <functional>
#include <string>
#include <vector>

#include "bristle/data.hpp"

/// Detection and repair of defects in recordings.
namespace bristle::identify {

using Findings = std::vector<Finding>;

/// Calls f for every series of the recording that is not empty.
template <class R, class F> void each_series(R& r, const F& f) {
  for (auto* s : {&r.t, &r.x, &r.v, &r.a, &r.F, &r.u, &r.N, &r.T, &r.sigma, &r.ref, &r.on, &r.load}) {
    if (!s->empty()) f(*s);
  }
  for (auto& term : r.terms) f(term.values);
}

/// "1 row", "12 rows".
std::string rows(std::size_t n);

/// Removes rows with values that are not finite. `row`: original indices of the remaining rows.
void drop_missing(Recording& r, std::vector<std::size_t>& row, Findings& findings);
/// Requires that time does not decrease; removes rows that repeat a time.
void check_time(Recording& r, std::vector<std::size_t>& row, const std::function<Problem(std::size_t)>& where,
                Findings& findings, Problems& problems);
/// Removes single samples far from their neighbours, in position and velocity.
void drop_spikes(Recording& r, std::vector<std::size_t>& row, Findings& findings);
/// Unwraps angles that jump by a turn.
void unwrap(std::vector<double>& x, bool rotational, bool angle, Findings& findings);
/// Splits the recording into segments at gaps; reports the sampling.
void find_stretches(Recording& r, std::vector<std::size_t>& row, Findings& findings);
/// Reports samples that stay at the maximum or minimum.
void find_clipping(const Recording& r, Findings& findings);
void find_clipped_position(const std::vector<double>& x, Findings& findings);
/// Reports constant columns and implausible numbers. `where`: the place of a row in the file.
void check_sense(const Recording& r, const std::string& path, const std::function<std::string(std::size_t)>& where,
                 Findings& findings, Problems& problems);
/// Checks the sign of the force and whether there is sliding.
void check_sliding(Recording& r, Findings& findings);

}  // namespace bristle::identify
