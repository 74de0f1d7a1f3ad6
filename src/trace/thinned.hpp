#pragma once
#include <algorithm>
#include <cstddef>

#include "bristle/trace.hpp"

namespace bristle {

/// Keeps every 2nd, 4th, 8th... row of a trace once there are too many: bounds the memory without knowing the length.
class Thinned {
 public:
  Thinned(Trace& trace, std::size_t rows) : trace_(trace), most_(rows == 0 ? 0 : std::max<std::size_t>(rows, 2)) {}

  /// Whether the next row is kept; if so, it must be added to each column.
  bool next() {
    if (seen_++ % every_ != 0) return false;
    if (most_ == 0 || trace_.rows() < most_) return true;
    for (Column& c : trace_.columns) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < c.values.size(); i += 2) c.values[kept++] = c.values[i];
      c.values.resize(kept);
    }
    every_ *= 2;
    return (seen_ - 1) % every_ == 0;
  }
  std::size_t every() const { return every_; }
  std::size_t seen() const { return seen_; }

 private:
  Trace& trace_;
  std::size_t most_, seen_ = 0, every_ = 1;
};

}  // namespace bristle
