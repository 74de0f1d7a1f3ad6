#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <set>
#include <sstream>

#include "base/number.hpp"
#include "bristle/output.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/report/fit.hpp"
#include "bristle/scenario.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/progress.hpp"
#include "cli/screen.hpp"
#include "commands.hpp"

namespace bristle::cli {
namespace {

namespace fs = std::filesystem;
using namespace bristle::identify;
using report::Fitted;

void complain(const std::string& line) { print_error("bristle identify: {}\n", line); }

/// Translates the command line into fit options and reports its errors.
class Words {
 public:
  explicit Words(const IdentifyOptions& options) : given_(options) {}

  Reading reading() {
    Reading out{
        .bandwidth = given_.bandwidth, .rate = given_.rate, .motion = !given_.scenario.empty(), .skip = given_.skip};
    if (out.motion && out.rate > 0)
      wrong("--rate: a simulation requires every sample of its input; --rate and --scenario exclude each other");
    for (const std::string& c : given_.columns) {
      const std::size_t at = c.find('=');
      if (at == std::string::npos || at == 0) {
        wrong(fmt::format("--column {}: must be ROLE=EXPRESSION, such as F=-torque_Nm", c));
      } else {
        out.columns.emplace_back(std::string(trimmed(c.substr(0, at))), std::string(trimmed(c.substr(at + 1))));
      }
    }
    positive("--bandwidth", given_.bandwidth);
    positive("--rate", given_.rate);
    return out;
  }
  Options options() {
    Options out{.starts = given_.starts,
                .simplex = given_.simplex,
                .seconds = given_.seconds,
                .threads = given_.threads,
                .seed = given_.seed,
                .train = given_.train};
    if (given_.models != "all") out.models = known("--models", given_.models, model_names());
    std::vector<std::string> effects{"auto"};
    for (const FieldInfo& f : effect_infos()) effects.push_back(f.name);
    out.effects = known("--effects", given_.effects, effects);
    if (out.effects.size() > 1 && std::find(out.effects.begin(), out.effects.end(), "auto") != out.effects.end())
      wrong(fmt::format("--effects {}: auto cannot be combined with other effects; auto alone or a list of effects",
                        given_.effects));
    if (!given_.elements.empty()) {
      out.elements.clear();
      for (const std::string& n : split(given_.elements)) {
        const auto x = parse_number(n);
        constexpr std::size_t most = Vec<double>::capacity;
        if (x && *x >= 1 && *x <= most && *x == std::floor(*x)) {
          out.elements.push_back(static_cast<std::size_t>(*x));
        } else {
          wrong(fmt::format("--elements {}: must be whole numbers from 1 to {}, such as 1,2,4,8", n, most));
        }
      }
    }
    out.gravity = static_cast<Gravity>(choice("--gravity", given_.gravity, {"none", "constant", "sine"}));
    out.loss = static_cast<Loss>(choice("--loss", given_.loss, {"squares", "huber"}));
    for (const std::string& f : given_.fixed) {
      const std::size_t at = f.find('=');
      const auto x = at == std::string::npos ? std::nullopt : parse_number(trimmed(f.substr(at + 1)));
      if (x) {
        out.fixed.push_back({std::string(trimmed(f.substr(0, at))), *x, "--fix"});
      } else {
        wrong(fmt::format("--fix {}: must be NAME=NUMBER, such as vs=0.01", f));
      }
    }
    out.free = split(given_.free);
    if (!given_.scenario.empty()) out.rig = rig();
    if (given_.starts < 1) wrong(fmt::format("--starts {}: must be at least 1", given_.starts));
    if (given_.threads < 0) wrong(fmt::format("--threads {}: must be at least 1, or 0 for all", given_.threads));
    positive("--seconds", given_.seconds);
    if (!(given_.train > 0 && given_.train < 1) && given_.train != 1)
      wrong(fmt::format("--train {}: must be > 0 and < 1", to_text(given_.train)));
    return out;
  }
  bool good() const { return good_; }
  std::shared_ptr<const identify::Rig> rig() {
    Loaded loaded = load_scenario(given_.scenario);
    for (const Problem& p : loaded.problems) wrong(p.line());
    if (!loaded.scenario) return nullptr;
    return std::make_shared<const identify::Rig>(loaded.scenario->path, std::move(loaded.scenario->experiment));
  }

 private:
  void wrong(const std::string& line) {
    complain(line);
    good_ = false;
  }
  void positive(const char* name, double x) {
    if (!nonnegative.contains(x))
      wrong(fmt::format("{} {}: must be {}", name, to_text(x), describe(bristle::positive, x)));
  }
  static std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> out;
    std::istringstream in(list);
    for (std::string word; std::getline(in, word, ',');) {
      if (const auto bare = trimmed(word); !bare.empty()) out.emplace_back(bare);
    }
    return out;
  }
  std::vector<std::string> known(const char* option, const std::string& list, const std::vector<std::string>& all) {
    std::vector<std::string> out = split(list);
    for (const std::string& name : out) {
      if (std::find(all.begin(), all.end(), name) != all.end()) continue;
      const std::string near = nearest(name, all);
      wrong(fmt::format(
          "{}: unknown name '{}'; {}", option, name,
          near.empty() ? fmt::format("one of {}", fmt::join(all, ", ")) : fmt::format("did you mean '{}'?", near)));
    }
    return out;
  }
  std::size_t choice(const char* option, const std::string& word, const std::vector<std::string>& all) {
    const auto found = std::find(all.begin(), all.end(), word);
    if (found == all.end()) {
      wrong(fmt::format("{} {}: must be one of {}", option, word, fmt::join(all, ", ")));
      return 0;
    }
    return static_cast<std::size_t>(found - all.begin());
  }

  const IdentifyOptions& given_;
  bool good_ = true;
};

std::string percent(double x) { return x < 0.1 ? fmt::format("{:.2g}", x) : fmt::format("{:.2f}", x); }

Json to_json(const Unseen& u) {
  return {{"rows", u.rows}, {"rmse", json_number(u.rmse)}, {"percent", json_number(u.relative)}};
}

Json to_json(const std::vector<Estimate>& estimates, const Recording& r) {
  Json out = Json::array();
  for (const Estimate& e : estimates) {
    Json j{{"name", e.name},
           {"value", json_number(e.value)},
           {"unit", report::unit_of(e.unit, r)},
           {"low", json_number(e.low)},
           {"high", json_number(e.high)},
           {"profiled", e.profiled},
           {"at_bound", e.at_bound},
           {"identifiable", e.identifiable}};
    if (!e.diagnosis.empty()) j["remark"] = e.diagnosis;
    out.push_back(std::move(j));
  }
  return out;
}

Json to_json(const Fitted& fitted) {
  const Ranking& ranking = *fitted.ranking;
  const Recording& r = fitted.recordings.front();
  Json out{{"recommended", ranking.recommended},
           {"why", ranking.why},
           {"notes", ranking.notes},
           {"stopped", ranking.stopped}};
  for (std::size_t i = 0; i < fitted.files.size(); ++i) {
    Json file{{"file", fitted.files[i]}, {"rows", fitted.recordings[i].size()}, {"findings", Json::array()}};
    for (const Finding& f : fitted.findings[i]) file["findings"].push_back({{"warning", f.warning}, {"text", f.text}});
    out["data"].push_back(std::move(file));
  }
  for (std::size_t i = 0; i < fitted.validation_files.size(); ++i)
    out["validation"].push_back({{"file", fitted.validation_files[i]}, {"rows", fitted.validation[i].size()}});
  out["fits"] = Json::array();
  for (const Fit& f : ranking.fits) {
    Json j{{"model", f.model},
           {"parameters", f.used},
           {"rmse", json_number(f.rmse)},
           {"mean_absolute", json_number(f.mean_abs)},
           {"relative_percent", json_number(f.relative)},
           {"r_squared", json_number(f.r_squared)},
           {"bic", json_number(f.bic)},
           {"held_out_rmse", json_number(f.held_out)},
           {"held_out_percent", json_number(f.held_out_relative)},
           {"converged", f.converged},
           {"seconds", f.seconds}};
    if (f.elements > 0) j["elements"] = f.elements;
    if (f.rest.rows > 0) j["rest"] = to_json(f.rest);
    if (f.validation.rows > 0) j["validation"] = to_json(f.validation);
    j["friction"] = to_json(f.friction, r);
    j["body"] = to_json(f.body, r);
    for (const ResidualTest& t : f.tests)
      j["residual"][t.name] = {{"statistic", json_number(t.statistic)}, {"p", json_number(t.p)}, {"text", t.text}};
    out["fits"].push_back(std::move(j));
  }
  for (const Fit& f : ranking.failed) out["failed"].push_back({{"model", f.model}, {"message", f.message}});
  return out;
}

/// Writes either all output files or none.
std::size_t write_all(const fs::path& folder, const Fitted& fitted) {
  fs::create_directories(folder);
  std::vector<OutputFile> files;
  auto add = [&](const std::string& name, const std::string& text) {
    files.emplace_back((folder / name).string(), [&](std::ostream& o) { o << text; });
  };
  add("ranking.csv", report::ranking_csv(fitted));
  for (const Fit& f : fitted.ranking->fits) add(f.model + ".toml", report::friction_file(f, fitted));
  add("report.html", report::fit_page(fitted));
  keep(files);
  return files.size();
}

void print_rows(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line = fmt::format("{:<{}}", row[0], width[0]);
    for (std::size_t i = 1; i + 1 < row.size(); ++i) line += fmt::format("  {:>{}}", row[i], width[i]);
    line += "  " + row.back();
    line.erase(line.find_last_not_of(' ') + 1);
    print("{}\n", line);
  }
}

void print_findings(const std::string& file, const std::vector<Finding>& findings) {
  print("{}\n", file);
  for (const Finding& f : findings) print("  {}{}\n", f.warning ? "warning: " : "", f.text);
}

void print_ranking(const Fitted& fitted) {
  const Ranking& ranking = *fitted.ranking;
  const Recording& r = fitted.recordings.front();
  const std::string unit = report::target_unit(r), in = unit.empty() ? "" : " (" + unit + ")";
  for (const std::string& note : ranking.notes) print("note: {}\n", note);
  std::vector<std::vector<std::string>> rows{
      {"model", "fitted", "held out" + in, "held out %", "rmse" + in, "relative %", "BIC"}};
  // Columns for the rest of the recordings (--train) and for other recordings (--validate).
  std::vector<std::pair<const char*, Unseen Fit::*>> unseen;
  for (const auto& one : {std::pair{"rest", &Fit::rest}, std::pair{"validation", &Fit::validation}}) {
    if ((ranking.fits.front().*one.second).rows == 0) continue;
    unseen.push_back(one);
    rows.front().insert(rows.front().end(), {one.first + in, fmt::format("{} %", one.first)});
  }
  rows.front().emplace_back();
  for (const Fit& f : ranking.fits) {
    std::string remark = f.model == ranking.recommended ? "recommended" : "";
    if (!f.converged) remark += remark.empty() ? "not converged" : ", not converged";
    rows.push_back({f.elements > 0 ? fmt::format("{} ({})", f.model, f.elements) : f.model, std::to_string(f.used),
                    fmt::format("{:.4g}", f.held_out), percent(f.held_out_relative), fmt::format("{:.4g}", f.rmse),
                    percent(f.relative), fmt::format("{:.1f}", f.bic)});
    for (const auto& one : unseen) {
      const Unseen& u = f.*one.second;
      rows.back().insert(rows.back().end(), {fmt::format("{:.4g}", u.rmse), percent(u.relative)});
    }
    rows.back().push_back(remark);
  }
  print("\n");
  print_rows(rows);
  for (const Fit& f : ranking.failed) print("{}: no fit: {}\n", f.model, f.message);
  const auto best = std::find_if(ranking.fits.begin(), ranking.fits.end(),
                                 [&](const Fit& f) { return f.model == ranking.recommended; });
  if (best == ranking.fits.end()) return;
  print("\nrecommended: {}\n", ranking.why.empty() ? best->model : ranking.why);
  print("  R² {:.6g} on the fitted rows\n", best->r_squared);
  if (r.motion) print("  mean absolute error {:.4g} {}\n", best->mean_abs, unit);
  for (const auto* list : {&best->friction, &best->body}) {
    for (const Estimate& e : *list) {
      const std::string u = report::unit_of(e.unit, r);
      const auto [low, high] = report::interval_of(e);
      std::string line = fmt::format("  {:<14} {:>12.6g} {:<8} {} to {}", e.name, e.value, u, low, high);
      if (!e.identifiable) line += "  not identifiable";
      if (e.at_bound) line += "  at a limit";
      print("{}\n", line);
    }
  }
  for (const auto* list : {&best->friction, &best->body}) {
    for (const Estimate& e : *list) {
      if (!e.diagnosis.empty()) print("warning: {}\n", e.diagnosis);
    }
  }
  for (const ResidualTest& t : best->tests) {
    if (t.p < 0.01 && !t.text.empty()) print("residual: {}\n", t.text);
  }
}

struct Data {
  std::vector<std::string> names{};
  std::vector<Recording> recordings{};
  std::vector<std::vector<Finding>> findings{};
  bool good = true;
};
Data read_all(const std::vector<std::string>& files, const Reading& reading, bool join) {
  Data out;
  std::set<std::string> said;
  std::vector<std::vector<std::string>> groups;  // the files of each recording
  for (const std::string& file : files) {
    if (groups.empty() || !join) groups.emplace_back();
    groups.back().push_back(file);
  }
  for (const std::vector<std::string>& group : groups) {
    Read read = read_joined(group, reading);
    out.names.push_back(fmt::to_string(fmt::join(group, " + ")));
    for (const Problem& p : read.problems) {
      if (said.insert(p.line()).second) complain(p.line());  // an error of the command line would repeat for every file
    }
    out.good = out.good && read.problems.empty();
    out.recordings.push_back(std::move(read.recording));
    out.findings.push_back(std::move(read.findings));
    if (Interrupt::flag()) break;
  }
  return out;
}

}  // namespace

int identify(const IdentifyOptions& options) {
  const Interrupt interrupt;
  Words words(options);
  const Reading reading = words.reading();
  Options fit_options = words.options();
  if (!words.good()) return wrong_input;
  try {
    const Data data = read_all(options.files, reading, options.join);
    Data validation = read_all(options.validate, reading, options.join);
    if (!data.good || !validation.good) return wrong_input;
    if (Interrupt::flag()) throw Stopped();
    const fs::path folder = options.out;
    if (!options.out.empty())
      OutputFile::check_in(options.out, "report.html");  // the folder is created when there is something to write
    if (!options.json) {
      for (std::size_t i = 0; i < data.names.size(); ++i) print_findings(data.names[i], data.findings[i]);
      for (std::size_t i = 0; i < validation.names.size(); ++i)
        print_findings(validation.names[i] + " (not fitted)", validation.findings[i]);
      flush_output();
    }
    fit_options.validation = std::move(validation.recordings);
    Progress progress(1, !options.json);
    fit_options.progress = [&](double part, const std::string&) {
      progress.reached(part);
      return !Interrupt::flag();
    };
    const Ranking ranking = bristle::identify::identify(data.recordings, fit_options);
    progress.finish();
    const bool by_user = Interrupt::flag();
    const Fitted fitted{&ranking, data.recordings, data.names, data.findings, fit_options.validation, validation.names};
    if (!ranking.fits.empty() && !options.out.empty()) write_all(folder, fitted);  // also after Ctrl-C
    if (options.json) {
      print("{}", json_text(to_json(fitted)));
    } else if (!ranking.fits.empty()) {
      print_ranking(fitted);
      if (!options.out.empty()) print("wrote {}\n", (folder / "report.html").string());
    }
    if (by_user) throw Stopped();
    if (!ranking.fits.empty()) return done;
    for (const Fit& f : ranking.failed) complain(fmt::format("{}: {}", f.model, f.message));
    complain(ranking.notes.empty() ? "no model could be fitted" : ranking.notes.front());
  } catch (const Stopped&) {
    complain("stopped");
    return stopped;
  } catch (const BadInput& e) {
    complain(e.what());
    return wrong_input;
  } catch (const FileError& e) { complain(e.what()); } catch (const fs::filesystem_error& e) {
    complain(fmt::format("{}: cannot be written: {}", options.out, e.code().message()));
  } catch (const std::bad_alloc&) { complain("out of memory"); }
  return failed;
}

}  // namespace bristle::cli
