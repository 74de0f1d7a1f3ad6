#pragma once
#include <cstddef>
#include <vector>

#include "bristle/identify.hpp"

namespace bristle::identify {

/// Recordings in an order that depends on their numbers alone, not on the order or the names of files: sums over
/// recordings and random searches then give the same bits for any order.
class InOrder {
 public:
  explicit InOrder(const std::vector<Recording>& given);
  const std::vector<Recording>& recordings() const { return sorted_.empty() ? given_ : sorted_; }
  /// Moves one value per recording back to the given order.
  template <class T> void restore(std::vector<T>& values) const {
    if (values.size() != places_.size()) return;  // none
    std::vector<T> out(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) out[places_[k]] = std::move(values[k]);
    values = std::move(out);
  }

 private:
  const std::vector<Recording>& given_;
  std::vector<std::size_t> places_;  // of the sorted recordings among the given ones
  std::vector<Recording> sorted_;    // empty: the given order
};

/// identify() for recordings in this order.
Ranking identify_in_order(const std::vector<Recording>& recordings, const Options& given);

}  // namespace bristle::identify
