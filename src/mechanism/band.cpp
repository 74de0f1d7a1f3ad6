#include "mechanism/band.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

#include "bristle/scalar.hpp"

namespace bristle::mechanism {
namespace {

/// Reverse Cuthill-McKee.
std::vector<std::size_t> ordering(const std::vector<std::vector<std::size_t>>& near) {
  const std::size_t n = near.size();
  std::vector<std::size_t> order;
  std::vector<char> seen(n);
  auto walk = [&](std::size_t from, bool keep) {  // breadth first; returns the last one reached
    std::vector<char> here = seen;
    std::queue<std::size_t> next;
    next.push(from);
    here[from] = 1;
    std::size_t last = from;
    while (!next.empty()) {
      last = next.front();
      next.pop();
      if (keep) order.push_back(last);
      std::vector<std::size_t> more;
      for (const std::size_t j : near[last]) {
        if (!here[j]) {
          here[j] = 1;
          more.push_back(j);
        }
      }
      std::sort(more.begin(), more.end(), [&](std::size_t a, std::size_t b) {
        return near[a].size() != near[b].size() ? near[a].size() < near[b].size() : a < b;
      });
      for (const std::size_t j : more) next.push(j);
    }
    if (keep) seen = here;
    return last;
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (!seen[i]) walk(walk(walk(i, false), false), true);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace

void BandMatrix::shape(const std::vector<std::vector<std::size_t>>& neighbours) {
  n_ = neighbours.size();
  std::vector<std::vector<std::size_t>> near(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    for (const std::size_t j : neighbours[i]) {
      if (j == i) continue;
      near[i].push_back(j);
      near[j].push_back(i);
    }
  }
  for (auto& list : near) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  unknown_ = ordering(near);
  place_.resize(n_);
  for (std::size_t i = 0; i < n_; ++i) place_[unknown_[i]] = i;
  k_ = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    for (const std::size_t j : near[i]) k_ = std::max(k_, place_[i] > place_[j] ? place_[i] - place_[j] : 0);
  }
  width_ = 3 * k_ + 1;
  a_.assign(n_ * width_, 0);
  size_.assign(n_, 0);
  natural_.assign(n_, 0);
  scale_.assign(n_, 1);
  pivot_.assign(n_, 0);
  x_.assign(n_, 0);
  reach_.assign(n_, 0);
  inverse_.assign(n_, 0);
  begin_.assign(n_ + 1, 0);
}

void BandMatrix::clear() { std::fill(a_.begin(), a_.end(), 0.0); }

bool BandMatrix::factor() {
  sign_ = 1;
  double& weakest = least_ = inf;
  for (std::size_t i = 0; i < n_; ++i) {
    const double* row = &a_[i * width_];
    size_[i] = natural_[i] = 0;
    reach_[i] = i;
    const std::size_t begin = i < k_ ? k_ - i : 0, end = std::min(n_ - 1 + k_ - i, 2 * k_);  // no fill-in yet
    for (std::size_t c = begin; c <= end; ++c) {
      if (row[c] == 0) continue;
      size_[i] = std::max(size_[i], std::abs(row[c]));
      natural_[i] = std::max(natural_[i], std::abs(row[c]) * scale_[i + c - k_]);
      reach_[i] = std::max(reach_[i], i + c - k_);
      if (std::isnan(row[c])) size_[i] = inf;
    }
    if (!(size_[i] > 0) || !std::isfinite(size_[i])) {
      weakest_ = unknown_[i];
      least_ = 0;
      return false;
    }
    size_[i] = 1 / size_[i];
  }
  lower_.clear();
  for (std::size_t j = 0; j < n_; ++j) {  // column j of row i is at j + k - i
    const std::size_t last = std::min(n_ - 1, j + k_);
    std::size_t best = j;
    double most = -1;
    for (std::size_t i = j; i <= last; ++i) {
      const double x = std::abs(a_[i * width_ + (j + k_ - i)]) * size_[i];
      if (x > most) most = x, best = i;
    }
    const double pivot = std::abs(a_[best * width_ + (j + k_ - best)]) * scale_[j] / natural_[best];
    if (pivot < weakest) weakest = pivot, weakest_ = unknown_[j];
    if (!(pivot > 1e-14)) return false;
    pivot_[j] = best;
    if (best != j) {
      sign_ = -sign_;
      for (std::size_t c = j; c <= std::max(reach_[best], reach_[j]); ++c)
        std::swap(a_[best * width_ + (c + k_ - best)], a_[j * width_ + (c + k_ - j)]);
      std::swap(size_[best], size_[j]);
      std::swap(natural_[best], natural_[j]);
      std::swap(reach_[best], reach_[j]);
    }
    const double* pivot_row = &a_[j * width_ + k_];
    if (pivot_row[0] < 0) sign_ = -sign_;
    const double inverse = inverse_[j] = 1 / pivot_row[0];
    const std::size_t right = reach_[j];
    begin_[j] = lower_.size();
    for (std::size_t i = j + 1; i <= last; ++i) {
      double* row = &a_[i * width_ + (j + k_ - i)];
      if (row[0] == 0) continue;
      const double m = row[0] * inverse;
      lower_.push_back({i, m});
      reach_[i] = std::max(reach_[i], right);
      for (std::size_t c = 1; c <= right - j; ++c) row[c] -= m * pivot_row[c];
    }
  }
  begin_[n_] = lower_.size();
  return true;
}

void BandMatrix::solve(double* x) const {
  for (std::size_t i = 0; i < n_; ++i) x_[i] = x[unknown_[i]];
  for (std::size_t j = 0; j < n_; ++j) {
    if (pivot_[j] != j) std::swap(x_[j], x_[pivot_[j]]);
    const double at = x_[j];
    if (at == 0) continue;
    for (std::size_t e = begin_[j]; e < begin_[j + 1]; ++e) x_[lower_[e].row] -= lower_[e].factor * at;
  }
  for (std::size_t j = n_; j-- > 0;) {
    const double* row = &a_[j * width_ + k_];
    const double* at = &x_[j];
    const std::size_t last = reach_[j] - j;
    double sum = 0, other = 0;  // two chains of additions
    for (std::size_t c = last; c > 1; c -= 2) {
      sum += row[c] * at[c];
      other += row[c - 1] * at[c - 1];
    }
    if (last % 2 == 1) sum += row[1] * at[1];
    x_[j] = (x_[j] - (sum + other)) * inverse_[j];
  }
  for (std::size_t i = 0; i < n_; ++i) x[unknown_[i]] = x_[i];
}

}  // namespace bristle::mechanism
