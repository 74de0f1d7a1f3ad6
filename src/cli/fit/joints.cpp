#include "cli/fit/joints.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "bristle/identify/joints.hpp"
#include "bristle/output.hpp"
#include "bristle/report/fit.hpp"
#include "cli/failure.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/screen.hpp"

namespace bristle::cli {
namespace {

using identify::JointEstimate;
using identify::JointFit;
using identify::JointRecording;

/// Options that have no meaning for a mechanism, each with the reason.
std::vector<std::string> refused(const IdentifyOptions& o) {
  std::vector<std::string> out;
  auto refuse = [&](bool given, const char* option, const char* why) {
    if (given) out.push_back(fmt::format("{} is not accepted with a mechanism: {}", option, why));
  };
  refuse(o.models != "all", "--models", "its joints have the models of the scenario");
  refuse(!o.effects.empty(), "--effects", "effects of joints are those of the scenario");
  refuse(!o.columns.empty(), "--column", "columns have the names of the mechanism, such as crank.angle");
  refuse(!o.terms.empty(), "--with", "forces of the mechanism are those of the scenario");
  refuse(!o.priors.empty(), "--prior", "--fix JOINT.NAME=NUMBER is accepted");
  refuse(!o.validate.empty(), "--validate", "all recordings are fitted");
  refuse(o.train != 1, "--train", "all rows are fitted");
  refuse(!o.groups.empty(), "--group", "one mechanism is fitted at a time");
  refuse(o.join, "--join", "each file holds its own t");
  refuse(o.gravity != "auto", "--gravity", "gravity is a key of [system]");
  refuse(!o.elements.empty(), "--elements", "joints have the numbers of elements of the scenario");
  const IdentifyOptions usual;
  refuse(o.seconds != usual.seconds, "--seconds", "its fit has no time limit; Ctrl-C ends it");
  refuse(o.starts != usual.starts, "--starts", "starting values are those of the scenario and others around them");
  refuse(o.seed != usual.seed, "--seed", "nothing is drawn at random");
  refuse(o.loss != usual.loss, "--loss", "errors are squared");
  refuse(o.simplex, "--simplex", "least squares are the only search");
  refuse(o.bandwidth != usual.bandwidth, "--bandwidth", "columns are not filtered");
  return out;
}

std::string csv_of(const JointFit& fit) {
  std::string out = "joint,parameter,unit,value,low,high,start,identifiable\n";
  for (const JointEstimate& p : fit.parameters)
    out += fmt::format("{},{},{},{},{},{},{},{}\n", p.joint, p.name, p.unit, p.value, p.low, p.high, p.start,
                       p.identifiable ? "yes" : "no");
  return out;
}

Json json_of(const JointFit& fit, const std::vector<JointRecording>& recordings) {
  Json j;
  j["converged"] = fit.converged;
  j["explains"] = fit.explains;
  j["rows"] = fit.rows;
  j["simulations"] = fit.simulations;
  j["parameters"] = Json::array();
  for (const JointEstimate& p : fit.parameters)
    j["parameters"].push_back({{"joint", p.joint},
                               {"name", p.name},
                               {"unit", p.unit},
                               {"value", json_number(p.value)},
                               {"low", json_number(p.low)},
                               {"high", json_number(p.high)},
                               {"identifiable", p.identifiable},
                               {"at_limit", p.at_limit}});
  j["columns"] = Json::array();
  for (const JointFit::Of& c : fit.columns)
    j["columns"].push_back(
        {{"name", c.name}, {"unit", c.unit}, {"rmse", json_number(c.rmse)}, {"spread", json_number(c.spread)}});
  j["notes"] = fit.notes;
  for (const JointRecording& r : recordings) {
    for (const std::string& note : r.notes) j["notes"].push_back(r.name + ": " + note);
  }
  return j;
}

void print_fit(const JointFit& fit) {
  for (const std::string& note : fit.notes) print("note: {}\n", note);
  print("\n{:<24} {:>12} {:<8} 95 % interval\n", "parameter", "value", "unit");
  for (const JointEstimate& p : fit.parameters)
    print("{:<24} {:>12.6g} {:<8} {}\n", p.joint + "." + p.name, p.value, p.unit,
          p.identifiable ? fmt::format("{:.6g} to {:.6g}", p.low, p.high)
          : p.at_limit   ? "at a limit: not determined"
                         : "not identifiable from these recordings");
  print("\n{:<24} {:>12} {:<8} of its spread\n", "column", "rmse", "unit");
  for (const JointFit::Of& c : fit.columns)
    print("{:<24} {:>12.4g} {:<8} {:.3g} %\n", c.name, c.rmse, c.unit, 100 * c.rmse / c.spread);
  print("\n{} values, {} simulations{}\n", fit.rows, fit.simulations, fit.converged ? "" : ", not converged");
}

}  // namespace

int identify_joints(const IdentifyOptions& options, const identify::Options& read) {
  const std::vector<std::string> wrong = refused(options);
  for (const std::string& line : wrong) complain(line);
  if (!wrong.empty()) return wrong_input;
  try {
    std::vector<JointRecording> recordings;
    bool good = true;
    for (const std::string& file : options.files) {
      const TraceRead table = read_trace(file, 0, {.skip = options.skip});
      for (const Problem& p : table.problems) complain(p.line());
      good = good && table.problems.empty();
      if (!table.problems.empty()) continue;
      try {
        recordings.push_back(identify::joint_recording(table.trace, file, *read.rig));
      } catch (const BadInput& e) {
        complain(e.what());
        good = false;
      }
    }
    if (!good) return wrong_input;
    const std::filesystem::path folder = options.out;
    if (!options.out.empty()) OutputFile::check_in(options.out, "report.html");
    if (!options.json) {
      for (const JointRecording& r : recordings) {
        print("{}: {} rows, {} columns\n", r.name, r.t.size(), r.columns.size());
        for (const std::string& note : r.notes) print("  {}\n", note);
      }
      flush_output();
    }
    const JointFit fit = identify::identify_joints(
        *read.rig, recordings, {.free = read.free, .fixed = read.fixed, .stop = &Interrupt::flag()});
    if (!options.out.empty()) {
      std::filesystem::create_directories(folder);
      std::vector<OutputFile> files;
      auto add = [&](const std::string& name, const std::string& text) {
        files.emplace_back((folder / name).string(), [text](std::ostream& o) { o << text; });
      };
      add("joints.csv", csv_of(fit));
      for (const auto& [name, text] : report::joint_files(fit)) add(name, text);
      add("report.html", report::joints_page(fit, recordings, *read.rig));
      keep(files);
    }
    if (options.json) {
      print("{}", json_text(json_of(fit, recordings)));
    } else {
      print_fit(fit);
      if (!options.out.empty()) print("wrote {}\n", (folder / "report.html").string());
    }
    if (fit.converged && fit.explains) return done;
    if (!fit.explains)
      complain(
          fmt::format("no model explains the data: the error is {:.3g} % of the spread of the data; other models or "
                      "starting values in the scenario are accepted",
                      100 * fit.relative_error));
    if (!fit.converged)
      complain("the fit did not converge; other starting values in the scenario, or --free with fewer parameters, are "
               "accepted");
  } catch (...) { return status_of_exception(options.out); }
  return failed;
}

}  // namespace bristle::cli
