#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bristle/report/fit.hpp"

/// Parts of figures of recordings.
namespace bristle::report {

using Values = std::vector<double>;

constexpr std::size_t most_points = 3000;  // more cannot be distinguished on a page

struct Part {
  std::size_t begin, end;
};

/// Minimum and maximum of each piece in order of time, which keeps spikes.
plot::Series envelope(const Values& x, const Values& y, Part part, std::string label, int color);
/// Evenly chosen samples as small dots.
plot::Series cloud(const Values& x, const Values& y, std::string label, int color);
/// A part of the recording around a reversal in its middle, with a few reversals.
Part closer(const identify::Recording& r);
/// Sets the range of the y axis: that of the measured values, and up to a quarter more where `other` exceeds it.
void scale_by(plot::Panel& panel, std::span<const double> measured, std::span<const double> other);

std::string in_brackets(const std::string& unit);
std::string place_label(const identify::Recording& r);
std::string rate_label(const identify::Recording& r);
std::string target_label(const identify::Recording& r);
std::string friction_label(const identify::Recording& r);

/// A recording with the prediction of a fit, of all fitted recordings and then of the validation.
struct Compared {
  const identify::Recording* recording;
  const Values* predicted;
  bool unseen;  // not fitted
};
Compared compared(const Fitted& fitted, const identify::Fit& fit, std::size_t index);

}  // namespace bristle::report
