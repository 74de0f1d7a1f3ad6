#include "map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>

#include "panel.hpp"
#include "raster.hpp"

namespace bristle::plot {
namespace {

constexpr double bar_gap = 8, bar_width = 9;
constexpr int colors = 64;
constexpr const char* no_value = "#d9d9d9";

/// Viridis: even steps of lightness, distinct for colour-blind readers.
std::array<std::uint8_t, 3> rgb_at(double share) {
  constexpr std::array<std::array<double, 3>, 9> anchors{{{0x44, 0x01, 0x54},
                                                          {0x47, 0x2d, 0x7b},
                                                          {0x3b, 0x52, 0x8b},
                                                          {0x2c, 0x72, 0x8e},
                                                          {0x21, 0x91, 0x8c},
                                                          {0x28, 0xae, 0x80},
                                                          {0x5e, 0xc9, 0x62},
                                                          {0xad, 0xdc, 0x30},
                                                          {0xfd, 0xe7, 0x25}}};
  const double at = within(share, 0, 1) * (anchors.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), anchors.size() - 2);
  const double f = at - static_cast<double>(i);
  auto part = [&](std::size_t c) {
    return static_cast<std::uint8_t>(std::lround(anchors[i][c] + f * (anchors[i + 1][c] - anchors[i][c])));
  };
  return {part(0), part(1), part(2)};
}
std::string color_at(double share) {
  const auto c = rgb_at(share);
  return fmt::format("#{:02x}{:02x}{:02x}", c[0], c[1], c[2]);
}

/// Position of a value in the range of colours, 0 to 1; NaN if it has none.
double share_of(double v, const MapLayout& l) {
  if (!drawable(v, l.log)) return std::nan("");
  return l.log ? (std::log10(v) - std::log10(l.range.lo)) / (std::log10(l.range.hi) - std::log10(l.range.lo))
               : (v - l.range.lo) / (l.range.hi - l.range.lo);
}

int color_index(double share) {
  return std::isnan(share) ? -1 : std::clamp(static_cast<int>(share * colors), 0, colors - 1);
}

void append_cell(std::string& d, double x0, double y0, double x1, double y1) {
  append(d, 'M', Point{x0, y0});
  d += 'H';
  append(d, x1);
  d += 'V';
  append(d, y1);
  d += 'H';
  append(d, x0);
  d += 'z';
}

/// The cells of an even grid as pixels.
void draw_pixels(std::string& out, const Map& m, const MapLayout& l, const Box& box) {
  const std::size_t nx = m.x.size(), ny = m.y.size();
  const bool left = m.x.front() < m.x.back(), up = m.y.front() < m.y.back();
  Raster r{.width = nx, .height = ny, .pixels = std::vector<std::uint8_t>(nx * ny)};
  for (int k = 0; k < colors; ++k) r.colors.push_back(rgb_at((k + 0.5) / colors));
  r.colors.push_back({0xd9, 0xd9, 0xd9});
  for (std::size_t i = 0; i < nx; ++i) {
    for (std::size_t j = 0; j < ny; ++j) {
      const int color = color_index(share_of(m.z[i * ny + j], l));
      r.pixels[(up ? ny - 1 - j : j) * nx + (left ? i : nx - 1 - i)] =
          static_cast<std::uint8_t>(color < 0 ? colors : color);
    }
  }
  out += fmt::format("<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
                     "style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>\n",
                     num(box.x), num(box.y), num(box.w), num(box.h), base64(png(r)));
}

/// Marching squares between the centres of the cells.
void contour(std::string& d, const Map& m, const MapLayout& l, double level, const Scale& sx, const Scale& sy) {
  const std::size_t ny = m.y.size();
  const double at = share_of(level, l);
  for (std::size_t i = 0; i + 1 < m.x.size(); ++i) {
    for (std::size_t j = 0; j + 1 < ny; ++j) {
      constexpr std::array<std::array<std::size_t, 2>, 4> corners{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
      std::array<double, 4> z{};
      std::array<Point, 4> p{};
      for (std::size_t k = 0; k < 4; ++k) {
        z[k] = share_of(m.z[(i + corners[k][0]) * ny + j + corners[k][1]], l) - at;
        p[k] = {sx(m.x[i + corners[k][0]]), sy(m.y[j + corners[k][1]])};
      }
      if (std::ranges::any_of(z, [](double v) { return std::isnan(v); })) continue;
      std::array<Point, 4> cut{};
      std::size_t n = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t next = (k + 1) % 4;
        if ((z[k] < 0) == (z[next] < 0)) continue;
        const double f = z[k] / (z[k] - z[next]);
        cut[n++] = {p[k].x + f * (p[next].x - p[k].x), p[k].y + f * (p[next].y - p[k].y)};
      }
      for (std::size_t k = 0; k + 1 < n; k += 2) {
        append(d, 'M', cut[k]);
        append(d, 'L', cut[k + 1]);
      }
    }
  }
}

}  // namespace

std::vector<double> cell_edges(const std::vector<double>& values, bool log) {
  std::vector<double> v = values;
  if (log) std::ranges::transform(v, v.begin(), [](double x) { return std::log10(x); });
  std::vector<double> out;
  const std::size_t n = v.size();
  out.reserve(n + 1);
  const double half = n > 1 ? (v[1] - v[0]) / 2 : std::max(0.5 * std::abs(v[0]), log ? 0.5 : 1e-12);
  out.push_back(v[0] - half);
  for (std::size_t i = 0; i + 1 < n; ++i) out.push_back((v[i] + v[i + 1]) / 2);
  out.push_back(v[n - 1] + (n > 1 ? (v[n - 1] - v[n - 2]) / 2 : half));
  if (log) std::ranges::transform(out, out.begin(), [](double x) { return std::pow(10.0, x); });
  return out;
}

Range map_range(const std::vector<double>& values, bool log) {
  const std::vector<double> edges = cell_edges(values, log);
  return {std::min(edges.front(), edges.back()), std::max(edges.front(), edges.back())};
}

MapLayout arrange_map(const Map& map, double height) {
  MapLayout out;
  Extent extent{false};
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (const double z : map.z) {
    if (!drawable(z, false)) continue;
    extent.add(z);
    least = std::min(least, z);
    most = std::max(most, z);
  }
  out.log = least > 0 && most > 1000 * least && most < HUGE_VAL;
  out.range = extent.padded(0);
  if (out.log) out.range = {least, most};
  out.ticks = make_ticks(out.range, out.log, std::clamp(static_cast<int>(height / 24), 3, 6));
  out.label = wrap(map.label, label_font, std::max(height, 60.0));
  double widest = text_width(out.ticks.factor, tick_font);
  for (const std::string& t : out.ticks.labels) widest = std::max(widest, text_width(t, tick_font));
  out.width = bar_gap + bar_width + tick_length + tick_gap + widest + 3 +
              static_cast<double>(out.label.size()) * leading * label_font.size + 2;
  return out;
}

void draw_map(std::string& out, const Map& m, const MapLayout& l, const Axis& x, const Axis& y, const Scale& sx,
              const Scale& sy) {
  const std::vector<double> ex = cell_edges(m.x, x.log), ey = cell_edges(m.y, y.log);
  const std::size_t nx = m.x.size(), ny = m.y.size();
  if (m.pixels) {
    const double x0 = sx(ex.front()), x1 = sx(ex.back()), y0 = sy(ey.front()), y1 = sy(ey.back());
    draw_pixels(out, m, l, {std::min(x0, x1), std::min(y0, y1), std::abs(x1 - x0), std::abs(y1 - y0)});
    return;
  }
  std::map<int, std::string> cells;  // by colour; equal neighbours along y are one rectangle
  for (std::size_t i = 0; i < nx; ++i) {
    for (std::size_t j = 0, end = 0; j < ny; j = end) {
      const int color = color_index(share_of(m.z[i * ny + j], l));
      for (end = j + 1; end < ny && color_index(share_of(m.z[i * ny + end], l)) == color;) ++end;
      append_cell(cells[color], sx(ex[i]), sy(ey[j]), sx(ex[i + 1]), sy(ey[end]));
    }
  }
  out += "<g shape-rendering=\"crispEdges\">\n";
  for (const auto& [color, d] : cells)
    out += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n",
                       color < 0 ? std::string(no_value) : color_at((color + 0.5) / colors), d);
  out += "</g>\n";
  std::string lines;
  for (const double level : l.ticks.major) {
    if (m.contours) contour(lines, m, l, level, sx, sy);
  }
  if (!lines.empty())
    out += fmt::format("<path fill=\"none\" stroke=\"#fff\" stroke-width=\"0.6\" stroke-opacity=\"0.8\" d=\"{}\"/>\n",
                       lines);
}

void draw_bar(std::string& out, const MapLayout& l, double left, double height) {
  const double x = left + bar_gap;
  out += "<g shape-rendering=\"crispEdges\">\n";
  for (int k = 0; k < colors; ++k) {
    const double h = height / colors;
    append_rect(out, {x, height - (k + 1) * h, bar_width, k > 0 ? h + 0.5 : h},
                fmt::format("fill=\"{}\"", color_at((k + 0.5) / colors)));
  }
  out += "</g>\n";
  append_rect(out, {x, 0, bar_width, height}, R"(fill="none" stroke="#333" stroke-width="0.6")");
  for (std::size_t i = 0; i < l.ticks.major.size(); ++i) {
    const double y = height * (1 - share_of(l.ticks.major[i], l));
    out += fmt::format("<path stroke=\"#333\" stroke-width=\"0.6\" d=\"M{} {}h{}\"/>\n", num(x + bar_width), num(y),
                       num(tick_length));
    append_text(out, {x + bar_width + tick_length + tick_gap, y + 0.35 * tick_font.size}, l.ticks.labels[i],
                {tick_font});
  }
  if (!l.ticks.factor.empty()) append_text(out, {x, -4}, l.ticks.factor, {tick_font});
  double at = left + l.width - static_cast<double>(l.label.size()) * leading * label_font.size;
  for (const std::string& line : l.label) {
    at += leading * label_font.size;
    append_text(out, {at - 0.25 * label_font.size, height / 2}, line, {label_font, "middle", "", true});
  }
}

}  // namespace bristle::plot
