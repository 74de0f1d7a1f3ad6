#include <algorithm>

#include "data/shared/motion.hpp"

namespace bristle::identify {
namespace {

constexpr std::size_t fewest = 16;  // rows of a segment

/// Every second row of each segment, from its first (0) or second one (1).
std::vector<std::size_t> every_second(const Recording& r, std::size_t parity, std::vector<std::size_t>& begins) {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < r.stretches.size(); ++k) {
    const std::size_t end = k + 1 < r.stretches.size() ? r.stretches[k + 1] : r.t.size();
    begins.push_back(out.size());
    for (std::size_t i = r.stretches[k] + parity; i < end; i += 2) out.push_back(i);
  }
  return out;
}

}  // namespace

void add_sparse_motion(const Recording& measured, double bandwidth, Recording& r) {
  for (std::size_t k = 0; k < r.stretches.size(); ++k) {
    const std::size_t end = k + 1 < r.stretches.size() ? r.stretches[k + 1] : r.t.size();
    if (end - r.stretches[k] < fewest) return;
  }
  for (auto* sparse : {&r.sparse_x, &r.sparse_v, &r.sparse_a}) sparse->resize(r.t.size());
  for (const std::size_t parity : {0U, 1U}) {
    Recording half = measured;
    half.stretches.clear();
    const std::vector<std::size_t> rows = every_second(measured, parity, half.stretches);
    each_series(half, [&](std::vector<double>& series) {
      for (std::size_t i = 0; i < rows.size(); ++i) series[i] = series[rows[i]];
      series.resize(rows.size());
    });
    Findings unsaid;  // those of all rows count
    complete_motion(half, bandwidth / 2, unsaid);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      r.sparse_x[rows[i]] = half.x[i];
      r.sparse_v[rows[i]] = half.v[i];
      r.sparse_a[rows[i]] = half.a[i];
    }
  }
}

}  // namespace bristle::identify
