#include <fmt/format.h>

#include <algorithm>

#include "base/escape.hpp"
#include "bristle/identify/joints.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/report/fit.hpp"
#include "bristle/version.hpp"
#include "report/html.hpp"
#include "report/parts.hpp"

/// Files and page of a fit of joint friction.
namespace bristle::report {

using identify::JointEstimate;
using identify::JointFit;

std::vector<std::pair<std::string, std::string>> joint_files(const JointFit& fit) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const NamedContact& c : fit.experiment.contacts) {
    std::string text =
        fmt::format("# friction of joint {}, fitted by Bristle {}\nschema = 1\n\n[friction]\nmodel = \"{}\"\n", c.name,
                    BRISTLE_VERSION, c.contact->model());
    for (const Entry& e : c.contact->settings()) {
      if (e.key.find('.') != std::string::npos) continue;  // effects are those of the scenario
      const auto of = std::ranges::find_if(
          fit.parameters, [&](const JointEstimate& p) { return p.joint == c.name && p.name == e.key; });
      text +=
          fmt::format("{} = {}{}\n", e.key, e.value.text(),
                      of == fit.parameters.end() ? ""
                      : of->identifiable ? fmt::format("  # {}, 95 %: {:.6g} to {:.6g}", of->unit, of->low, of->high)
                                         : fmt::format("  # {}, not identifiable", of->unit));
    }
    out.emplace_back(c.name + ".toml", std::move(text));
  }
  return out;
}

std::string joints_page(const JointFit& fit, std::span<const identify::JointRecording> recordings,
                        const identify::Rig& rig) {
  std::string body = fmt::format("<header><h1>Friction in joints of {}</h1>\n<p class=\"quiet\">{} measured values, {} "
                                 "simulations{}</p></header>\n<main>\n",
                                 escape(rig.name), fit.rows, fit.simulations,
                                 fit.converged ? "" : ", <span class=\"bad\">not converged</span>");
  std::vector<Row> rows{{"joint", "parameter", "value", "95 % interval", "unit"}};
  for (const JointEstimate& p : fit.parameters)
    rows.push_back(
        {escape(p.joint), "<code>" + escape(p.name) + "</code>", fmt::format("{:.6g}", p.value),
         p.identifiable ? fmt::format("{:.6g} to {:.6g}", p.low, p.high) : "not identifiable from these recordings",
         html(p.unit)});
  body += section("Parameters", html_table(rows, "llrnl"));
  rows = {{"column", "rmse", "unit", "of its spread"}};
  for (const JointFit::Of& c : fit.columns)
    rows.push_back({"<code>" + escape(c.name) + "</code>", fmt::format("{:.4g}", c.rmse), html(c.unit),
                    fmt::format("{:.3g} %", 100 * c.rmse / c.spread)});
  body += section("Errors", html_table(rows, "lrlr"));
  for (const std::string& note : fit.notes) body += "<p class=\"note\">" + escape(note) + "</p>\n";
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    constexpr std::size_t most = 8;
    const identify::JointRecording& r = recordings[i];
    plot::Figure figure;
    for (std::size_t c = 0; c < std::min(most, r.columns.size()); ++c) {
      plot::Panel panel{.x = {"Time t (s)"}, .y = {plot::label(r.columns[c])}};
      panel.series.push_back({.label = "measured", .x = r.t, .y = r.columns[c].values, .color = 6, .width = 1.6});
      panel.series.push_back({.label = "fitted", .x = r.t, .y = fit.predicted[i][c].values, .color = 1, .dash = 1});
      figure.panels.push_back(std::move(panel));
    }
    figure.columns = 1;
    body += section(r.name, figure_html(figure));
  }
  return page("Friction in joints", body + "</main>\n");
}

}  // namespace bristle::report
