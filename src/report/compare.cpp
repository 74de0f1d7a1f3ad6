#include "bristle/report/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.hpp"
#include "report/html.hpp"
#include "report/parts.hpp"
#include "report/shared/labels.hpp"

namespace bristle::report {
namespace {

using sweep::Compared;

std::vector<Shown> shown(std::span<const Compared> runs) {
  std::vector<Shown> out;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].failure.empty()) out.push_back({&runs[i].scenario, &runs[i].run, runs[i].name, i});
  }
  return out;
}

/// A panel per quantity: its curves over time, with the reference next to the position; then loops of given motions and
/// figures of the files over another column than time.
std::vector<FigureSpec> specs(std::span<const Compared> runs, const std::vector<std::string>& columns) {
  std::vector<FigureSpec> out;
  const Compared& first = *std::ranges::find(runs, "", &Compared::failure);
  auto has = [&](const std::string& name) { return std::ranges::find(columns, name) != columns.end(); };
  const Experiment& e = first.scenario.experiment;
  const bool servo = has("reference"), follows = has("drive") && e.drive.of == DriveOf::position &&
                                                 e.kind != SystemKind::prescribed && e.body.stiffness > 0;
  for (const std::string& name : columns) {
    if (name == "drive" || name == "reference") continue;
    FigureSpec& f = out.emplace_back(FigureSpec{.y = {name}});
    if (name == "x" && servo) f.y.emplace_back("reference");
    if (name == "x" && !servo && follows) f.y.emplace_back("drive");
  }
  for (const FigureSpec& f : figures_of(first.scenario)) {
    if (f.x != "t" && has(f.x) && std::ranges::all_of(f.y, has)) out.push_back(f);
  }
  return out;
}

std::string number(double x) { return fmt::format("{:.6g}", x); }

/// "1.23 (+0.1, +5.2 %)"; the first run has no difference.
std::string cell(const Number& x, const Number* first) {
  if (!x.reason.empty()) return "–";
  std::string out = number(x.value);
  if (!first || !first->reason.empty()) return out;
  const double d = x.value - first->value;
  if (d == 0) return out + " (0)";
  out += fmt::format(" ({:+.3g}", d);
  if (first->value != 0) out += fmt::format(", {:+.3g} %", 100 * d / std::abs(first->value));
  return out + ")";
}

}  // namespace

std::vector<plot::Panel> compared_panels(std::span<const Compared> runs, const std::vector<std::string>& columns) {
  std::vector<plot::Panel> out;
  const std::vector<Shown> all = shown(runs);
  if (all.empty()) return out;
  for (const FigureSpec& f : specs(runs, columns)) out.push_back(panel_of(f, all));
  return out;
}

std::vector<std::string> compared_measures(std::span<const Compared> runs) {
  std::vector<std::string> out;
  for (const Compared& c : runs) {
    for (const Measure& m : c.scenario.measures) {
      if (std::ranges::find(out, m.name) == out.end()) out.push_back(m.name);
    }
  }
  return out;
}

Number compared_number(const Compared& run, const std::string& measure) {
  const auto& all = run.scenario.measures;
  const auto m = std::ranges::find(all, measure, &Measure::name);
  if (m == all.end()) return {std::nan(""), "", "the file has no such measure"};
  if (!run.failure.empty()) return {std::nan(""), "", "the run failed"};
  return number_of(m->quantity, run.run);
}

std::vector<std::vector<std::string>> measure_rows(std::span<const Compared> runs) {
  std::vector<std::vector<std::string>> out{{"measure"}};
  for (const Compared& c : runs) out[0].push_back(c.name);
  for (const std::string& name : compared_measures(runs)) {
    std::vector<Number> all;
    all.reserve(runs.size());
    for (const Compared& c : runs) all.push_back(compared_number(c, name));
    auto& row = out.emplace_back();
    std::string unit;
    for (const Number& x : all) unit = unit.empty() ? unit_in(x.unit, runs.front().scenario) : unit;
    row.push_back(unit.empty() ? name : fmt::format("{} ({})", name, unit));
    for (std::size_t i = 0; i < all.size(); ++i) row.push_back(cell(all[i], i > 0 ? all.data() : nullptr));
  }
  return out;
}

namespace {

std::string reasons(std::span<const Compared> runs) {
  std::string out;
  for (const Compared& c : runs) {
    if (!c.failure.empty()) out += fmt::format("<p class=\"bad\">{}: {}</p>\n", html(c.name), escape(c.failure));
    for (const std::string& note : c.scenario.notes)
      out += fmt::format("<p class=\"note\">{}: {}</p>\n", html(c.name), escape(note));
    for (const std::string& m : compared_measures(runs)) {
      const Number x = compared_number(c, m);
      if (!x.reason.empty() && c.failure.empty())
        out +=
            fmt::format("<p class=\"note\">{}: {} is undefined: {}</p>\n", html(c.name), escape(m), escape(x.reason));
    }
  }
  return out;
}

std::string difference_table(std::span<const Compared> runs, const std::vector<std::string>& columns) {
  if (!runs.front().failure.empty() || runs.size() < 2) return "";
  std::vector<Row> rows{{"quantity", "unit"}};
  for (const std::string& name : columns) {
    if (name == "drive" || name == "reference") continue;
    rows.push_back({html(title_of(name, runs.front().scenario)),
                    html(unit_in(runs.front().run.trace.find(name)->unit, runs.front().scenario))});
  }
  for (std::size_t i = 1; i < runs.size(); ++i) {
    rows[0].push_back(html(runs[i].name) + ": largest");
    rows[0].emplace_back("rms");
    std::size_t row = 1;
    for (const std::string& name : columns) {
      if (name == "drive" || name == "reference") continue;
      if (!runs[i].failure.empty()) {
        rows[row].insert(rows[row].end(), {"–", "–"});
      } else {
        const sweep::Difference d = sweep::differences(runs.front(), runs[i], {name}).front();
        rows[row].push_back(number(d.largest) +
                            (std::isnan(d.relative) ? "" : fmt::format(" ({:.3g} %)", 100 * d.relative)));
        rows[row].push_back(number(d.rms));
      }
      ++row;
    }
  }
  return html_table(rows, "ll" + std::string(2 * (runs.size() - 1), 'r')) +
         fmt::format("<p class=\"quiet\">Differences from {} over the common time; percent of its range.</p>\n",
                     html(runs.front().name));
}

/// Settings that are not equal in all runs.
std::string settings_compared(std::span<const Compared> runs) {
  std::vector<std::vector<Setting>> all;
  std::vector<Setting> keys;
  for (const Compared& c : runs) {
    all.push_back(settings_of(c.scenario));
    for (const Setting& s : all.back()) {
      auto same = [&](const Setting& k) { return k.section == s.section && k.name == s.name; };
      if (std::ranges::none_of(keys, same)) keys.push_back(s);
    }
  }
  std::vector<Row> rows{{"", "name"}};
  for (const Compared& c : runs) rows[0].push_back(html(c.name));
  for (const Setting& k : keys) {
    Row row{escape(k.section), "<code>" + escape(k.name) + "</code>"};
    for (const auto& settings : all) {
      const auto at =
          std::ranges::find_if(settings, [&](const Setting& s) { return s.section == k.section && s.name == k.name; });
      row.push_back(at == settings.end() ? "–" : escape(at->value) + (at->unit.empty() ? "" : " " + html(at->unit)));
    }
    if (std::ranges::any_of(row.begin() + 3, row.end(), [&](const std::string& v) { return v != row[2]; }))
      rows.push_back(std::move(row));
  }
  if (rows.size() > 1) return html_table(rows, "ll" + std::string(runs.size(), 'r'));
  const Scenario& first = runs.front().scenario;
  const bool same = std::ranges::all_of(
      runs, [&](const Compared& c) { return c.scenario.text == first.text && c.scenario.changes == first.changes; });
  return same ? "<p>None.</p>\n" : "<p>Only those in the scenarios below.</p>\n";
}

}  // namespace

std::string compare_page(std::span<const Compared> runs, const std::vector<std::string>& columns) {
  const Scenario& first = runs.front().scenario;
  const std::string title = first.title.empty() ? first.name : first.title;
  std::string body = fmt::format("<header><h1>{}</h1>\n<p class=\"quiet\">comparison of {} runs</p></header>\n<main>\n",
                                 html(title), runs.size());
  for (plot::Panel& p : compared_panels(runs, columns)) body += figure_html({.panels = {std::move(p)}});
  const auto rows = measure_rows(runs);
  if (rows.size() > 1) {
    std::vector<Row> cells;
    for (const auto& row : rows) {
      Row& to = cells.emplace_back();
      for (const std::string& text : row) to.push_back(html(text));
    }
    body += section("Measures", html_table(cells, "l" + std::string(runs.size(), 'r')) +
                                    "<p class=\"quiet\">In brackets: difference from the first run.</p>\n");
  }
  if (const std::string table = difference_table(runs, columns); !table.empty()) body += section("Differences", table);
  body += section("Different settings", settings_compared(runs));
  if (const std::string notes = reasons(runs); !notes.empty()) body += section("Notes", notes);
  std::string files;
  for (const Compared& c : runs) {
    std::string text;
    for (const std::string& change : c.scenario.changes) text += "# --set " + change + "\n";
    files += folded(c.name, text_block(text + c.scenario.text));
  }
  return page(title, body + section("Scenarios", files) + "</main>\n");
}

}  // namespace bristle::report
