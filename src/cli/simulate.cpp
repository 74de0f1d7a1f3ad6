#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <set>
#include <streambuf>

#include "bristle/output.hpp"
#include "bristle/report.hpp"
#include "bristle/report/population.hpp"
#include "bristle/scenario.hpp"
#include "cli/failure.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/screen.hpp"
#include "cli/summary.hpp"
#include "commands.hpp"
#include "registry/shared/generic2010.hpp"

namespace bristle::cli {
namespace {

struct Output {
  std::string path;
  std::function<void(const Result&, std::ostream&)> write;
};

void write_events(const Result& result, std::ostream& out) {
  out << "t,event,body\n";
  for (const Event& e : result.run.events)
    out << fmt::format("{},{},{}\n", e.t, to_string(e.kind), result.run.body_of(e));
}

void write_catalogue(const std::vector<SlipEvent>& events, std::ostream& out) {
  out << "t,first,blocks,moment,duration\n";
  for (const SlipEvent& e : events)
    out << fmt::format("{},{},{},{},{}\n", e.t, e.first, e.blocks, e.moment, e.duration);
}

void write_plot(const Result& result, std::ostream& out, const std::string& path, const PlotLook& look) {
  out << plot::image(look.of(report::figure_of(result.scenario, result.run)), ending(path).substr(1));
}

void write_population(const Result& result, std::ostream& out, const std::string& path) {
  if (is_image(path)) {
    out << plot::image(report::figure_of_population(result.run.population), ending(path).substr(1));
  } else {
    write_csv(result.run.population, out);
  }
}

constexpr const char* standard_output = "-";

/// A stream to standard output.
class Screen : public std::streambuf {
  std::streamsize xsputn(const char* text, std::streamsize n) override {
    print_text({text, static_cast<std::size_t>(n)});
    return n;
  }
  int_type overflow(int_type c) override {
    if (c == traits_type::eof()) return 0;
    const char one = traits_type::to_char_type(c);
    print_text({&one, 1});
    return c;
  }
};

/// The requested output files.
std::vector<Output> outputs_of(const SimulateOptions& options) {
  std::vector<Output> out;
  auto add = [&](const std::string& path, const auto& write) {
    if (!path.empty()) out.push_back({path, write});
  };
  add(options.csv, [](const Result& r, std::ostream& o) { write_csv(r.run.trace, o); });
  add(options.events, write_events);
  add(options.catalogue, [](const Result& r, std::ostream& o) { write_catalogue(r.run.catalogue, o); });
  add(options.plot,
      [path = options.plot, look = options.look](const Result& r, std::ostream& o) { write_plot(r, o, path, look); });
  add(options.report, [](const Result& r, std::ostream& o) { o << report::run_page(r.scenario, r.run, r.checks); });
  add(options.population,
      [path = options.population](const Result& r, std::ostream& o) { write_population(r, o, path); });
  return out;
}

/// Canonical path; empty for devices and pipes, which may be given twice.
std::filesystem::path place(const std::string& path) {
  std::error_code ignored;
  const bool device = std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
  return device ? "" : std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
}

/// Checks the outputs before the run and reports problems.
int check_outputs(const std::vector<Output>& outputs, const std::string& scenario) {
  std::set<std::filesystem::path> seen{place(scenario)};
  int status = done;
  int on_screen = 0;
  for (const Output& o : outputs) {
    if (o.path == standard_output) {
      if (++on_screen == 2) {
        complain("two outputs to '-', standard output; one is accepted, the others require a file");
        status = wrong_input;
      }
      continue;
    }
    try {
      OutputFile::check(o.path);
    } catch (const FileError& e) {
      complain(e.what());
      status = std::max(status, failed);
    }
    if (const auto at = place(o.path); !at.empty() && !seen.insert(at).second) {
      complain(
          fmt::format("{}: is the scenario or the file of another output; each output requires its own file", o.path));
      status = wrong_input;
    }
  }
  return status;
}

/// Writes either all output files or none.
void write_all(const std::vector<Output>& outputs, const Result& result) {
  std::vector<OutputFile> files;
  files.reserve(outputs.size());
  for (const Output& o : outputs) {
    if (o.path == standard_output) continue;
    files.emplace_back(o.path, [&](std::ostream& out) { o.write(result, out); });
    if (Interrupt::flag()) throw Stopped();
  }
  {
    const Interrupt::Pause pause;
    keep(files);
  }
  Screen screen;
  std::ostream out(&screen);
  for (const Output& o : outputs) {
    if (o.path == standard_output) o.write(result, out);
  }
}

/// The events that were over when the run was stopped.
void keep_catalogue(const std::string& path, const std::vector<SlipEvent>& events) {
  if (path == standard_output) {
    Screen screen;
    std::ostream out(&screen);
    write_catalogue(events, out);
    return;
  }
  const Interrupt::Pause pause;
  try {
    std::vector<OutputFile> files;
    files.emplace_back(path, [&](std::ostream& out) { write_catalogue(events, out); });
    keep(files);
  } catch (const FileError& e) { complain(e.what()); }
}

/// The works that a run of point masses will do; empty for other models.
std::shared_ptr<const asperity::Ledger> works_of(const Experiment& e) {
  auto* box = e.own ? nullptr : dynamic_cast<BoxedGeneric2010*>(e.contacts.front().contact.get());
  return box ? box->keep_works() : nullptr;
}

}  // namespace

int simulate(const SimulateOptions& options) {
  const Interrupt interrupt("bristle simulate: stopped\n");
  if (!is_plot(options.plot)) return wrong_input;
  Changes changes(options.changes);
  changes.measure = options.measures;
  Loaded loaded = load_scenario(options.file, changes);
  for (const Problem& p : loaded.problems) complain(p.line());
  if (!loaded.scenario) return wrong_input;
  Scenario& scenario = *loaded.scenario;
  if (!options.population.empty()) {
    const std::string_view model =
        scenario.experiment.own ? "a mechanism" : scenario.experiment.contacts.front().contact->model();
    if (model != "gfm" && model != "generic2010") {
      complain(fmt::format("--population {}: requires model gfm or generic2010, not {}", options.population, model));
      return wrong_input;
    }
  }
  if (!options.catalogue.empty() && scenario.experiment.kind != SystemKind::chain) {
    complain(fmt::format("--catalogue {}: requires kind = \"chain\" in [system]", options.catalogue));
    return wrong_input;
  }
  const std::vector<Output> outputs = outputs_of(options);
  const bool on_screen = std::ranges::find(outputs, standard_output, &Output::path) != outputs.end();
  if (on_screen && options.json) {
    complain("'-' as an output and --json both write to standard output; one of them is accepted");
    return wrong_input;
  }
  if (const int status = check_outputs(outputs, options.file); status != done) return status;

  std::vector<SlipEvent> catalogue;  // kept after Ctrl-C
  try {
    Progress progress(scenario.experiment.solver.duration, !options.quiet && !options.json);
    const RunOptions run_options{.probes = probe_times(scenario),
                                 .progress = [&](double t) { progress.reached(t); },
                                 .stop = &Interrupt::flag(),
                                 .catalogue = [&](const SlipEvent& e) { catalogue.push_back(e); }};
    std::shared_ptr<const asperity::Ledger> works;
    if (!options.quiet) works = works_of(scenario.experiment);
    Result result{scenario, bristle::simulate(scenario.experiment, run_options), {}, works};
    progress.finish();
    for (const std::string& note : result.run.summary.notes) scenario.notes.push_back(note);
    if (std::string note = outside_measured(scenario, result.run); !note.empty())
      scenario.notes.push_back(std::move(note));
    result.checks = check(scenario, result.run);
    if (Interrupt::flag()) throw Stopped();
    write_all(outputs, result);

    bool to_stdout = options.quiet || on_screen;  // the summary must not mix with data
    for (const Output& o : outputs) to_stdout = to_stdout || o.path == "/dev/stdout";
    if (options.json) {
      print_json(result);
    } else if (!to_stdout) {
      print_summary(result);
      for (const Output& o : outputs) print("wrote {}\n", o.path);
    }
    int status = done;
    for (const Checked& c : result.checks) {
      if (c.held) continue;
      complain(Problem{c.expectation->where, c.line}.line());
      status = failed;
    }
    return status;
  } catch (const Stopped&) {
    if (!options.catalogue.empty()) keep_catalogue(options.catalogue, catalogue);
    complain("stopped");
    return stopped;
  } catch (...) { return status_of_exception("", options.file); }
}

}  // namespace bristle::cli
