#include "bristle/scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/number.hpp"
#include "bristle/output.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/tribometer/settings.hpp"
#include "registry/shared/heated.hpp"
#include "scenario/shared/section.hpp"

namespace bristle {
namespace scenario {

const std::vector<Key> top_keys = [] {
  using namespace form;
  Key friction = Key{"friction", table | tables, "the contact, or several contacts with names"}.needed();
  friction.instead = {"body"};  // a mechanism
  friction.waived = true;       // a chain on a potential
  return std::vector<Key>{
      {"schema", whole, "version of the format", "1", {1, 1}},
      {"title", text, "title of figures, reports and summaries"},
      Key{"units", word, "labels; the numbers do not change"}.or_else("\"linear\""),
      std::move(friction),
      {"load", table, "normal load ratio as a function of time"},
      Key{"system", table, "the moving body"}.needed(),
      {"body", tables, "bodies of a mechanism"},
      {"joint", tables, "joints of a mechanism"},
      {"spring", tables, "springs of a mechanism"},
      {"actuator", tables, "forces and prescribed motions of a mechanism"},
      {"controller", table | tables, "a servo that moves the body, or servos at joints of a mechanism"},
      {"drive", table, "motion or force as a function of time"},
      Key{"solver", table, "duration, tolerance and rows of the run"}.needed(),
      {"figure", table | tables, "panels of --plot and --report"},
      {"expect", table, "checks of the run"},
      {"measure", table, "numbers of the run to print"},
      {"sweep", table, "values to vary in bristle sweep"},
      {"tribometer", table, "settings of bristle characterize"},
      {"fitted", table, "values identified together with friction"},
      {"measured", table, "ranges of the recordings behind the friction block"},
  };
}();
const std::vector<std::string> known_sections = names_of(top_keys);
const std::vector<std::string> head_keys{"schema", "title", "units", "tribometer", "fitted", "measured"};

namespace {

struct Needed {
  const char *name, *why;
};
constexpr Needed needed_sections[]{{"friction", "the model and its parameters"},
                                   {"system", "the moving body, such as kind = \"slider\""},
                                   {"solver", "at least duration, in s"}};

void check_sections(const Node& root, bool multibody, Reading& reading) {
  reading.describe({root, "the file"}, {}, top_keys);
  std::vector<std::string> meant;
  for (const Member& m : *root.as<Node::Object>()) {
    if (std::find(known_sections.begin(), known_sections.end(), m.key) != known_sections.end()) continue;
    const bool section = m.value.as<Node::Object>() || m.value.as<Node::List>();
    reading.wrong(m.value.where,
                  fmt::format("unknown {} '{}'{}", section ? "section" : "key", m.key, hint(m.key, known_sections)));
    meant.push_back(nearest(m.key, known_sections));
  }
  for (const auto& [name, why] : needed_sections) {
    if ((multibody || may_lack_friction(root)) && std::string_view(name) == "friction") continue;
    if (!root.find(name) && std::find(meant.begin(), meant.end(), name) == meant.end()) {
      reading.wrong(root.where, fmt::format("missing section [{}]; required: {}", name, why));
    }
  }
  for (const char* name : {"body", "joint", "spring", "actuator"}) {
    if (const Node* n = root.find(name); n && !multibody)
      reading.wrong(n->where, fmt::format("section [[{}]] requires kind = \"multibody\" in [system]", name));
  }
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

/// The chain of functions of its states of rest.
void set_chain(Expectation& quantity, const Experiment& e) {
  if (e.kind != SystemKind::chain) return;
  for (RunQuantity* q : {static_cast<RunQuantity*>(&quantity), &quantity.second}) {
    if (q->function == "depinning" || q->function == "phonon_gap" || q->function == "barrier")
      q->chain = std::make_shared<ChainSetup>(e.chain, e.body.stiffness);
  }
}

/// The velocity below which a body counts as stuck in runs of method fixed, whose events do not include the phase at the
/// start: for stuck_fraction.
void set_stick_velocity(Expectation& quantity, const Experiment& e) {
  if (e.own) return;
  const double velocity =
      e.solver.stick_velocity > 0 ? e.solver.stick_velocity : e.contacts.front().contact->scales().velocity;
  for (RunQuantity* q : {static_cast<RunQuantity*>(&quantity), &quantity.second}) {
    if (q->function == "stuck_fraction") q->argument = velocity;
  }
}

/// The slip of `rolling` is that of a roller, or in proportion to the rolled distance.
void check_rolling(const AnyContact& c, SystemKind kind, const std::string& where, Reading& reading) {
  if (c.model() != "rolling") return;
  const Value creepage = c.parameter("creepage");
  const bool lanes = !creepage.as<std::vector<double>>()->empty();
  if (kind == SystemKind::roller && lanes)
    reading.wrong(where,
                  "creepage of rolling is accepted with kind prescribed or slider; the slip of a roller follows from "
                  "its motion");
  if (kind != SystemKind::roller && !lanes)
    reading.wrong(where,
                  "missing key 'creepage' in [friction]; rolling requires it where x is the rolled distance, kind = "
                  "\"roller\" goes without");
}

}  // namespace

Problems tidied(Problems problems, const std::string& path) {
  problems = sorted_by_line(std::move(problems), path);
  for (Problem& p : problems) shorten(p.text);
  return problems;
}

Loaded scenario_of(const Node& root, const std::string& text, const std::string& path,
                   const std::vector<Member>& quantities, const std::vector<std::string>& measures,
                   Description* description) {
  const std::filesystem::path file(path);
  Reading reading{.folder = file.parent_path(), .description = description};
  Scenario out{.name = file.stem().string(), .path = path, .text = text};
  Experiment& e = out.experiment;
  reading.own = read_source(root, path, path, reading);
  out.title = reading.own.title;
  const Node* of_system = root.find("system");
  const Node* kind = of_system ? of_system->find("kind") : nullptr;
  const std::string* word = kind ? kind->as<std::string>() : nullptr;
  const bool multibody = word && *word == "multibody";
  reading.slider = word && *word == "slider";
  check_sections(root, multibody, reading);
  std::vector<std::string> models;
  if (!multibody && (root.find("friction") || !may_lack_friction(root))) {
    models = read_friction(root, e, out.notes, reading);
  } else if (!multibody) {  // a potential alone
    models = {"viscous"};
    e.contacts.push_back({"", make("viscous", {{"kv", Value(0.0)}}).contact});
  }
  const bool system = read_system(root, e, reading);
  for (NamedContact& c : e.contacts) {  // the surroundings of a contact that heats are those of the body
    if (c.contact && is_heated(*c.contact) && *c.contact->parameter("heat.ambient").as<double>() == inf)
      c.contact->set("heat.ambient", e.body.temperature);
    if (c.contact && system)
      check_rolling(*c.contact, e.kind, root.find("friction") ? root.find("friction")->where : path, reading);
  }
  const double duration = read_solver(root, e, system, reading) ? e.solver.duration : inf;
  if (multibody) {
    read_mechanism(root, e, duration, out.notes, reading);
  } else {
    const bool servo = read_controller(root, e, system, reading);
    read_drives(root, e, duration, servo, reading);
  }
  out.rotational = read_units(root, out.notes, reading);
  const Columns columns = columns_of(e, models, system);
  tribometer::Settings unused;
  read_tribometer(root, unused, reading);
  out.figures = read_figures(root, columns, reading);
  out.expectations = read_expectations(root, columns, duration, reading);
  out.measures = read_measures(root, measures, columns, duration, reading);
  out.sweep = read_sweep(root, reading);
  for (const Member& q : quantities) out.quantities.push_back(read_quantity(q, columns, duration, reading));
  if (reading.problems.empty()) {
    const auto complete = [&](Expectation& x) {
      set_stick_velocity(x, e);
      set_chain(x, e);
    };
    for (Measure& m : out.measures) complete(m.quantity);
    for (auto* list : {&out.expectations, &out.quantities}) std::ranges::for_each(*list, complete);
  }
  if (reading.problems.empty()) {
    if (std::string size = objection_to_size(e); !size.empty()) {
      reading.wrong(Section{*root.find("solver"), "[solver]"}.where("output_step"), std::move(size));
    } else if (std::string why = objection_to(e); !why.empty()) {
      reading.wrong(path, std::move(why));
    }
  }
  if (!reading.problems.empty()) return {{}, tidied(std::move(reading.problems), path)};
  out.notes.insert(out.notes.end(), reading.notes.begin(), reading.notes.end());
  if (!reading.taken.empty())
    out.notes.push_back(fmt::format("taken from [fitted]: {}", fmt::join(reading.taken, ", ")));
  out.measured = measured_in(reading);
  out.files = std::move(reading.files);
  return {std::move(out), {}};
}

namespace {

std::string model_in(const Node& root) {
  const Node* friction = root.find("friction");
  const Node* model = friction ? friction->find("model") : nullptr;
  const auto* name = model ? model->as<std::string>() : nullptr;
  return name ? *name : "";
}

/// Keys in [friction] by a model.
std::vector<std::string> keys_of(const ModelInfo& model) {
  std::vector<std::string> out;
  for (const FieldInfo& f : model.parameters) {
    out.push_back(f.name);
    if (!f.per_load.empty()) out.push_back(f.per_load);
  }
  return out;
}

/// Removes keys of the model `before` from [friction] that its present model does not have.
std::vector<std::string> leave_out_others(Node& root, const std::string& before) {
  const std::string now = model_in(root);
  const ModelInfo *had = find_model(before), *has = find_model(now);
  if (!had || !has || had == has) return {};
  const std::vector<std::string> old = keys_of(*had), own = keys_of(*has);
  std::vector<std::string> gone;
  std::erase_if(*root.find("friction")->as<Node::Object>(), [&](const Member& m) {
    const bool other = std::ranges::find(old, m.key) != old.end() && std::ranges::find(own, m.key) == own.end();
    if (other) gone.push_back(m.key);
    return other;
  });
  if (gone.empty()) return {};
  return {fmt::format("{} has no {}: left out", now, fmt::join(gone, ", "))};
}

}  // namespace

std::string device_in(const Node& root) {
  const Node* solver = root.find("solver");
  const Node* device = solver ? solver->find("device") : nullptr;
  const auto* name = device ? device->as<std::string>() : nullptr;
  return name ? *name : "cpu";
}

Node scenario_root(const std::string& text, const std::string& path, const std::vector<std::string>& changes,
                   Problems& problems) {
  Node root = parse_toml(text, path, problems);
  if (const Node* paper = root.find("paper")) {
    problems.push_back(
        {paper->where, "[paper] marks a figure file with a run per variant; run it with 'bristle papers'"});
  }
  if (problems.empty()) {
    for (const std::string& c : changes) change(root, c, problems);
  }
  return root;
}

}  // namespace scenario

Loaded read_scenario(const std::string& text, const std::string& path, const Changes& changes) {
  using namespace scenario;
  Problems problems;
  Node root = scenario_root(text, path, changes.set, problems);
  std::vector<std::string> left_out;
  if (changes.other_models && problems.empty()) {
    Problems ignored;
    left_out = leave_out_others(root, model_in(parse_toml(text, path, ignored)));
  }
  if (!problems.empty()) return {{}, tidied(std::move(problems), path)};
  Loaded out = scenario_of(root, text, path, {}, changes.measure);
  if (const std::string device = device_in(root); out.scenario && device == "gpu") {
    const Node& solver = *root.find("solver");
    return {
        {},
        {{solver.find("device")->where,
          "device = \"gpu\" in [solver]: a single run is computed by the processor; \"cpu\" or \"auto\" is accepted, and "
          "bristle sweep runs on a GPU"}}};
  } else if (out.scenario && device == "auto") {
    out.scenario->notes.emplace_back("device auto: a single run is computed by the processor");
  }
  if (out.scenario) {
    out.scenario->changes = changes.set;
    out.scenario->notes.insert(out.scenario->notes.end(), left_out.begin(), left_out.end());
  }
  return out;
}

Loaded load_scenario(const std::string& path, const Changes& changes) {
  try {
    return read_scenario(read_file(path, scenario::most_bytes), path, changes);
  } catch (const FileError& e) { return {{}, {{"", e.what()}}}; }
}

}  // namespace bristle
