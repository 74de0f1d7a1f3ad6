/// Steps of a rolling disk, see single.hpp.
#include "single.hpp"

namespace bristle::kernel {

const ByModel& BRISTLE_FOR_ISA(disk_)() {
  static constexpr ByModel all = by_model<Disk>(Models{});
  return all;
}

}  // namespace bristle::kernel
