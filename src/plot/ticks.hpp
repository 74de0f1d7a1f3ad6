#pragma once
#include <optional>
#include <string>
#include <vector>

/// Axes: what they show, where they are marked, where a value lies.
namespace bristle::plot {

struct Range {
  double lo{}, hi{};
};

/// Numbers that decide what an axis shows: finite, far from the limits of double, positive if logarithmic.
bool drawable(double v, bool log);

/// Grows around drawable values; nothing while there were none.
class Extent {
 public:
  explicit Extent(bool log) : log_{log} {}
  void add(double v) {
    if (!drawable(v, log_)) return;
    if (!range_) range_ = Range{v, v};
    if (v < range_->lo) range_->lo = v;
    if (v > range_->hi) range_->hi = v;
  }
  /// With room on both sides, a share of the span; a constant lies in the middle.
  Range padded(double share) const;

 private:
  bool log_;
  std::optional<Range> range_{};
};

struct Ticks {
  std::vector<double> major{}, minor{};
  std::vector<std::string> labels{};  // one for each major tick
  std::string factor{};               // of all labels: "\u00d710^{\u22126}"
};

/// At most `most` intervals between major ticks: steps of 1, 2, 2.5 or 5, on a logarithmic axis decades if they suffice.
Ticks make_ticks(Range range, bool log, int most);

/// From values to points along an axis.
struct Scale {
  Range range{};
  bool log = false;
  double begin{}, end{};  // where range.lo and range.hi lie

  /// NaN for what cannot be drawn.
  double operator()(double v) const;
  bool shows(double v) const { return drawable(v, log) && v >= range.lo && v <= range.hi; }
};

}  // namespace bristle::plot
