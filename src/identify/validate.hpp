#pragma once
#include "bristle/identify.hpp"

namespace bristle::identify {

/// Fits the first part of the recordings (Options::train), then predicts their rest and Options::validation.
Ranking identify_and_validate(const std::vector<Recording>& recordings, const Options& options);

}  // namespace bristle::identify
