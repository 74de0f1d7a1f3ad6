#include "bristle/report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/escape.hpp"
#include "base/number.hpp"
#include "report/html.hpp"
#include "report/parts.hpp"
#include "report/shared/labels.hpp"

namespace bristle::report {
namespace {

using sweep::MeasureColumn;
using sweep::Plan;
using sweep::Table;

/// A key on an axis; a logarithmic one has positive values only.
plot::Axis axis_of(const Varied& v) { return {v.key, v.log && v.from > 0}; }

std::string label_of(const MeasureColumn& m, bool rotational) {
  const std::string unit = m.unit.empty() ? "" : shown_unit(m.unit, rotational);
  return unit.empty() ? m.name : fmt::format("{} ({})", m.name, unit);
}

plot::Panel line(const Plan& plan, const Table& table, std::size_t measure) {
  plot::Panel out{.x = axis_of(plan.design.keys[0]), .y = {label_of(plan.measures[measure], plan.rotational)}};
  const std::size_t many = 200;
  out.series.push_back({.x = table.keys[0],
                        .y = table.measures[measure],
                        .style = table.keys[0].size() > many ? plot::Style::line : plot::Style::line_and_points});
  return out;
}

/// The values of a key of a grid with two keys.
std::vector<double> values_of(const Table& table, std::size_t key) {
  std::vector<double> out;
  out.reserve(table.shape[key]);
  for (std::size_t i = 0; i < table.shape[key]; ++i) out.push_back(table.keys[key][key == 0 ? i * table.shape[1] : i]);
  return out;
}

plot::Panel map(const Plan& plan, const Table& table, std::size_t measure) {
  plot::Panel out{.x = axis_of(plan.design.keys[0]), .y = axis_of(plan.design.keys[1])};
  out.map = plot::Map{label_of(plan.measures[measure], plan.rotational), values_of(table, 0), values_of(table, 1),
                      table.measures[measure]};
  for (std::size_t i = 0; i < plan.curves.size(); ++i) {
    const SweepCurve& c = plan.curves[i];
    out.series.push_back(
        {.label = c.label, .x = c.x, .y = c.y, .color = 6, .dash = static_cast<int>(i), .width = 1.3, .halo = true});
  }
  return out;
}

std::vector<plot::Panel> points(const Plan& plan, const Table& table, std::size_t measure) {
  std::vector<plot::Panel> out;
  for (std::size_t k = 0; k < plan.design.keys.size(); ++k) {
    plot::Panel& p = out.emplace_back();
    p.x = axis_of(plan.design.keys[k]);
    p.y = {label_of(plan.measures[measure], plan.rotational)};
    p.series.push_back({.x = table.keys[k], .y = table.measures[measure], .style = plot::Style::points});
  }
  return out;
}

std::string point_text(const Plan& plan, const std::vector<double>& at) {
  std::string out;
  for (std::size_t k = 0; k < at.size(); ++k)
    out += fmt::format("{}{} = {:.6g}", k == 0 ? "" : ", ", plan.design.keys[k].key, at[k]);
  return out;
}

std::string range_table(const Plan& plan) {
  std::vector<Row> rows{{"key", "from", "to", "points", "scale"}};
  for (const Varied& v : plan.design.keys) {
    rows.push_back({"<code>" + escape(v.key) + "</code>", to_text(v.from), to_text(v.to),
                    plan.design.sobol ? "" : fmt::format("{}", v.points.value_or(1)),
                    v.log ? "logarithmic" : "linear"});
  }
  return html_table(rows, "lrrrl");
}

std::string measure_table(const Plan& plan, const Table& table) {
  std::vector<Row> rows{{"measure", "quantity", "unit", "defined", "least", "at", "greatest", "at"}};
  for (std::size_t i = 0; i < plan.measures.size(); ++i) {
    const MeasureColumn& m = plan.measures[i];
    const Table::Column& c = table.columns[i];
    auto number = [&](double x) { return c.defined > 0 ? fmt::format("{:.6g}", x) : "–"; };
    rows.push_back({"<code>" + escape(m.name) + "</code>", "<code>" + escape(m.quantity) + "</code>",
                    html(m.unit.empty() ? "" : shown_unit(m.unit, plan.rotational)), grouped(c.defined),
                    number(c.least.value), escape(point_text(plan, c.least.at)), number(c.most.value),
                    escape(point_text(plan, c.most.at))});
  }
  return html_table(rows, "lllrrlrl");
}

std::string messages_table(const Table& table) {
  std::vector<Row> rows{{"runs", "message"}};
  for (const Table::Message& m : table.messages) rows.push_back({grouped(m.count), escape(m.text)});
  return html_table(rows, "rl");
}

}  // namespace

std::string file_name(const std::string& text, const std::string& ending, const std::vector<std::string>& taken) {
  std::string name;
  for (const char c : text) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || (c == '.' && !name.empty());
    if (plain || (!name.empty() && name.back() != '_')) name += plain ? c : '_';
  }
  if (name.empty()) name = "run";
  name.resize(std::min<std::size_t>(name.size(), 100));
  std::string out = name + ending;
  for (int n = 2; std::ranges::find(taken, out) != taken.end(); ++n) out = fmt::format("{}_{}{}", name, n, ending);
  return out;
}

std::vector<NamedFigure> sweep_figures(const Plan& plan, const Table& table) {
  std::vector<NamedFigure> out;
  std::vector<std::string> taken{"index.html"};
  for (std::size_t i = 0; i < plan.measures.size(); ++i) {
    plot::Figure f{.title = plan.title};
    const bool grid = !table.shape.empty();
    if (grid && table.shape.size() == 1) {
      f.panels = {line(plan, table, i)};
    } else if (grid && table.shape.size() == 2) {
      f.panels = {map(plan, table, i)};
      f.panel_height_mm = 85;
      f.width_mm = 140;
      if (table.columns[i].defined < table.rows) f.caption = "Grey: failed, or the measure is undefined.";
    } else {
      f.panels = points(plan, table, i);
      f.share_x = false;
    }
    out.push_back({file_name(plan.measures[i].name, ".svg", taken), std::move(f)});
    taken.push_back(out.back().file);
  }
  return out;
}

std::string sweep_page(const Plan& plan, const Table& table, const std::vector<NamedFigure>& figures) {
  std::string head = fmt::format("{} runs, {} done", grouped(table.rows), grouped(table.done));
  if (table.failed > 0) head += fmt::format(", <span class=\"bad\">{} failed</span>", grouped(table.failed));
  if (table.diverged > 0) head += fmt::format(", <span class=\"bad\">{} diverged</span>", grouped(table.diverged));
  std::string body =
      fmt::format("<header><h1>{}</h1>\n<p class=\"quiet\">{} · {} · <a href=\"table.csv\">table.csv</a>"
                  "</p></header>\n<main>\n",
                  html(plan.title), head,
                  plan.design.sobol ? "Sobol sample" : fmt::format("grid of {} keys", plan.design.keys.size()));
  for (const NamedFigure& f : figures) {
    plot::Figure figure = f.figure;
    figure.title.clear();  // the page shows the title
    body += figure_html(figure) + fmt::format("<p class=\"quiet\"><a href=\"{0}\">{0}</a></p>\n", escape(f.file));
  }
  if (std::ranges::any_of(table.stride, [](std::size_t s) { return s > 1; }))
    body += "<p class=\"note\">The figures show a part of the points; the table has all.</p>\n";
  body += section("Measures", measure_table(plan, table));
  body += section("Ranges", range_table(plan));
  if (!table.messages.empty()) body += section("Messages", messages_table(table));
  std::string sources;
  for (const std::string& c : plan.changes) sources += "<li><code>--set " + escape(c) + "</code></li>\n";
  for (const sweep::Source& s : plan.sources) sources += "<li><code>" + escape(s.path) + "</code></li>\n";
  body += section("Scenario", "<ul class=\"plain\">\n" + sources + "</ul>\n") + "</main>\n";
  return page(plan.title, body);
}

}  // namespace bristle::report
