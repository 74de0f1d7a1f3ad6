#include "report/fit/curves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bristle::report {

using identify::Recording;

plot::Series envelope(const Values& x, const Values& y, Part part, std::string label, int color) {
  plot::Series out{.label = std::move(label), .color = color, .dash = 0};
  const std::size_t n = part.end - part.begin, pieces = most_points / 2;
  auto add = [&](std::size_t i) {
    out.x.push_back(x[i]);
    out.y.push_back(y[i]);
  };
  if (n <= most_points) {
    for (std::size_t i = part.begin; i < part.end; ++i) add(i);
    return out;
  }
  for (std::size_t k = 0; k < pieces; ++k) {
    const auto from = y.begin() + static_cast<std::ptrdiff_t>(part.begin + k * n / pieces);
    const auto until = y.begin() + static_cast<std::ptrdiff_t>(part.begin + (k + 1) * n / pieces);
    const auto [lo, hi] = std::minmax_element(from, until);
    const auto a = static_cast<std::size_t>(std::min(lo, hi) - y.begin()),
               b = static_cast<std::size_t>(std::max(lo, hi) - y.begin());
    add(a);
    if (b != a) add(b);
  }
  return out;
}

plot::Series cloud(const Values& x, const Values& y, std::string label, int color) {
  plot::Series out{.label = std::move(label), .color = color, .dash = 0, .width = 0.9};
  constexpr std::size_t few = 200;
  if (x.size() <= few) {
    out.style = plot::Style::points;
    out.x = x;
    out.y = y;
    return out;
  }
  const std::size_t step = (x.size() - 1) / most_points + 1;
  for (std::size_t i = 0; i < x.size(); i += step) {
    out.x.insert(out.x.end(), {x[i], std::numeric_limits<double>::quiet_NaN()});
    out.y.insert(out.y.end(), {y[i], std::numeric_limits<double>::quiet_NaN()});
  }
  return out;
}

Part closer(const Recording& r) {
  const std::size_t n = r.size();
  Values speeds = r.v;
  for (double& v : speeds) v = std::abs(v);
  const double fast = speeds.empty() ? 0 : 0.2 * *std::max_element(speeds.begin(), speeds.end());
  std::vector<std::size_t> turns;
  double side = 0;
  for (std::size_t i = 0; i < r.v.size(); ++i) {
    if (std::abs(r.v[i]) < fast) continue;
    if (side * r.v[i] < 0) turns.push_back(i);
    side = r.v[i];
  }
  std::size_t length = n / 10, middle = n / 2;
  if (turns.empty()) {  // without reversals: the largest change of force
    double most = 0;
    for (std::size_t i = 0; i + length <= n; i += std::max<std::size_t>(length / 4, 1)) {
      const auto from = r.target().begin() + static_cast<std::ptrdiff_t>(i);
      const auto [lo, hi] = std::minmax_element(from, from + static_cast<std::ptrdiff_t>(length));
      if (length == 0 || *hi - *lo <= most) continue;
      most = *hi - *lo;
      middle = i + length / 2;
    }
  } else {
    const std::size_t k = turns.size() / 2;
    middle = turns[k];
    length =
        turns.size() > 2 ? std::clamp(3 * (turns.back() - turns.front()) / (turns.size() - 1), n / 200, n / 4) : n / 10;
  }
  length = std::max<std::size_t>(length, std::min<std::size_t>(n, 50));
  const std::size_t begin = middle > length / 2 ? std::min(middle - length / 2, n - length) : 0;
  return {begin, begin + length};
}

void scale_by(plot::Panel& panel, std::span<const double> measured, std::span<const double> other) {
  double least = inf, most = -inf;
  for (const double y : measured) {
    if (!std::isfinite(y)) continue;  // gaps
    least = std::min(least, y);
    most = std::max(most, y);
  }
  if (!(most > least)) return;
  const double width = most - least;
  double lo = least, hi = most;
  for (const double y : other) {
    if (!std::isfinite(y)) continue;
    lo = std::min(lo, std::max(y, least - 0.25 * width));
    hi = std::max(hi, std::min(y, most + 0.25 * width));
  }
  const double margin = 0.04 * (hi - lo);
  panel.y.limits = {lo - margin, hi + margin};
}

std::string in_brackets(const std::string& unit) { return unit.empty() ? "" : " (" + unit + ")"; }
std::string place_label(const Recording& r) { return r.rotational ? "Angle x (rad)" : "Position x (m)"; }
std::string rate_label(const Recording& r) { return r.rotational ? "Angular velocity v (rad/s)" : "Velocity v (m/s)"; }
std::string target_label(const Recording& r) {
  if (r.motion) return place_label(r);
  if (r.coefficient) return "Friction coefficient μ";
  const std::string word = r.u.empty()    ? r.rotational ? "Friction torque F" : "Friction force F"
                           : r.rotational ? "Actuator torque u"
                                          : "Actuator force u";
  return word + in_brackets(unit_of("N", r));
}
std::string friction_label(const Recording& r) {
  return r.coefficient ? "Friction coefficient μ"
                       : (r.rotational ? "Friction torque F" : "Friction force F") + in_brackets(unit_of("N", r));
}

Compared compared(const Fitted& fitted, const identify::Fit& fit, std::size_t index) {
  const std::size_t own = fitted.recordings.size();
  if (index < own) return {&fitted.recordings[index], &fit.predicted.at(index), false};
  return {&fitted.validation[index - own], &fit.validation_predicted.at(index - own), true};
}

}  // namespace bristle::report
