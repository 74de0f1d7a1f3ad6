#include "report/sketch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/escape.hpp"

namespace bristle::report {
namespace {

constexpr std::array<const char*, 6> fills{"#9ecae1", "#fdbe85", "#a1d99b", "#dfb5cf", "#f2dd8c", "#c5c9d6"};
constexpr const char *ink = "#333", *ground_ink = "#777";

Point2 turned(double angle, Point2 p) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * p[0] - s * p[1], s * p[0] + c * p[1]};
}

}  // namespace

std::vector<Point2> hull_of(std::vector<Point2> p) {
  std::ranges::sort(p);
  p.erase(std::unique(p.begin(), p.end()), p.end());
  if (p.size() < 3) return p;
  auto left = [](Point2 a, Point2 b, Point2 c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 1e-9;
  };
  std::vector<Point2> out;
  for (int side = 0; side < 2; ++side) {
    const std::size_t begin = out.size();
    for (const Point2& q : p) {
      while (out.size() >= begin + 2 && !left(out[out.size() - 2], out.back(), q)) out.pop_back();
      out.push_back(q);
    }
    out.pop_back();
    std::ranges::reverse(p);
  }
  return out;
}

namespace {

std::string number(double x) { return fmt::format("{:.5g}", std::abs(x) < 1e-3 ? 0.0 : x); }
std::string at_point(char command, Point2 p) { return fmt::format("{}{} {}", command, number(p[0]), number(p[1])); }
std::string stroke(const char* color, double width) {
  return fmt::format(R"(fill="none" stroke="{}" stroke-width="{}")", color, number(width));
}

/// Short strokes on the side of a line that belongs to the ground; `along` and `into` are unit vectors.
std::string hatch(Point2 a, Point2 b, Point2 into, double size) {
  const double length = std::hypot(b[0] - a[0], b[1] - a[1]);
  const auto n = static_cast<int>(std::clamp(std::round(length / size), 2.0, 120.0));
  std::string d;
  for (int k = 0; k < n; ++k) {
    const double f = (k + 0.75) / n;
    const Point2 p{a[0] + f * (b[0] - a[0]), a[1] + f * (b[1] - a[1])};
    const Point2 back{(b[0] - a[0]) / length, (b[1] - a[1]) / length};
    d += at_point('M', p) +
         at_point('L', {p[0] + size * (into[0] - back[0]) * 0.7, p[1] + size * (into[1] - back[1]) * 0.7});
  }
  return d;
}

}  // namespace

const Mechanism* mechanism_of(const Scenario& scenario) {
  return dynamic_cast<const Mechanism*>(scenario.experiment.own.get());
}

std::vector<std::size_t> frames_of(const Trace& trace, std::size_t most) {
  const std::vector<double>& t = trace.columns.front().values;
  std::vector<std::size_t> out;
  const std::size_t n = std::min(most, t.size());
  for (std::size_t k = 0; k < n; ++k) {
    const double f = n > 1 ? static_cast<double>(k) / static_cast<double>(n - 1) : 0;
    const double wanted = t.front() + f * (t.back() - t.front());
    auto row = static_cast<std::size_t>(std::ranges::lower_bound(t, wanted) - t.begin());
    row = std::min(row, t.size() - 1);
    if (row > 0 && wanted - t[row - 1] < t[row] - wanted) --row;
    if (out.empty() || row > out.back()) out.push_back(row);
  }
  return out;
}

Sketch::Sketch(const Mechanism& mechanism, const Trace& trace, double width, double height, double line)
    : m_(mechanism), trace_(trace), line_(line), pad_(4 * line) {
  collect();
  fit(width, height);
}

Point2 Sketch::world(int body, Point2 p, std::size_t row) const {
  if (body < 0) return p;
  const std::size_t c = 1 + 6 * static_cast<std::size_t>(body);
  const auto value = [&](std::size_t k) { return trace_.columns[c + k].values[row]; };
  const Point2 r = turned(value(2), p);
  return {value(0) + r[0], value(1) + r[1]};
}

void Sketch::collect() {
  shapes_.resize(m_.bodies.size());
  auto in_frame = [&](int body, Point2 p) -> Point2 {
    if (body < 0) return p;
    const MechanismBody& b = m_.bodies[static_cast<std::size_t>(body)];
    return turned(-b.angle, {p[0] - b.position[0], p[1] - b.position[1]});
  };
  auto shape = [&](int body) -> Shape& { return body < 0 ? ground_ : shapes_[static_cast<std::size_t>(body)]; };
  auto angle = [&](int body) { return body < 0 ? 0 : m_.bodies[static_cast<std::size_t>(body)].angle; };
  for (Shape& s : shapes_) s.points.push_back({0, 0});
  for (const MechanismJoint& j : m_.joints) {
    const double axis = std::atan2(j.axis[1], j.axis[0]);
    const Column* s = trace_.find(j.name + ".s");
    double least = 0, most = 0;
    if (s && j.kind != JointKind::revolute) {
      const auto [lo, hi] = std::ranges::minmax(s->values);
      least = lo, most = hi;
    }
    const Point2 centre = j.second < 0 ? j.at : m_.bodies[static_cast<std::size_t>(j.second)].position;
    const double across = j.axis[0] * (centre[1] - j.at[1]) - j.axis[1] * (centre[0] - j.at[0]);
    if (j.kind == JointKind::rolling) {  // s is the slip distance: the rail follows the centre of the disk
      least = most = 0;
      const double c = std::cos(axis), n = std::sin(axis);
      for (const std::size_t row : frames_of(trace_, 200)) {
        const Point2 p = world(j.second, {0, 0}, row), q = world(j.first, in_frame(j.first, j.at), row);
        const double along = j.first < 0 ? c * (p[0] - q[0]) + n * (p[1] - q[1]) : 0;
        least = std::min(least, along), most = std::max(most, along);
      }
      least -= 1.2 * j.radius, most += 1.2 * j.radius;
      shape(j.second).radius = std::max(shape(j.second).radius, j.radius);
    }
    for (const bool first : {true, false}) {
      const int b = first ? j.first : j.second;
      Point2 p = in_frame(b, j.at);
      if (!first && j.kind == JointKind::rolling) p = {0, 0};
      shape(b).marks.push_back({&j, p, axis - angle(b), first, least, most, across < 0 ? -1 : 1});
      const bool rail = j.kind != JointKind::revolute && j.kind != JointKind::fixed;
      if (!(first && rail)) shape(b).points.push_back(p);
      if (!first && j.kind == JointKind::prismatic && b >= 0) {  // the block in the guide
        for (const double end : {-j.length / 2, j.length / 2})
          shape(b).corners.push_back({p[0] + end * std::cos(axis - angle(b)), p[1] + end * std::sin(axis - angle(b))});
      }
    }
  }
  for (const MechanismSpring& s : m_.springs) {
    if (s.joint >= 0) continue;
    springs_.push_back({s.first, s.second, in_frame(s.first, s.from), in_frame(s.second, s.to)});
    shape(s.first).points.push_back(springs_.back().from);
    shape(s.second).points.push_back(springs_.back().to);
  }
  for (const MechanismActuator& a : m_.actuators) {
    if (a.joint < 0) shape(a.body).points.push_back(in_frame(a.body, a.at));
  }
}

void Sketch::fit(double width, double height) {
  double lo[2]{inf, inf}, hi[2]{-inf, -inf};
  auto add = [&](Point2 p, double by = 0) {
    for (std::size_t k = 0; k < 2; ++k) {
      lo[k] = std::min(lo[k], p[k] - by);
      hi[k] = std::max(hi[k], p[k] + by);
    }
  };
  for (const std::size_t row : frames_of(trace_, 200)) {
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      for (const Point2& p : shapes_[i].points)
        add(world(static_cast<int>(i), p, row), p == Point2{} ? shapes_[i].radius : 0);
    }
  }
  auto ends = [](const Mark& m) {
    const double c = std::cos(m.direction), n = std::sin(m.direction);
    return std::array<Point2, 2>{Point2{m.at[0] + m.least * c, m.at[1] + m.least * n},
                                 Point2{m.at[0] + m.most * c, m.at[1] + m.most * n}};
  };
  for (const std::size_t row : frames_of(trace_, 50)) {
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      for (const Point2& p : shapes_[i].corners) add(world(static_cast<int>(i), p, row));
    }
  }
  for (const Point2& p : ground_.points) add(p);
  for (const Mark& m : ground_.marks) {
    if (!m.first) continue;
    for (const Point2& p : ends(m)) add(p);
  }
  for (const std::size_t row : frames_of(trace_, 50)) {
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      for (const Mark& m : shapes_[i].marks) {
        if (!m.first) continue;
        for (const Point2& p : ends(m)) add(world(static_cast<int>(i), p, row));
      }
    }
  }
  extent_ = std::max(hi[0] - lo[0], hi[1] - lo[1]);
  if (!(extent_ > 0) || !std::isfinite(extent_)) extent_ = 1;
  const double w = std::max(hi[0] - lo[0], 0.05 * extent_), h = std::max(hi[1] - lo[1], 0.05 * extent_);
  scale_ = std::min((width - 2 * pad_) / w, (height - 2 * pad_) / h);
  left_ = (lo[0] + hi[0] - w) / 2;
  top_ = (lo[1] + hi[1] + h) / 2;
  width_ = w * scale_ + 2 * pad_;
  height_ = h * scale_ + 2 * pad_;
}

std::vector<Line> Sketch::rail_lines(const Mark& m, Point2 at, double direction) const {
  const Point2 u{std::cos(direction), -std::sin(direction)}, n{std::sin(direction), std::cos(direction)};
  const double over = 3 * line_, from = m.least * scale_ - over, to = m.most * scale_ + over;
  const bool guide = m.of->kind == JointKind::prismatic;
  const double side = m.side;
  std::vector<Line> out;
  for (const double k : guide ? std::vector{1.0, -1.0} : std::vector{side}) {  // n points away from the body for side 1
    const double away = guide ? k * 1.6 * line_ : 0;
    out.push_back({{at[0] + from * u[0] + away * n[0], at[1] + from * u[1] + away * n[1]},
                   {at[0] + to * u[0] + away * n[0], at[1] + to * u[1] + away * n[1]},
                   {k * n[0], k * n[1]},
                   !guide || k > 0});
  }
  return out;
}

std::string Sketch::rail(const Mark& m, Point2 at, bool hatched) const {
  std::string d, lines;
  for (const Line& line : rail_lines(m, at, m.direction)) {
    d += at_point('M', line.a) + at_point('L', line.b);
    if (hatched && line.ground) lines += hatch(line.a, line.b, line.out, 1.6 * line_);
  }
  return fmt::format("<path {} d=\"{}\"/>{}", stroke(ink, 0.25 * line_), d,
                     lines.empty() ? "" : fmt::format("<path {} d=\"{}\"/>", stroke(ground_ink, 0.15 * line_), lines));
}

std::string Sketch::mark(const Mark& m, Point2 at, bool on_ground, const char* fill) const {
  const JointKind kind = m.of->kind;
  const std::string x = number(at[0]), y = number(at[1]);
  if (kind == JointKind::prismatic || kind == JointKind::rolling || kind == JointKind::point) {
    if (m.first) return rail(m, at, on_ground);
    if (on_ground || kind == JointKind::rolling) return "";
    if (kind == JointKind::point)
      return fmt::format(R"(<circle cx="{}" cy="{}" r="{}" fill="{}"/>)", x, y, number(0.4 * line_), ink);
    const double half = std::max(2.2 * line_, m.of->length * scale_ / 2);  // of the block in the guide
    return fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\" "
        "transform=\"translate({} {}) rotate({})\"/>",
        number(-half), number(-1.1 * line_), number(2 * half), number(2.2 * line_), fill, ink, number(0.25 * line_), x,
        y, number(-m.direction * 180 / std::numbers::pi));
  }
  if (kind == JointKind::fixed)
    return fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>)", number(at[0] - 0.5 * line_),
                       number(at[1] - 0.5 * line_), number(line_), number(line_), ink);
  std::string out;
  if (on_ground) {
    const Point2 a{at[0] - 1.4 * line_, at[1] + 2.2 * line_}, b{at[0] + 1.4 * line_, at[1] + 2.2 * line_};
    out = fmt::format(R"(<path fill="#fff" stroke="{}" stroke-width="{}" d="{}{}{}z"/><path {} d="{}"/>)", ink,
                      number(0.25 * line_), at_point('M', at), at_point('L', a), at_point('L', b),
                      stroke(ground_ink, 0.15 * line_), hatch(a, b, {0, 1}, line_));
  }
  return out + fmt::format(R"(<circle cx="{}" cy="{}" r="{}" fill="#fff" stroke="{}" stroke-width="{}"/>)", x, y,
                           number(0.55 * line_), ink, number(0.25 * line_));
}

std::string Sketch::ground() const {
  std::string out;
  for (const Mark& m : ground_.marks) out += mark(m, screen(m.at), true);
  for (const Spring& s : springs_) {
    for (const auto& [body, p] : {std::pair{s.first, s.from}, {s.second, s.to}}) {
      if (body >= 0) continue;
      const Point2 at = screen(p), a{at[0], at[1] + 1.6 * line_}, b{at[0], at[1] - 1.6 * line_};
      out += fmt::format(R"(<path {} d="{}{}"/>)", stroke(ink, 0.25 * line_), at_point('M', a), at_point('L', b));
    }
  }
  return out;
}

std::string Sketch::body(std::size_t i) const {
  const Shape& s = shapes_[i];
  const char* fill = fills[i % fills.size()];
  std::string out;
  for (const Mark& m : s.marks) {  // guides in the body lie below it
    if (m.first && m.of->kind != JointKind::revolute && m.of->kind != JointKind::fixed)
      out += mark(m, local(m.at), false);
  }
  if (s.radius > 0) {
    const double r = s.radius * scale_;
    out += fmt::format(R"(<circle r="{}" fill="{}" stroke="{}" stroke-width="{}"/><path {} d="M0 0L{} 0"/>)", number(r),
                       fill, ink, number(0.2 * line_), stroke(ink, 0.2 * line_), number(r));
  } else {
    std::vector<Point2> points;
    points.reserve(s.points.size());
    for (const Point2& p : s.points) points.push_back(local(p));
    points = hull_of(std::move(points));
    std::string d;
    for (const Point2& p : points) d += at_point(d.empty() ? 'M' : 'L', p);
    if (points.size() == 1) d += "h.01";
    if (points.size() > 2) d += 'z';
    for (const auto& [color, width] : {std::pair{ink, 2.2 * line_}, {fill, 1.8 * line_}})
      out += fmt::format(
          R"(<path fill="{}" stroke="{}" stroke-width="{}" stroke-linejoin="round" stroke-linecap="round" d="{}"/>)",
          color, color, number(width), d);
  }
  for (const Mark& m : s.marks) {
    const bool guide = m.first && m.of->kind != JointKind::revolute && m.of->kind != JointKind::fixed;
    if (!guide) out += mark(m, local(m.at), false, fill);
  }
  return out + fmt::format(R"(<circle r="{}" fill="{}"/>)", number(0.25 * line_), ink);  // centre of mass
}

Pose Sketch::pose(std::size_t i, std::size_t row) const {
  const Point2 at = screen(world(static_cast<int>(i), {0, 0}, row));
  return {at[0], at[1], -trace_.columns[3 + 6 * i].values[row] * 180 / std::numbers::pi};
}

std::string Sketch::springs(std::size_t row) const {
  std::string out;
  for (const Spring& s : springs_) {
    const Point2 a = screen(world(s.first, s.from, row)), b = screen(world(s.second, s.to, row));
    std::string d = at_point('M', a);
    const double length = std::max(std::hypot(b[0] - a[0], b[1] - a[1]), 1e-9);
    const Point2 n{-(b[1] - a[1]) / length * line_, (b[0] - a[0]) / length * line_};
    constexpr int turns = 12;
    for (int k = 1; k < turns; ++k) {
      const double f = 0.15 + 0.7 * (k - 0.5) / (turns - 1), side = k == 1 || k == turns - 1 ? 0 : k % 2 == 0 ? 1 : -1;
      d += at_point('L', {a[0] + f * (b[0] - a[0]) + side * n[0], a[1] + f * (b[1] - a[1]) + side * n[1]});
    }
    out += fmt::format(R"(<path class="spring" {} d="{}{}"/>)", stroke(ink, 0.25 * line_), d, at_point('L', b));
  }
  return out;
}

std::string Sketch::at(std::size_t row, bool named) const {
  std::string out = ground() + springs(row);
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const Pose p = pose(i, row);
    out += fmt::format("<g transform=\"translate({} {}) rotate({})\">{}</g>\n", number(p.x), number(p.y),
                       number(p.degrees), body(i));
  }
  return named ? out + names(row) : out;
}

}  // namespace bristle::report
