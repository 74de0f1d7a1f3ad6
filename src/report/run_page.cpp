#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.hpp"
#include "report/html.hpp"
#include "report/parts.hpp"
#include "report/shared/labels.hpp"
#include "report/sketch.hpp"

namespace bristle::report {

namespace {

/// The text of a quantity, and its window unless the text contains it.
std::string quantity_html(const Expectation& e, const Scenario& scenario) {
  const auto written = [&](const std::optional<double>& t) {
    return !t || e.text.find(to_text(*t)) != std::string::npos;
  };
  return "<code>" + escape(e.text) + "</code>" + (written(e.from) && written(e.to) ? "" : window_text(e, scenario));
}

}  // namespace

std::string checks_table(const std::vector<CheckedRun>& runs) {
  const bool labelled = runs.size() > 1;
  std::vector<Row> rows{{"quantity", "computed", "expected", ""}};
  if (labelled) rows[0].insert(rows[0].begin(), "run");
  for (const CheckedRun& r : runs) {
    for (const Checked& c : *r.checks) {
      const Expectation& e = *c.expectation;
      Row row{quantity_html(e, *r.scenario), std::isnan(c.computed) ? "–" : fmt::format("{:.10g}", c.computed),
              escape(c.expected), verdict(c.held)};
      if (labelled) row.insert(row.begin(), &c == r.checks->data() ? html(r.label) : "");
      rows.push_back(std::move(row));
    }
  }
  return rows.size() == 1 ? "" : html_table(rows, labelled ? "llrll" : "lrll");
}

namespace {

std::string measures_table(const Scenario& scenario, const Run& run) {
  std::vector<Row> rows{{"measure", "value", "unit", "quantity"}};
  for (const Measure& m : scenario.measures) {
    const Number x = number_of(m.quantity, run);
    std::string what = quantity_html(m.quantity, scenario);
    if (!x.reason.empty()) what += ": undefined, " + escape(x.reason);
    rows.push_back({"<code>" + escape(m.name) + "</code>", x.reason.empty() ? fmt::format("{:.8g}", x.value) : "–",
                    html(x.unit == "1" ? "" : unit_in(x.unit, scenario)), what});
  }
  return html_table(rows, "lrll");
}

}  // namespace

std::string checks_text(std::size_t held, std::size_t all) {
  if (all == 0) return "no checks";
  const bool good = held == all;
  return fmt::format("<span class=\"{}\">{} of {} {} {}</span>", good ? "good" : "bad", held, all,
                     all == 1 ? "check" : "checks", held == 1 ? "holds" : "hold");
}

std::string run_page(const Scenario& scenario, const Run& run, const std::vector<Checked>& checks) {
  constexpr std::size_t few = 12;
  const std::string title = scenario.title.empty() ? scenario.name : scenario.title;
  const auto held =
      static_cast<std::size_t>(std::count_if(checks.begin(), checks.end(), [](auto& c) { return c.held; }));
  plot::Figure figure = figure_of(scenario, run);
  figure.title.clear();  // the page shows the title

  std::string body =
      fmt::format("<header><h1>{}</h1>\n<p class=\"quiet\">{} · {} · {}</p></header>\n<main>\n", html(title),
                  escape(scenario.name + ".toml"), escape(models_text(scenario)), checks_text(held, checks.size()));
  if (const Mechanism* m = mechanism_of(scenario)) body += animation_html(*m, run.trace);
  body += figure_html(figure);
  for (const std::string& note : scenario.notes) body += "<p class=\"note\">" + escape(note) + "</p>\n";
  if (!scenario.measures.empty()) body += section("Measures", measures_table(scenario, run));
  if (!checks.empty()) body += section("Checks", checks_table({{"", &scenario, &checks}}));
  for (const Summary::Loss& l : run.summary.losses)
    body += fmt::format("<p class=\"quiet\">Friction in joint {}: {:.6g} J.</p>\n", escape(l.name), l.friction);
  body += section("Parameters", settings_table(scenario));
  body += section(
      "Energy",
      (scenario.experiment.kind == SystemKind::prescribed ? work_table(run, unit_in("J", scenario))
                                                          : energy_table(run.summary.energy, unit_in("J", scenario))) +
          (std::isnan(run.summary.momentum.error) || scenario.experiment.kind == SystemKind::prescribed
               ? std::string()
               : fmt::format("<p class=\"quiet\">Error of the momentum balance: {:.1e} of the impulse of F_app.</p>\n",
                             run.summary.momentum.error)));
  const std::string events = events_table(run.events, unit_in("s", scenario));
  body += section("Events",
                  run.events.size() <= few ? events : folded(fmt::format("{} events", run.events.size()), events));
  body += section("Solver", solver_table(run));
  std::string changes;
  for (const std::string& c : scenario.changes) changes += "# --set " + c + "\n";
  body += section("Scenario", text_block(changes + scenario.text)) + "</main>\n";
  return page(title, body);
}

}  // namespace bristle::report
