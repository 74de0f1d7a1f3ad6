#pragma once
#include "bristle/asperity/gfm.hpp"

namespace bristle {

/// Where an asperity is at the end of a step: above a land, or in the gap behind a land.
struct Gfm::Visit {
  bool on;
  double from, to;  // of the land, or of the gap
  std::int64_t j;   // of the land, or of the one before the gap
  double p;
  bool fresh;    // a contact that began within the step,
  double since;  // so long after its beginning, s
  bool slips;
};

}  // namespace bristle
