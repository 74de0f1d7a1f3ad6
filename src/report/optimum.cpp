#include "bristle/report/optimum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.hpp"
#include "report/html.hpp"
#include "report/parts.hpp"
#include "report/shared/labels.hpp"

namespace bristle::report {
namespace {

using sweep::Evaluation;

const sweep::MeasureColumn& measure_of(const sweep::Plan& plan, const sweep::Goal& goal) {
  return *std::ranges::find(plan.measures, goal.measure, &sweep::MeasureColumn::name);
}

std::string unit_of(const sweep::Plan& plan, const sweep::Goal& goal) {
  const std::string& unit = measure_of(plan, goal).unit;
  return unit.empty() ? "" : shown_unit(unit, plan.rotational);
}

std::size_t undefined(const sweep::Optimum& o) {
  return static_cast<std::size_t>(
      std::ranges::count_if(o.history, [](const Evaluation& e) { return std::isnan(e.value); }));
}

}  // namespace

plot::Figure history_figure(const sweep::Plan& plan, const sweep::Goal& goal, const sweep::Optimum& o) {
  const std::string unit = unit_of(plan, goal);
  plot::Series all{.label = "evaluation", .style = plot::Style::points, .color = 5},
      best{.label = "best so far", .style = plot::Style::steps, .color = 0};
  double so_far = std::nan("");
  for (std::size_t i = 0; i < o.history.size(); ++i) {
    const double y = o.history[i].value, n = static_cast<double>(i + 1);
    const bool better = !std::isnan(y) && (std::isnan(so_far) || (goal.maximize ? y > so_far : y < so_far));
    if (better) so_far = y;
    all.x.push_back(n);
    all.y.push_back(y);
    best.x.push_back(n);
    best.y.push_back(so_far);
  }
  const std::string runs = "Evaluation";
  plot::Figure out{.title = plan.title};
  const auto [lo, hi] =
      std::ranges::minmax(all.y, [](double a, double b) { return !std::isnan(a) && (std::isnan(b) || a < b); });
  const bool log = lo > 0 && hi > 100 * lo;
  out.panels.push_back({.x = {runs},
                        .y = {unit.empty() ? goal.measure : fmt::format("{} ({})", goal.measure, unit), log},
                        .series = {all, best}});
  for (std::size_t k = 0; k < goal.keys.size(); ++k) {
    const Varied& v = goal.keys[k];
    plot::Series s{.x = all.x, .style = plot::Style::points, .color = 5};
    for (const Evaluation& e : o.history) s.y.push_back(e.at[k]);
    plot::Panel& p = out.panels.emplace_back();
    p.x = {runs};
    p.y = {v.key, v.log && v.from > 0};
    p.series.push_back(std::move(s));
    if (o.found) p.horizontal.push_back({o.history[o.best].at[k], "best"});
  }
  return out;
}

std::string optimum_text(const sweep::Plan& plan, const sweep::Goal& goal, const sweep::Optimum& o) {
  const char* word = goal.maximize ? "largest" : "least";
  if (!o.found)
    return fmt::format("{} is undefined in all {} runs; in the first: {}\n", goal.measure, o.history.size(),
                       o.history.front().reason);
  const Evaluation& best = o.history[o.best];
  const std::string unit = unit_of(plan, goal);
  std::string out = fmt::format("{} {} = {:.8g}{}{}\n", word, goal.measure, best.value, unit.empty() ? "" : " ", unit);
  for (std::size_t k = 0; k < goal.keys.size(); ++k)
    out += fmt::format("  {} = {}\n", goal.keys[k].key, to_text(best.at[k]));
  out += fmt::format("  {} runs, {}\n", o.history.size(),
                     o.converged ? "converged" : "not converged: the number of evaluations ended the search");
  if (const std::size_t n = undefined(o); n > 0) out += fmt::format("  {} is undefined in {} runs\n", goal.measure, n);
  for (const std::string& b : o.at_bounds) out += "  " + b + "\n";
  return out;
}

std::string optimum_page(const sweep::Plan& plan, const sweep::Goal& goal, const sweep::Optimum& o) {
  plot::Figure figure = history_figure(plan, goal, o);
  figure.title.clear();
  const std::string text = optimum_text(plan, goal, o);
  std::string body =
      fmt::format("<header><h1>{}</h1>\n<p class=\"quiet\">{} <code>{}</code> · <a "
                  "href=\"history.csv\">history.csv</a></p></header>\n<main>\n",
                  html(plan.title), goal.maximize ? "largest" : "least", escape(measure_of(plan, goal).quantity));
  body += text_block(text) + figure_html(figure);
  std::vector<Row> rows{{"key", "from", "to", "scale", "best"}};
  for (std::size_t k = 0; k < goal.keys.size(); ++k) {
    const Varied& v = goal.keys[k];
    rows.push_back({"<code>" + escape(v.key) + "</code>", to_text(v.from), to_text(v.to),
                    v.log ? "logarithmic" : "linear", o.found ? fmt::format("{:.8g}", o.history[o.best].at[k]) : "–"});
  }
  body += section("Ranges", html_table(rows, "lrrlr"));
  return page(plan.title, body + "</main>\n");
}

}  // namespace bristle::report
