#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.hpp"
#include "bristle/report/fit.hpp"
#include "report/fit/tables.hpp"
#include "report/html.hpp"
#include "report/parts.hpp"

namespace bristle::report {
namespace {

using identify::Finding;
using identify::Fit;
using identify::Ranking;
using identify::Recording;

constexpr std::size_t most_shown = 4;  // recordings with figures

/// The names of few files, the number of many.
std::string files_text(std::span<const std::string> files) {
  if (files.size() > 3) return fmt::format("{} recordings", files.size());
  std::string out;
  for (const std::string& f : files) out += (out.empty() ? "" : ", ") + escape(f);
  return out;
}

/// Pairs of a name and a text.
std::string facts(const std::vector<Row>& all) {
  std::string out;
  for (const Row& row : all) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", row[0], row[1]);
  return "<dl class=\"facts\">\n" + out + "</dl>\n";
}

std::string error_text(const std::string& quantity, double error, double relative, const std::string& unit) {
  if (std::isnan(error)) return "not computed";
  return fmt::format("{} {} ({} % of its rms)", digits(error), html(unit), percent(relative)) +
         (quantity.empty() ? "" : " of the " + quantity);
}

/// Panels next to each other, below each other on a phone.
std::string pair(const std::vector<plot::Figure>& figures) {
  std::string out;
  for (const plot::Figure& f : figures) {
    for (const plot::Panel& p : f.panels)
      out += figure_html({.panels = {p}, .columns = 1, .width_mm = 95, .panel_height_mm = 52});
  }
  return "<div class=\"pair\">\n" + out + "</div>\n";
}

/// The answer: the errors, the values that are not determined, and the picture.
std::string answer(const Fitted& fitted, const Fit& best) {
  const Recording& r = fitted.recordings.front();
  const std::string unit = target_unit(r), quantity = quantity_of(r);
  std::vector<Row> rows{{"Held-out error", error_text(quantity, best.held_out, best.held_out_relative, unit)},
                        {"Fit", error_text("", best.rmse, best.relative, unit) + ", R² " + digits(best.r_squared)}};
  if (best.rest.rows > 0)
    rows.push_back({"Rest, predicted",
                    error_text("", best.rest.rmse, best.rest.relative, unit) + ", R² " + digits(best.rest.r_squared)});
  if (best.validation.rows > 0)
    rows.push_back({"Validation", error_text("", best.validation.rmse, best.validation.relative, unit) + ", R² " +
                                      digits(best.validation.r_squared)});
  const std::string open = undetermined(best);
  rows.push_back({"Not determined", open.empty() ? "none" : bad(escape(open))});
  plot::Figure over = velocity_figure(fitted, 0);
  over.panels.resize(1);
  return facts(rows) + pair({detail_figure(fitted, best, 0), over});
}

/// Tables of one model; `values`: also the estimates.
std::string details(const Fit& fit, const Fitted& fitted, bool values) {
  const Recording& r = fitted.recordings.front();
  std::string out = values ? estimates_table(fit, r) : "";
  if (r.motion) out += fmt::format("<p>Mean absolute error {} {}.</p>\n", digits(fit.mean_abs), html(target_unit(r)));
  if (const std::string c = correlation_table(fit); !c.empty()) out += "<h3>Correlation</h3>\n" + c;
  if (const std::string t = tests_table(fit); !t.empty()) out += "<h3>Tests of the residual</h3>\n" + t;
  out += fmt::format("<p class=\"quiet\">{} evaluations, {:.2g} s.</p>\n", fit.evaluations, fit.seconds);
  return out + folded("friction file", text_block(friction_file(fit, fitted)));
}

std::string list_of(std::span<const std::string> files, std::span<const Recording> recordings,
                    std::span<const std::vector<Finding>> findings, const char* mark) {
  std::string out;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    out += fmt::format("<p><code>{}</code>, {} rows{}</p>\n", escape(files[i]), recordings[i].size(), mark);
    if (i >= findings.size()) continue;
    std::string items;
    for (const Finding& f : findings[i])
      items += fmt::format("<li>{}{}</li>\n", f.warning ? bad("warning:") + " " : "", escape(f.text));
    if (!items.empty()) out += "<ul class=\"plain\">\n" + items + "</ul>\n";
  }
  return out;
}

std::string notes_of(const Ranking& ranking) {
  std::string out;
  for (const std::string& note : ranking.notes) out += "<p class=\"note\">" + html(note) + "</p>\n";
  return out;
}

std::string more_text(std::size_t all) {
  return all > most_shown ? fmt::format("<p class=\"quiet\">{} more recordings not shown.</p>\n", all - most_shown)
                          : "";
}

std::string residual_section(const Fitted& fitted, const Fit& fit) {
  const plot::Figure figure = residual_figure(fitted, fit);
  if (figure.panels.empty()) return "";
  return section(
      "Residual",
      pair({figure}) + "<p class=\"quiet\">Dashed lines of the autocorrelation: 95 % limits for white noise.</p>\n");
}

}  // namespace

std::string fit_page(const Fitted& fitted) {
  const Ranking& ranking = *fitted.ranking;
  const auto found = std::find_if(ranking.fits.begin(), ranking.fits.end(),
                                  [&](const Fit& f) { return f.model == ranking.recommended; });
  const Fit* best = found != ranking.fits.end() ? &*found : ranking.fits.empty() ? nullptr : &ranking.fits.front();
  const bool recommended = found != ranking.fits.end() || ranking.why.empty();
  const std::string title =
      best && recommended ? "Friction identified: " + best->model : "Friction identified: no model";
  std::string body =
      fmt::format("<header class=\"broad\"><h1>{}</h1>\n<p class=\"quiet\">{} · {} model{} fitted</p></header>\n"
                  "<main class=\"broad\">\n",
                  html(title), files_text(fitted.files), ranking.fits.size(), ranking.fits.size() == 1 ? "" : "s");
  if (!ranking.why.empty()) body += "<p>" + (recommended ? html(ranking.why) : bad(html(ranking.why))) + "</p>\n";
  if (best) body += answer(fitted, *best);
  body += notes_of(ranking);
  if (ranking.stopped) body += "<p class=\"note\">Stopped before all fits were finished.</p>\n";
  if (best) body += section("Parameters of " + best->model, estimates_table(*best, fitted.recordings.front()));
  body += section("Ranking", ranking_table(fitted));
  if (!ranking.experiments.empty()) body += section("Experiments", experiments_table(fitted));
  if (best && fitted.recordings.size() + fitted.validation.size() + best->rest_each.size() > 1)
    body += section("Errors of " + best->model + " per recording", errors_table(fitted, *best));
  for (std::size_t i = 0; best && i < std::min(fitted.recordings.size(), most_shown); ++i) {
    const std::string heading = fitted.recordings.size() > 1 ? ": " + fitted.recordings[i].name : "";
    body += section("Measured and fitted" + heading, figure_html(overlay_figure(fitted, *best, i)));
    const bool motion = fitted.recordings[i].motion;
    if (motion && i > 0) continue;  // steady sliding is the same for all
    body +=
        section("Friction" + (motion ? "" : heading),
                pair({velocity_figure(fitted, i)}) +
                    fmt::format("<p class=\"quiet\">Lines over velocity: steady sliding of the fitted models{}.</p>\n",
                                motion ? ", without transmitted force" : ""));
  }
  body += more_text(fitted.recordings.size());
  for (std::size_t i = 0; best && i < std::min(fitted.validation.size(), most_shown); ++i)
    body += section("Measured and predicted: " + fitted.validation[i].name,
                    figure_html(overlay_figure(fitted, *best, fitted.recordings.size() + i)) +
                        "<p class=\"quiet\">Recording predicted without fitting.</p>\n");
  body += more_text(fitted.validation.size());
  if (best)
    body += residual_section(fitted, *best) + section("Details of " + best->model, details(*best, fitted, false));
  std::string others;
  for (const Fit& f : ranking.fits) {
    if (&f != best) others += folded(f.model, details(f, fitted, true));
  }
  if (!others.empty()) body += section("Other models", others);
  const std::string data =
      list_of(fitted.files, fitted.recordings, fitted.findings, "") +
      list_of(fitted.validation_files, fitted.validation, fitted.validation_findings, ", not fitted");
  const std::size_t files = fitted.files.size() + fitted.validation_files.size();
  body += section("Data", files > most_shown ? folded(fmt::format("findings in {} recordings", files), data) : data);
  return page(title, body + "</main>\n");
}

std::string score_page(const Fitted& fitted, const FrictionFile& file) {
  const Fit& fit = fitted.ranking->fits.front();
  const std::string title = "Errors of " + file.path, unit = target_unit(fitted.validation.front());
  std::string body = fmt::format(
      "<header class=\"broad\"><h1>{}</h1>\n<p class=\"quiet\">{} · {}</p></header>\n<main class=\"broad\">\n",
      escape(title), escape(fit.model), files_text(fitted.validation_files));
  body += facts({{"Error", error_text(quantity_of(fitted.validation.front()), fit.validation.rmse,
                                      fit.validation.relative, unit)},
                 {"Mean absolute", digits(fit.validation.mean_abs) + " " + html(unit)},
                 {"R²", digits(fit.validation.r_squared)}});
  body += pair({detail_figure(fitted, fit, 0), scatter_figure(fitted, fit)}) + notes_of(*fitted.ranking);
  body += section("Errors per recording", errors_table(fitted, fit));
  for (std::size_t i = 0; i < std::min(fitted.validation.size(), most_shown); ++i)
    body +=
        section("Measured and predicted: " + fitted.validation[i].name, figure_html(overlay_figure(fitted, fit, i)));
  body += more_text(fitted.validation.size()) + residual_section(fitted, fit);
  body += section("Friction file", text_block(file.text));
  body += section("Data", list_of(fitted.validation_files, fitted.validation, fitted.validation_findings, ""));
  return page(title, body + "</main>\n");
}

}  // namespace bristle::report
