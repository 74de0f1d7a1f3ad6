#include "cli/fit/population.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "bristle/identify/population.hpp"
#include "bristle/output.hpp"
#include "bristle/report/fit.hpp"
#include "cli/failure.hpp"
#include "cli/fit/recordings.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/progress.hpp"
#include "cli/screen.hpp"

namespace bristle::cli {
namespace {

using identify::PopulationEstimate;
using identify::PopulationFit;

/// Errors of the command line, each with the reason.
std::vector<std::string> refused_with_population(const IdentifyOptions& o) {
  std::vector<std::string> out;
  auto refuse = [&](bool given, const char* option, const char* why) {
    if (given) out.push_back(fmt::format("{} is not accepted with gfm: {}", option, why));
  };
  if (o.models.find("generic2010") != std::string::npos)
    out.emplace_back(
        "--models generic2010: its parameters are correlated so strongly that a fit does not determine them; gfm is accepted");
  else if (o.models != "gfm")
    out.push_back(
        fmt::format("--models {}: gfm is fitted to means of the force and has no place in a ranking; gfm alone is "
                    "accepted",
                    o.models));
  const IdentifyOptions usual;
  refuse(!o.effects.empty() && o.effects != "none", "--effects", "effects are not fitted");
  refuse(!o.terms.empty(), "--with", "forces besides friction are not fitted");
  refuse(!o.fixed.empty(), "--fix", "its six free parameters are fitted together");
  refuse(!o.priors.empty(), "--prior", "its six free parameters are fitted together");
  refuse(!o.free.empty(), "--free", "kn, mu_inf and the mean height act in products only");
  refuse(!o.validate.empty(), "--validate", "all recordings are fitted");
  refuse(o.train != 1, "--train", "all rows are fitted");
  refuse(!o.scenario.empty(), "--scenario", "the recorded friction force is fitted");
  refuse(!o.elements.empty(), "--elements", "--asperities sets the number of asperities");
  refuse(o.loss != usual.loss, "--loss", "errors of means are squared");
  refuse(o.simplex, "--simplex", "least squares are the only search");
  refuse(o.starts != usual.starts, "--starts", "the starts of gfm come from a grid of wavelengths");
  if (o.asperities < 100 || o.asperities > 1000000)
    out.push_back(fmt::format("--asperities {}: 100 to 1000000 are accepted", o.asperities));
  if (o.seeds < 2 || o.seeds > 100) out.push_back(fmt::format("--seeds {}: 2 to 100 are accepted", o.seeds));
  return out;
}

Json population_json(const PopulationFit& fit) {
  Json j{{"model", "gfm"},
         {"row_error_percent", json_number(100 * fit.row_error)},
         {"block_error_percent", json_number(100 * fit.block_error)},
         {"rows", fit.rows},
         {"blocks", fit.blocks},
         {"runs", fit.runs},
         {"parameters", Json::array()}};
  for (const PopulationEstimate& e : fit.parameters)
    j["parameters"].push_back({{"name", e.name},
                               {"unit", e.unit},
                               {"value", json_number(e.value)},
                               {"low", json_number(e.low)},
                               {"high", json_number(e.high)},
                               {"between_seeds", json_number(e.between_seeds)},
                               {"between_starts", json_number(e.between_starts)},
                               {"of_fit", json_number(e.of_fit)},
                               {"determined", e.determined}});
  j["notes"] = fit.notes;
  return j;
}

void print_population(const PopulationFit& fit) {
  print("\n{:<12} {:>12} {:<5} {:<26} seeds, wavelengths, data (relative sd, %)\n", "parameter", "value", "unit",
        "95 % interval");
  for (const PopulationEstimate& e : fit.parameters)
    print("{:<12} {:>12.6g} {:<5} {:<26} {:.2g}, {:.2g}, {:.2g}\n", e.name, e.value, e.unit == "1" ? "" : e.unit,
          e.determined ? fmt::format("{:.5g} to {:.5g}", e.low, e.high) : "not determined", 100 * e.between_seeds,
          100 * e.between_starts, 100 * e.of_fit);
  print("\nrms error: {:.3g} % of {} rows, {:.3g} % of {} blocks; {} runs\n", 100 * fit.row_error, fit.rows,
        100 * fit.block_error, fit.blocks, fit.runs);
  for (const std::string& n : fit.notes) print("note: {}\n", n);
}

}  // namespace

bool wants_population(const IdentifyOptions& o) {
  const std::string all = "," + o.models + ",";
  return all.find(",gfm,") != std::string::npos || all.find(",generic2010,") != std::string::npos;
}

int identify_population(const IdentifyOptions& o, const identify::Reading& reading) {
  const std::vector<std::string> wrong = refused_with_population(o);
  for (const std::string& line : wrong) complain(line);
  if (!wrong.empty()) return wrong_input;
  try {
    const Data data = read_all(o.files, reading, o.join);
    if (!data.good) return wrong_input;
    if (!o.out.empty()) OutputFile::check_in(o.out, "report.html");
    if (!o.json) {
      print_findings(data, "");
      flush_output();
    }
    Progress progress(1, !o.json);
    const PopulationFit fit =
        identify::fit_gfm(data.recordings, {.asperities = o.asperities,
                                            .seeds = o.seeds,
                                            .seed = o.seed,
                                            .threads = static_cast<unsigned>(std::max(0, o.threads)),
                                            .progress = [&](double part) { progress.reached(part); },
                                            .stop = &Interrupt::flag()});
    progress.finish();
    if (!o.out.empty()) {
      std::filesystem::create_directories(o.out);
      const std::filesystem::path folder(o.out);
      std::vector<OutputFile> files;
      auto add = [&](const char* name, const std::string& text) {
        files.emplace_back((folder / name).string(), [text](std::ostream& out) { out << text; });
      };
      add("ranking.csv", report::population_csv(fit));
      add("gfm.toml", identify::population_file(fit));
      add("report.html", report::population_page(fit, data.files));
      const Interrupt::Pause pause;
      keep(files);
    }
    if (o.json) {
      print("{}", json_text(population_json(fit)));
    } else {
      print_population(fit);
      if (!o.out.empty()) print("wrote {}\n", (std::filesystem::path(o.out) / "report.html").string());
    }
    if (fit.row_error <= 0.5) return done;
    complain(
        fmt::format("gfm does not explain the data: the rms error is {:.3g} % of the rms force", 100 * fit.row_error));
  } catch (const identify::NotDetermined& e) { complain(e.what()); } catch (...) {
    return status_of_exception(o.out);
  }
  return failed;
}

}  // namespace bristle::cli
