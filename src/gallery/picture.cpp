#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>

#include "bristle/gallery.hpp"
#include "gallery/table.hpp"

namespace bristle::gallery {
namespace {

/// Colours: a variant keeps its colour in all panels, unless another variant of the panel has the same.
class Colors {
 public:
  /// Finished runs of these variants.
  std::vector<report::Shown> shown(const FigureFile& file, const std::vector<std::size_t>& variants,
                                   const std::vector<VariantResult>& results) {
    std::vector<report::Shown> out;
    std::set<std::size_t> taken;
    for (const std::size_t i : variants) {
      if (const auto old = of_.find(i); old != of_.end() && taken.insert(old->second).second) continue;
      of_.erase(i);
    }
    for (const std::size_t i : variants) {
      std::size_t color = 0;
      while (!of_.contains(i) && !taken.insert(color).second) ++color;
      of_.emplace(i, color);
      if (!results[i].failure.empty()) continue;
      out.push_back({&file.variants[i].scenario, &results[i].run, file.variants[i].label, of_.at(i), results[i].again});
    }
    return out;
  }

 private:
  std::map<std::size_t, std::size_t> of_{};
};

/// One row of a table as numbers; NaN for the label and for values of failed runs.
std::vector<Measured> row_of(const FigureFile& file, const TableSpec& spec, std::size_t variant,
                             const VariantResult& result) {
  std::size_t quantity = 0;  // index; quantities of earlier tables come first
  for (const TableSpec& t : file.tables) {
    if (&t == &spec) break;
    if (std::find(t.variants.begin(), t.variants.end(), variant) == t.variants.end()) continue;
    for (const TableColumn& c : t.columns) quantity += is_function(c.value) ? 1U : 0U;
  }
  const Variant& v = file.variants[variant];
  auto value = [&](const TableColumn& c) -> Measured {
    if (c.value.starts_with("printed.")) {
      const auto at =
          std::find_if(v.printed.begin(), v.printed.end(), [&](const auto& p) { return c.value.substr(8) == p.first; });
      return {at != v.printed.end() ? at->second : NAN};
    }
    const std::size_t k = is_function(c.value) ? quantity++ : 0;
    if (!result.failure.empty()) return {NAN};
    if (c.value == "label") return {NAN};
    if (c.value == "cpu_ms") return {result.cpu_ms};
    if (c.value == "steps") return {static_cast<double>(result.run.summary.steps)};
    if (c.value == "balance") return {result.run.summary.energy.error};
    return measure(v.scenario.quantities[k], result.run, result.again);
  };
  std::vector<Measured> out;
  out.reserve(spec.columns.size());
  for (const TableColumn& c : spec.columns) {
    const Measured m = value(c);
    out.push_back({c.factor * m.mean + c.offset, std::abs(c.factor) * m.deviation});
  }
  return out;
}

std::string cell(const TableColumn& column, const Measured& m, const Variant& variant) {
  const double x = m.mean;
  if (column.value == "label") return variant.label;
  if (std::isnan(x)) return "–";
  if (column.value == "cpu_ms") return fmt::format("{:.3g}", x);
  if (column.value == "steps") return fmt::format("{:.0f}", x);
  if (column.value == "balance") return fmt::format("{:.1e}", x);
  // A mean over several runs has only significant digits.
  if (m.deviation > 0) {
    const double digits = std::floor(std::log10(std::abs(x))) - std::floor(std::log10(m.deviation)) + 1;
    return fmt::format("{:.{}g} ± {:.1g}", x, static_cast<int>(std::clamp(digits, 1.0, 6.0)), m.deviation);
  }
  return fmt::format("{:.6g}", x);
}

/// Draws y^(1/root) with the line of least squares through it, down to the x where it vanishes.
void straighten(plot::Panel& out, double root, double below) {
  out.bands.clear();
  for (std::size_t i = 0, n = out.series.size(); i < n; ++i) {
    plot::Series& s = out.series[i];
    double count = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    std::vector<double> ends;
    for (std::size_t k = 0; k < s.x.size(); ++k) {
      s.y[k] = std::pow(below > 0 ? below - s.y[k] : s.y[k], 1 / root);
      if (!std::isfinite(s.x[k]) || !std::isfinite(s.y[k])) continue;
      ++count;
      sx += s.x[k];
      sy += s.y[k];
      sxx += s.x[k] * s.x[k];
      sxy += s.x[k] * s.y[k];
      ends.push_back(s.x[k]);
    }
    s.style = plot::Style::points;
    const double slope = (count * sxy - sx * sy) / (count * sxx - sx * sx), zero = (sx - sy / slope) / count;
    if (!(count >= 2) || !std::isfinite(zero)) continue;
    out.vertical.push_back({zero, fmt::format("{:.4g}", zero)});
    const double far = *std::ranges::max_element(ends, {}, [&](double x) { return std::abs(x - zero); });
    out.series.push_back({.x = {zero, far}, .y = {0, slope * (far - zero)}, .color = static_cast<int>(i), .dash = 1});
  }
  const std::string of = below > 0 ? fmt::format("{:.4g} − {}", below, out.y.label) : out.y.label;
  out.y.label = root >= 1 ? fmt::format("({})^{{1/{:g}}}", of, root) : fmt::format("({})^{{{:.3g}}}", of, 1 / root);
}

/// The line of least squares of a series, in the coordinates of its axes.
plot::Series line_of(const plot::Series& s, bool xlog, bool ylog) {
  std::vector<double> x, y;
  for (std::size_t k = 0; k < s.x.size(); ++k) {
    x.push_back(xlog ? std::log(s.x[k]) : s.x[k]);
    y.push_back(ylog ? std::log(s.y[k]) : s.y[k]);
  }
  const Line line = least_squares(x, y);
  plot::Series out{.color = s.color, .dash = 1};
  if (!std::isfinite(line.slope)) return out;
  const auto [low, high] = std::ranges::minmax(s.x);
  for (const double end : {low, high}) {
    const double at = line.level + line.slope * (xlog ? std::log(end) : end);
    out.x.push_back(end);
    out.y.push_back(ylog ? std::exp(at) : at);
  }
  return out;
}

/// A panel with columns of a table.
plot::Panel panel_of(const FigureFile& file, const TableSpec& spec, const std::vector<VariantResult>& results) {
  plot::Panel out{.title = spec.title, .x = {spec.columns[*spec.x].head, spec.xlog}, .y = {"", spec.ylog}};
  for (const std::size_t column : spec.y) {
    const std::string& head = spec.columns[column].head;
    plot::Series s{.label = !spec.label.empty() ? spec.label
                            : spec.y.size() > 1 ? head
                                                : "",
                   .style = spec.line ? plot::Style::line_and_points : plot::Style::points};
    s.color = static_cast<int>(out.series.size());
    out.y.label += (out.y.label.empty() ? "" : ", ") + head;
    plot::Band band;
    for (const std::size_t i : spec.variants) {
      const std::vector<Measured> row = row_of(file, spec, i, results[i]);
      const auto [y, deviation] = row[column];
      s.x.push_back(row[*spec.x].mean);
      s.y.push_back(y);
      band.lo.push_back(y - deviation);
      band.hi.push_back(y + deviation);
    }
    band.x = s.x;
    band.color = static_cast<int>(out.series.size());
    out.series.push_back(std::move(s));
    if (band.lo != band.hi) out.bands.push_back(std::move(band));
  }
  if (spec.root > 0) straighten(out, spec.root, spec.below);
  for (std::size_t i = 0, n = out.series.size(); spec.fit && i < n; ++i) {
    if (plot::Series line = line_of(out.series[i], spec.xlog, spec.ylog); !line.x.empty())
      out.series.push_back(std::move(line));
  }
  return out;
}

/// Adds the series of a table's panel to a panel of curves, in colours of their own.
void add_points(plot::Panel& panel, plot::Panel points) {
  int next = 0;
  for (const plot::Series& s : panel.series) next = std::max(next, s.color.value_or(0) + 1);
  for (plot::Series& s : points.series) {
    s.color = s.color.value_or(0) + next;
    panel.series.push_back(std::move(s));
  }
  for (plot::Band& b : points.bands) {
    b.color = b.color.value_or(0) + next;
    panel.bands.push_back(std::move(b));
  }
}

}  // namespace

plot::Figure picture(const FigureFile& file, const std::vector<VariantResult>& results) {
  std::vector<Panel> panels = file.panels;
  if (panels.empty() && file.tables.empty()) {
    std::vector<std::size_t> all(file.variants.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    for (const FigureSpec& spec : report::figures_of(file.variants.front().scenario)) panels.push_back({spec, all});
  }
  std::vector<plot::Panel> out;
  Colors colors;
  for (const Panel& p : panels) {
    auto runs = colors.shown(file, p.variants, results);
    if (runs.empty()) continue;
    FigureSpec spec = p.spec;
    std::deque<Run> means;  // keeps its elements in place
    for (std::size_t i = 0, shown = 0; p.cycles > 0 && i < p.variants.size(); ++i) {
      const VariantResult& result = results[p.variants[i]];
      if (!result.failure.empty()) continue;
      runs[shown].run = &means.emplace_back(mean_cycle(p.spec, p.cycles, result));
      runs[shown++].again = {};
    }
    if (p.cycles > 0) spec.last = 1;
    out.push_back(report::panel_of(spec, runs));
  }
  for (const TableSpec& t : file.tables) {
    if (!t.x) continue;
    plot::Panel panel = panel_of(file, t, results);
    const auto in = std::ranges::find(out, t.in, &plot::Panel::title);
    if (t.in.empty()) {
      out.push_back(std::move(panel));
    } else if (in != out.end()) {
      add_points(*in, std::move(panel));
    }
  }
  plot::Figure figure = report::figure_of(std::move(out));
  for (std::size_t i = 0; i < results.size() && !figure.drawing; ++i) {  // the first mechanism
    if (results[i].failure.empty()) figure.drawing = report::drawing_of(file.variants[i].scenario, results[i].run);
  }
  return figure;
}

std::vector<std::vector<std::string>> table(const FigureFile& file, const TableSpec& spec,
                                            const std::vector<VariantResult>& results) {
  std::vector<std::vector<std::string>> out(1);
  for (const TableColumn& c : spec.columns) out[0].push_back(c.head);
  for (const std::size_t i : spec.variants) {
    const std::vector<Measured> values = row_of(file, spec, i, results[i]);
    auto& row = out.emplace_back();
    for (std::size_t c = 0; c < values.size(); ++c) row.push_back(cell(spec.columns[c], values[c], file.variants[i]));
  }
  return out;
}

std::vector<std::vector<double>> numbers(const FigureFile& file, const TableSpec& spec,
                                         const std::vector<VariantResult>& results) {
  std::vector<std::vector<double>> out;
  for (const std::size_t i : spec.variants) {
    auto& row = out.emplace_back();
    for (const Measured& m : row_of(file, spec, i, results[i])) row.push_back(m.mean);
  }
  return out;
}

}  // namespace bristle::gallery
