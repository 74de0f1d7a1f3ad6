#include "bristle/report/certificate.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/escape.hpp"
#include "report/html.hpp"
#include "report/parts.hpp"
#include "report/shared/labels.hpp"

namespace bristle::report {
namespace {

std::string fact(const std::string& name, const std::string& value) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, value);
}
std::string facts(const std::string& rows) { return "<dl class=\"facts\">\n" + rows + "</dl>\n"; }
std::string short_number(double x) { return std::isnan(x) ? "–" : fmt::format("{:.4g}", x); }
std::string listed_items(const std::vector<std::string>& items) {
  std::string out = "<ul class=\"plain\">\n";
  for (const std::string& i : items) out += "<li>" + escape(i) + "</li>\n";
  return out + "</ul>\n";
}

std::string passivity_part(const Certificate& c) {
  const std::optional<bool>& passive = c.passivity.passive;
  const char* text = !passive ? "not decided" : *passive ? "yes" : "no: it can create energy";
  std::string rows =
      fact("passive", fmt::format("<span class=\"{}\">{}</span>", passive == true ? "good" : "bad", text));
  rows += fact("condition", escape(c.passivity.condition));
  if (!c.passivity.margin.empty()) rows += fact("margin", escape(c.passivity.margin));
  if (!c.passivity.remark.empty()) rows += fact("remark", escape(c.passivity.remark));
  return facts(rows);
}

std::string bounds_part(const Certificate& c) {
  if (c.steps == 0) return "<p>Not measured for populations.</p>\n";
  std::string out = fmt::format("<p>{} random steps with speeds up to {} {}: largest force {} {}.</p>\n", c.steps,
                                short_number(c.top_speed), html(shown_unit("m/s", c.rotational)), short_number(c.force),
                                html(shown_unit("N", c.rotational)));
  if (c.bounds.empty()) return out + "<p>The law has no state with a bound of its own.</p>\n";
  std::vector<Row> rows{{"state", "bound", "largest value over bound", ""}};
  for (const Certificate::Bound& b : c.bounds)
    rows.push_back({"<code>" + escape(b.state) + "</code>", short_number(b.bound), fmt::format("{:.6f}", b.reached),
                    verdict(b.reached <= 1 + 1e-9)});
  return out + html_table(rows, "lrrl");
}

std::string cost_part(const Certificate& c) {
  auto time = [](double ns) { return std::isnan(ns) ? "–" : fmt::format("{:.0f} ns", ns); };
  std::string rows = fact("machine", escape(c.cost.machine)) + fact("step", time(c.cost.step_ns));
  rows += fact("couple", time(c.cost.couple_ns) + ", worst " + time(c.cost.couple_worst_ns));
  return facts(rows) + (std::isnan(c.cost.step_ns) ? "<p>Not measured for populations.</p>\n" : "");
}

std::string battery_part(const Certificate& c) {
  std::vector<Row> rows{{"property", "holds", "number", "threshold", "declared"}}, rules{{"property", "holds if"}};
  for (const tribometer::Verdict& f : c.battery.findings) {
    const std::string answer = !f.known ? "?" : f.holds ? "<span class=\"good\">yes</span>" : "no";
    rows.push_back({f.title, answer + (f.detail.empty() ? "" : ", " + html(f.detail)), short_number(f.number),
                    short_number(f.threshold), f.declared ? *f.declared ? "yes" : "no" : "–"});
    rules.push_back({f.title, html(f.rule)});
  }
  std::string out = html_table(rows, "lnrrl") + folded("The numbers and their rules", html_table(rules, "ll"));
  for (const tribometer::Measurement& m : c.battery.measurements) {
    if (!m.failure.empty())
      out += fmt::format("<p><span class=\"bad\">{}:</span> {}</p>\n", escape(m.experiment), escape(m.failure));
  }
  return out;
}

std::string parameters_part(const Certificate& c) {
  std::vector<Row> rows{{"parameter", "value", "unit", "95 % interval", "meaning"}};
  for (const auto& p : c.parameters)
    rows.push_back({"<code>" + escape(p.name) + "</code>", escape(p.value), html(p.unit),
                    p.interval.empty() ? "–" : escape(p.interval), html(p.meaning)});
  return html_table(rows, "lrnnn");
}

std::string fit_part(const Certificate& c) {
  std::string out;
  if (!c.measured.empty()) out += "<p>Measured range:</p>\n" + listed_items(c.measured);
  if (!c.fitted) return out + "<p>The file states no intervals; it is not the output of a fit.</p>\n";
  return out + (c.undetermined.empty() ? "<p>The fit determined all parameters.</p>\n" : listed_items(c.undetermined));
}

}  // namespace

std::string certificate_page(const Certificate& c) {
  std::string body = "<header>\n<h1>" + escape(c.title) + "</h1>\n" +
                     facts(fact("model", escape(c.model_title) + " (<code>" + escape(c.model) + "</code>)") +
                           fact("file", escape(c.file)) + fact("SHA-256", "<code>" + c.sha256 + "</code>") +
                           fact("units", c.rotational ? "rotational" : "linear")) +
                     "</header>\n<main>\n";
  body += "<div class=\"pair\">\n";
  for (const plot::Figure& f : c.figures) body += figure_html(f);
  body += "</div>\n";
  body += section("Passivity", passivity_part(c)) + section("Bounds", bounds_part(c));
  body += section("Properties, measured", battery_part(c)) + section("Parameters", parameters_part(c));
  body += section("Not determined by the fit", fit_part(c));
  body += section("Cost on the machine that wrote this page", cost_part(c));
  body += section("Equations", text_block(c.equations));
  body += folded("The friction block behind the SHA-256", text_block(c.canonical)) + "</main>\n";
  return page(c.title, body);
}

}  // namespace bristle::report
