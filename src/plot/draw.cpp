#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/escape.hpp"
#include "panel.hpp"

namespace bristle::plot {
namespace {

constexpr std::string_view grid_color = "#e4e4e4", frame_color = "#333", quiet_color = "#555", mark_color = "#444";
constexpr std::size_t few_marks = 24;
constexpr std::size_t different = 28;  // pairs of colour and dashes; later curves are thinner
constexpr double middle = 0.35;        // from the baseline to the middle of a digit, of the font size

void append_path(std::string& out, std::string_view d, std::string_view attributes) {
  if (!d.empty()) out += fmt::format("<path {} d=\"{}\"/>\n", attributes, d);
}

/// A part that the script of a page finds by its class.
class Group {
 public:
  Group(std::string& out, const Layout& l, std::string_view name) : out_(out), on_(l.interactive) {
    if (on_) out_ += fmt::format("<g class=\"{}\">\n", name);
  }
  ~Group() {
    if (on_) out_ += "</g>\n";
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

 private:
  std::string& out_;
  bool on_;
};

/// A straight line along x or y.
void segment(std::string& d, Point a, Point b) {
  append(d, 'M', a);
  d += a.x == b.x ? 'V' : 'H';
  append(d, a.x == b.x ? b.y : b.x);
}

int color_of(const auto& item, std::size_t i) { return item.color.value_or(static_cast<int>(i)); }

std::string stroke(const Panel& panel, std::size_t i) {
  const Series& s = panel.series[i];
  const int in_turn = panel.series.size() > 4 ? static_cast<int>(i) : 0;
  const double width = within(s.width * (i / different % 2 == 1 ? 0.5 : 1), 0.1, 20);
  const std::string dashes = dash_pattern(s.dash.value_or(in_turn), width);
  return fmt::format(
      R"(fill="none" stroke="{}" stroke-width="{}" {})", palette(color_of(s, i)), num(width),
      dashes.empty() ? std::string{R"(stroke-linecap="round")"} : fmt::format(R"(stroke-dasharray="{}")", dashes));
}

void append_marker(std::string& d, std::size_t shape, Point p) {
  append(d, 'M', p);
  constexpr std::array<std::string_view, 4> shapes = {"m-1.7 0a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0",
                                                      "m-1.6-1.6h3.2v3.2h-3.2z", "m0-2.1l2.1 2.1l-2.1 2.1l-2.1-2.1z",
                                                      "m0-2.1l2.1 3.6h-4.2z"};
  d += shapes[shape % shapes.size()];
}

void append_mark(std::string& d, Mark::Kind kind, Point p) {
  append(d, 'M', p);
  constexpr std::array<std::string_view, 4> shapes = {
      // a block, arrows with and against the motion, a pointer
      "m-1.8-1.8h3.6v3.6h-3.6z", "m-2-2.4l4.4 2.4l-4.4 2.4z", "m2-2.4l-4.4 2.4l4.4 2.4z", "m-2.4-2h4.8l-2.4 4.2z"};
  d += shapes[static_cast<std::size_t>(kind)];
}

void draw_grid(std::string& out, const Layout& l) {
  const Group group(out, l, "grid");
  std::string d;
  for (const double v : l.x_ticks.major) segment(d, {l.sx(v), 0}, {l.sx(v), l.height});
  for (const double v : l.y_ticks.major) segment(d, {0, l.sy(v)}, {l.width, l.sy(v)});
  append_path(out, d, fmt::format(R"(stroke="{}" stroke-width="0.5")", grid_color));
}

void draw_axes(std::string& out, const Layout& l) {
  append_rect(out, {0, 0, l.width, l.height},
              fmt::format(R"(fill="none" stroke="{}" stroke-width="0.6")", frame_color));
  const double left = -tick_length - tick_gap;
  double y = l.height + tick_length + tick_gap + 0.8 * tick_font.size;
  {
    const Group group(out, l, l.x_labels ? "ticks" : "ticks bare");
    std::string d;
    for (const double v : l.x_ticks.major) segment(d, {l.sx(v), l.height}, {l.sx(v), l.height + tick_length});
    for (const double v : l.x_ticks.minor) segment(d, {l.sx(v), l.height}, {l.sx(v), l.height + tick_length / 2});
    for (const double v : l.y_ticks.major) segment(d, {0, l.sy(v)}, {-tick_length, l.sy(v)});
    for (const double v : l.y_ticks.minor) segment(d, {0, l.sy(v)}, {-tick_length / 2, l.sy(v)});
    append_path(out, d, fmt::format(R"(stroke="{}" stroke-width="0.6")", frame_color));

    for (std::size_t i = 0; i < l.y_ticks.major.size(); ++i) {
      append_text(out, {left, l.sy(l.y_ticks.major[i]) + middle * tick_font.size}, l.y_ticks.labels[i],
                  {tick_font, "end"});
    }
    for (std::size_t i = 0; l.x_labels && i < l.x_ticks.major.size(); ++i)
      append_text(out, {l.sx(l.x_ticks.major[i]), y}, l.x_ticks.labels[i], {tick_font, "middle"});
    if (!l.y_ticks.factor.empty()) append_text(out, {left, l.factor_at}, l.y_ticks.factor, {tick_font, "end"});
    if (l.x_labels && !l.x_ticks.factor.empty())
      append_text(out, {l.width, y + leading * tick_font.size + 2}, l.x_ticks.factor, {tick_font, "end"});
  }
  double x = -l.left;
  for (const std::string& line : l.y_label) {
    x += leading * label_font.size;
    append_text(out, {x - 0.25 * label_font.size, l.height / 2}, line, {label_font, "middle", "", true});
  }
  if (!l.x_labels) return;
  y += leading * tick_font.size + 2;
  for (const std::string& line : l.x_label) {
    append_text(out, {l.width / 2, y}, line, {label_font, "middle"});
    y += leading * label_font.size;
  }
}

void draw_marks(std::string& out, const Layout& l) {
  const Group group(out, l, "marks");
  std::size_t count = 0;
  std::string lines, ticks, symbols;
  double y = -mark_height / 2 - 0.5;
  for (const auto& row : l.mark_rows) {
    for (const Mark& m : row) {
      const double x = l.sx(m.x);
      segment(lines, {x, 0}, {x, l.height});
      segment(ticks, {x, y - 2}, {x, y + 2});
      if (!l.mark_ticks) append_mark(symbols, m.kind, {x, y});
    }
    if (l.mark_ticks) append_mark(symbols, row.front().kind, {-mark_height, y});
    count += row.size();
    y -= mark_height;
  }
  if (l.mark_ticks)
    append_path(out, ticks, fmt::format(R"(stroke="{}" stroke-width="0.5")", mark_color));
  else if (count <= few_marks)
    append_path(out, lines, R"(stroke="#999" stroke-width="0.4")");
  append_path(out, symbols, fmt::format(R"(fill="{}")", mark_color));
}

/// The values of a map for the script of a page, unless they are many.
void append_cells(std::string& out, const Map& m) {
  constexpr std::size_t most = 20000;
  if (m.z.size() > most) return;
  const auto list = [](const std::vector<double>& values) {
    std::string text;
    for (const double v : values) text += fmt::format("{}{:.5g}", text.empty() ? "" : " ", v);
    return text;
  };
  out +=
      fmt::format("<g class=\"cells\" data-x=\"{}\" data-y=\"{}\" data-z=\"{}\"/>\n", list(m.x), list(m.y), list(m.z));
}

void draw_data(std::string& out, const Layout& l) {
  const Panel& p = *l.panel;
  const Group group(out, l, p.map ? "data map" : "data");
  if (p.map) {
    if (l.interactive) append_cells(out, *p.map);
    draw_map(out, *p.map, l.map, p.x, p.y, l.sx, l.sy);
    draw_bar(out, l.map, l.width, l.height);
  }
  for (std::size_t i = 0; i < l.areas.size(); ++i) {
    std::string d;
    for (const Polyline& outline : l.areas[i]) {
      if (outline.size() < 3) continue;
      append(d, outline);
      d += 'z';
    }
    append_path(out, d, fmt::format(R"(fill="{}" fill-opacity="0.2")", palette(color_of(p.bands[i], i))));
  }
  std::string d;
  for (const Reference& r : p.horizontal) {
    if (l.sy.shows(r.at)) segment(d, {0, l.sy(r.at)}, {l.width, l.sy(r.at)});
  }
  for (const Reference& r : p.vertical) {
    if (l.sx.shows(r.at)) segment(d, {l.sx(r.at), 0}, {l.sx(r.at), l.height});
  }
  append_path(out, d, fmt::format(R"(stroke="{}" stroke-width="0.6" stroke-dasharray="3 2")", quiet_color));
  for (std::size_t i = 0; i < l.curves.size(); ++i) {
    d.clear();
    std::string dots;  // points between gaps
    for (const Polyline& part : l.curves[i]) append(part.size() > 1 ? d : dots, part);
    if (p.series[i].halo)
      append_path(out, d,
                  fmt::format(R"(fill="none" stroke="#fff" stroke-width="{}" stroke-linecap="round")",
                              num(within(p.series[i].width, 0.1, 20) + 1.4)));
    const std::string label =
        l.interactive ? fmt::format(R"( class="curve" data-label="{}")", escape(p.series[i].label)) : "";
    append_path(out, d, stroke(p, i) + label);
    append_path(out, dots,
                fmt::format(R"(stroke="{}" stroke-width="{}" stroke-linecap="round")",
                            palette(color_of(p.series[i], i)), num(2 * within(p.series[i].width, 0.1, 20))));
    d.clear();
    for (const Point& at : l.markers[i]) append_marker(d, i, at);
    append_path(out, d,
                fmt::format(R"(fill="{}")", palette(color_of(p.series[i], i))) +
                    (p.series[i].style == Style::points ? label : ""));
  }
}

void draw_labels(std::string& out, const Layout& l) {
  const Group group(out, l, "labels");
  for (const Label& label : l.labels) {
    append_rect(out, label.box, R"(fill="#fff" fill-opacity="0.75")");
    double y = label.box.y + 0.9 * note_font.size;
    for (const std::string& line : label.lines) {
      append_text(out, {label.box.x, y}, line, {note_font, "start", quiet_color});
      y += leading * note_font.size;
    }
  }
}

void draw_legend(std::string& out, const Layout& l) {
  const Panel& p = *l.panel;
  const Box box = l.legend.box;
  const Group group(out, l, "legend");
  if (!l.legend.above && !l.legend.entries.empty())
    append_rect(out, box, R"(fill="#fff" fill-opacity="0.9" stroke="#ccc" stroke-width="0.4")");
  for (std::size_t i = 0; i < l.legend.entries.size(); ++i) {
    const Entry& e = l.legend.entries[i];
    const Point at{box.x + l.legend.places[i].x, box.y + l.legend.places[i].y};
    const double y = at.y + legend_leading / 2, x = at.x + sample_length / 2;
    std::string d;
    switch (e.sample) {
      case Entry::Sample::series:
        if (p.series[e.index].style != Style::points) {
          segment(d, {at.x, y}, {at.x + sample_length, y});
          append_path(out, d, stroke(p, e.index));
        }
        if (!l.markers[e.index].empty()) {
          append_marker(d = "", e.index, {x, y});
          append_path(out, d, fmt::format(R"(fill="{}")", palette(color_of(p.series[e.index], e.index))));
        }
        break;
      case Entry::Sample::band:
        append_rect(out, {at.x, y - 3, sample_length, 6},
                    fmt::format(R"(fill="{}" fill-opacity="0.2")", palette(color_of(p.bands[e.index], e.index))));
        break;
      case Entry::Sample::mark:
        append_mark(d, static_cast<Mark::Kind>(e.index), {x, y});
        append_path(out, d, fmt::format(R"(fill="{}")", mark_color));
        break;
    }
    double baseline = y + middle * legend_font.size;
    for (const std::string& line : e.lines) {
      append_text(out, {at.x + sample_length + sample_gap, baseline}, line, {legend_font});
      baseline += legend_leading;
    }
  }
}

}  // namespace

void draw(std::string& out, const Layout& l) {
  draw_grid(out, l);
  draw_marks(out, l);
  draw_data(out, l);
  draw_axes(out, l);
  draw_labels(out, l);
  draw_legend(out, l);
  double y = l.title_at + 0.9 * panel_title_font.size;
  for (const std::string& line : l.title) {
    append_text(out, {0, y}, line, {panel_title_font});
    y += leading * panel_title_font.size;
  }
  const bool empty = std::all_of(l.curves.begin(), l.curves.end(), [](const auto& c) { return c.empty(); }) &&
                     std::all_of(l.markers.begin(), l.markers.end(), [](const auto& m) { return m.empty(); }) &&
                     std::all_of(l.areas.begin(), l.areas.end(), [](const auto& a) { return a.empty(); });
  if (empty && !l.panel->map)
    append_text(out, {l.width / 2, l.height / 2}, "no data", {label_font, "middle", quiet_color});
}

}  // namespace bristle::plot
