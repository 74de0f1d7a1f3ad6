#include "legend.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bristle::plot {
namespace {

constexpr double cell = 2, inset = 5, clearance = 3, padding = 3, entry_gap = 12;  // pt

}  // namespace

Occupancy::Occupancy(double width, double height)
    : width_{width},
      height_{height},
      columns_{static_cast<std::size_t>(width / cell) + 1},
      rows_{static_cast<std::size_t>(height / cell) + 1},
      taken_(columns_ * rows_) {}

std::size_t Occupancy::index(double v, std::size_t n) const {
  return std::min(static_cast<std::size_t>(std::max(0.0, v) / cell), n - 1);
}

void Occupancy::take(const Box& box) {
  if (box.right() < 0 || box.bottom() < 0 || box.x > width_ || box.y > height_) return;
  for (std::size_t row = index(box.y, rows_); row <= index(box.bottom(), rows_); ++row) {
    for (std::size_t column = index(box.x, columns_); column <= index(box.right(), columns_); ++column)
      taken_[row * columns_ + column] = true;
  }
}

void Occupancy::take(const Polyline& line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const Point a = line[i > 0 ? i - 1 : 0], b = line[i];
    const int steps = 1 + static_cast<int>(std::hypot(b.x - a.x, b.y - a.y) / (cell / 2));
    for (int k = 1; k <= steps; ++k) take(Box{a.x + (b.x - a.x) * k / steps, a.y + (b.y - a.y) * k / steps, 0, 0});
  }
}

void Occupancy::take_area(const Polyline& outline) {
  if (outline.empty()) return;
  for (double x = cell / 2; x < width_; x += cell) {  // marks cells between the crossings of each column
    std::vector<double> crossings;
    for (std::size_t i = 0; i < outline.size(); ++i) {
      const Point &a = outline[i], &b = outline[(i + 1) % outline.size()];
      if ((a.x <= x) != (b.x <= x)) crossings.push_back(a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x));
    }
    std::sort(crossings.begin(), crossings.end());
    for (std::size_t i = 0; i + 1 < crossings.size(); i += 2)
      take(Box{x, crossings[i], 0, crossings[i + 1] - crossings[i]});
  }
}

bool Occupancy::free(const Box& box) const {
  if (box.x < 0 || box.y < 0 || box.right() > width_ || box.bottom() > height_) return false;
  for (std::size_t row = index(box.y, rows_); row <= index(box.bottom(), rows_); ++row) {
    for (std::size_t column = index(box.x, columns_); column <= index(box.right(), columns_); ++column) {
      if (taken_[row * columns_ + column]) return false;
    }
  }
  return true;
}

void arrange(Legend& legend, std::size_t columns) {
  const std::size_t n = legend.entries.size(), rows = (n + columns - 1) / columns;
  std::vector<double> heights(rows, legend_leading), tops(rows + 1, padding);
  for (std::size_t i = 0; i < n; ++i) {
    double& h = heights[i % rows];
    h = std::max(h, legend_leading * static_cast<double>(legend.entries[i].lines.size()));
  }
  for (std::size_t row = 0; row < rows; ++row) tops[row + 1] = tops[row] + heights[row];
  legend.places.assign(n, {});
  double x = padding;
  for (std::size_t begin = 0; begin < n; begin += rows) {
    double widest = 0;
    for (std::size_t i = begin; i < std::min(begin + rows, n); ++i) {
      for (const std::string& line : legend.entries[i].lines) widest = std::max(widest, text_width(line, legend_font));
      legend.places[i] = {x, tops[i - begin]};
    }
    x += sample_length + sample_gap + widest + entry_gap;
  }
  legend.box = {0, 0, x - entry_gap + padding, tops.back() + padding};
}

std::optional<Box> find_place(const Occupancy& taken, double width, double height, const Box& wanted) {
  const double right = width - inset - wanted.w, bottom = height - inset - wanted.h;
  if (right < inset || bottom < inset) return {};
  const auto fits = [&](double x, double y) {
    return taken.free({x - clearance, y - clearance, wanted.w + 2 * clearance, wanted.h + 2 * clearance});
  };
  const auto at = [&](double x, double y) { return Box{x, y, wanted.w, wanted.h}; };
  const std::array<Point, 4> corners = {{{right, inset}, {inset, inset}, {right, bottom}, {inset, bottom}}};
  for (const auto& [x, y] : corners) {
    if (fits(x, y)) return at(x, y);
  }
  constexpr double stride = 2 * cell;
  for (const double y : {inset, bottom}) {
    for (double x = right; x > inset; x -= stride) {
      if (fits(x, y)) return at(x, y);
    }
  }
  for (const double x : {right, inset}) {
    for (double y = inset; y < bottom; y += stride) {
      if (fits(x, y)) return at(x, y);
    }
  }
  return {};
}

void place(Legend& legend, const Occupancy& taken, double width, double height) {
  const std::size_t n = legend.entries.size();
  if (n == 0) return;
  for (std::size_t columns = 1; columns <= n; ++columns) {
    arrange(legend, columns);
    if (const auto box = find_place(taken, width, height, legend.box)) {
      legend.box = *box;
      return;
    }
  }
  legend.above = true;
  for (std::size_t columns = n; columns > 0; --columns) {
    arrange(legend, columns);
    if (legend.box.w <= width) break;
  }
  legend.box.x = std::max(0.0, width - legend.box.w);
}

}  // namespace bristle::plot
