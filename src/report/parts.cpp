#include "report/parts.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/escape.hpp"
#include "report/html.hpp"
#include "report/shared/balance.hpp"
#include "report/shared/labels.hpp"

namespace bristle::report {

std::string figure_html(plot::Figure figure) {
  figure.interactive = true;
  return "<figure><div class=\"wide\">\n" + plot::svg(figure) + "</div></figure>\n";
}

namespace {
/// A long name may break after an underscore.
std::string code_name(const std::string& name) {
  std::string out = "<code>";
  for (const char c : escape(name)) out += c == '_' ? std::string("_<wbr/>") : std::string(1, c);
  return out + "</code>";
}
}  // namespace

std::string settings_table(const Scenario& scenario) {
  std::vector<Row> rows{{"", "name", "value", "unit", "meaning"}};
  std::string section;
  for (const Setting& s : settings_of(scenario)) {
    rows.push_back({s.section == section ? "" : escape(s.section), code_name(s.name), escape(s.value), html(s.unit),
                    escape(s.meaning)});
    section = s.section;
  }
  return html_table(rows, "llrnl");
}

double WorkCheck::error() const { return size > 0 ? std::abs(integrated - rows) / size : std::abs(integrated - rows); }

WorkCheck check_work(const Run& run) {
  WorkCheck out{.integrated = run.summary.energy.friction};
  const Trace all = with_limits(run);
  const Column *x = all.find("x"), *F = all.find("F");
  if (!x || !F) return {out.integrated, std::nan(""), 0};
  for (std::size_t i = 1; i < x->values.size(); ++i) {
    const double dW = 0.5 * (F->values[i] + F->values[i - 1]) * (x->values[i] - x->values[i - 1]);
    out.rows += dW;
    out.size += std::abs(dW);
  }
  return out;
}

std::string work_table(const Run& run, const std::string& unit) {
  const WorkCheck work = check_work(run);
  if (compares_nothing(work)) return "<p>No motion, no work of friction.</p>\n";
  return html_table({{"", unit},
                     {"work of friction, by the solver", fmt::format("{:.6g}", work.integrated)},
                     {"integral of F dx over the rows", fmt::format("{:.6g}", work.rows)}},
                    "lr") +
         fmt::format(
             "<p class=\"quiet\">The motion is given: its work is that of friction. The two integrals differ by "
             "{:.1e} of the sum of |F dx|; shorter rows (output_step) reduce this.</p>\n",
             work.error());
}

std::string energy_table(const EnergyBalance& e, const std::string& unit) {
  if (compares_nothing(e)) return "<p>No work, nothing to compare.</p>\n";
  auto joule = [](double x) { return fmt::format("{:.6g}", x); };
  return html_table({{"", unit},
                     {"work of the drive", joule(e.drive)},
                     {"= change of kinetic energy", joule(e.kinetic)},
                     {"+ change of potential energy", joule(e.spring)},
                     {"+ loss in the damper", joule(e.damper)},
                     {"+ loss in friction", joule(e.friction)}},
                    "lr") +
         fmt::format("<p class=\"quiet\">Error of the energy balance: {:.1e} of the largest term.</p>\n", e.error);
}

std::string events_table(const std::vector<Event>& events, const std::string& unit) {
  constexpr std::size_t shown = 1000;
  if (events.empty()) return "<p>None.</p>\n";
  std::vector<Row> rows{{"", unit.empty() ? "t" : fmt::format("t ({})", unit), "event"}};
  for (std::size_t i = 0; i < std::min(events.size(), shown); ++i) {
    rows.push_back({fmt::format("{}", i + 1), fmt::format("{:.9g}", events[i].t), to_string(events[i].kind)});
  }
  std::string out = html_table(rows, "rrl");
  if (events.size() > shown)
    out += fmt::format("<p class=\"quiet\">{} more events not shown.</p>\n", events.size() - shown);
  return out;
}

std::string solver_table(const Run& run) {
  const Summary& s = run.summary;
  auto n = [](auto x) { return fmt::format("{}", x); };
  return html_table({{escape(s.method), ""},
                     {"steps", n(s.steps)},
                     {"rejected steps", n(s.rejected)},
                     {"evaluations of the right-hand side", n(s.evaluations)},
                     {"Jacobians", n(s.jacobians)},
                     {"restarts at events", n(s.switches)},
                     {"rows of the trace", n(run.trace.rows())},
                     {"time (ms)", fmt::format("{:.3g}", 1e3 * s.seconds)}},
                    "lr");
}

std::string text_block(const std::string& text) { return "<pre>" + escape(text) + "</pre>\n"; }

}  // namespace bristle::report
