#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>

#include "base/number.hpp"
#include "bristle/output.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/report/fit.hpp"
#include "bristle/scenario.hpp"
#include "cli/failure.hpp"
#include "cli/fit/groups.hpp"
#include "cli/fit/joints.hpp"
#include "cli/fit/population.hpp"
#include "cli/fit/ranking.hpp"
#include "cli/fit/recordings.hpp"
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
    for (const std::string& term : given_.terms) {
      const std::size_t at = term.find('=');
      const std::string name(at == std::string::npos ? "" : trimmed(term.substr(0, at)));
      const bool word = !name.empty() && name.find_first_of(" ,\t\"'") == std::string::npos;
      if (!word) {
        wrong(fmt::format("--with {}: must be NAME=EXPRESSION, such as elbow=sin(q1+q2)", term));
      } else {
        out.terms.emplace_back(name, std::string(trimmed(term.substr(at + 1))));
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
    std::vector<std::string> models = model_names(), choices;
    for (const ModelInfo& model : model_infos()) {
      for (const std::string& variant : variant_names(model)) models.push_back(variant);
      for (const FieldInfo& f : model.parameters) {
        if (f.kind == Kind::choice) choices.push_back(f.name);
      }
    }
    if (given_.models != "all") out.models = known("--models", given_.models, models);
    std::vector<std::string> effects{"auto", "none", "directions", "curve", "heat"};
    for (const FieldInfo& f : effect_infos()) effects.push_back(f.name);
    out.effects = known("--effects", given_.effects, effects);
    if (given_.effects.empty() && given_.scenario.empty()) out.effects = {"auto"};
    for (const char* alone : {"auto", "none"}) {
      if (out.effects.size() > 1 && std::find(out.effects.begin(), out.effects.end(), alone) != out.effects.end())
        wrong(fmt::format("--effects {0}: {1} cannot be combined with other effects; {1} alone or a list of effects",
                          given_.effects, alone));
    }
    std::erase(out.effects, "none");
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
    out.gravity = static_cast<Gravity>(choice("--gravity", given_.gravity, {"none", "constant", "sine", "auto"}));
    out.loss = static_cast<Loss>(choice("--loss", given_.loss, {"squares", "huber"}));
    for (const std::string& f : given_.fixed) {
      const std::size_t at = f.find('=');
      const std::string name(trimmed(f.substr(0, at))), text(at == std::string::npos ? "" : trimmed(f.substr(at + 1)));
      if (const auto x = parse_number(text)) {
        out.fixed.push_back({name, *x, "--fix"});
      } else if (!text.empty() && std::ranges::find(choices, name) != choices.end()) {
        out.fixed.push_back({name, text, "--fix"});
      } else {
        wrong(fmt::format("--fix {}: must be NAME=NUMBER, such as vs=0.01", f));
      }
    }
    for (const std::string& prior : given_.priors) {
      if (const auto parsed = prior_in(prior)) {
        out.priors.push_back(*parsed);
      } else {
        wrong(fmt::format("--prior {}: must be NAME=MEAN+-SIGMA with SIGMA > 0, such as Fc=1+-0.2", prior));
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
  static std::optional<Prior> prior_in(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return {};
    for (const std::string_view sign : {"+-", "+/-", "±"}) {
      const std::size_t at = text.find(sign, equals);
      if (at == std::string::npos) continue;
      const auto mean = parse_number(trimmed(text.substr(equals + 1, at - equals - 1)));
      const auto sigma = parse_number(trimmed(text.substr(at + sign.size())));
      const std::string name(trimmed(text.substr(0, equals)));
      if (mean && sigma && *sigma > 0 && !name.empty()) return Prior{name, *mean, *sigma};
    }
    return {};
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

/// Writes either all output files or none.
std::size_t write_all(const fs::path& folder, const Fitted& fitted) {
  fs::create_directories(folder);
  std::vector<OutputFile> files;
  auto add = [&](const std::string& name, const std::string& text) {
    files.emplace_back((folder / name).string(), [&](std::ostream& o) { o << text; });
  };
  add("ranking.csv", report::ranking_csv(fitted));
  for (const Fit& f : fitted.ranking->fits) add(f.model + ".toml", report::friction_file(f, fitted));
  if (!fitted.ranking->experiments.empty()) add("experiments.csv", report::experiments_csv(fitted));
  if (const std::string steady = report::steady_csv(fitted); !steady.empty()) add("steady.csv", steady);
  add("report.html", report::fit_page(fitted));
  keep(files);
  return files.size();
}

}  // namespace

std::optional<Reading> reading_of(const IdentifyOptions& options) {
  Words words(options);
  const Reading out = words.reading();
  return words.good() ? std::optional(out) : std::nullopt;
}

namespace {

/// Fits the recordings of one joint. In a group, its results are kept for the table and the JSON of all.
int identify_together(const IdentifyOptions& options, const std::string& group, GroupResults* results) {
  const Interrupt interrupt;
  Words words(options);
  const Reading reading = words.reading();
  Options fit_options = words.options();
  if (!words.good()) return wrong_input;
  if (wants_population(options)) return identify_population(options, reading);
  if (fit_options.rig && fit_options.rig->experiment.own) return identify_joints(options, fit_options);
  try {
    const Data data = read_all(options.files, reading, options.join);
    Data validation = read_all(options.validate, reading, options.join);
    if (!data.good || !validation.good) return wrong_input;
    if (Interrupt::flag()) throw Stopped();
    const fs::path folder = options.out;
    if (!options.out.empty())
      OutputFile::check_in(options.out, "report.html");  // the folder is created when there is something to write
    if (!options.json) {
      print_findings(data, "");
      print_findings(validation, " (not fitted)");
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
    const Fitted fitted{.ranking = &ranking,
                        .recordings = data.recordings,
                        .files = data.files,
                        .findings = data.findings,
                        .validation = fit_options.validation,
                        .validation_files = validation.files,
                        .rig = fit_options.rig.get(),
                        .validation_findings = validation.findings};
    if (!ranking.fits.empty() && !options.out.empty()) write_all(folder, fitted);  // also after Ctrl-C
    if (results) results->add(group, fitted);
    if (options.json) {
      if (!results) print("{}", json_text(to_json(fitted)));
    } else if (!ranking.fits.empty()) {
      print_ranking(fitted);
      if (!options.out.empty()) print("wrote {}\n", (folder / "report.html").string());
    }
    if (by_user) throw Stopped();
    // A given model that is only evaluated may err as it likes.
    const bool nothing_fitted = std::ranges::all_of(ranking.fits, [](const Fit& f) { return f.used == 0; });
    if (!ranking.fits.empty()) {
      if (!ranking.recommended.empty() || nothing_fitted) return done;
      complain(ranking.why);
      return failed;
    }
    if (ranking.stopped) {
      complain(fmt::format("no fit within {} s; a larger --seconds or fewer --models are accepted", options.seconds));
      return failed;
    }
    for (const Fit& f : ranking.failed) complain(fmt::format("{}: {}", f.model, f.message));
    complain(ranking.notes.empty() ? "no model could be fitted" : ranking.notes.front());
  } catch (...) { return status_of_exception(options.out); }
  return failed;
}

}  // namespace

int identify(const IdentifyOptions& options) {
  if (options.groups.empty()) return identify_together(options, "", nullptr);
  std::vector<Group> groups;
  try {
    groups = groups_of(options);
  } catch (const BadInput& e) {
    complain(e.what());
    return wrong_input;
  }
  GroupResults results;
  int status = done;
  for (const Group& group : groups) {
    IdentifyOptions one = options;
    one.files = group.files;
    one.validate = group.validate;
    if (!options.out.empty()) one.out = (fs::path(options.out) / group.name).string();
    if (!options.json) print("{}group {}\n", &group == &groups.front() ? "" : "\n", group.name);
    status = std::max(status, identify_together(one, group.name, &results));
    if (status == stopped) break;
  }
  if (options.json) {
    print("{}", json_text(results.json()));
  } else {
    results.print_table();
  }
  return status;
}

}  // namespace bristle::cli
