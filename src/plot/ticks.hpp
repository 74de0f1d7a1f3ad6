#pragma once
#include <optional>
#include <string>
#include <vector>

/// Axes: range, ticks, position of a value.
namespace bristle::plot {

struct Range {
  double lo{}, hi{};
};

/// Whether a number affects the range of an axis: finite, far from the limits of double, positive if logarithmic.
bool drawable(double v, bool log);

/// Range of drawable values; empty without any.
class Extent {
 public:
  explicit Extent(bool log) : log_{log} {}
  void add(double v) {
    if (!drawable(v, log_)) return;
    if (!range_) range_ = Range{v, v};
    if (v < range_->lo) range_->lo = v;
    if (v > range_->hi) range_->hi = v;
  }
  /// The range with a margin on both sides, a fraction of the span; a constant is in the middle.
  Range padded(double share) const;

 private:
  bool log_;
  std::optional<Range> range_{};
};

struct Ticks {
  std::vector<double> major{}, minor{};
  std::vector<std::string> labels{};  // one for each major tick
  std::string factor{};               // common factor of all labels: "\u00d710^{\u22126}"
};

/// At most `most` intervals between major ticks: steps of 1, 2, 2.5 or 5, on a logarithmic axis decades if they
/// suffice.
Ticks make_ticks(Range range, bool log, int most);

/// Mapping from values to positions along an axis.
struct Scale {
  Range range{};
  bool log = false;
  double begin{}, end{};  // positions of range.lo and range.hi

  /// Position of a value; NaN if it cannot be drawn.
  double operator()(double v) const;
  bool shows(double v) const { return drawable(v, log) && v >= range.lo && v <= range.hi; }
};

}  // namespace bristle::plot
