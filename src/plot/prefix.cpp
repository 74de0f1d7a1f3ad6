#include "prefix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "panel.hpp"

namespace bristle::plot {
namespace {

struct Unit {
  std::string_view symbol;
  bool large;  // kN is usual, ks and krad are not
};
constexpr std::array<Unit, 9> units{{{"N", true},
                                     {"m", false},
                                     {"J", true},
                                     {"W", true},
                                     {"Pa", true},
                                     {"Hz", true},
                                     {"V", true},
                                     {"s", false},
                                     {"rad", false}}};
constexpr std::array<std::string_view, 10> prefixes{"f", "p", "n", "\u00b5", "m", "", "k", "M", "G", "T"};
constexpr int none = 5;  // index of no prefix

/// A label "x (m/s)": where its unit begins; npos without a unit that takes a prefix.
std::size_t unit_at(const std::string& label, bool& large) {
  const std::size_t open = label.rfind('(');
  if (label.find('(') != open) return std::string::npos;  // several quantities
  if (open == std::string::npos || !label.ends_with(')') || (open > 0 && label[open - 1] != ' '))
    return std::string::npos;
  const std::string_view unit = std::string_view(label).substr(open + 1, label.size() - open - 2);
  const std::string_view first = unit.substr(0, unit.find_first_of(" /"));
  const auto* const found = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.symbol == first; });
  if (found == units.end()) return std::string::npos;
  large = found->large;
  return open + 1;
}

/// Exponent of the prefix, a multiple of 3, for numbers up to `most`.
int exponent_for(double most, bool large) {
  if (!(most > 0) || !std::isfinite(most) || (most >= 0.05 && most < 5000) || (most >= 1 && !large)) return 0;
  const int e = 3 * static_cast<int>(std::floor(std::log10(most) / 3 + 1e-9));
  return std::clamp(e, -3 * none, 3 * (static_cast<int>(prefixes.size()) - 1 - none));
}

/// Changes the label and returns the factor of the numbers.
double rename(Axis& axis, double most) {
  bool large = true;
  const std::size_t at = axis.log ? std::string::npos : unit_at(axis.label, large);
  const int e = at == std::string::npos ? 0 : exponent_for(most, large);
  if (e == 0) return 1;
  axis.label.insert(at, prefixes[static_cast<std::size_t>(none + e / 3)]);
  return std::pow(10.0, -e);
}

void multiply(std::vector<double>& values, double factor) {
  for (double& v : values) v *= factor;
}
void multiply(Axis& axis, double factor) {
  if (!axis.limits) return;
  for (double& v : *axis.limits) v *= factor;
}

/// Entries of the legend with units of their own, which would then differ from that of the axis.
bool names_units(const Panel& p) {
  return std::any_of(p.series.begin(), p.series.end(), [](const Series& s) {
    bool large = true;
    return unit_at(s.label, large) != std::string::npos;
  });
}

double size_of(const Range& range) { return std::max(std::abs(range.lo), std::abs(range.hi)); }

}  // namespace

Figure with_prefixes(const Figure& figure) {
  Figure out = figure;
  std::vector<double> most_x;
  for (const Panel& p : figure.panels) {
    double most = size_of(x_range(p));
    for (const Panel& q : figure.panels) {
      if (q.x.label == p.x.label) most = std::max(most, size_of(x_range(q)));
    }
    most_x.push_back(most);
  }
  for (std::size_t i = 0; i < out.panels.size(); ++i) {
    Panel& p = out.panels[i];
    if (p.equal_aspect) continue;
    const double most_y = size_of(y_range(p));
    const double fx = rename(p.x, most_x[i]), fy = names_units(p) ? 1 : rename(p.y, most_y);
    multiply(p.x, fx);
    multiply(p.y, fy);
    for (Series& s : p.series) {
      multiply(s.x, fx);
      multiply(s.y, fy);
    }
    for (Band& b : p.bands) {
      multiply(b.x, fx);
      multiply(b.lo, fy);
      multiply(b.hi, fy);
    }
    if (p.map) {
      multiply(p.map->x, fx);
      multiply(p.map->y, fy);
    }
    for (Mark& m : p.marks) m.x *= fx;
    for (Reference& r : p.vertical) r.at *= fx;
    for (Reference& r : p.horizontal) r.at *= fy;
    for (Note& n : p.notes) {
      n.x *= fx;
      n.y *= fy;
    }
  }
  return out;
}

}  // namespace bristle::plot
