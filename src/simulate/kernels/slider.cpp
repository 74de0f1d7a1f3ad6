/// Steps of a slider, see single.hpp.
#include "single.hpp"

namespace bristle::kernel {

const ByModel& BRISTLE_FOR_ISA(slider_)() {
  static constexpr ByModel all = by_model<Slider>(Models{});
  return all;
}

}  // namespace bristle::kernel
