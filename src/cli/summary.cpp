#include "cli/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "bristle/report.hpp"
#include "cli/describe.hpp"
#include "cli/json.hpp"
#include "cli/paint.hpp"
#include "cli/screen.hpp"
#include "report/shared/balance.hpp"
#include "report/shared/labels.hpp"

namespace bristle::cli {
namespace {

std::string models_text(const Experiment& e) {
  std::vector<std::string> out;
  out.reserve(e.contacts.size());
  for (const NamedContact& c : e.contacts)
    out.push_back((c.name.empty() ? "" : c.name + ": ") + std::string(c.contact->model()));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string events_text(const Run& run) {
  std::vector<std::string> out;
  for (const auto& [kind, count] : counted_events(run)) {
    if (count > 0) out.push_back(fmt::format("{} {}", count, to_string(kind)));
  }
  return out.empty() ? "none" : fmt::format("{}", fmt::join(out, ", "));
}

/// Whether F_app of any body differs from zero; unknown forces count.
bool has_force(const Trace& trace) {
  bool found = false;
  for (const Column& c : trace.columns) {
    if (!c.name.starts_with("F_app")) continue;
    found = true;
    if (std::ranges::any_of(c.values, [](double x) { return x != 0; })) return true;
  }
  return !found;
}

}  // namespace

void print_summary(const Result& result) {
  const Scenario& s = result.scenario;
  const Summary& r = result.run.summary;
  const Trace& trace = result.run.trace;
  const EnergyBalance& e = r.energy;
  auto line = [](const char* name, const std::string& text) { print("  {:<9} {}\n", name, text); };
  print("{}\n", s.title.empty() ? s.name : s.title);
  line("model", models_text(s.experiment));
  line("method", r.method);
  line("steps", fmt::format("{}, {} rejected, {} evaluations, {} Jacobians, {} switches", r.steps, r.rejected,
                            r.evaluations, r.jacobians, r.switches));
  line("events", events_text(result.run));
  std::vector<std::string> last;
  for (const Column& c : trace.columns) {
    if (!c.values.empty() && last.size() < 6) last.push_back(fmt::format("{} = {:.8g}", c.name, c.values.back()));
  }
  line("end", fmt::format("{}", fmt::join(last, ", ")));
  const std::string joule = dimensionless(s) ? "" : " J";
  line("energy", fmt::format("drive {:.6g}{} = kinetic {:.6g} + spring {:.6g} + damper {:.6g} + friction {:.6g}",
                             e.drive, joule, e.kinetic, e.spring, e.damper, e.friction));
  for (const Summary::Loss& l : r.losses) line("friction", fmt::format("{:.6g} J in joint {}", l.friction, l.name));
  if (s.experiment.kind == SystemKind::prescribed) {
    const report::WorkCheck work = report::check_work(result.run);
    line("work",
         report::compares_nothing(work)
             ? "no motion, no work of friction"
             : fmt::format("{:.6g}{} by the solver, {:.6g}{} as the integral of F dx over the rows: off by {:.1e}",
                           work.integrated, joule, work.rows, joule, work.error()));
  } else {
    line("balance", report::compares_nothing(e) ? "no work, nothing to compare"
                                                : fmt::format("off by {:.1e} of the largest term", e.error));
    if (std::isnan(r.momentum.error)) {
      line("momentum", "not computed");
    } else if (has_force(trace) || r.momentum.error > 0) {
      line("momentum", fmt::format("off by {:.1e} of the impulse of F_app", r.momentum.error));
    }
  }
  if (result.works) {
    const asperity::Ledger& w = *result.works;
    line("asperity",
         fmt::format(
             "friction {:.6g}{} + normal {:.6g} = stored {:.6g} + kinetic {:.6g} + plastic {:.6g} + damper {:.6g} + "
             "adhesion {:.6g}",
             w.friction, joule, w.normal, w.stored, w.kinetic, w.plastic, w.damper, w.adhesion));
    line("asperity", fmt::format("works off by {:.1e} of the largest term", w.error()));
  }
  if (r.violation >= 0) line("joints", fmt::format("off by {:.1e} of the size of the mechanism", r.violation));
  line("time", fmt::format("{:.3g} s", r.seconds));
  for (const Measure& m : s.measures) {
    const Number x = number_of(m.quantity, result.run);
    const std::string shown = x.unit == "1" ? "" : report::unit_in(x.unit, s), unit = shown.empty() ? "" : " " + shown;
    line("measure", x.reason.empty() ? fmt::format("{} = {:.8g}{}", m.name, x.value, unit)
                                     : fmt::format("{} is undefined: {}", m.name, x.reason));
  }
  for (const std::string& note : s.notes) line("note", note);
  for (const Checked& c : result.checks) {
    const std::size_t word = c.line.rfind(' ') + 1;  // holds, violated
    line("check", c.line.substr(0, word) + painted(c.line.substr(word), c.held ? Paint::good : Paint::bad));
  }
}

void print_json(const Result& result) { print("{}", json_text(to_json(result))); }

}  // namespace bristle::cli
