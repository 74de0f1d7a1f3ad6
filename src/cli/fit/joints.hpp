#pragma once
#include "bristle/identify.hpp"
#include "cli/commands.hpp"

namespace bristle::cli {

/// Fits the friction in the joints of a mechanism, with the options already read.
int identify_joints(const IdentifyOptions& options, const identify::Options& read);

}  // namespace bristle::cli
