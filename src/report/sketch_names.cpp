#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/escape.hpp"
#include "report/sketch.hpp"

/// Names of bodies and joints in the picture of a mechanism, away from its lines.
namespace bristle::report {
namespace {

constexpr double name_size = 7.5;  // of the texts, pt

struct TextBox {
  double left, top, right, bottom;
  bool contains(Point2 p) const { return p[0] > left && p[0] < right && p[1] > top && p[1] < bottom; }
  bool meets(const TextBox& b) const { return left < b.right && right > b.left && top < b.bottom && bottom > b.top; }
};

void append_segment(std::vector<Point2>& out, Point2 a, Point2 b) {
  const int n = 1 + static_cast<int>(std::hypot(b[0] - a[0], b[1] - a[1]) / 1.5);
  for (int k = 0; k <= n; ++k) {
    const double f = static_cast<double>(k) / n;
    out.push_back({a[0] + f * (b[0] - a[0]), a[1] + f * (b[1] - a[1])});
  }
}

/// Both sides of a thick line.
void append_sides(std::vector<Point2>& out, Point2 a, Point2 b, double half) {
  const double length = std::max(std::hypot(b[0] - a[0], b[1] - a[1]), 1e-9);
  const Point2 n{-(b[1] - a[1]) / length * half, (b[0] - a[0]) / length * half};
  append_segment(out, {a[0] + n[0], a[1] + n[1]}, {b[0] + n[0], b[1] + n[1]});
  append_segment(out, {a[0] - n[0], a[1] - n[1]}, {b[0] - n[0], b[1] - n[1]});
}

}  // namespace

/// Points along the drawn lines.
std::vector<Point2> Sketch::drawn(std::size_t row) const {
  std::vector<Point2> out;
  const auto add_rails = [&](const Shape& s, int body) {
    const double angle = body < 0 ? 0 : trace_.columns[3 + 6 * static_cast<std::size_t>(body)].values[row];
    for (const Mark& m : s.marks) {
      if (m.of->kind == JointKind::revolute || m.of->kind == JointKind::fixed) continue;
      const Point2 at = screen(world(body, m.at, row));
      const double direction = m.direction + angle;
      if (m.first) {
        for (const Line& line : rail_lines(m, at, direction)) {
          append_segment(out, line.a, line.b);
          const double deep = body < 0 && line.ground ? line_ : 0;  // hatching
          if (deep > 0) append_sides(out, line.a, line.b, deep);
        }
      } else if (m.of->kind == JointKind::prismatic && body >= 0) {  // the block
        const double half = std::max(2.2 * line_, m.of->length * scale_ / 2);
        const Point2 u{half * std::cos(direction), -half * std::sin(direction)};
        append_sides(out, {at[0] - u[0], at[1] - u[1]}, {at[0] + u[0], at[1] + u[1]}, 1.1 * line_);
      }
    }
  };
  add_rails(ground_, -1);
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const Shape& s = shapes_[i];
    const int body = static_cast<int>(i);
    add_rails(s, body);
    const Point2 centre = screen(world(body, {0, 0}, row));
    constexpr int parts = 60;
    for (int k = 0; k < parts && s.radius > 0; ++k) {
      const double turn = 2 * std::numbers::pi * k / parts;
      out.push_back({centre[0] + s.radius * scale_ * std::cos(turn), centre[1] + s.radius * scale_ * std::sin(turn)});
    }
    if (s.radius > 0) continue;
    std::vector<Point2> hull;
    for (const Point2& p : s.points) hull.push_back(screen(world(body, p, row)));
    hull = hull_of(std::move(hull));
    for (std::size_t k = 0; k < hull.size(); ++k) append_sides(out, hull[k], hull[(k + 1) % hull.size()], 1.1 * line_);
  }
  for (const Spring& s : springs_)
    append_sides(out, screen(world(s.first, s.from, row)), screen(world(s.second, s.to, row)), line_);
  return out;
}

std::string Sketch::names(std::size_t row) const {
  if (m_.bodies.size() + m_.joints.size() > 24) return "";
  std::string out;
  std::vector<TextBox> taken;
  const std::vector<Point2> lines = drawn(row);
  auto write = [&](Point2 point, const std::string& text, const char* color) {
    constexpr int rounds = 7;
    const double wide = 0.6 * name_size * static_cast<double>(text.size());
    Point2 best{};
    double least = inf;
    bool far = false;
    for (int k = 0; k < 8 * rounds; ++k) {  // around the point: off other names, in the picture, off lines, near
      const double away = 1.8 * line_ + 5 * (k / 8), turn = (k % 8) * std::numbers::pi / 4 - 0.6;
      const double shift = std::cos(turn) < -0.3 ? wide : std::cos(turn) < 0.3 ? wide / 2 : 0;
      const Point2 at{point[0] + away * std::cos(turn) - shift, point[1] + away * std::sin(turn) + name_size / 3};
      const TextBox box{at[0] - 1, at[1] - 0.8 * name_size - 1, at[0] + wide + 1, at[1] + 2};
      const bool outside = at[0] < 0 || at[0] + wide > width_ || at[1] < name_size || at[1] > height_;
      const auto names = std::ranges::count_if(taken, [&](const TextBox& b) { return b.meets(box); });
      const auto crossed = std::ranges::count_if(lines, [&](Point2 p) { return box.contains(p); });
      const double cost = 1000.0 * static_cast<double>(names) + (outside ? 500 : 0) +
                          4 * std::sqrt(static_cast<double>(crossed)) + 0.4 * away;
      if (cost >= least) continue;
      least = cost;
      best = at;
      far = k >= 8;
    }
    taken.push_back({best[0] - 2, best[1] - name_size - 1, best[0] + wide + 2, best[1] + 2});
    if (far) {  // a line to the point
      const Point2 end{std::clamp(point[0], best[0], best[0] + wide),
                       std::clamp(point[1], best[1] - name_size, best[1] + 1)};
      out += fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"0.4\" d=\"M{:.5g} {:.5g}L{:.5g} {:.5g}\"/>",
                         color, point[0], point[1], end[0], end[1]);
    }
    out +=
        fmt::format("<text x=\"{:.5g}\" y=\"{:.5g}\" font-size=\"{}\" fill=\"{}\" stroke=\"#fff\" stroke-width=\"2\" "
                    "paint-order=\"stroke\">{}</text>",
                    best[0], best[1], name_size, color, escape(text));
  };
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const Pose p = pose(i, row);
    write({p.x, p.y}, m_.bodies[i].name, "#222");
  }
  for (const MechanismJoint& j : m_.joints) {
    const Shape& s = j.second < 0 ? ground_ : shapes_[static_cast<std::size_t>(j.second)];
    for (const Mark& mark : s.marks) {
      if (mark.of == &j && !mark.first) {
        const Point2 p = j.kind == JointKind::rolling ? j.at : world(j.second, mark.at, row);
        write(screen(p), j.name, "#0b5fa5");
      }
    }
  }
  return out;
}

}  // namespace bristle::report
