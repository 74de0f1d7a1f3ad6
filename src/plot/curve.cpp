#include "curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace bristle::plot {
namespace {

constexpr double column_width = 0.5;       // pt; a dot at 150 dpi
constexpr double fine = 0.04;              // pt; a dot at 1800 dpi
constexpr std::size_t many_points = 8000;  // about 100 kB
constexpr std::size_t many_markers = 2500;

bool never_turns(const Polyline& line) {
  const auto later = [](const Point& a, const Point& b) { return a.x < b.x; };
  const auto earlier = [](const Point& a, const Point& b) { return a.x > b.x; };
  return std::is_sorted(line.begin(), line.end(), later) || std::is_sorted(line.begin(), line.end(), earlier);
}

bool inside(const Box& box, const Point& p) {
  constexpr double rounding = 1e-6;
  return p.x >= box.x - rounding && p.x <= box.right() + rounding && p.y >= box.y - rounding &&
         p.y <= box.bottom() + rounding;
}

/// Cells of a box, each of which can be marked once.
class Cells {
 public:
  Cells(const Box& box, double size)
      : box_{box}, size_{size}, columns_{at(box.w) + 1}, taken_(columns_ * (at(box.h) + 1)) {}
  bool taken(const Point& p) const { return taken_[index(p)]; }
  void take(const Point& p) { taken_[index(p)] = true; }
  void take_around(const Point& p) {
    for (const double dy : {-size_, 0.0, size_}) {
      for (const double dx : {-size_, 0.0, size_}) take({p.x + dx, p.y + dy});
    }
  }

 private:
  std::size_t at(double v) const { return static_cast<std::size_t>(std::max(0.0, v) / size_); }
  std::size_t index(const Point& p) const {
    return std::min(at(p.y - box_.y) * columns_ + std::min(at(p.x - box_.x), columns_ - 1), taken_.size() - 1);
  }
  Box box_;
  double size_;
  std::size_t columns_;
  std::vector<bool> taken_;
};

/// A curve that fills areas, without pieces covered by the width of others.
std::vector<Polyline> without_hidden(const std::vector<Polyline>& parts, const Box& box, double width) {
  const double dense = within(0.2 * width, 0.1, 4);
  Cells cells{box, dense};
  std::vector<Polyline> out;
  for (const Polyline& part : parts) {
    bool open = false;
    for (std::size_t i = 1; i < part.size(); ++i) {
      const Point &a = part[i - 1], &b = part[i];
      const int steps = 1 + static_cast<int>(std::hypot(b.x - a.x, b.y - a.y) / dense);
      const auto along = [&](int k) { return Point{a.x + (b.x - a.x) * k / steps, a.y + (b.y - a.y) * k / steps}; };
      bool hidden = true;
      for (int k = 1; k <= steps && hidden; ++k) hidden = cells.taken(along(k));
      for (int k = 1; k <= steps && !hidden; ++k) cells.take_around(along(k));
      if (!hidden && !open) out.push_back({a});
      if (!hidden) out.back().push_back(b);
      open = !hidden;
    }
  }
  return out;
}

}  // namespace

std::vector<Polyline> runs(const std::vector<double>& x, const std::vector<double>& y, const Scale& sx, const Scale& sy,
                           bool steps) {
  std::vector<Polyline> out;
  bool gap = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Point p{sx(x[i]), sy(y[i])};
    if (std::isnan(p.x) || std::isnan(p.y)) {
      gap = true;
      continue;
    }
    if (gap)
      out.emplace_back();
    else if (steps)
      out.back().push_back({p.x, out.back().back().y});
    out.back().push_back(p);
    gap = false;
  }
  return out;
}

Polyline thin_columns(Polyline line) {
  if (!never_turns(line)) return line;
  const auto column = [](const Point& p) { return std::floor(p.x / column_width); };
  const auto lower = [](const Point& a, const Point& b) { return a.y < b.y; };
  auto to = line.begin();
  for (auto from = line.begin(); from != line.end();) {
    auto end = from;
    for (const double c = column(*from); end != line.end() && column(*end) == c;) ++end;
    const auto [low, high] = std::minmax_element(from, end, lower);
    std::array keep = {from, std::min(low, high), std::max(low, high), end - 1};
    const auto last = std::unique(keep.begin(), keep.end());
    for (auto k = keep.begin(); k != last; ++k) *to++ = **k;
    from = end;
  }
  line.erase(to, line.end());
  return line;
}

Polyline simplify(const Polyline& line, double tolerance) {
  if (line.size() < 3) return line;
  Polyline out{line.front()};
  // From the last kept point, lines within a wedge of directions pass all later points within the tolerance. A point
  // outside the wedge, or nearer than its predecessors, starts a new line at its predecessor.
  double heading = 0, left = 0, right = 0, farthest = 0;
  for (std::size_t i = 1; i < line.size(); ++i) {
    for (;;) {
      const Point& a = out.back();
      const double dx = line[i].x - a.x, dy = line[i].y - a.y, d = std::hypot(dx, dy);
      if (farthest == 0) {
        if (d <= tolerance) break;
        heading = std::atan2(dy, dx);
        left = right = std::asin(tolerance / d);
        farthest = d;
        break;
      }
      const double turn = std::remainder(std::atan2(dy, dx) - heading, 2 * std::numbers::pi);
      if (d < farthest || turn > left || turn < -right) {
        out.push_back(line[i - 1]);
        farthest = 0;
        continue;
      }
      const double half = std::asin(std::min(1.0, tolerance / d));
      left = std::min(left, turn + half);
      right = std::min(right, half - turn);
      farthest = d;
      break;
    }
  }
  out.push_back(line.back());
  return out;
}

void clip_line(const Polyline& line, const Box& box, std::vector<Polyline>& out) {
  bool open = false;
  if (line.size() == 1 && inside(box, line[0])) out.push_back(line);
  for (std::size_t i = 1; i < line.size(); ++i) {
    const Point &a = line[i - 1], &b = line[i];
    const double dx = b.x - a.x, dy = b.y - a.y;
    double from = 0, to = 1;  // Liang and Barsky: the part of the segment inside each edge
    const std::array<std::pair<double, double>, 4> edges = {
        {{-dx, a.x - box.x}, {dx, box.right() - a.x}, {-dy, a.y - box.y}, {dy, box.bottom() - a.y}}};
    for (const auto& [step, room] : edges) {
      if (step == 0 && room < 0) to = -1;
      if (step < 0) from = std::max(from, room / step);
      if (step > 0) to = std::min(to, room / step);
    }
    if (from > to) {
      open = false;
      continue;
    }
    if (!open || from > 0) out.push_back({{a.x + from * dx, a.y + from * dy}});
    out.back().push_back(to < 1 ? Point{a.x + to * dx, a.y + to * dy} : b);
    open = to >= 1;
  }
}

Polyline clip_area(Polyline polygon, const Box& box) {
  const auto cut = [&](auto room) {  // Sutherland and Hodgman: keeps where room(p) >= 0
    Polyline out;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Point &a = polygon[i == 0 ? polygon.size() - 1 : i - 1], &b = polygon[i];
      const double ra = room(a), rb = room(b);
      if ((ra < 0) != (rb < 0)) {
        const double s = ra / (ra - rb);
        out.push_back({a.x + s * (b.x - a.x), a.y + s * (b.y - a.y)});
      }
      if (rb >= 0) out.push_back(b);
    }
    polygon = std::move(out);
  };
  cut([&](const Point& p) { return p.x - box.x; });
  cut([&](const Point& p) { return box.right() - p.x; });
  cut([&](const Point& p) { return p.y - box.y; });
  cut([&](const Point& p) { return box.bottom() - p.y; });
  return polygon;
}

std::vector<Polyline> curve(const Series& series, const Scale& sx, const Scale& sy, const Box& box) {
  std::vector<Polyline> parts;
  for (Polyline& run : runs(series.x, series.y, sx, sy, series.style == Style::steps))
    clip_line(thin_columns(std::move(run)), box, parts);
  std::size_t points = 0;
  for (Polyline& p : parts) {
    p = simplify(p, fine);
    points += p.size();
  }
  return points > many_points ? without_hidden(parts, box, series.width) : parts;
}

std::vector<Polyline> area(const Band& band, const Scale& sx, const Scale& sy, const Box& box) {
  // A gap in one of the two edges is a gap in the band.
  std::vector<double> lo = band.lo, hi = band.hi;
  for (std::size_t i = 0; i < lo.size(); ++i) {
    if (std::isnan(sy(lo[i]))) hi[i] = sy(lo[i]);
    if (std::isnan(sy(hi[i]))) lo[i] = sy(hi[i]);
  }
  std::vector<Polyline> below = runs(band.x, lo, sx, sy), above = runs(band.x, hi, sx, sy), out;
  for (std::size_t i = 0; i < below.size(); ++i) {
    Polyline outline = simplify(thin_columns(std::move(above[i])), fine);
    const Polyline back = simplify(thin_columns(std::move(below[i])), fine);
    outline.insert(outline.end(), back.rbegin(), back.rend());
    out.push_back(clip_area(std::move(outline), box));
  }
  return out;
}

Polyline markers(const Series& series, const Scale& sx, const Scale& sy, const Box& box) {
  Polyline points;
  for (const Polyline& run : runs(series.x, series.y, sx, sy))
    std::copy_if(run.begin(), run.end(), std::back_inserter(points), [&](const Point& p) { return inside(box, p); });
  for (double cell = 0.25; points.size() > many_markers && cell < 5; cell *= 2) {
    Cells cells{box, cell};
    std::erase_if(points, [&](const Point& p) {
      if (cells.taken(p)) return true;
      cells.take(p);
      return false;
    });
  }
  return points;
}

}  // namespace bristle::plot
