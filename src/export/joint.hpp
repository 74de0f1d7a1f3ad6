#pragma once
#include "bristle/registry/any.hpp"

namespace bristle::exports {

/// The steady curve of a contact, mean of both directions, as frictionloss + damping |v|; NaN without steady sliding.
struct JointFit {
  double frictionloss{}, damping{};
  double rms{}, worst{}, worst_at{};  // errors over the range
  double largest{};  // friction in the range; from 0, of a set-valued law the one that holds it at rest too
};
JointFit fit_joint(const AnyContact& contact, double from, double to);

}  // namespace bristle::exports
