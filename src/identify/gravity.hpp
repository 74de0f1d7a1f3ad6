#pragma once
#include <string>

#include "identify/series.hpp"

namespace bristle::identify {

/// Resolves Gravity::automatic: a sine of the angle if blocks of the recording are predicted better with it. Over a small
/// range of angles a sine and an offset cannot be distinguished; the offset is then fixed at 0, and a note is returned.
std::string decide_gravity(const Series& s, Options& options);

}  // namespace bristle::identify
