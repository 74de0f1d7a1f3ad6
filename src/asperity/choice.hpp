#pragma once
#include <algorithm>
#include <atomic>
#include <string_view>
#include <vector>

#include "base/processor.hpp"  // IWYU pragma: export

/// One of several equivalent kernels for different instruction sets.
namespace bristle::asperity {

template <class Kernel> class Choice {
 public:
  /// Kernels, best first; nullptr if this processor cannot run one. The last one always runs.
  explicit Choice(std::vector<const Kernel*> all) : all_(std::move(all)) {
    std::erase(all_, nullptr);
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
  std::vector<const Kernel*> all_;
  std::atomic<const Kernel*> used_;
};

}  // namespace bristle::asperity
