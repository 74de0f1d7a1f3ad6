/// Steps along a motion that is given by its velocity or by its position, see single.hpp.
#include "single.hpp"

namespace bristle::kernel {

const ByModel& BRISTLE_FOR_ISA(by_velocity_)() {
  static constexpr ByModel all = by_model<ByVelocity>(Models{});
  return all;
}
const ByModel& BRISTLE_FOR_ISA(by_position_)() {
  static constexpr ByModel all = by_model<ByPosition>(Models{});
  return all;
}

}  // namespace bristle::kernel
