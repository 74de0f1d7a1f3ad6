#include "bristle/scenario/family.hpp"

#include <algorithm>

#include "bristle/output.hpp"
#include "scenario/measure.hpp"
#include "scenario/shared/section.hpp"

namespace bristle {

using scenario::Node;

struct ScenarioFamily::Tree {
  Node root, lean;  // lean: without the sections that a sweep does not use
  std::string text{}, path{};
  Changes changes{};
  std::vector<Key> keys{};

  Loaded read(Node& from, std::span<const double> values, const std::string& shown) {
    Problems problems;
    for (std::size_t i = 0; i < keys.size(); ++i)
      scenario::assign(from, keys[i].path, Node{.v = values[i], .where = keys[i].where}, problems);
    if (!problems.empty()) return {{}, std::move(problems)};
    return scenario::scenario_of(from, shown, path, {}, changes.measure);
  }
};

ScenarioFamily::ScenarioFamily(std::unique_ptr<Tree> tree) : tree_(std::move(tree)) {}
ScenarioFamily::ScenarioFamily(const ScenarioFamily& other) : tree_(std::make_unique<Tree>(*other.tree_)) {}
ScenarioFamily::ScenarioFamily(ScenarioFamily&& other) noexcept = default;
ScenarioFamily::~ScenarioFamily() = default;

const std::string& ScenarioFamily::path() const { return tree_->path; }
const std::string& ScenarioFamily::text() const { return tree_->text; }
void ScenarioFamily::vary(std::vector<Key> keys) { tree_->keys = std::move(keys); }

SweepSpec ScenarioFamily::sweep(Problems& problems) const {
  scenario::Reading reading;
  SweepSpec out = scenario::read_sweep(tree_->root, reading);
  problems.insert(problems.end(), reading.problems.begin(), reading.problems.end());
  return out;
}

std::string ScenarioFamily::device() const { return scenario::device_in(tree_->root); }

Loaded ScenarioFamily::whole(std::span<const double> values) {
  Loaded out = tree_->read(tree_->root, values, tree_->text);
  if (out.scenario) out.scenario->changes = tree_->changes.set;
  return out;
}
Loaded ScenarioFamily::at(std::span<const double> values) { return tree_->read(tree_->lean, values, ""); }

FamilyRead load_family(const std::string& path, const Changes& changes) {
  try {
    return read_family(read_file(path, scenario::most_bytes), path, changes);
  } catch (const FileError& e) { return {{}, {{"", e.what()}}}; }
}

FamilyRead read_family(const std::string& text, const std::string& path, const Changes& changes) {
  try {
    auto tree = std::make_unique<ScenarioFamily::Tree>();
    tree->text = text;
    tree->path = path;
    tree->changes = changes;
    Problems problems;
    tree->root = scenario::scenario_root(tree->text, path, changes.set, problems);
    if (!problems.empty()) return {{}, scenario::tidied(std::move(problems), path)};
    tree->lean = tree->root;
    std::erase_if(*tree->lean.as<Node::Object>(), [](const scenario::Member& m) {
      return m.key == "figure" || m.key == "expect" || m.key == "sweep" || m.key == "tribometer";
    });
    return {ScenarioFamily(std::move(tree)), {}};
  } catch (const FileError& e) { return {{}, {{"", e.what()}}}; }
}

bool needs_rows(const Scenario& scenario) {
  const bool fixed = scenario.experiment.method == Method::fixed;
  auto rows = [fixed](const Expectation& e) {
    auto one = [fixed](const RunQuantity& q) {
      const bool of_event = q.of == to_string(Event::stick) || q.of == to_string(Event::slip_forward) ||
                            q.of == to_string(Event::slip_backward);
      return !q.function.empty() && q.function != "at" && q.function != "count" && q.function != "time" &&
             (fixed || q.function != "stuck_fraction") && !scenario::is_of_chain(q.function) &&
             !(q.function == "period" && of_event);
    };
    return one(e) || one(e.second);
  };
  return std::ranges::any_of(scenario.expectations, rows) || std::ranges::any_of(scenario.quantities, rows) ||
         std::ranges::any_of(scenario.measures, rows, &Measure::quantity);
}

}  // namespace bristle
