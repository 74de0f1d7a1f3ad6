#include "bristle/sweep/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "base/escape.hpp"
#include "bristle/output.hpp"
#include "bristle/report/compare.hpp"
#include "bristle/report/sweep.hpp"
#include "cli/failure.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/screen.hpp"
#include "cli/studies.hpp"
#include "commands.hpp"
#include "report/shared/labels.hpp"

namespace bristle::cli {
namespace {

namespace fs = std::filesystem;
using sweep::Compared;

/// Names of the traces in the folder of --csv.
std::vector<std::string> csv_names(const std::vector<Compared>& runs) {
  std::vector<std::string> out{"measures.csv"};
  for (const Compared& c : runs) out.push_back(report::file_name(c.name, ".csv", out));
  out.erase(out.begin());
  return out;
}

void write_measures(const std::vector<Compared>& runs, std::ostream& out) {
  const std::vector<std::string> names = report::compared_measures(runs);
  out << "run";
  for (const std::string& m : names) out << ',' << csv_cell(m);
  out << ",status\n";
  for (const Compared& c : runs) {
    out << csv_cell(c.name);
    for (const std::string& m : names) {
      const Number x = report::compared_number(c, m);
      out << ',' << (x.reason.empty() ? to_text(x.value) : "");
    }
    out << (c.failure.empty() ? ",done\n" : ",failed\n");
  }
}

Json json_of(const std::vector<Compared>& runs, const std::vector<std::string>& columns) {
  Json out{{"runs", Json::array()}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Compared& c = runs[i];
    Json j{{"name", c.name}, {"scenario", c.scenario.path}, {"set", c.scenario.changes}, {"measures", Json::object()}};
    for (const Measure& m : c.scenario.measures) {
      const Number x = report::compared_number(c, m.name);
      Json& to =
          j["measures"][m.name] = {{"value", json_number(x.value)}, {"unit", report::unit_in(x.unit, c.scenario)}};
      if (!x.reason.empty()) to["reason"] = x.reason;
      const Number first = report::compared_number(runs.front(), m.name);
      if (i > 0) to["difference"] = json_number(x.value - first.value);
    }
    j["notes"] = c.scenario.notes;
    if (!c.failure.empty()) j["failure"] = c.failure;
    if (i > 0 && c.failure.empty() && runs.front().failure.empty()) {
      j["differences"] = Json::object();
      for (const sweep::Difference& d : sweep::differences(runs.front(), c, columns))
        j["differences"][d.column] = {{"unit", report::unit_in(d.unit, c.scenario)},
                                      {"largest", json_number(d.largest)},
                                      {"rms", json_number(d.rms)},
                                      {"relative", json_number(d.relative)}};
    }
    out["runs"].push_back(std::move(j));
  }
  return out;
}

/// Columns of text, the first one left-aligned.
std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  auto length = [](const std::string& text) {  // of UTF-8
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
  };
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], length(row[c]));
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string blanks(widths[c] - length(row[c]), ' ');
      out += "  " + (c == 0 ? row[c] + blanks : blanks + row[c]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

std::string summary(const std::vector<Compared>& runs, const std::vector<std::string>& columns) {
  std::string out;
  const auto measures = report::measure_rows(runs);
  if (measures.size() > 1) out += "measures, in brackets the difference from the first run\n" + text_table(measures);
  if (runs.front().failure.empty() && runs.size() > 1) {
    std::vector<std::vector<std::string>> rows{{"quantity"}};
    for (const std::string& c : columns) {
      if (c != "drive" && c != "reference") rows.push_back({c});
    }
    for (std::size_t i = 1; i < runs.size(); ++i) {
      rows[0].push_back(runs[i].name);
      for (std::size_t r = 1; r < rows.size(); ++r) {
        if (!runs[i].failure.empty()) {
          rows[r].emplace_back("–");
          continue;
        }
        const sweep::Difference d = sweep::differences(runs.front(), runs[i], {rows[r][0]}).front();
        const std::string unit = report::unit_in(d.unit, runs.front().scenario);
        rows[r].push_back(fmt::format("{:.4g}{}{}", d.largest, unit.empty() ? "" : " ", unit));
      }
    }
    out += fmt::format("largest difference from {}\n", runs.front().name) + text_table(rows);
  }
  for (const Compared& c : runs) {
    for (const std::string& note : c.scenario.notes) out += fmt::format("  note: {}: {}\n", c.name, note);
    for (const Measure& m : c.scenario.measures) {
      const Number x = report::compared_number(c, m.name);
      if (!x.reason.empty() && c.failure.empty())
        out += fmt::format("  note: {}: {} is undefined: {}\n", c.name, m.name, x.reason);
    }
  }
  return out;
}

int write_and_print(const std::vector<Compared>& runs, const CompareOptions& options) {
  const std::vector<std::string> columns = sweep::common_columns(runs);
  std::vector<OutputFile> files;
  std::vector<std::string> written;
  auto add = [&](const std::string& path, const Writer& write) {
    files.emplace_back(path, write);
    written.push_back(path);
    if (Interrupt::flag()) throw Stopped();
  };
  if (!options.plot.empty()) {
    const plot::Figure figure = options.look.of(report::figure_of(report::compared_panels(runs, columns)));
    add(options.plot, [&](std::ostream& o) { o << plot::image(figure, ending(options.plot).substr(1)); });
  }
  if (!options.report.empty()) add(options.report, [&](std::ostream& o) { o << report::compare_page(runs, columns); });
  if (!options.csv.empty()) {
    fs::create_directories(options.csv);
    add(fs::path(options.csv) / "measures.csv", [&](std::ostream& o) { write_measures(runs, o); });
    const std::vector<std::string> names = csv_names(runs);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i].failure.empty())
        add(fs::path(options.csv) / names[i], [&](std::ostream& o) { write_csv(runs[i].run.trace, o); });
    }
  }
  {
    const Interrupt::Pause pause;
    keep(files);
  }
  if (options.json) {
    print("{}", json_text(json_of(runs, columns)));
  } else if (options.plot != "/dev/stdout" && options.report != "/dev/stdout") {
    print_text(summary(runs, columns));
    for (const std::string& f : written) print("wrote {}\n", f);
  }
  int status = done;
  for (const Compared& c : runs) {
    if (c.failure.empty()) continue;
    complain(Problem{c.name, c.failure}.line());
    status = failed;
  }
  return status;
}

}  // namespace

int compare(const CompareOptions& options) {
  const Interrupt interrupt("bristle compare: stopped\n");
  if (!is_plot(options.plot)) return wrong_input;
  Changes changes(options.changes);
  changes.measure = options.measures;
  sweep::ComparedRead read = sweep::read_compared(options.files, options.set_each, changes);
  for (const Problem& p : read.problems) complain(p.line());
  if (!read.problems.empty()) return wrong_input;
  try {
    for (const std::string& path : {options.plot, options.report}) {
      if (!path.empty()) OutputFile::check(path);
    }
    if (!options.csv.empty()) OutputFile::check_in(options.csv, "measures.csv");
    sweep::simulate(read.runs, &Interrupt::flag());
    return write_and_print(read.runs, options);
  } catch (...) { return status_of_exception(options.csv); }
}

}  // namespace bristle::cli
