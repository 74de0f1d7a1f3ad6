#pragma once
#include <string>
#include <vector>

#include "bristle/mechanism.hpp"
#include "bristle/report.hpp"

/// Drawings of mechanisms: bodies through their joints and centres, disks, guides, springs and hatched ground.
namespace bristle::report {

/// nullptr: the scenario is not a mechanism.
const Mechanism* mechanism_of(const Scenario& scenario);

/// One body in the picture: x, y in points, angle clockwise in degrees.
struct Pose {
  double x{}, y{}, degrees{};
};

/// A straight line of a guide; `out` points away from the body, `ground`: hatched if the guide stands on ground.
struct Line {
  Point2 a, b, out;
  bool ground;
};

class Sketch {
 public:
  /// Lines have a width of `line` points; the picture fills a frame of at most this size.
  Sketch(const Mechanism& mechanism, const Trace& trace, double width, double height, double line);
  double width() const { return width_; }
  double height() const { return height_; }
  double scale() const { return scale_; }  // points per metre
  /// Without motion: hatched ground, guides, symbols of joints on ground.
  std::string ground() const;
  /// A body in its own frame.
  std::string body(std::size_t i) const;
  Pose pose(std::size_t i, std::size_t row) const;
  /// Springs between points, at a row.
  std::string springs(std::size_t row) const;
  std::string names(std::size_t row) const;
  /// All of it at one row; `named`: with the names of bodies and joints.
  std::string at(std::size_t row, bool named) const;
  /// A spring with its ends in the frames of its bodies.
  struct Spring {
    int first, second;
    Point2 from, to;
  };
  const std::vector<Spring>& spring_list() const { return springs_; }
  /// A point of a body relative to its pose, or of ground in the picture.
  Point2 place(int body, Point2 p) const { return body < 0 ? screen(p) : local(p); }

 private:
  struct Mark {  // a joint on a body or on ground
    const MechanismJoint* of;
    Point2 at;           // in the frame
    double direction;    // of the axis in the frame, rad
    bool first;          // the frame is that of the first body
    double least, most;  // range of s
    int side;            // of the second body, seen from the line
  };
  struct Shape {
    std::vector<Point2> points;   // in the frame
    std::vector<Point2> corners;  // beyond the points, for the size of the picture
    std::vector<Mark> marks;
    double radius = 0;  // of a disk
  };
  Point2 screen(Point2 world) const { return {(world[0] - left_) * scale_ + pad_, (top_ - world[1]) * scale_ + pad_}; }
  Point2 local(Point2 p) const { return {p[0] * scale_, -p[1] * scale_}; }
  Point2 world(int body, Point2 p, std::size_t row) const;
  void collect();
  void fit(double width, double height);
  std::string mark(const Mark& m, Point2 at, bool on_ground, const char* fill = "#fff") const;
  std::string rail(const Mark& m, Point2 at, bool hatched) const;
  std::vector<Line> rail_lines(const Mark& m, Point2 at, double direction) const;
  std::vector<Point2> drawn(std::size_t row) const;

  const Mechanism& m_;
  const Trace& trace_;
  double line_, pad_{}, width_{}, height_{}, scale_{1}, left_{}, top_{}, extent_{1};
  std::vector<Shape> shapes_{};  // of the bodies
  Shape ground_{};
  std::vector<Spring> springs_{};
};

/// Corners of the convex hull in order (Andrew's monotone chain).
std::vector<Point2> hull_of(std::vector<Point2> points);

/// Rows at equal times, first and last included.
std::vector<std::size_t> frames_of(const Trace& trace, std::size_t most);

/// A labelled picture at t = 0 above snapshots over time.
plot::Drawing drawing_of(const Mechanism& mechanism, const Trace& trace, double width, bool labelled = true);

/// A picture that moves: play, pause and time, by a script within the page.
std::string animation_html(const Mechanism& mechanism, const Trace& trace);

}  // namespace bristle::report
