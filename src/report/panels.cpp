#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "bristle/report.hpp"
#include "report/labels.hpp"

namespace bristle::report {
namespace {

plot::Mark mark_of(const Event& event) {
  constexpr plot::Mark::Kind kinds[]{plot::Mark::Kind::stick, plot::Mark::Kind::slip_plus,
                                     plot::Mark::Kind::slip_minus};
  return {event.t, to_string(event.kind), kinds[event.kind]};
}

Column needed(const Trace& trace, const std::string& name) {
  if (auto c = column_of(trace, name)) return std::move(*c);
  throw std::invalid_argument(fmt::format("there is no column {}", name));
}

/// What the legend says of a column; with its unit where the axis cannot say it.
std::string column_text(const FigureSpec& spec, std::size_t i, const Column& column, const Scenario& s, bool unit) {
  if (!spec.legend.empty()) return spec.legend[i];
  const std::string text = title_of(column.name, s), of = shown_unit(column.unit, s.rotational);
  return unit && !of.empty() ? fmt::format("{} ({})", text, of) : text;
}

/// The same curve in every run, such as the drive: drawn once.
bool same_in_all(const std::vector<plot::Series>& curves) {
  return std::all_of(curves.begin(), curves.end(),
                     [&](const plot::Series& s) { return s.x == curves.front().x && s.y == curves.front().y; });
}

std::string entries_of(const plot::Panel& panel) {
  std::string out;
  for (const plot::Series& s : panel.series) {
    if (!s.label.empty()) out += fmt::format("{}|{}|{}\n", s.label, s.color.value_or(-1), s.dash.value_or(-1));
  }
  return out;
}

}  // namespace

std::vector<FigureSpec> figures_of(const Scenario& scenario) {
  if (!scenario.figures.empty()) return scenario.figures;
  const Experiment& e = scenario.experiment;
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
  return {position, velocity, force};
}

plot::Panel panel_of(const FigureSpec& spec, std::span<const Shown> runs) {
  const Scenario& scenario = *runs.front().scenario;
  const Trace& trace = runs.front().run->trace;
  std::vector<Column> y;
  for (const std::string& name : spec.y) y.push_back(needed(trace, name));
  const bool mixed = std::any_of(y.begin(), y.end(), [&](const Column& c) { return c.unit != y.front().unit; });

  plot::Panel out{
      .title = spec.title, .x = {spec.xlabel, spec.xlog, spec.xlim}, .y = {spec.ylabel, spec.ylog, spec.ylim}};
  if (out.x.label.empty()) out.x.label = axis_label(std::array{needed(trace, spec.x)}, scenario);
  if (out.y.label.empty()) out.y.label = axis_label(y, scenario);

  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::string of = column_text(spec, i, y[i], scenario, mixed);
    std::vector<plot::Series> curves;
    for (const Shown& r : runs) {
      const bool several = runs.size() > 1;
      const std::string label = y.size() == 1 ? (several ? r.label : "") : several ? r.label + ": " + of : of;
      curves.push_back({.label = spec.legend.empty() || y.size() > 1 || several ? label : of,
                        .x = needed(r.run->trace, spec.x).values,
                        .y = needed(r.run->trace, spec.y[i]).values,
                        .color = several ? r.color : static_cast<int>(i) + r.color,
                        .dash = !several       ? 0
                                : y.size() > 1 ? static_cast<int>(i)
                                               : r.color % 4});
    }
    if (runs.size() > 1 && y.size() > 1 && same_in_all(curves)) {
      curves.resize(1);
      curves[0].label = of;
      curves[0].color = static_cast<int>(runs.size() + i);
    }
    out.series.insert(out.series.end(), curves.begin(), curves.end());
  }
  if (spec.events && spec.x == "t" && runs.size() == 1) {
    for (const Event& e : runs.front().run->events) out.marks.push_back(mark_of(e));
  }
  return out;
}

plot::Figure figure_of(std::vector<plot::Panel> panels) {
  std::set<std::string> said;
  for (plot::Panel& p : panels) p.legend = said.insert(entries_of(p)).second || !p.marks.empty();
  return {.panels = std::move(panels), .letters = false};
}

plot::Figure figure_of(const Scenario& scenario, const Run& run) {
  std::vector<plot::Panel> panels;
  const Shown shown{&scenario, &run};
  for (const FigureSpec& spec : figures_of(scenario)) panels.push_back(panel_of(spec, std::span(&shown, 1)));
  plot::Figure out = figure_of(std::move(panels));
  out.title = scenario.title;
  return out;
}

}  // namespace bristle::report
