#include "report/fit/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.hpp"
#include "report/html.hpp"

namespace bristle::report {

using identify::Errors;
using identify::Estimate;
using identify::Fit;
using identify::Ranking;
using identify::Recording;
using identify::ResidualTest;

std::string digits(double x) { return std::isfinite(x) ? fmt::format("{:.4g}", x) : "–"; }

std::string percent(double x) {
  return !std::isfinite(x) ? "–" : x < 0.1 ? fmt::format("{:.2g}", x) : fmt::format("{:.2f}", x);
}

std::string bad(const std::string& text) {
  return R"(<span class="bad" style="white-space: normal">)" + text + "</span>";
}

std::string ranking_table(const Fitted& fitted) {
  const Ranking& ranking = *fitted.ranking;
  const std::string unit = target_unit(fitted.recordings.front());
  const std::string in = unit.empty() ? "" : " in " + html(unit);
  std::vector<Row> rows{{"model", "fitted", "held out", "%", "rmse", "%", "R²", "BIC"}};
  std::string places = "nrrrrrrr", unseen_means;
  const bool rest = !ranking.fits.empty() && ranking.fits.front().rest.rows > 0;
  const bool validation = !ranking.fits.empty() && ranking.fits.front().validation.rows > 0;
  if (rest) {
    rows[0].insert(rows[0].end(), {"rest", "%"});
    places += "rr";
    unseen_means += " Rest: later part of the recordings, predicted without fitting.";
  }
  if (validation) {
    rows[0].insert(rows[0].end(), {"validation", "%"});
    places += "rr";
    unseen_means += " Validation: recordings predicted without fitting.";
  }
  rows[0].emplace_back();
  for (const Fit& f : ranking.fits) {
    const bool chosen = f.model == ranking.recommended;
    std::string name =
        fmt::format("{1}<code>{0}</code>{2}", escape(f.model), chosen ? "<strong>" : "", chosen ? "</strong>" : "");
    if (f.elements > 0) name += fmt::format(" <span class=\"quiet\">{} elements</span>", f.elements);
    std::string remark = chosen ? "<span class=\"good\">recommended</span>" : "";
    const auto unsure = std::count_if(f.friction.begin(), f.friction.end(),
                                      [](const Estimate& e) { return !e.identifiable && !e.dropped; });
    if (unsure > 0) remark += fmt::format("{}{} not identifiable", remark.empty() ? "" : ", ", unsure);
    if (!f.finished || !f.converged)
      remark += (remark.empty() ? "" : ", ") + bad(f.finished ? "not converged" : "not finished");
    rows.push_back({name, std::to_string(f.used), digits(f.held_out), percent(f.held_out_relative), digits(f.rmse),
                    percent(f.relative), digits(f.r_squared), fmt::format("{:.1f}", f.bic)});
    if (rest) rows.back().insert(rows.back().end(), {digits(f.rest.rmse), percent(f.rest.relative)});
    if (validation) rows.back().insert(rows.back().end(), {digits(f.validation.rmse), percent(f.validation.relative)});
    rows.back().push_back(remark);
  }
  std::string out = html_table(rows, places + "n");
  out +=
      fmt::format("<p class=\"quiet\">Root mean square errors{}, and in percent of the measured values. Held out: "
                  "cross-validation error, each of several blocks predicted by a fit to the others. Fitted: number of "
                  "fitted values.{}</p>\n",
                  in, unseen_means);
  if (!ranking.failed.empty()) {
    std::vector<Row> failed{{"model", "reason"}};
    for (const Fit& f : ranking.failed) failed.push_back({"<code>" + escape(f.model) + "</code>", escape(f.message)});
    out += folded(fmt::format("{} without a fit", ranking.failed.size()), html_table(failed, "nl"));
  }
  return out;
}

std::string undetermined(const Fit& fit) {
  std::string out;
  for (const auto* list : {&fit.friction, &fit.body}) {
    for (const Estimate& e : *list) {
      if ((!e.identifiable && !e.dropped) || e.at_bound) out += (out.empty() ? "" : ", ") + e.name;
    }
  }
  return out;
}

std::string estimates_table(const Fit& fit, const Recording& r) {
  std::vector<Row> rows{{"parameter", "value", "unit", "95 % from", "to", "by", ""}};
  for (const auto* list : {&fit.friction, &fit.body}) {
    for (const Estimate& e : *list) {
      std::string flags = e.identifiable ? e.at_bound ? "at a limit" : "" : "not identifiable";
      if (!e.diagnosis.empty()) flags = escape(e.diagnosis);
      if (!e.identifiable || e.at_bound) flags = bad(flags);
      const auto [low, high] = interval_of(e);
      rows.push_back({"<code>" + escape(e.name) + "</code>", fmt::format("{:.6g}", e.value), html(unit_of(e.unit, r)),
                      low, high, e.profiled ? "profile" : "curvature", flags});
    }
  }
  return rows.size() == 1 ? "<p>No fitted values.</p>\n" : html_table(rows, "nrnrrnl");
}

std::string correlation_table(const Fit& fit) {
  std::vector<std::string> names;
  for (const auto* list : {&fit.friction, &fit.body}) {
    for (const Estimate& e : *list) names.push_back(e.name);
  }
  const std::size_t n = names.size();
  if (n < 2 || n > 24 || fit.correlation.size() != n * n) return "";
  std::vector<Row> rows{{""}};
  for (const std::string& name : names) rows[0].push_back("<code>" + escape(name) + "</code>");
  for (std::size_t i = 0; i < n; ++i) {
    Row& row = rows.emplace_back(Row{"<code>" + escape(names[i]) + "</code>"});
    for (std::size_t j = 0; j < n; ++j) {
      const double c = fit.correlation[i * n + j];
      const std::string text = j > i || !std::isfinite(c) ? "" : fmt::format("{:.2f}", c);
      row.push_back(i != j && std::abs(c) > 0.95 ? bad(text) : text);
    }
  }
  return html_table(rows, "n" + std::string(n, 'r'));
}

std::string tests_table(const Fit& fit) {
  std::vector<Row> rows{{"test", "statistic", "p", ""}};
  for (const ResidualTest& t : fit.tests) {
    rows.push_back(
        {escape(t.name), digits(t.statistic), t.p < 1e-4 ? "&lt; 0.0001" : fmt::format("{:.4f}", t.p), escape(t.text)});
  }
  return rows.size() == 1 ? "" : html_table(rows, "nrrl");
}

std::string errors_table(const Fitted& fitted, const Fit& fit) {
  const Recording& first = fitted.recordings.empty() ? fitted.validation.front() : fitted.recordings.front();
  const std::string unit = target_unit(first), in = unit.empty() ? "" : " (" + html(unit) + ")";
  std::vector<Row> rows{{"recording", "rows", "rmse" + in, "MAE" + in, "% of rms", "R²", ""}};
  const auto add = [&](const std::string& name, const Errors& e, const char* part) {
    if (e.rows == 0) return;
    rows.push_back({name, std::to_string(e.rows), digits(e.rmse), digits(e.mean_abs), percent(e.relative),
                    digits(e.r_squared), part});
  };
  const auto add_all = [&](std::span<const std::string> files, const std::vector<Errors>& each, const Errors& all,
                           const char* part) {
    for (std::size_t i = 0; i < each.size(); ++i) add("<code>" + escape(files[i]) + "</code>", each[i], part);
    if (each.size() > 1) add("all", all, part);
  };
  std::size_t fitted_rows = 0;
  for (const Errors& e : fit.each) fitted_rows += e.rows;
  add_all(fitted.files, fit.each, {fitted_rows, fit.rmse, fit.relative, fit.mean_abs, fit.r_squared}, "fitted");
  add_all(fitted.files, fit.rest_each, fit.rest, "rest, predicted");
  add_all(fitted.validation_files, fit.validation_each, fit.validation, "predicted");
  return rows.size() == 1 ? "" : html_table(rows, "lrrrrrn");
}

}  // namespace bristle::report
