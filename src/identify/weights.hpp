#pragma once
#include <functional>
#include <string>
#include <vector>

#include "identify/candidate.hpp"

namespace bristle::identify {

/// Weights the rows of the series by the noise of their recordings around the best fit, and fits again, until the
/// weights stay: every experiment counts by its information, not by its rows. Adds notes, also on recordings that
/// disagree. `s` contains the first series; recordings that all state their standard deviations keep them.
void weigh_recordings(const std::vector<Candidate*>& fitted, const Setting& s, const std::vector<Recording>& recordings,
                      const std::vector<Series*>& series, const std::function<void()>& fit_again,
                      std::vector<std::string>& notes);

}  // namespace bristle::identify
