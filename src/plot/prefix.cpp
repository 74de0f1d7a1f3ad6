#include "prefix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
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

/// Where the prefix of a label "x (m/s)" or "density (1/N)" goes.
struct Place {
  std::size_t at;
  bool large, inverse;
};
std::optional<Place> place_of(const std::string& label) {
  const std::size_t open = label.rfind('(');
  if (label.find('(') != open) return {};  // several quantities
  if (open == std::string::npos || !label.ends_with(')') || (open > 0 && label[open - 1] != ' ')) return {};
  std::string_view unit = std::string_view(label).substr(open + 1, label.size() - open - 2);
  const bool inverse = unit == "1/N" || unit == "1/m" || unit == "1/J";
  if (inverse) unit.remove_prefix(2);
  const std::string_view first = unit.substr(0, unit.find_first_of(" /"));
  const auto* const found = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.symbol == first; });
  if (found == units.end()) return {};
  return Place{open + (inverse ? 3U : 1U), found->large || inverse, inverse};
}

/// Exponent of the prefix, a multiple of 3, for numbers up to `most`.
int exponent_for(double most, bool large) {
  if (!(most > 0) || !std::isfinite(most) || (most >= 0.05 && most < 5000) || (most >= 1 && !large)) return 0;
  const int e = 3 * static_cast<int>(std::floor(std::log10(most) / 3 + 1e-9));
  return std::clamp(e, -3 * none, 3 * (static_cast<int>(prefixes.size()) - 1 - none));
}

/// Changes the label and returns the factor of the numbers.
double rename(std::string& label, double most) {
  const auto place = place_of(label);
  int e = place ? exponent_for(most, place->large) : 0;
  if (place && place->inverse) e = std::min(e, 3 * none);
  if (e == 0) return 1;
  label.insert(place->at, prefixes[static_cast<std::size_t>(none + (place->inverse ? -e : e) / 3)]);
  return std::pow(10.0, -e);
}
double rename(Axis& axis, double most) { return axis.log ? 1 : rename(axis.label, most); }

void multiply(std::vector<double>& values, double factor) {
  for (double& v : values) v *= factor;
}
void multiply(Axis& axis, double factor) {
  if (!axis.limits) return;
  for (double& v : *axis.limits) v *= factor;
}

/// Entries of the legend with units of their own, which would then differ from that of the axis.
bool names_units(const Panel& p) {
  return std::any_of(p.series.begin(), p.series.end(), [](const Series& s) { return place_of(s.label).has_value(); });
}

/// Of the finite values.
double size_of(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values) most = drawable(v, false) ? std::max(most, std::abs(v)) : most;
  return most;
}
double size_of(const Range& range) { return std::max(std::abs(range.lo), std::abs(range.hi)); }

}  // namespace

Figure with_prefixes(const Figure& figure) {
  Figure out = figure;
  std::vector<double> most_x;
  for (const Panel& p : figure.panels) {
    double most = size_of(x_range(p));
    for (const Panel& q : figure.panels) {
      if (q.x.label == p.x.label && q.x.limits == p.x.limits) most = std::max(most, size_of(x_range(q)));
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
      multiply(p.map->z, rename(p.map->label, size_of(p.map->z)));
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
