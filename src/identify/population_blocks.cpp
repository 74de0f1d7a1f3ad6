#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "identify/blocks.hpp"

namespace bristle::identify {
namespace {

constexpr double per_decade = 8;
int decade_bin(double x) { return static_cast<int>(std::floor(per_decade * std::log10(x))); }

/// Velocity over the interval that ends at a row, from positions.
std::vector<double> velocities(const Recording& r) {
  std::vector<double> v(r.t.size(), 0.0);
  for (std::size_t i = 1; i < v.size(); ++i) v[i] = (r.x[i] - r.x[i - 1]) / (r.t[i] - r.t[i - 1]);
  return v;
}

/// For each row the end of the run of equal velocities that it belongs to.
std::vector<std::size_t> ends_of_runs(const std::vector<double>& v) {
  std::vector<std::size_t> out(v.size(), 1);
  for (std::size_t i = 1; i < v.size();) {
    std::size_t end = i + 1;
    while (end < v.size() && std::abs(v[end] - v[i]) <= 1e-3 * std::abs(v[i])) ++end;
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(i), out.begin() + static_cast<std::ptrdiff_t>(end), end);
    i = end;
  }
  return out;
}

}  // namespace

std::vector<double> Blocks::means(std::span<const double> F) const {
  std::vector<double> out;
  out.reserve(all.size());
  for (const Block& b : all) {
    double sum = 0;
    for (const std::size_t r : b.rows) sum += F[r];
    out.push_back(sum / static_cast<double>(b.rows.size()));
  }
  return out;
}

Blocks make_blocks(const std::vector<Recording>& recordings) {
  Blocks out;
  using Key = std::tuple<Block::Kind, std::size_t, int, int, int>;  // kind, part, bin, sign v, sign dv
  std::map<Key, std::size_t> places;
  auto put = [&](const Key& key, std::size_t row, double travel) {
    const auto [at, fresh] = places.try_emplace(key, out.all.size());
    if (fresh) out.all.push_back({std::get<0>(key), {}});
    Block& block = out.all[at->second];
    block.rows.push_back(row);
    block.travel = travel;
  };
  std::size_t offset = 0, part = 0;
  for (const Recording& r : recordings) {
    const std::vector<double> v = velocities(r);
    const std::vector<std::size_t> ends = ends_of_runs(v);
    double travel = 0, sign = 0;
    bool was_constant = false;
    std::size_t run = 0;
    ++part;
    for (std::size_t i = 1; i < v.size(); ++i) {
      if (v[i] == 0) continue;
      const double side = v[i] > 0 ? 1 : -1;
      const bool fresh = i == 1 || ends[i] != ends[i - 1];
      if (fresh) run = i;
      const bool constant = ends[i] - run >= 5;
      if (side != sign && sign != 0) ++out.reversals;
      if (side != sign || constant != was_constant || (constant && fresh)) {
        ++part;
        travel = 0;
      }
      sign = side;
      was_constant = constant;
      const double moved = std::abs(r.x[i] - r.x[i - 1]);
      travel += moved;
      put({Block::Kind::travel, part, decade_bin(travel - 0.5 * moved), 0, 0}, offset + i, travel);
      if (constant) continue;
      const double change = std::abs(v[std::min(i + 1, v.size() - 1)]) - std::abs(v[i - 1]);
      put({Block::Kind::speed, 0, decade_bin(std::abs(v[i])), static_cast<int>(side), change > 0 ? 1 : -1}, offset + i,
          travel);
    }
    offset += r.t.size();
  }
  return out;
}

std::size_t sliding_speeds(const std::vector<Recording>& recordings, double travel) {
  std::map<int, int> rows;
  for (const Recording& r : recordings) {
    double since = 0, sign = 0;
    for (std::size_t i = 1; i < r.t.size(); ++i) {
      const double dx = r.x[i] - r.x[i - 1];
      if (dx == 0) continue;
      if (dx * sign < 0) since = 0;
      sign = dx;
      since += std::abs(dx);
      if (since > travel) ++rows[decade_bin(std::abs(dx) / (r.t[i] - r.t[i - 1]))];
    }
  }
  return static_cast<std::size_t>(std::ranges::count_if(rows, [](const auto& bin) { return bin.second >= 5; }));
}

}  // namespace bristle::identify
