#pragma once
#include <functional>
#include <string>
#include <vector>

#include "bristle/data.hpp"

/// What measurements suffer from, found and said.
namespace bristle::identify {

using Findings = std::vector<Finding>;

/// Every series of the recording that is there.
template <class R, class F> void each_series(R& r, const F& f) {
  for (auto* s : {&r.t, &r.x, &r.v, &r.a, &r.F, &r.u, &r.N, &r.T, &r.sigma, &r.ref, &r.on, &r.load}) {
    if (!s->empty()) f(*s);
  }
}

/// "1 row", "12 rows".
std::string rows(std::size_t n);

/// Leaves out rows that are not finite. `row` holds where those that are left stood at first.
void drop_missing(Recording& r, std::vector<std::size_t>& row, Findings& findings);
/// Time has to go on; rows that repeat theirs are left out.
void check_time(Recording& r, std::vector<std::size_t>& row, const std::function<Problem(std::size_t)>& where,
                Findings& findings, Problems& problems);
/// Single samples far off their neighbours, in position and velocity.
void drop_spikes(Recording& r, std::vector<std::size_t>& row, Findings& findings);
/// Angles that jump by a turn.
void unwrap(std::vector<double>& x, bool rotational, bool angle, Findings& findings);
/// Where nothing was recorded for a while a new stretch begins; says how the samples lie.
void find_stretches(Recording& r, std::vector<std::size_t>& row, Findings& findings);
/// Runs at the largest or smallest value.
void find_clipping(const Recording& r, Findings& findings);
void find_clipped_position(const std::vector<double>& x, Findings& findings);
/// Constant columns, implausible numbers. `where` names a row of the recording.
void check_sense(const Recording& r, const std::string& path, const std::function<std::string(std::size_t)>& where,
                 Findings& findings, Problems& problems);
/// The sign of the force, and whether anything slides.
void check_sliding(Recording& r, Findings& findings);

}  // namespace bristle::identify
