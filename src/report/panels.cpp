#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "bristle/report.hpp"
#include "report/parts.hpp"
#include "report/shared/labels.hpp"

namespace bristle::report {
namespace {

plot::Mark mark_of(const Event& event) {
  constexpr plot::Mark::Kind kinds[]{plot::Mark::Kind::stick, plot::Mark::Kind::slip_plus,
                                     plot::Mark::Kind::slip_minus};
  constexpr const char* texts[]{"stick", "slip +", "slip −"};
  return {event.t, texts[event.kind], kinds[event.kind]};
}

/// Source: a trace, or a run with its limits.
template <class Source> Column needed(const Source& source, const std::string& name) {
  if (auto c = column_of(source, name)) return std::move(*c);
  throw std::invalid_argument(fmt::format("unknown column {}", name));
}

/// Legend text of a column, with its unit if the axis has none.
std::string column_text(const FigureSpec& spec, std::size_t i, const Column& column, const Scenario& s, bool unit) {
  if (!spec.legend.empty()) return spec.legend[i];
  const std::string text = title_of(column.name, s), of = unit_in(column.unit, s);
  return unit && !of.empty() ? fmt::format("{} ({})", text, of) : text;
}

using Curves = std::vector<plot::Series>;

/// Whether the rows of a column are equal in all runs, such as the drive: drawn once. Limits belong to one run.
bool same_in_all(const std::string& x, const std::string& y, std::span<const Shown> runs) {
  const Trace& first = runs.front().run->trace;
  return std::all_of(runs.begin() + 1, runs.end(), [&](const Shown& r) {
    return needed(r.run->trace, x).values == needed(first, x).values &&
           needed(r.run->trace, y).values == needed(first, y).values;
  });
}

/// Whether dashes are readable: not for a curve with many oscillations.
bool calm(const plot::Series& s) {
  constexpr double most = 25;  // heights
  if (s.y.empty() || !std::is_sorted(s.x.begin(), s.x.end())) return false;
  double way = 0;
  for (std::size_t i = 1; i < s.y.size(); ++i) way += std::abs(s.y[i] - s.y[i - 1]);
  const auto [lo, hi] = std::minmax_element(s.y.begin(), s.y.end());
  return way <= most * (*hi - *lo);
}

std::string entries_of(const plot::Panel& panel) {
  std::string out;
  for (const plot::Series& s : panel.series) {
    if (!s.label.empty()) out += fmt::format("{}|{}|{}\n", s.label, s.color.value_or(-1), s.dash.value_or(-1));
  }
  return out;
}

/// Whether panels with the same quantity along x can share a range without compressing one of them.
bool same_extent(const std::vector<plot::Panel>& panels) {
  std::map<std::string, double> first;
  for (const plot::Panel& p : panels) {
    double lo = inf, hi = -inf;
    for (const plot::Series& s : p.series) {
      for (const double x : s.x) {
        lo = std::min(lo, x);
        hi = std::max(hi, x);
      }
    }
    const double width = hi - lo, other = first.emplace(p.x.label, width).first->second;
    if (std::min(width, other) < 0.8 * std::max(width, other)) return false;
  }
  return true;
}

}  // namespace

std::vector<FigureSpec> figures_of(const Scenario& scenario) {
  if (!scenario.figures.empty()) return scenario.figures;
  const Experiment& e = scenario.experiment;
  if (e.own) {  // the joints with friction; without any, the first column
    constexpr std::size_t few = 4;
    FigureSpec velocity{.events = true}, force{};
    for (std::size_t i = 0; i < std::min(few, e.contacts.size()); ++i) {
      velocity.y.push_back(e.contacts[i].name + ".v");
      force.y.push_back(e.contacts[i].name + ".F");
    }
    if (!force.y.empty()) return {velocity, force};
    const std::vector<Column> columns = e.own->columns(e);
    return {{.y = {columns[1].name, columns[2].name}}, {.y = {columns[3].name}}};
  }
  if (e.kind == SystemKind::prescribed) {
    return {{.y = {"F"}}, {.x = e.drive.of == DriveOf::velocity ? "v" : "x", .y = {"F"}}};
  }
  FigureSpec position{.y = {"x"}, .events = true}, velocity{.y = {"v"}}, force{.y = {"F", "F_app"}};
  if (e.controller) {
    position.y.emplace_back("reference");
    force.y[1] = "u";
  } else if (e.drive.of == DriveOf::position && e.body.stiffness > 0) {
    position.y.emplace_back("drive");
  }
  if (e.kind == SystemKind::roller) velocity.y.emplace_back("v_slip");
  if (const std::vector<int>& record = e.solver.record; !record.empty()) {
    const auto block = static_cast<std::size_t>(*std::min_element(record.begin(), record.end()));
    for (FigureSpec* f : {&position, &velocity, &force}) f->y.front() = name_in_chain(f->y.front(), block);
    if (block > 1) force.y.pop_back();  // only the first block has a column of the applied force
  }
  return {position, velocity, force};
}

plot::Panel panel_of(const FigureSpec& spec, std::span<const Shown> runs) {
  if (spec.show != Show::curves) return chain_panel(spec, runs);
  const Scenario& scenario = *runs.front().scenario;
  const Trace& trace = runs.front().run->trace;
  std::vector<Column> y;
  y.reserve(spec.y.size());
  for (const std::string& name : spec.y) y.push_back(needed(trace, name));
  const bool mixed = std::any_of(y.begin(), y.end(), [&](const Column& c) { return c.unit != y.front().unit; });

  plot::Panel out{
      .title = spec.title, .x = {spec.xlabel, spec.xlog, spec.xlim}, .y = {spec.ylabel, spec.ylog, spec.ylim}};
  if (out.x.label.empty()) out.x.label = axis_label(std::array{needed(trace, spec.x)}, scenario);
  if (out.y.label.empty()) out.y.label = axis_label(y, scenario);

  const bool several = runs.size() > 1;
  std::vector<Curves> all;  // curves of each column, one per run
  for (const Column& c : y) {
    Curves& of = all.emplace_back();
    for (const Shown& r : runs) {
      of.push_back({.x = needed(*r.run, spec.x).values, .y = needed(*r.run, c.name).values});
      const auto t = needed(*r.run, "t").values;
      const auto skip = std::lower_bound(t.begin(), t.end(), t.back() * (1 - spec.last)) - t.begin();
      for (auto* values : {&of.back().x, &of.back().y}) values->erase(values->begin(), values->begin() + skip);
    }
  }
  std::vector<bool> same(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) same[i] = several && y.size() > 1 && same_in_all(spec.x, y[i].name, runs);
  const auto common = std::count(same.begin(), same.end(), true);
  const std::size_t varying = y.size() - static_cast<std::size_t>(common);
  auto add_band = [&](const plot::Series& curve, const Shown& shown, const std::string& column) {
    if (shown.again.empty()) return;
    plot::Band band{.x = curve.x, .lo = curve.y, .hi = curve.y, .color = curve.color};
    for (const Run& run : shown.again) {
      if (needed(run, spec.x).values != band.x) return;
      const std::vector<double> other = needed(run, column).values;
      for (std::size_t k = 0; k < other.size(); ++k) {
        band.lo[k] = std::min(band.lo[k], other[k]);
        band.hi[k] = std::max(band.hi[k], other[k]);
      }
    }
    out.bands.push_back(std::move(band));
  };
  auto draw = [&](plot::Series& curve, const std::string& label, std::size_t color, std::size_t dash) {
    curve.label = label;
    curve.color = static_cast<int>(color);
    curve.dash = calm(curve) ? static_cast<int>(dash % 4) : 0;
    out.series.push_back(std::move(curve));
  };
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::string of = column_text(spec, i, y[i], scenario, mixed);
    const bool once = varying > 0 && same[i];
    if (once || !several) {
      draw(all[i][0], y.size() > 1 || !spec.legend.empty() ? of : "", i + (once ? runs.size() : runs[0].color), i);
      if (!once && runs[0].scenario->experiment.kind == SystemKind::prescribed)
        add_band(out.series.back(), runs[0], y[i].name);
      continue;
    }
    for (std::size_t r = 0; r < runs.size(); ++r) {
      draw(all[i][r], varying == 1 ? runs[r].label : runs[r].label + ": " + of, runs[r].color, varying == 1 ? r : i);
      if (runs[r].scenario->experiment.kind == SystemKind::prescribed) add_band(out.series.back(), runs[r], y[i].name);
    }
  }
  if (spec.events && spec.x == "t" && runs.size() == 1) {
    for (const Event& e : runs.front().run->events) out.marks.push_back(mark_of(e));
  }
  return out;
}

plot::Figure figure_of(std::vector<plot::Panel> panels) {
  std::set<std::string> said;
  for (plot::Panel& p : panels) p.legend = said.insert(entries_of(p)).second || !p.marks.empty();
  const bool together = same_extent(panels);
  return {.panels = std::move(panels), .share_x = together};
}

plot::Figure figure_of(const Scenario& scenario, const Run& run) {
  std::vector<plot::Panel> panels;
  const Shown shown{&scenario, &run};
  for (const FigureSpec& spec : figures_of(scenario)) panels.push_back(panel_of(spec, std::span(&shown, 1)));
  plot::Figure out = figure_of(std::move(panels));
  out.title = scenario.title;
  out.drawing = drawing_of(scenario, run);
  return out;
}

}  // namespace bristle::report
