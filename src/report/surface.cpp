#include "bristle/report/surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/escape.hpp"
#include "report/html.hpp"
#include "report/parts.hpp"

namespace bristle::report {
namespace {

using surface::Analysis;
using surface::Heights;
using surface::Summit;

constexpr std::size_t most_cells = 256, most_summits = 400, most_points = 4000;

/// A unit for lengths of this size.
struct Length {
  double factor;
  const char* name;
};
Length length_unit(double size) {
  if (size >= 1e-2) return {1, "m"};
  if (size >= 1e-3) return {1e3, "mm"};
  if (size >= 1e-7) return {1e6, "µm"};
  return {1e9, "nm"};
}

std::vector<Summit> highest(const Analysis& a) {
  std::vector<Summit> out = a.roughness.summits;
  const std::size_t n = std::min(out.size(), most_summits);
  std::partial_sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n), out.end(),
                    [](const Summit& p, const Summit& q) { return p.height > q.height; });
  out.resize(n);
  return out;
}

/// Means of square groups of points, at most most_cells along each axis.
plot::Map map_of(const Heights& h, double along, double up) {
  const std::size_t every = (std::max(h.nx, h.ny) + most_cells - 1) / most_cells;
  plot::Map out{.pixels = true};
  const std::size_t nx = h.nx / every, ny = h.ny / every;
  auto centre = [&](std::size_t k) { return static_cast<double>(k * every) + 0.5 * static_cast<double>(every - 1); };
  for (std::size_t i = 0; i < nx; ++i) out.x.push_back(along * (h.x0 + centre(i) * h.dx));
  for (std::size_t j = 0; j < ny; ++j) out.y.push_back(along * centre(j) * h.dy);
  out.z.assign(nx * ny, 0.0);
  const auto cell = static_cast<double>(every * every);
  for (std::size_t j = 0; j < ny * every; ++j) {
    for (std::size_t i = 0; i < nx * every; ++i) out.z[i / every * ny + j / every] += up * h.z[j * h.nx + i] / cell;
  }
  return out;
}

plot::Figure heights_figure(const Analysis& a) {
  const Heights& h = a.roughness.heights;
  const Length along = length_unit(std::max(h.length_x(), h.length_y())), up = length_unit(a.roughness.Sq);
  std::vector<Summit> summits = highest(a);
  const std::size_t all = a.roughness.summits.size();
  plot::Series marks{.label = summits.size() < all ? fmt::format("the highest {} of {} summits", summits.size(), all)
                                                   : fmt::format("{} summits", all),
                     .style = plot::Style::points,
                     .color = 1,
                     .width = 1.4};
  plot::Panel p{.x = {fmt::format("x ({})", along.name)}};
  for (const Summit& s : summits) {
    marks.x.push_back(along.factor * s.x);
    marks.y.push_back(a.roughness.is_profile ? up.factor * s.height : along.factor * s.y);
  }
  if (a.roughness.is_profile) {
    p.title = "Profile after the filter";
    p.y = {fmt::format("z ({})", up.name)};
    plot::Series line{.label = "profile", .color = 0, .width = 0.7};
    const std::size_t every = (h.nx + most_points - 1) / most_points;
    for (std::size_t i = 0; i < h.nx; i += every) {
      line.x.push_back(along.factor * (h.x0 + static_cast<double>(i) * h.dx));
      line.y.push_back(up.factor * h.z[i]);
    }
    p.series = {std::move(line), std::move(marks)};
    return {.panels = {std::move(p)}, .panel_height_mm = 60};
  }
  p.title = "Heights after the filter";
  p.y = {fmt::format("y ({})", along.name)};
  p.map = map_of(h, along.factor, up.factor);
  p.map->label = fmt::format("z ({})", up.name);
  p.x.limits = {along.factor * (h.x0 - 0.5 * h.dx), along.factor * (h.x0 + h.length_x() - 0.5 * h.dx)};
  p.y.limits = {-0.5 * along.factor * h.dy, along.factor * (h.length_y() - 0.5 * h.dy)};
  p.series = {std::move(marks)};
  const double aspect = h.length_y() / h.length_x();
  return {.panels = {std::move(p)}, .panel_height_mm = std::clamp(115 * aspect, 30.0, 180.0)};
}

plot::Panel distribution_panel(const Analysis& a) {
  constexpr std::size_t bins = 80;
  const auto& r = a.roughness;
  const double lo = -r.Sv / r.Sq, hi = r.Sp / r.Sq, width = (hi - lo) / bins;
  plot::Series heights{.label = "heights", .style = plot::Style::steps, .color = 0},
      gauss{.label = "Gaussian", .color = 5, .dash = 1};
  std::vector<double> count(bins, 0.0);
  const auto n = static_cast<double>(r.heights.z.size());
  for (const double z : r.heights.z)
    count[std::min(bins - 1, static_cast<std::size_t>(std::max(0.0, (z / r.Sq - lo) / width)))] += 1 / (n * width);
  for (std::size_t k = 0; k < bins; ++k) {
    heights.x.push_back(lo + width * static_cast<double>(k));
    heights.y.push_back(count[k]);
  }
  heights.x.push_back(hi);
  heights.y.push_back(0);
  for (int k = -80; k <= 80; ++k) {
    gauss.x.push_back(0.05 * k);
    gauss.y.push_back(std::exp(-0.5 * 0.0025 * k * k) / std::sqrt(2 * std::numbers::pi));
  }
  return {.title = "Distribution of heights",
          .x = {r.is_profile ? "z/Rq" : "z/Sq"},
          .y = {"Probability density"},
          .series = {std::move(heights), std::move(gauss)}};
}

plot::Figure statistics_figure(const Analysis& a) {
  plot::Panel spectrum{.title = "Spectrum along x",
                       .x = {"Wave number q (rad/m)", true},
                       .y = {"C(q) (m^{3})", true},
                       .series = {{.x = a.roughness.spectrum_q, .y = a.roughness.spectrum_C, .color = 0}}};
  const double most = *std::ranges::max_element(a.roughness.spectrum_C);
  for (double& C : spectrum.series[0].y) C = C > 1e-12 * most ? C : std::nan("");  // rounding errors below
  for (const auto& [at, name] : {std::pair{a.settings.cutoff, "cutoff"}, {a.settings.shortest, "short"}}) {
    if (at > 0) spectrum.vertical.push_back({2 * std::numbers::pi / at, name});
  }
  return {.panels = {distribution_panel(a), std::move(spectrum)}, .columns = 2, .share_x = false};
}

plot::Figure contact_figure(const Analysis& a) {
  plot::Series gw{.label = "Greenwood and Williamson", .color = 0},
      persson{.label = "Persson, same pressure", .color = 1, .dash = 1}, load{.color = 0};
  for (const surface::Contact& c : a.contacts) {
    for (plot::Series* s : {&gw, &persson, &load}) s->x.push_back(c.h);
    gw.y.push_back(c.area_gw);
    persson.y.push_back(c.area_persson);
    load.y.push_back(c.pressure.value_or(std::nan("")) * (a.area ? *a.area : 1));
  }
  plot::Panel area{.title = "Contact area",
                   .x = {"Separation over σ_{s}"},
                   .y = {"Contact area over nominal area", true},
                   .series = {std::move(gw), std::move(persson)}};
  plot::Panel force{.title = a.area ? "Load" : "Pressure",
                    .x = {"Separation over σ_{s}"},
                    .y = {a.area ? "Load (N)" : "Pressure (Pa)", true},
                    .series = {std::move(load)}};
  std::vector<plot::Panel> panels{std::move(area)};
  if (a.settings.E) panels.push_back(std::move(force));
  for (plot::Panel& p : panels) {
    if (a.at) p.vertical.push_back({a.at->h, "h"});
  }
  return {.panels = std::move(panels), .columns = 2, .share_x = false};
}

std::string shown(const std::optional<double>& x) { return x ? fmt::format("{:.6g}", *x) : "–"; }

}  // namespace

std::vector<plot::Figure> surface_figures(const Analysis& a) {
  std::vector<plot::Figure> out{heights_figure(a), statistics_figure(a)};
  if (!a.contacts.empty()) out.push_back(contact_figure(a));
  return out;
}

std::string surface_page(const Analysis& a) {
  const auto figures = surface_figures(a);
  std::string body = fmt::format("<header>\n<h1>Surface {}</h1>\n", escape(a.file));
  if (a.counter) body += fmt::format("<p class=\"quiet\">Counter surface {}</p>\n", escape(a.counter_file));
  body += "</header>\n<main>\n";
  for (const std::string& w : a.warnings)
    body += fmt::format("<p class=\"note\"><span class=\"bad\">Warning:</span> {}</p>\n", escape(w));
  for (const std::string& n : a.notes) body += fmt::format("<p class=\"note\">{}</p>\n", escape(n));
  body += section(a.roughness.is_profile ? "Profile" : "Map", figure_html(figures[0]));
  body += section("Heights and spectrum", figure_html(figures[1]));
  if (figures.size() > 2) body += section("Contact with a smooth plane", figure_html(figures[2]));
  std::vector<Row> rows{{"name", "value", "unit", "meaning"}};
  for (const surface::Named& v : values_of(a))
    rows.push_back(
        {"<code>" + v.name + "</code>", shown(v.value), v.unit == "1" ? "" : html(v.unit), escape(v.meaning)});
  body += section("Numbers", html_table(rows, "lrnl"));
  std::string files;
  files += a.gfm ? "<h3>gfm.toml</h3>\n" + text_block(gfm_toml(a))
                 : "<p>No <code>gfm.toml</code>: " + escape(a.no_gfm) + ".</p>\n";
  files += a.generic2010 ? folded("generic2010.toml", text_block(generic2010_toml(a)))
                         : "<p>No <code>generic2010.toml</code>: " + escape(a.no_generic2010) + ".</p>\n";
  return page("Surface " + a.file, body + section("Populations of asperities", files) + "</main>\n");
}

std::string surface_text(const Analysis& a) {
  const Heights& h = a.roughness.heights;
  std::string out =
      a.roughness.is_profile
          ? fmt::format("{}: profile of {} points, spacing {:.6g} m\n", a.file, h.nx, h.dx)
          : fmt::format("{}: map of {} x {} points, spacing {:.6g} x {:.6g} m\n", a.file, h.nx, h.ny, h.dx, h.dy);
  for (const surface::Named& v : values_of(a)) {
    if (v.name.starts_with("points_") || v.name.starts_with("spacing_")) continue;
    out += fmt::format("  {:<20} {:>14} {:<7} {}\n", v.name, v.value ? fmt::format("{:.8g}", *v.value) : "not defined",
                       v.unit == "1" ? "" : v.unit, v.meaning);
  }
  return out;
}

}  // namespace bristle::report
