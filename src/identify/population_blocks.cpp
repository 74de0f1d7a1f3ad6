#include "identify/blocks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace bristle::identify {
namespace {

/// Velocity over the interval that ends at a row, from positions.
std::vector<double> velocities(const Recording& r) {
  std::vector<double> v(r.t.size(), 0.0);
  for (std::size_t i = 1; i < v.size(); ++i) v[i] = (r.x[i] - r.x[i - 1]) / (r.t[i] - r.t[i - 1]);
  return v;
}

/// Rows of equal speed: first row and end, for each row its run.
struct Run {
  std::size_t begin, end;
};
std::vector<Run> constant_runs(const std::vector<double>& v) {
  std::vector<Run> out;
  for (std::size_t i = 1; i < v.size();) {
    std::size_t end = i + 1;
    while (end < v.size() && std::abs(v[end] - v[i]) <= 1e-3 * std::abs(v[i])) ++end;
    out.push_back({i, end});
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

std::vector<double> Blocks::weights() const {
  std::map<Block::Kind, double> count;
  for (const Block& b : all) ++count[b.kind];
  std::vector<double> out;
  for (const Block& b : all) out.push_back(1 / std::sqrt(count[b.kind]));
  return out;
}

Blocks make_blocks(const std::vector<Recording>& recordings, double wavelength) {
  Blocks out;
  using Key = std::tuple<int, std::size_t, int, int, int>;  // kind, recording and reversal, bin, sign v, sign dv
  std::map<Key, std::size_t> places;
  std::size_t offset = 0, part = 0;
  for (const Recording& r : recordings) {
    const std::vector<double> v = velocities(r);
    const std::vector<Run> runs = constant_runs(v);
    std::size_t run = 0;
    double travel = 0, sign = 0;
    ++part;
    for (std::size_t i = 1; i < v.size(); ++i) {
      while (run + 1 < runs.size() && i >= runs[run].end) ++run;
      if (v[i] == 0) continue;
      const double side = v[i] > 0 ? 1 : -1;
      if (side != sign) {
        if (sign != 0) ++out.reversals;
        ++part;
        travel = 0;
        sign = side;
      }
      const double before = travel;
      travel += std::abs(r.x[i] - r.x[i - 1]);
      out.travel = std::max(out.travel, travel);
      Key key;
      Block::Kind kind{};
      if (before + travel < 2 * wavelength) {
        kind = Block::Kind::presliding;
        key = {0, part, static_cast<int>(std::floor(before / (0.01 * wavelength) + 1e-9)), 0, 0};
      } else {
        const Run& whole = runs[run];
        const bool constant = whole.end - whole.begin >= 5;
        if (constant && static_cast<double>(i - whole.begin) < 0.3 * static_cast<double>(whole.end - whole.begin))
          continue;
        kind = constant ? Block::Kind::constant : Block::Kind::varying;
        const double change =
            i + 1 < v.size() ? std::abs(v[i + 1]) - std::abs(v[i - 1]) : std::abs(v[i]) - std::abs(v[i - 1]);
        key = {constant ? 1 : 2, 0, static_cast<int>(std::floor(8 * std::log10(std::abs(v[i])))),
               static_cast<int>(side), constant ? 0 : (change > 0 ? 1 : -1)};
      }
      const auto [at, fresh] = places.try_emplace(key, out.all.size());
      if (fresh) out.all.push_back({kind, {}});
      out.all[at->second].rows.push_back(offset + i);
    }
    offset += r.t.size();
  }
  return out;
}

}  // namespace bristle::identify
