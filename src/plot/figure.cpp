#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/escape.hpp"
#include "panel.hpp"
#include "prefix.hpp"

namespace bristle::plot {
namespace {

constexpr double per_mm = 72 / 25.4;
constexpr double margin = 4, column_gap = 10, row_gap = 5;  // pt
constexpr Font title_font{10.5, true}, caption_font{8, false};

void check(const Figure& figure) {
  for (const Panel& p : figure.panels) {
    for (const Series& s : p.series) {
      if (s.x.size() != s.y.size())
        throw std::invalid_argument(
            fmt::format(R"(series "{}" has {} values of x and {} of y; equal lengths are required)", s.label,
                        s.x.size(), s.y.size()));
    }
    if (p.map && (p.map->x.empty() || p.map->y.empty() || p.map->z.size() != p.map->x.size() * p.map->y.size()))
      throw std::invalid_argument(fmt::format(R"(map "{}" has {} values for {} x {} points)", p.map->label,
                                              p.map->z.size(), p.map->x.size(), p.map->y.size()));
    for (const Band& b : p.bands) {
      if (b.x.size() != b.lo.size() || b.x.size() != b.hi.size())
        throw std::invalid_argument(
            fmt::format(R"(band "{}" has {} values of x, {} of lo and {} of hi; equal lengths are required)", b.label,
                        b.x.size(), b.lo.size(), b.hi.size()));
    }
  }
}

std::size_t columns_of(const Figure& figure) {
  const std::size_t n = std::max<std::size_t>(figure.panels.size(), 1);
  if (figure.columns > 0) return std::min(static_cast<std::size_t>(figure.columns), n);
  const double zoom = figure.font_pt > 0 ? figure.font_pt / tick_font.size : 1;
  if (figure.width_mm / zoom < 100) return 1;  // no room for two panels with labels
  constexpr std::ptrdiff_t many = 12;          // curves with names, whose legend needs the width of the figure
  const auto long_legend = [](const Panel& p) {
    return std::ranges::count_if(p.series, [](const Series& s) { return !s.label.empty(); }) > many;
  };
  if (figure.legends != Legends::none && std::ranges::any_of(figure.panels, long_legend)) return 1;
  return n <= 3 ? 1 : n <= 8 ? 2 : 3;
}

double axes_height(const Figure& figure, double width, std::size_t columns) {
  if (figure.panel_height_mm > 0) return within(figure.panel_height_mm, 10, 1000) * per_mm;
  const std::size_t rows = (figure.panels.size() + columns - 1) / columns;
  const bool square = std::any_of(figure.panels.begin(), figure.panels.end(), [](auto& p) { return p.equal_aspect; });
  const double ratio = square ? 0.8 : columns > 1 ? 0.62 : rows == 1 ? 0.52 : rows == 2 ? 0.34 : 0.26;
  return std::max(70.0, ratio * width / static_cast<double>(columns));
}

/// Panels in one column with the same quantity along x share its range, labelled at the bottom.
void share_x(std::vector<Layout>& layouts, std::size_t columns) {
  for (std::size_t c = 0; c < columns; ++c) {
    Layout& top = layouts[c];
    bool same = !top.panel->x.label.empty();
    for (std::size_t i = c; i < layouts.size(); i += columns) {
      const Axis& axis = layouts[i].panel->x;
      same = same && axis.label == top.panel->x.label && axis.log == top.panel->x.log &&
             axis.limits == top.panel->x.limits && !layouts[i].panel->equal_aspect;
    }
    if (!same) continue;
    Range all = top.x;
    for (std::size_t i = c; i < layouts.size(); i += columns)
      all = {std::min(all.lo, layouts[i].x.lo), std::max(all.hi, layouts[i].x.hi)};
    for (std::size_t i = c; i < layouts.size(); i += columns) {
      layouts[i].x = all;
      layouts[i].x_labels = i + columns >= layouts.size();
    }
  }
}

void append_lines(std::string& out, double x, double& y, const std::vector<std::string>& lines, Font font) {
  for (const std::string& line : lines) {
    append_text(out, {x, y + 0.9 * font.size}, line, {font});
    y += leading * font.size;
  }
}

/// Legends that repeat the one of an earlier panel are left out.
void share_legends(std::vector<Panel>& panels) {
  std::vector<std::vector<std::string>> seen;
  for (Panel& p : panels) {
    std::vector<std::string> entries;
    for (const Series& s : p.series) entries.push_back(s.label);
    for (const Band& b : p.bands) entries.push_back(b.label);
    for (const Mark& m : p.marks) entries.push_back(m.label);
    if (std::find(seen.begin(), seen.end(), entries) != seen.end()) p.legend = false;
    seen.push_back(std::move(entries));
  }
}

/// For the script of pages: size of the axes, their ranges and whether they are logarithmic.
std::string panel_attributes(const Layout& l) {
  return fmt::format(R"( class="panel" data-axes="{} {} {} {} {} {} {} {}")", num(l.width), num(l.height),
                     l.sx.range.lo, l.sx.range.hi, l.sx.log ? 1 : 0, l.sy.range.lo, l.sy.range.hi, l.sy.log ? 1 : 0);
}

std::string drawn(const Figure& figure);

}  // namespace

std::string svg(const Figure& figure) {
  check(figure);
  Figure shown = figure.prefixes ? with_prefixes(figure) : figure;
  if (shown.legends == Legends::shared) share_legends(shown.panels);
  return drawn(shown);
}

namespace {

std::string drawn(const Figure& figure) {
  const std::size_t columns = columns_of(figure);
  // Larger text is a smaller drawing, enlarged.
  const double zoom = figure.font_pt > 0 ? within(figure.font_pt, 4, 30) / tick_font.size : 1;
  const double width = within(figure.width_mm, 40, 2000) * per_mm / zoom;
  const double height = axes_height(figure, width, columns), n_columns = static_cast<double>(columns);

  std::vector<Layout> layouts;
  layouts.reserve(figure.panels.size());
  for (const Panel& p : figure.panels)
    layouts.push_back(
        {.panel = &p, .x = x_range(p), .y = y_range(p), .legends = figure.legends, .interactive = figure.interactive});
  if (figure.share_x && !layouts.empty()) share_x(layouts, columns);

  // Axes in one column are aligned, and all axes have the same width.
  std::vector<double> left(columns), right(columns);
  double axes_width = width - 2 * margin - column_gap * (n_columns - 1);
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    measure_sides(layouts[i], width / n_columns, height);
    left[i % columns] = std::max(left[i % columns], layouts[i].left);
    right[i % columns] = std::max(right[i % columns], layouts[i].right);
  }
  for (std::size_t c = 0; c < columns; ++c) axes_width -= left[c] + right[c];
  axes_width = std::max(30.0, axes_width / n_columns);

  std::string body;
  double y = margin;
  const double first = margin + left[0];
  append_lines(body, first, y, wrap(figure.title, title_font, width - margin - first), title_font);
  if (!figure.title.empty()) y += 3;
  if (figure.drawing) {
    body += fmt::format("<g transform=\"translate({} {})\">\n{}</g>\n", num((width - figure.drawing->width) / 2),
                        num(y), figure.drawing->svg);
    y += figure.drawing->height + row_gap;
  }
  for (std::size_t row = 0; row < layouts.size(); row += columns) {
    const std::size_t end = std::min(row + columns, layouts.size());
    double top = 0, bottom = 0, title_at = 0, x = margin;
    for (std::size_t i = row; i < end; ++i) {
      Layout& l = layouts[i];
      std::string title = l.panel->title;
      if (figure.letters) title = fmt::format("({}) {}", static_cast<char>('a' + i % 26), title);
      l.left = left[i - row];
      finish(l, axes_width, title);
      top = std::max(top, l.top);
      title_at = std::min(title_at, l.title_at);
      bottom = std::max(bottom, l.height + l.bottom);
    }
    for (std::size_t i = row; i < end; ++i) {
      x += left[i - row];
      body +=
          fmt::format("<g{} transform=\"translate({} {})\">\n", figure.interactive ? panel_attributes(layouts[i]) : "",
                      num(x + (axes_width - layouts[i].width) / 2), num(y + top));
      layouts[i].title_at = title_at;  // titles in one row are aligned
      draw(body, layouts[i]);
      body += "</g>\n";
      x += axes_width + right[i - row] + column_gap;
    }
    y += top + bottom + (end < layouts.size() ? row_gap : 0);
  }
  if (!figure.caption.empty()) y += 6;
  append_lines(body, margin, y, wrap(figure.caption, caption_font, width - 2 * margin), caption_font);
  y += margin;

  std::string out = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{}mm" height="{}mm" viewBox="0 0 {} {}" role="img" )"
      R"(font-family="Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif" font-size="{}" fill="#222" )"
      "stroke-linejoin=\"round\" xml:space=\"preserve\">\n",
      num(zoom * width / per_mm), num(zoom * y / per_mm), num(width), num(y), num(Font{}.size));
  if (!figure.title.empty()) out += fmt::format("<title>{}</title>\n", escape(figure.title));
  append_rect(out, {0, 0, width, y}, R"(fill="#fff")");
  return out + body + "</svg>\n";
}

}  // namespace

std::string label(const Column& column) {
  return column.unit.empty() || column.unit == "1" ? column.name : fmt::format("{} ({})", column.name, column.unit);
}

Series series(const Trace& trace, std::string_view x, std::string_view y) {
  const auto values = [&](std::string_view name) {
    if (const Column* c = trace.find(name)) return c->values;
    throw std::invalid_argument(
        fmt::format(R"(unknown column "{}"; accepted: {})", name, fmt::join(trace.names(), ", ")));
  };
  return {.label = std::string{y}, .x = values(x), .y = values(y)};
}

}  // namespace bristle::plot
