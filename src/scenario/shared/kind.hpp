#pragma once
#include "base/document.hpp"

namespace bristle::scenario {

/// A file whose sections all belong to a friction file, or with the block at top level.
bool is_friction_file(const Node& root);

}  // namespace bristle::scenario
