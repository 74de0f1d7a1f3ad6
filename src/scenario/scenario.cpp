#include "bristle/scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/number.hpp"
#include "bristle/output.hpp"
#include "bristle/tribometer/settings.hpp"
#include "scenario/shared/section.hpp"

namespace bristle {
namespace scenario {

const std::vector<std::string> known_sections{
    "schema", "title",   "units",      "friction", "load",     "system", "controller", "drive",  "solver",  "figure",
    "expect", "measure", "tribometer", "fitted",   "measured", "body",   "joint",      "spring", "actuator"};
const std::vector<std::string> head_keys{"schema", "title", "units", "tribometer", "fitted", "measured"};

namespace {

struct Needed {
  const char *name, *why;
};
constexpr Needed needed_sections[]{{"friction", "the model and its parameters"},
                                   {"system", "the moving body, such as kind = \"slider\""},
                                   {"solver", "at least duration, in s"}};

void check_sections(const Node& root, bool multibody, Reading& reading) {
  std::vector<std::string> meant;
  for (const Member& m : *root.as<Node::Object>()) {
    if (std::find(known_sections.begin(), known_sections.end(), m.key) != known_sections.end()) continue;
    const bool section = m.value.as<Node::Object>() || m.value.as<Node::List>();
    reading.wrong(m.value.where,
                  fmt::format("unknown {} '{}'{}", section ? "section" : "key", m.key, hint(m.key, known_sections)));
    meant.push_back(nearest(m.key, known_sections));
  }
  for (const auto& [name, why] : needed_sections) {
    if (multibody && std::string_view(name) == "friction") continue;
    if (!root.find(name) && std::find(meant.begin(), meant.end(), name) == meant.end()) {
      reading.wrong(root.where, fmt::format("missing section [{}]; required: {}", name, why));
    }
  }
  for (const char* name : {"body", "joint", "spring", "actuator"}) {
    if (const Node* n = root.find(name); n && !multibody)
      reading.wrong(n->where, fmt::format("section [[{}]] requires kind = \"multibody\" in [system]", name));
  }
}

void read_head(const Section& root, Scenario& out, Reading& reading) {
  if (const Node* schema = root.node.find("schema")) {
    const auto* x = schema->as<double>();
    if (!x || *x != 1) reading.wrong(schema->where, fmt::format("schema = {} must be 1", text_of(*schema)));
  }
  out.title = root.text("title", reading).value_or("");
}

/// Shortens long messages.
void shorten(std::string& text) {
  constexpr std::size_t end = 300;
  if (text.size() <= 2 * end + 5) return;
  auto inside = [&](std::size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
  };  // a UTF-8 character
  std::size_t a = end, b = text.size() - end;
  while (inside(a)) --a;
  while (inside(b)) ++b;
  text.replace(a, b - a, " ... ");
}

/// Sorts by line; problems without a line come last.
Problems sorted_by_line(Problems problems, const std::string& path) {
  std::multimap<double, Problem> by_line;
  for (Problem& p : problems) {
    const bool here = p.where.size() > path.size() && p.where.compare(0, path.size() + 1, path + ":") == 0;
    const auto line = here ? parse_number(std::string_view(p.where).substr(path.size() + 1)) : std::nullopt;
    by_line.emplace(line.value_or(inf), std::move(p));
  }
  problems.clear();
  for (auto& [line, problem] : by_line) problems.push_back(std::move(problem));
  return problems;
}

}  // namespace

Problems tidied(Problems problems, const std::string& path) {
  problems = sorted_by_line(std::move(problems), path);
  for (Problem& p : problems) shorten(p.text);
  return problems;
}

Loaded scenario_of(const Node& root, const std::string& text, const std::string& path,
                   const std::vector<Member>& quantities, const std::vector<std::string>& measures) {
  const std::filesystem::path file(path);
  Reading reading{.folder = file.parent_path()};
  Scenario out{.name = file.stem().string(), .path = path, .text = text};
  Experiment& e = out.experiment;
  read_head({root, "the file"}, out, reading);
  reading.own = read_source(root, path, path, reading);
  const Node* of_system = root.find("system");
  const Node* kind = of_system ? of_system->find("kind") : nullptr;
  const std::string* word = kind ? kind->as<std::string>() : nullptr;
  const bool multibody = word && *word == "multibody";
  reading.slider = word && *word == "slider";
  check_sections(root, multibody, reading);
  const std::vector<std::string> models =
      multibody ? std::vector<std::string>{} : read_friction(root, e, out.notes, reading);
  const bool system = read_system(root, e, reading);
  const double duration = read_solver(root, e, system, reading) ? e.solver.duration : inf;
  if (multibody) {
    read_mechanism(root, e, duration, out.notes, reading);
  } else {
    read_controller(root, e, system, reading);
    read_drives(root, e, duration, reading);
  }
  out.rotational = read_units(root, out.notes, reading);
  const Columns columns = columns_of(e, models, system);
  tribometer::Settings unused;
  read_tribometer(root, unused, reading);
  out.figures = read_figures(root, columns, reading);
  out.expectations = read_expectations(root, columns, duration, reading);
  out.measures = read_measures(root, measures, columns, duration, reading);
  for (const Member& q : quantities) out.quantities.push_back(read_quantity(q, columns, duration, reading));
  if (reading.problems.empty()) {
    if (std::string size = objection_to_size(e); !size.empty()) {
      reading.wrong(Section{*root.find("solver"), "[solver]"}.where("output_step"), std::move(size));
    } else if (std::string why = objection_to(e); !why.empty()) {
      reading.wrong(path, std::move(why));
    }
  }
  if (!reading.problems.empty()) return {{}, tidied(std::move(reading.problems), path)};
  if (!reading.taken.empty())
    out.notes.push_back(fmt::format("taken from [fitted]: {}", fmt::join(reading.taken, ", ")));
  out.measured = measured_in(reading);
  return {std::move(out), {}};
}

}  // namespace scenario

Loaded read_scenario(const std::string& text, const std::string& path, const Changes& changes) {
  using namespace scenario;
  Problems problems;
  Node root = parse_toml(text, path, problems);
  if (const Node* paper = root.find("paper")) {
    problems.push_back(
        {paper->where, "[paper] marks a figure file with a run per variant; run it with 'bristle papers'"});
  }
  if (problems.empty()) {
    for (const std::string& c : changes.set) change(root, c, problems);
  }
  if (!problems.empty()) return {{}, tidied(std::move(problems), path)};
  Loaded out = scenario_of(root, text, path, {}, changes.measure);
  if (out.scenario) out.scenario->changes = changes.set;
  return out;
}

Loaded load_scenario(const std::string& path, const Changes& changes) {
  try {
    return read_scenario(read_file(path, scenario::most_bytes), path, changes);
  } catch (const FileError& e) { return {{}, {{"", e.what()}}}; }
}

}  // namespace bristle
