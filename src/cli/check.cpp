#include <fmt/format.h>

#include <algorithm>

#include "bristle/gallery.hpp"
#include "bristle/output.hpp"
#include "bristle/scenario.hpp"
#include "bristle/tribometer.hpp"
#include "cli/paint.hpp"
#include "cli/screen.hpp"
#include "commands.hpp"
#include "scenario/shared/kind.hpp"
#include "scenario/shared/section.hpp"

namespace bristle::cli {
namespace {

using scenario::Node;

struct Verdict {
  Problems problems{};
  std::vector<std::string> notes{};
};

Verdict verdict_on(const std::string& file) {
  std::string text;
  try {
    text = read_file(file, scenario::most_bytes);
  } catch (const FileError& e) { return {{{"", e.what()}}}; }
  Problems problems;
  const Node root = scenario::parse_toml(text, file, problems);
  if (!problems.empty()) return {scenario::tidied(std::move(problems), file)};
  if (root.find("paper")) {
    gallery::FigureRead read = gallery::read_figure_file(text, file);
    return {std::move(read.problems), {"figure file: 'bristle papers' runs it"}};
  }
  if (scenario::is_friction_file(root)) {
    tribometer::SubjectRead read = tribometer::read_subject(text, file, {});
    Verdict out{std::move(read.problems), std::move(read.notes)};
    if (read.subject)
      out.notes.insert(out.notes.begin(), fmt::format("friction file, model {}", read.subject->contact->model()));
    return out;
  }
  Loaded loaded = read_scenario(text, file);
  return {std::move(loaded.problems), loaded.scenario ? std::move(loaded.scenario->notes) : std::vector<std::string>{}};
}

}  // namespace

int check_files(const std::vector<std::string>& files) {
  int status = done;
  for (const std::string& file : files) {
    const Verdict verdict = verdict_on(file);
    for (const Problem& p : verdict.problems) print_error("bristle check: {}\n", p.line());
    if (!verdict.problems.empty()) {
      status = wrong_input;
      continue;
    }
    print("{}: {}\n", file, painted("no problems", Paint::good));
    for (const std::string& note : verdict.notes) print("  note      {}\n", note);
  }
  return status;
}

}  // namespace bristle::cli
