#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <tuple>

#include "panel.hpp"

namespace bristle::plot {
namespace {

constexpr double share = 0.05;              // margin around the data, of the range
constexpr double mark_tick_distance = 0.8;  // pt

/// The given limits, if they span a range.
std::optional<Range> asked(const Axis& axis) {
  if (!axis.limits) return {};
  const auto [a, b] = *axis.limits;
  const double span = std::abs(b - a), size = std::max(std::abs(a), std::abs(b));
  if (!drawable(a, axis.log) || !drawable(b, axis.log) || span < 1e-290 || span < 1e-11 * size) return {};
  return Range{std::min(a, b), std::max(a, b)};
}

double widest(const std::vector<std::string>& texts, Font font) {
  double w = 0;
  for (const std::string& t : texts) w = std::max(w, text_width(t, font));
  return w;
}

double lines_height(const std::vector<std::string>& lines, Font font) {
  return static_cast<double>(lines.size()) * leading * font.size;
}

/// The number of ticks that fit, at least two.
Ticks fitting_x_ticks(const Panel& panel, const Scale& scale) {
  const double gap = 1.2 * tick_font.size;
  int most = std::clamp(static_cast<int>(scale.end / 32), 3, 9);
  for (Ticks t = make_ticks(scale.range, panel.x.log, most);;) {
    bool fits = true;
    for (std::size_t i = 1; i < t.major.size(); ++i) {
      const double room = scale(t.major[i]) - scale(t.major[i - 1]);
      const double need = (text_width(t.labels[i], tick_font) + text_width(t.labels[i - 1], tick_font)) / 2 + gap;
      fits = fits && need <= room;
    }
    if (fits || --most == 0) return t;
    Ticks fewer = make_ticks(scale.range, panel.x.log, most);
    if (fewer.major.size() < 2) return t;
    t = std::move(fewer);
  }
}

Ticks fitting_y_ticks(const Panel& panel, Range range, double height) {
  return make_ticks(range, panel.y.log, std::clamp(static_cast<int>(height / 17), 3, 8));
}

/// Equal scales on x and y, by a smaller box.
void make_square(Layout& l) {
  const double x_span = l.x.hi - l.x.lo, y_span = l.y.hi - l.y.lo;
  const double unit = std::min(l.width / x_span, l.height / y_span);
  const double w = unit * x_span, h = unit * y_span;
  if (l.panel->x.log || l.panel->y.log || w < 0.2 * l.width || h < 0.2 * l.height) return;  // no common scale
  l.width = w;
  l.height = h;
  l.y_ticks = fitting_y_ticks(*l.panel, l.y, h);
}

/// Symbols in one row; in one row per kind if they are too close; ticks if these are too close too.
void arrange_marks(Layout& l) {
  std::vector<Mark> shown;
  std::copy_if(l.panel->marks.begin(), l.panel->marks.end(), std::back_inserter(shown),
               [&](const Mark& m) { return l.sx.shows(m.x); });
  if (shown.empty()) return;
  std::sort(shown.begin(), shown.end(), [](const Mark& a, const Mark& b) {
    return std::tie(a.x, a.kind, a.label) < std::tie(b.x, b.kind, b.label);
  });
  const auto crowded = [&](const std::vector<Mark>& row, double distance) {
    const auto close = [&](const Mark& a, const Mark& b) { return l.sx(b.x) - l.sx(a.x) < distance; };
    return std::adjacent_find(row.begin(), row.end(), close) != row.end();
  };
  if (!crowded(shown, mark_height)) {
    l.mark_rows.push_back(std::move(shown));
    return;
  }
  for (const auto kind : {Mark::Kind::other, Mark::Kind::slip_minus, Mark::Kind::slip_plus, Mark::Kind::stick}) {
    std::vector<Mark> row;
    for (const Mark& m : shown) {
      if (m.kind == kind && (row.empty() || l.sx(m.x) - l.sx(row.back().x) >= mark_tick_distance)) row.push_back(m);
    }
    if (row.empty()) continue;
    l.mark_ticks = l.mark_ticks || crowded(row, mark_height - 2);
    l.mark_rows.push_back(std::move(row));
  }
}

/// Puts the text at the first free place, otherwise at the first place inside the panel.
void put(Layout& l, Occupancy& taken, const std::string& text, const auto& places) {
  Label label{.lines = wrap(text, note_font, 0.6 * l.width)};
  if (label.lines.empty()) return;
  const double w = widest(label.lines, note_font), h = lines_height(label.lines, note_font);
  const std::vector<Point> all = places(w, h);
  const auto inside = [&](const Point& p) { return p.x >= 0 && p.y >= 0 && p.x + w <= l.width && p.y + h <= l.height; };
  auto best = std::find_if(all.begin(), all.end(), [&](const Point& p) { return taken.free({p.x, p.y, w, h}); });
  if (best == all.end()) best = std::find_if(all.begin(), all.end(), inside);
  if (best == all.end()) best = all.begin();
  label.box = {within(best->x, 0, std::max(0.0, l.width - w)), within(best->y, 0, std::max(0.0, l.height - h)), w, h};
  taken.take(label.box);
  l.labels.push_back(std::move(label));
}

void place_texts(Layout& l, Occupancy& taken) {
  const Panel& p = *l.panel;
  constexpr double gap = 3;
  using Places = std::vector<Point>;
  for (const Reference& r : p.horizontal) {
    if (!l.sy.shows(r.at)) continue;
    const double y = l.sy(r.at), w0 = l.width;
    put(l, taken, r.label, [&](double w, double h) {
      Places out;
      for (const double x : {w0 - w - gap, gap, (w0 - w) / 2, 0.75 * w0 - w / 2, 0.25 * w0 - w / 2}) {
        out.push_back({x, y - h - 2.1});  // more than a cell away from the line
        out.push_back({x, y + 2.1});
      }
      return out;
    });
  }
  for (const Reference& r : p.vertical) {
    if (!l.sx.shows(r.at)) continue;
    const double x = l.sx(r.at), h0 = l.height;
    put(l, taken, r.label, [&](double w, double h) {
      Places out;
      for (const double y : {gap, h0 - h - gap, (h0 - h) / 2, 0.75 * h0 - h / 2, 0.25 * h0 - h / 2}) {
        out.push_back({x + gap, y});
        out.push_back({x - w - gap, y});
      }
      return out;
    });
  }
  for (const Note& n : p.notes) {
    if (!l.sx.shows(n.x) || !l.sy.shows(n.y)) continue;
    const double x = l.sx(n.x), y = l.sy(n.y);
    put(l, taken, n.text, [&](double w, double h) {
      Places out;
      for (const double d : {gap, 3 * gap, 6 * gap, 10 * gap}) {
        for (const double dy : {-h - d, d, -h / 2}) {
          for (const double dx : {d, -w - d}) out.push_back({x + dx, y + dy});
        }
        for (const double dx : {-w / 2, -w / 4, -w * 3 / 4}) {
          for (const double dy : {-h - d, d}) out.push_back({x + dx, y + dy});
        }
      }
      return out;
    });
  }
}

void list_entries(Layout& l) {
  const Panel& p = *l.panel;
  const double width = std::max(40.0, 0.9 * l.width - sample_length);
  const auto add = [&](Entry::Sample sample, std::size_t i, const std::string& text) {
    if (auto lines = wrap(text, legend_font, width); !lines.empty())
      l.legend.entries.push_back({sample, i, std::move(lines)});
  };
  for (std::size_t i = 0; i < p.series.size(); ++i) add(Entry::Sample::series, i, p.series[i].label);
  for (std::size_t i = 0; i < p.bands.size(); ++i) add(Entry::Sample::band, i, p.bands[i].label);
  for (std::size_t kind = 0; kind < 4; ++kind) {
    const auto named = [&](const Mark& m) { return static_cast<std::size_t>(m.kind) == kind && !m.label.empty(); };
    for (const auto& row : l.mark_rows) {
      const auto m = std::find_if(row.begin(), row.end(), named);
      if (m == row.end()) continue;
      add(Entry::Sample::mark, kind, m->label);
      break;
    }
  }
}

}  // namespace

Range x_range(const Panel& panel) {
  if (const auto limits = asked(panel.x)) return *limits;
  if (panel.map) return map_range(panel.map->x, panel.x.log);
  Extent extent{panel.x.log};
  bool functions = true;  // all curves are functions of x
  for (const Series& s : panel.series) {
    for (const double v : s.x) extent.add(v);
    functions = functions && s.style != Style::points && s.style != Style::line_and_points &&
                (std::is_sorted(s.x.begin(), s.x.end()) || std::is_sorted(s.x.rbegin(), s.x.rend()));
  }
  for (const Band& b : panel.bands) {
    for (const double v : b.x) extent.add(v);
  }
  for (const Reference& r : panel.vertical) extent.add(r.at);
  for (const Note& n : panel.notes) extent.add(n.x);
  for (const Mark& m : panel.marks) extent.add(m.x);
  return extent.padded(functions ? 0 : share);
}

Range y_range(const Panel& panel) {
  if (const auto limits = asked(panel.y)) return *limits;
  if (panel.map) return map_range(panel.map->y, panel.y.log);
  const Range x = asked(panel.x).value_or(Range{-HUGE_VAL, HUGE_VAL});
  Extent extent{panel.y.log};
  const auto add = [&](const std::vector<double>& at, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (at[i] >= x.lo && at[i] <= x.hi && drawable(at[i], panel.x.log)) extent.add(values[i]);
    }
  };
  for (const Series& s : panel.series) add(s.x, s.y);
  for (const Band& b : panel.bands) {
    add(b.x, b.lo);
    add(b.x, b.hi);
  }
  for (const Reference& r : panel.horizontal) extent.add(r.at);
  for (const Note& n : panel.notes) extent.add(n.y);
  return extent.padded(share);
}

void measure_sides(Layout& l, double width, double height) {
  l.width = width;
  l.height = height;
  l.y_ticks = fitting_y_ticks(*l.panel, l.y, height);
  l.y_label = wrap(l.panel->y.label, label_font, std::max(height, 60.0));
  const double label = lines_height(l.y_label, label_font) + (l.y_label.empty() ? 0 : 3);
  const double ticks = std::max(widest(l.y_ticks.labels, tick_font) + label, text_width(l.y_ticks.factor, tick_font));
  l.left = tick_length + tick_gap + ticks;  // the factor is above the label
  const Ticks x = fitting_x_ticks(*l.panel, {l.x, l.panel->x.log, 0, width});
  l.right = std::max(2.0, widest(x.labels, tick_font) / 2);
  l.left = std::max(l.left, l.right);
  if (l.panel->map) {
    l.map = arrange_map(*l.panel->map, height);
    l.right = std::max(l.right, l.map.width);
  }
}

void finish(Layout& l, double width, const std::string& title) {
  const Panel& p = *l.panel;
  l.width = width;
  if (p.equal_aspect) make_square(l);
  l.sx = {l.x, p.x.log, 0, l.width};
  l.sy = {l.y, p.y.log, l.height, 0};
  l.x_ticks = fitting_x_ticks(p, l.sx);
  l.title = wrap(title, panel_title_font, l.width);
  if (l.x_labels) {
    const double factor = l.x_ticks.factor.empty() ? 0 : text_width(l.x_ticks.factor, tick_font) + 6;
    l.x_label = wrap(p.x.label, label_font, std::max(60.0, l.width - 2 * factor));
  }
  const Box box{0, 0, l.width, l.height};
  Occupancy taken{l.width, l.height};
  if (p.map || l.legends == Legends::above) taken.take(box);  // the legend is above
  for (const Band& b : p.bands) {
    l.areas.push_back(area(b, l.sx, l.sy, box));
    for (const Polyline& outline : l.areas.back()) taken.take_area(outline);
  }
  for (const Series& s : p.series) {
    const bool line = s.style != Style::points, points = s.style == Style::points || s.style == Style::line_and_points;
    l.curves.push_back(line ? curve(s, l.sx, l.sy, box) : std::vector<Polyline>{});
    l.markers.push_back(points ? markers(s, l.sx, l.sy, box) : Polyline{});
    for (const Polyline& part : l.curves.back()) taken.take(part);
    for (const auto& [x, y] : l.markers.back()) taken.take(Box{x - 2, y - 2, 4, 4});
  }
  for (const Reference& r : p.horizontal) {
    if (l.sy.shows(r.at)) taken.take(Box{0, l.sy(r.at), l.width, 0});
  }
  for (const Reference& r : p.vertical) {
    if (l.sx.shows(r.at)) taken.take(Box{l.sx(r.at), 0, 0, l.height});
  }
  arrange_marks(l);
  place_texts(l, taken);
  if (p.legend && l.legends != Legends::none) {
    list_entries(l);
    place(l.legend, taken, l.width, l.height);
  }
  const double rows = mark_height * static_cast<double>(l.mark_rows.size());
  l.top = rows + 4;
  if (l.legend.above) {
    const double room = l.width - widest(l.title, panel_title_font) - 10;
    const bool beside_title = l.title.size() == 1 && l.legend.box.w < room && l.legend.box.h < 2 * legend_leading;
    l.legend.box.y = -rows - l.legend.box.h - (beside_title ? 1.3 : 0);  // one baseline
    if (!beside_title) l.top = rows + l.legend.box.h + 1;
  }
  l.factor_at = -6 - (l.mark_ticks ? rows : 0);  // a row of ticks starts with its symbol
  l.title_at = -l.top - lines_height(l.title, panel_title_font);
  l.top =
      std::max({-l.title_at, l.legend.above ? -l.legend.box.y : 0.0, l.y_ticks.factor.empty() ? 0 : 10 - l.factor_at});
  l.bottom = 4;
  if (l.x_labels) {
    const bool line_below = !l.x_label.empty() || !l.x_ticks.factor.empty();
    l.bottom = tick_length + tick_gap + leading * tick_font.size +
               std::max(lines_height(l.x_label, label_font), line_below ? leading * label_font.size : 0) + 2;
  }
}

}  // namespace bristle::plot
