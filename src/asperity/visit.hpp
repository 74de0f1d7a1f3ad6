#pragma once
#include "bristle/asperity/gfm.hpp"

namespace bristle {

/// Position of an asperity at the end of a step: above a land, or in the gap after a land.
struct Gfm::Visit {
  bool on;
  double from, to;  // ends of the land or the gap
  std::int64_t j;   // index of the land, or of the land before the gap
  double p;
  bool fresh;    // the contact began within the step
  double since;  // start of a fresh contact after the start of the step, s
  bool slips;
};

}  // namespace bristle
