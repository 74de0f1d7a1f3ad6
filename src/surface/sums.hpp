#pragma once
#include <vector>

#include "bristle/surface.hpp"

/// Sums over a grid, row by row, so that the number of threads does not matter.
namespace bristle::surface {

struct Field {
  const Heights& h;
  const std::vector<char>& measured;  // empty: all
  unsigned threads;

  bool at(std::size_t k) const { return measured.empty() || measured[k] != 0; }
};

struct HeightSums {
  double mean{}, mean_removed{}, Sa{}, Sq{}, Ssk{}, Sku{}, lowest{}, highest{};
};
/// Statistics of heights, above their mean if `centred`.
HeightSums height_sums(const Field& f, bool centred);

struct Slopes {
  double m2_x{}, m2_y{}, m4_x{}, m4_y{};  // eq. (2)
  double Sdq{};                           // from the slope of 7 points
};
Slopes slope_sums(const Field& f);

std::vector<Summit> find_summits(const Field& f);

/// Mean one-sided spectrum along x, at about equal steps of ln q.
void spectrum(const Field& f, std::vector<double>& q, std::vector<double>& C);

}  // namespace bristle::surface
