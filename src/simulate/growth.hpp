#pragma once
#include "bristle/scalar.hpp"

namespace bristle {

/// Recognises a motion that grows without limit. Friction, springs and dampers take energy, so that the drive bounds the
/// momentum of a body; above that bound only a contact or a servo that feeds energy in drives it. Such growth is
/// exponential: each further factor takes a smaller part of the elapsed time. A power t^p below p = 6 does not alarm.
class Growth {
 public:
  /// `bound`: largest momentum that the forces of the experiment can give; 0: unknown, no alarm.
  explicit Growth(double bound) : bound_(bound), level_(bound > 0 ? bound : inf) {}
  bool beyond(double t, double momentum) { return momentum > level_ && rises(t, momentum); }
  double bound() const { return bound_; }

 private:
  bool rises(double t, double momentum) {
    while (momentum > level_) {
      if (since_ > 0 && t < 2 * since_) return true;
      since_ = t;
      level_ *= 64;
    }
    return false;
  }
  double bound_, level_, since_ = 0;  // level that was not reached yet; time at which the one before was
};

}  // namespace bristle
