#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "scenario/shared/section.hpp"

namespace bristle::scenario {
namespace {

const std::vector<std::string> system_kinds{"prescribed", "slider", "roller", "chain", "multibody"};  // as SystemKind
const std::vector<std::string> methods{"auto", "rodas", "explicit", "cvode", "fixed"};                // as Method
const std::vector<std::string> devices{"cpu", "gpu", "auto"};

std::string bytes_text(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.0f} MB", bytes / 1e6) : fmt::format("{:.1f} GB", bytes / 1e9);
}

}  // namespace

void check_body(const Section& section, const std::string& kind, const Experiment& experiment, Reading& reading) {
  if (experiment.kind != SystemKind::prescribed && experiment.kind != SystemKind::slider && section.has("mass") &&
      experiment.body.mass == 0) {
    reading.wrong(section.where("mass"),
                  fmt::format("mass = 0 kg requires kind = \"slider\"; a {} requires a mass > 0", kind));
  }
  if (experiment.body.start == Beginning::steady) {
    for (const char* key : {"x0", "v0"}) {
      if (section.has(key))
        reading.wrong(section.where(key),
                      fmt::format("{} is not accepted with start = \"steady\", which sets it", key));
    }
  }
}

bool read_system(const Node& root, Experiment& experiment, Reading& reading) {
  const auto section = subsection(root, "system", reading);
  if (!section) return false;
  const std::size_t before = reading.problems.size();
  auto kind = choice(*section, "kind", system_kinds, false, reading);
  if (!section->has("kind") && !section->has("preset"))
    reading.wrong(section->node.where, fmt::format("missing key 'kind' in {}; accepted: \"{}\"", section->name,
                                                   fmt::join(system_kinds, "\", \"")));
  if (!kind && !section->has("kind") && section->has("preset")) kind = static_cast<std::size_t>(SystemKind::chain);
  if (!kind) return false;
  experiment.kind = static_cast<SystemKind>(*kind);
  if (experiment.kind == SystemKind::multibody) return true;  // see mechanism.cpp

  std::vector<FieldView> fields = views(experiment.body);
  if (experiment.kind == SystemKind::prescribed) {
    std::erase_if(fields, [](const FieldView& f) { return f.name != "temperature" && f.name != "start"; });
  } else if (experiment.kind != SystemKind::slider) {
    std::erase_if(fields, [](const FieldView& f) { return f.name.starts_with("gravity"); });
  }
  if (experiment.kind == SystemKind::roller) {
    for (FieldView& f : views(experiment.disk)) fields.push_back(std::move(f));
  }
  if (experiment.kind == SystemKind::chain) {
    read_chain(*section, std::move(fields), experiment, reading);
    return reading.problems.size() == before;
  }
  if (experiment.kind == SystemKind::slider) take_fitted(*section, experiment.body, fields, reading);
  read_section(*section, "a " + system_kinds[*kind], fields, {{"kind", form::word, "the moving body"}}, reading);
  check_body(*section, system_kinds[*kind], experiment, reading);
  if (experiment.kind == SystemKind::roller && !section->has("omega0")) {
    experiment.disk.omega0 = experiment.body.v0 / experiment.disk.radius;  // rolling
  }
  return reading.problems.size() == before;
}

namespace {
void read_record(const Section& section, Experiment& experiment, bool system_known, Reading& reading) {
  const Node* node = section.node.find("record");
  if (!node) return;
  const auto* numbers = node->as<Node::Numbers>();
  const auto number_of_block = [](double x) { return x >= 1 && x <= 1e9 && x == std::floor(x); };
  if (!numbers || numbers->empty() || !std::all_of(numbers->begin(), numbers->end(), number_of_block)) {
    reading.wrong(node->where, fmt::format("record = {} in [solver] must be an array of block numbers, counted from 1: "
                                           "record = [1, 50]",
                                           text_of(*node)));
    return;
  }
  experiment.solver.record.assign(numbers->begin(), numbers->end());
  if (!system_known) return;
  if (const std::string why = objection_to_record(experiment); !why.empty()) {
    reading.wrong(node->where, fmt::format("record = {} in [solver]: {}", text_of(*node), why));
    experiment.solver.record.clear();
  }
}
}  // namespace

bool read_solver(const Node& root, Experiment& experiment, bool system_known, Reading& reading) {
  const auto section = subsection(root, "solver", reading);
  if (!section) return false;
  const std::size_t before = reading.problems.size();
  SolverParams& solver = experiment.solver;
  const auto method = choice(*section, "method", methods, false, reading);
  experiment.method = static_cast<Method>(method.value_or(0));
  (void)choice(*section, "device", devices, false, reading);  // a sweep reads it, see ScenarioFamily::device
  const bool good =
      read_section(
          *section, "the solver", views(solver),
          {Key{"method", form::word, "method of integration"}.or_else("\"auto\""),
           Key{"device", form::word, "where a sweep runs: cpu, gpu, or auto: a GPU if there is one"}.or_else("\"cpu\""),
           {"record", form::numbers, "blocks of a chain whose columns are kept; all unless given", "1", {1, 1e9}}},
          reading)
          .good;
  read_record(*section, experiment, system_known, reading);
  const bool fixed = experiment.method == Method::fixed;
  if (fixed && !section->has("step")) {
    reading.wrong(section->where("method"), "method = \"fixed\" requires step (s) in [solver]");
  } else if (!fixed && section->has("step") && (method || !section->has("method"))) {
    reading.wrong(section->where("step"),
                  "step in [solver] requires method = \"fixed\"; other methods choose their steps");
  }
  if (fixed && experiment.contacts.size() > 1 && experiment.kind != SystemKind::multibody) {
    reading.wrong(section->where("method"), "method = \"fixed\" accepts one contact, not several");
  }
  if (const double rows = good ? row_count(solver) : 0; !(rows <= most_rows)) {
    const double columns = 8;  // about
    reading.wrong(
        section->where("output_step"),
        fmt::format(
            "output_step = {} s over duration = {} s gives {:.3g} rows, about {}; at most {:.0e} rows are accepted",
            to_text(solver.output_step), to_text(solver.duration), rows, bytes_text(rows * columns * sizeof(double)),
            most_rows));
  }
  return reading.problems.size() == before;
}

}  // namespace bristle::scenario
