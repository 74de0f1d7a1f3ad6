#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.hpp"
#include "bristle/report/fit.hpp"
#include "report/html.hpp"
#include "report/parts.hpp"

namespace bristle::report {
namespace {

using identify::Estimate;
using identify::Finding;
using identify::Fit;
using identify::Ranking;
using identify::Recording;
using identify::ResidualTest;

std::string digits(double x) { return std::isfinite(x) ? fmt::format("{:.4g}", x) : "–"; }

std::string percent(double x) { return x < 0.1 ? fmt::format("{:.2g}", x) : fmt::format("{:.2f}", x); }

/// Coloured text that may wrap.
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
    std::string name = "<code>" + escape(f.model) + "</code>";
    if (f.elements > 0) name += fmt::format(" <span class=\"quiet\">{} elements</span>", f.elements);
    std::string remark = f.model == ranking.recommended ? "<span class=\"good\">recommended</span>" : "";
    const auto unsure =
        std::count_if(f.friction.begin(), f.friction.end(), [](const Estimate& e) { return !e.identifiable; });
    if (unsure > 0) remark += fmt::format("{}{} not identifiable", remark.empty() ? "" : ", ", unsure);
    if (!f.converged) remark += (remark.empty() ? "" : ", ") + bad("not converged");
    rows.push_back({name, std::to_string(f.used), digits(f.held_out), percent(f.held_out_relative), digits(f.rmse),
                    percent(f.relative), digits(f.r_squared), fmt::format("{:.1f}", f.bic)});
    if (rest) rows.back().insert(rows.back().end(), {digits(f.rest.rmse), percent(f.rest.relative)});
    if (validation) rows.back().insert(rows.back().end(), {digits(f.validation.rmse), percent(f.validation.relative)});
    rows.back().push_back(remark);
  }
  std::string out = html_table(rows, places + "l");
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

std::string details(const Fit& fit, const Fitted& fitted) {
  const Recording& r = fitted.recordings.front();
  std::string out = estimates_table(fit, r);
  if (r.motion) out += fmt::format("<p>Mean absolute error {} {}.</p>\n", digits(fit.mean_abs), html(target_unit(r)));
  if (const std::string c = correlation_table(fit); !c.empty()) out += "<h3>Correlation</h3>\n" + c;
  if (const std::string t = tests_table(fit); !t.empty()) out += "<h3>Tests of the residual</h3>\n" + t;
  out += fmt::format("<p class=\"quiet\">{} evaluations, {:.2g} s.</p>\n", fit.evaluations, fit.seconds);
  return out + folded("friction file", text_block(friction_file(fit, fitted)));
}

std::string data_section(const Fitted& fitted) {
  std::string out;
  for (std::size_t i = 0; i < fitted.recordings.size(); ++i) {
    out += fmt::format("<p><code>{}</code>, {} rows</p>\n", escape(fitted.files[i]), fitted.recordings[i].size());
    if (i >= fitted.findings.size()) continue;
    std::string items;
    for (const Finding& f : fitted.findings[i]) {
      items += fmt::format("<li>{}{}</li>\n", f.warning ? bad("warning:") + " " : "", escape(f.text));
    }
    if (!items.empty()) out += "<ul class=\"plain\">\n" + items + "</ul>\n";
  }
  return out;
}

}  // namespace

std::string fit_page(const Fitted& fitted) {
  const Ranking& ranking = *fitted.ranking;
  std::string names;
  for (const std::string& f : fitted.files) names += (names.empty() ? "" : ", ") + escape(f);
  const auto found = std::find_if(ranking.fits.begin(), ranking.fits.end(),
                                  [&](const Fit& f) { return f.model == ranking.recommended; });
  const Fit* best = found != ranking.fits.end() ? &*found : ranking.fits.empty() ? nullptr : &ranking.fits.front();
  const std::string title = best ? "Friction identified: " + best->model : "Friction identified: no model";
  std::string body = fmt::format("<header><h1>{}</h1>\n<p class=\"quiet\">{} · {} models fitted</p></header>\n<main>\n",
                                 html(title), names, ranking.fits.size());
  if (!ranking.why.empty()) body += "<p>" + html(ranking.why) + "</p>\n";
  for (const std::string& note : ranking.notes) body += "<p class=\"note\">" + html(note) + "</p>\n";
  if (ranking.stopped) body += "<p class=\"note\">Stopped before all fits were finished.</p>\n";
  body += section("Ranking", ranking_table(fitted));
  if (!ranking.experiments.empty()) body += section("Experiments", experiments_table(fitted));
  constexpr std::size_t most_recordings = 4;
  for (std::size_t i = 0; best && i < std::min(fitted.recordings.size(), most_recordings); ++i) {
    const std::string heading = fitted.recordings.size() > 1 ? ": " + fitted.recordings[i].name : "";
    body += section("Measured and fitted" + heading, figure_html(overlay_figure(fitted, *best, i)));
    const bool motion = fitted.recordings[i].motion;
    if (motion && i > 0) continue;  // steady sliding is the same for all
    body +=
        section("Friction" + (motion ? "" : heading),
                figure_html(velocity_figure(fitted, i)) +
                    fmt::format("<p class=\"quiet\">Lines over velocity: steady sliding of the fitted models{}.</p>\n",
                                motion ? ", without transmitted force" : ""));
  }
  if (fitted.recordings.size() > most_recordings)
    body += fmt::format("<p class=\"quiet\">{} more recordings not shown.</p>\n",
                        fitted.recordings.size() - most_recordings);
  for (std::size_t i = 0; best && i < std::min(fitted.validation.size(), most_recordings); ++i)
    body += section("Measured and predicted: " + fitted.validation[i].name,
                    figure_html(overlay_figure(fitted, *best, fitted.recordings.size() + i)) +
                        "<p class=\"quiet\">Recording predicted without fitting.</p>\n");
  if (best) body += section("Parameters of " + best->model, details(*best, fitted));
  std::string others;
  for (const Fit& f : ranking.fits) {
    if (&f != best) others += folded(f.model, details(f, fitted));
  }
  if (!others.empty()) body += section("Other models", others);
  body += section("Data", data_section(fitted)) + "</main>\n";
  return page(title, body);
}

}  // namespace bristle::report
