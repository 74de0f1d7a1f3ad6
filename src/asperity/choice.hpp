#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>
#include <vector>

#include "base/processor.hpp"  // IWYU pragma: export

/// One of several equivalent kernels for different instruction sets.
namespace bristle::asperity {

template <class Kernel> class Choice {
 public:
  /// See kernels_here.
  explicit Choice(const std::array<const Kernel& (*)(), 3>& all) {
    for (const auto kernel : all) {
      if (kernel) all_.push_back(&kernel());
    }
    used_ = all_.front();
  }
  const Kernel& used() const { return *used_.load(std::memory_order_relaxed); }
  /// Chooses a kernel by name, or the best for ""; false if it is not available.
  bool use(std::string_view name) {
    const auto found = std::ranges::find_if(all_, [&](const Kernel* k) { return name.empty() || name == k->name; });
    if (found != all_.end()) used_ = *found;
    return found != all_.end();
  }

 private:
  std::vector<const Kernel*> all_{};
  std::atomic<const Kernel*> used_{};
};

}  // namespace bristle::asperity
