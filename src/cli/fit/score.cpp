#include <fmt/format.h>

#include <filesystem>
#include <ostream>
#include <set>

#include "bristle/output.hpp"
#include "bristle/report/fit.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/fit/ranking.hpp"
#include "cli/fit/recordings.hpp"
#include "cli/interrupt.hpp"
#include "cli/screen.hpp"

namespace bristle::cli {
namespace {

using namespace bristle::identify;

bool good(const Problems& problems) {
  for (const Problem& p : problems) complain(p.line());
  return problems.empty();
}

/// The experiment of --scenario; empty without one.
std::shared_ptr<const Rig> rig_of(const std::string& file, bool& read) {
  if (file.empty()) return nullptr;
  Loaded loaded = load_scenario(file);
  read = good(loaded.problems);
  if (!read) return nullptr;
  return std::make_shared<const Rig>(loaded.scenario->path, std::move(loaded.scenario->experiment));
}

/// Checks the recordings against the file and adds remarks to their findings.
bool compare(const FrictionFile& file, Data& data) {
  bool fits = true;
  std::set<std::string> said;
  for (std::size_t i = 0; i < data.recordings.size(); ++i) {
    if (const std::string why = report::objection_to(file, data.recordings[i]); !why.empty()) {
      if (said.insert(why).second) complain(why);
      fits = false;
    }
    for (std::string& remark : report::remarks_on(file, data.recordings[i]))
      data.findings[i].push_back({true, std::move(remark)});
  }
  return fits;
}

}  // namespace

int score(const ScoreOptions& options) {
  const Interrupt interrupt("bristle score: stopped\n");
  const std::optional<Reading> reading = reading_of(options.data);
  bool read = is_plot(options.plot);
  const FrictionRead model = load_friction(options.file, options.changes);
  const bool known = good(model.problems);
  try {
    const std::shared_ptr<const Rig> rig = rig_of(options.data.scenario, read);
    if (!reading || !known || !read) return wrong_input;
    const FrictionFile& file = *model.file;
    for (const std::string& out : {options.plot, options.report}) {
      if (!out.empty()) OutputFile::check(out);
    }
    Data data = read_all(options.data.files, *reading, options.data.join);
    if (!data.good || !compare(file, data)) return wrong_input;
    if (Interrupt::flag()) throw Stopped();
    Fit fit = report::fit_of(file, rig.get());
    const Score result = bristle::identify::score(fit, data.recordings, rig.get());
    fit.validation_predicted = result.predicted;
    fit.validation_each = result.each;
    fit.validation = result.all;
    Ranking ranking;
    ranking.fits.push_back(std::move(fit));
    ranking.notes = file.notes;
    const report::Fitted fitted{.ranking = &ranking,
                                .recordings = {},
                                .files = {},
                                .validation = data.recordings,
                                .validation_files = data.files,
                                .rig = rig.get(),
                                .validation_findings = data.findings};

    std::vector<OutputFile> files;
    if (!options.plot.empty())
      files.emplace_back(options.plot, [&](std::ostream& o) {
        o << plot::image(options.look.of(report::score_figure(fitted)),
                         std::filesystem::path(options.plot).extension().string().substr(1));
      });
    if (!options.report.empty())
      files.emplace_back(options.report, [&](std::ostream& o) { o << report::score_page(fitted, file); });
    keep(files);

    const std::string unit = report::target_unit(data.recordings.front());
    if (options.data.json) {
      Json j = to_json(result, data.files);
      j["model"] = file.contact->model();
      j["friction_file"] = options.file;
      j["unit"] = unit;
      j["notes"] = file.notes;
      for (std::size_t i = 0; i < data.files.size(); ++i) {
        j["files"][i]["findings"] = Json::array();
        for (const Finding& f : data.findings[i])
          j["files"][i]["findings"].push_back({{"warning", f.warning}, {"text", f.text}});
      }
      print("{}", json_text(j));
    } else {
      print_findings(data, "");
      for (const std::string& note : file.notes) print("note: {}\n", note);
      print("\n{}, predicted by {} of {}:\n", report::quantity_of(data.recordings.front()), file.contact->model(),
            options.file);
      print_errors(data.files, result, unit);
      for (const std::string& out : {options.plot, options.report}) {
        if (!out.empty()) print("wrote {}\n", out);
      }
    }
    return done;
  } catch (...) { return status_of_exception(options.report); }
}

}  // namespace bristle::cli
