#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text.hpp"

/// Elements of SVG. Lengths in points (1/72 inch), x to the right, y downwards.
namespace bristle::plot {

struct Point {
  double x{}, y{};
};
using Polyline = std::vector<Point>;

struct Box {
  double x{}, y{}, w{}, h{};
  double right() const { return x + w; }
  double bottom() const { return y + h; }
};

/// Clamps a number; NaN becomes lo.
inline double within(double v, double lo, double hi) { return v > lo ? (v < hi ? v : hi) : lo; }

/// Two decimals, no exponent, independent of the locale.
inline void append(std::string& out, double v) {
  auto n = static_cast<std::int64_t>(std::llround(v * 100));
  if (n < 0) out += '-', n = -n;
  out += std::to_string(n / 100);
  if (const auto rest = static_cast<int>(n % 100)) {
    out += '.';
    out += static_cast<char>('0' + rest / 10);
    if (rest % 10) out += static_cast<char>('0' + rest % 10);
  }
}
inline std::string num(double v) {
  std::string out;
  append(out, v);
  return out;
}

inline void append(std::string& out, char command, Point p) {
  out += command;
  append(out, p.x);
  out += ' ';
  append(out, p.y);
}
inline void append(std::string& out, const Polyline& line) {
  char command = 'M';
  for (const Point& p : line) {
    append(out, command, p);
    command = 'L';
  }
  if (line.size() == 1) out += "h.01";  // with round ends, a dot
}

struct TextStyle {
  Font font{};
  std::string_view anchor = "start";
  std::string_view color{};
  bool upwards = false;
};
/// `at` is on the baseline.
void append_text(std::string& out, Point at, std::string_view text, const TextStyle& style);
void append_rect(std::string& out, const Box& box, std::string_view attributes);

std::string_view palette(int i);
/// stroke-dasharray, "" for a solid line.
std::string dash_pattern(int i, double width);

}  // namespace bristle::plot
