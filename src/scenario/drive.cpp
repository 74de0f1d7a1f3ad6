#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "scenario/shared/section.hpp"

namespace bristle::scenario {
namespace {

const std::vector<std::string> subjects{"position", "velocity", "force"};  // as DriveOf
constexpr const char* units[] = {"m", "m/s", "N"};

/// Kinds by name; a sum combines the shapes.
const std::vector<std::string> shapes{"constant", "step", "ramp", "sine", "chirp", "triangle", "table"};
const std::vector<std::string> kinds{"constant", "step", "ramp", "sine", "chirp", "triangle", "table", "sum"};

/// Unit and keys of a drive in its section.
struct Purpose {
  std::string unit;               // of its value
  bool force = false;             // the slope of a ramp has the key rate
  std::vector<std::string> also;  // keys of the section read elsewhere
};

std::string derived_unit(const std::string& unit, const std::string& of) {
  const std::size_t star = unit.find('*');
  if (star == std::string::npos) return unit;
  if (unit == "*/s" && of == "m/s") return "m/s^2";
  return std::string(unit).replace(star, 1, of);
}

/// Whether a field is given under its other name; both at once are an error.
bool is_called(const Section& section, const char* name, const char* other, Reading& reading) {
  const bool both = section.has(name) && section.has(other);
  if (both) {
    reading.wrong(section.where(other),
                  fmt::format("{} and {} are both given in {}; one is accepted", other, name, section.name));
  }
  return section.has(other) && !both;
}

template <class Shape>
Term read_shape(const Section& section, const std::string& kind, const Purpose& purpose, Reading& reading) {
  Shape shape{};
  Term term{};
  std::vector<FieldView> fields = views(shape);
  std::vector<std::string> also = purpose.also;
  for (FieldView& f : fields) f.unit = derived_unit(f.unit, purpose.unit);
  auto call = [&](const char* name, const char* other) {  // the other name remains a known key
    for (FieldView& f : fields) f.name = f.name == name ? other : f.name;
    also.emplace_back(name);
  };
  bool radians = false;
  if constexpr (std::is_same_v<Shape, Ramp>) {
    const bool rate = is_called(section, "velocity", "rate", reading) || (purpose.force && !section.has("velocity"));
    call(rate ? "velocity" : "rate", rate ? "rate" : "velocity");
  }
  if constexpr (std::is_same_v<Shape, Sine>) {
    radians = is_called(section, "frequency", "omega", reading);
    call(radians ? "frequency" : "omega", radians ? "omega" : "frequency");
    for (FieldView& f : fields) f.unit = f.name == "omega" ? "rad/s" : f.unit;
  }
  fields.push_back(view("soft_start", "s", term.soft_start, nonnegative));
  read_section(section, "a " + kind, fields, also, reading);
  if constexpr (std::is_same_v<Shape, Sine>) shape.frequency /= radians ? two_pi : 1;
  term.shape = shape;
  return term;
}

std::vector<double> read_numbers(const Section& section, const std::string& key, Reading& reading) {
  const Node* n = section.node.find(key);
  if (!n) {
    reading.wrong(section.node.where, fmt::format("missing key '{}' in {}; arrays t and value, or a file, are accepted",
                                                  key, section.name));
    return {};
  }
  if (const auto* numbers = n->as<Node::Numbers>(); numbers && !numbers->empty()) return *numbers;
  reading.wrong(n->where, fmt::format("{} = {} in {} must be an array of numbers", key, text_of(*n), section.name));
  return {};
}

/// Two columns of a CSV file.
Points read_points_file(const Section& section, Reading& reading) {
  const auto file = section.text("file", reading);
  const auto wanted = section.texts("columns", reading);
  if (!file) return {};
  const std::string& where = section.where("file");
  TraceRead read = read_csv(reading.resolved(*file));
  for (const Problem& p : read.problems) reading.wrong(p.where.empty() ? where : p.where, p.text);
  if (!read.problems.empty()) return {};
  const Trace& trace = read.trace;
  if (trace.columns.size() < 2) {
    reading.wrong(where, fmt::format("{} has one column, must have two: time and value", *file));
    return {};
  }
  const Column *t = trace.columns.data(), *value = t + 1;
  if (section.has("columns")) {
    if (wanted.size() != 2) {
      reading.wrong(section.where("columns"), R"(columns must be two names, time and value: ["t", "x"])");
      return {};
    }
    t = trace.find(wanted[0]);
    value = trace.find(wanted[1]);
    for (const std::string& name : wanted) {
      if (!trace.find(name)) {
        reading.wrong(section.where("columns"),
                      fmt::format("unknown column '{}' in {}{}", name, *file, hint(name, trace.names())));
      }
    }
    if (!t || !value) return {};
  }
  return {t->values, value->values};
}

Term read_table(const Section& section, const Purpose& purpose, Reading& reading) {
  Term term{};
  std::vector<std::string> also = purpose.also;
  also.insert(also.end(), {"t", "value", "file", "columns"});
  std::vector<FieldView> fields{view("soft_start", "s", term.soft_start, nonnegative)};
  read_section(section, "a table", fields, also, reading);
  const std::size_t before = reading.problems.size();
  const bool file = section.has("file");
  if (file && (section.has("t") || section.has("value"))) {
    reading.wrong(section.where("file"),
                  fmt::format("file and arrays are both given in {}; one is accepted", section.name));
  }
  if (!file && section.has("columns")) reading.wrong(section.where("columns"), "columns requires file");
  Points p = file ? read_points_file(section, reading)
                  : Points{read_numbers(section, "t", reading), read_numbers(section, "value", reading)};
  if (reading.problems.size() > before) return term;
  const std::string& where = section.where(file ? "file" : "t");
  if (p.t.size() != p.value.size()) {
    reading.wrong(where, fmt::format("t has {} values and value has {}; both must have the same length", p.t.size(),
                                     p.value.size()));
  }
  for (std::size_t i = 0; i < std::min(p.t.size(), p.value.size()); ++i) {
    if (!any_real.contains(p.t[i]) || !any_real.contains(p.value[i])) {
      reading.wrong(
          where, fmt::format("point {} of the table, t = {} s, value = {}: must be finite numbers of at most {}", i + 1,
                             to_text(p.t[i]), to_text(p.value[i]), to_text(limit::most)));
      break;
    }
    if (i > 0 && p.t[i] <= p.t[i - 1]) {
      reading.wrong(where, fmt::format("t of the table must increase: {} s is followed by {} s at point {}",
                                       to_text(p.t[i - 1]), to_text(p.t[i]), i + 1));
      break;
    }
  }
  term.shape = std::move(p);
  return term;
}

Term read_term(const Section& section, const std::string& kind, const Purpose& purpose, Reading& reading) {
  if (kind == "constant") return read_shape<Constant>(section, kind, purpose, reading);
  if (kind == "step") return read_shape<StepAt>(section, kind, purpose, reading);
  if (kind == "ramp") return read_shape<Ramp>(section, kind, purpose, reading);
  if (kind == "sine") return read_shape<Sine>(section, kind, purpose, reading);
  if (kind == "chirp") return read_shape<Chirp>(section, kind, purpose, reading);
  if (kind == "triangle") return read_shape<Triangle>(section, kind, purpose, reading);
  return read_table(section, purpose, reading);
}

void read_sum(const Section& section, const Purpose& purpose, Drive& drive, Reading& reading) {
  std::vector<std::string> also = purpose.also;
  also.emplace_back("terms");
  read_section(section, "a sum", {view("soft_start", "s", drive.soft_start, nonnegative)}, also, reading);
  const Node* terms = section.node.find("terms");
  const auto* list = terms ? terms->as<Node::List>() : nullptr;
  if (!list || !std::all_of(list->begin(), list->end(), [](const Node& n) { return n.as<Node::Object>(); })) {
    reading.wrong(section.where("terms"),
                  fmt::format("{} requires terms = [{{ kind = \"sine\", ... }}, ...]", section.name));
    return;
  }
  Purpose inner = purpose;
  inner.also = {"kind"};
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Section term{(*list)[i], fmt::format("{} terms[{}]", section.name, i + 1)};
    if (const auto kind = choice(term, "kind", shapes, true, reading)) {
      drive.terms.push_back(read_term(term, shapes[*kind], inner, reading));
    }
  }
}

/// False if the drive is wrong.
bool read_drive(const Section& section, const Purpose& purpose, Drive& drive, Reading& reading) {
  const std::size_t before = reading.problems.size();
  const auto kind = choice(section, "kind", kinds, true, reading);
  if (!kind) return false;
  if (kinds[*kind] == "sum") {
    read_sum(section, purpose, drive, reading);
  } else {
    drive.terms = {read_term(section, kinds[*kind], purpose, reading)};
  }
  return reading.problems.size() == before;
}

/// Checks whether the system can follow the drive.
void check_drive(const Section& section, const Experiment& experiment, double duration, Reading& reading) {
  const bool prescribed = experiment.kind == SystemKind::prescribed;
  const Drive& drive = experiment.drive;
  auto wrong = [&](const char* key, const std::string& text) { reading.wrong(section.where(key), text); };
  if (drive.of == DriveOf::force && prescribed) {
    wrong(
        "of",
        R"(of = "force" does not prescribe a motion; for a force history on a body use kind = "slider" with stiffness = 0)");
  } else if (drive.of == DriveOf::force && experiment.controller) {
    wrong(
        "of",
        R"(of = "force" in [drive] must be "position" or "velocity": the drive is the reference of the [controller])");
  }
  const auto jump = drive.of == DriveOf::position ? drive.first_jump(duration) : std::nullopt;
  if (jump && prescribed) {
    wrong("kind", fmt::format("the prescribed position jumps at t = {} s, which no body can follow; a ramp, a table or "
                              "of = \"velocity\" is accepted",
                              to_text(*jump)));
  } else if (jump && experiment.body.damping > 0 && !experiment.controller) {
    wrong("kind", fmt::format("the drive jumps at t = {} s, which no damper can follow; a ramp, a table or "
                              "damping = 0 in [system] is accepted",
                              to_text(*jump)));
  } else if (jump && experiment.controller && experiment.controller->differentiates()) {
    wrong("kind", fmt::format("the reference jumps at t = {} s, where kd = {} N s/m has no derivative to act on; "
                              "sample_time or derivative_weight = 0 in [controller], a ramp or a table is accepted",
                              to_text(*jump), to_text(experiment.controller->kd)));
  }
}

/// Checks that the load ratio is not negative, at corners and on a grid.
void check_load(const Drive& load, double duration, const std::string& where, Reading& reading) {
  constexpr int grid = 2000, corners = 10000;
  auto bad = [&](double t) {
    const double r = load.at(t).value;
    if (r >= 0) return false;
    reading.wrong(where,
                  fmt::format("the normal load ratio falls to {} at t = {} s, must stay >= 0", to_text(r), to_text(t)));
    return true;
  };
  for (int i = 0; i <= grid; ++i) {
    if (bad(duration * i / grid)) return;
  }
  double t = load.next_corner(0);
  for (int i = 0; i < corners && t <= duration && !bad(t); ++i) t = load.next_corner(t);
}

}  // namespace

void read_actuator(const Section& section, const std::string& unit, bool force, const std::vector<std::string>& also,
                   Drive& drive, Reading& reading) {
  read_drive(section, {unit, force, also}, drive, reading);
}

void read_drives(const Node& root, Experiment& experiment, double duration, Reading& reading) {
  Drive& drive = experiment.drive;
  if (const auto section = subsection(root, "drive", reading)) {
    const auto of = choice(*section, "of", subjects, false, reading);
    drive.of = static_cast<DriveOf>(of.value_or(0));
    const bool force = drive.of == DriveOf::force;
    if (read_drive(*section, {units[of.value_or(0)], force, {"kind", "of"}}, drive, reading) || force) {
      check_drive(*section, experiment, duration, reading);
    }
  } else if (!root.find("drive") && experiment.kind == SystemKind::prescribed) {
    reading.wrong(root.where, "missing section [drive]; a prescribed motion requires it");
  }
  if (drive.terms.empty()) drive.terms.push_back({Constant{}});
  if (const auto section = subsection(root, "load", reading)) {
    Drive& load = experiment.load.emplace();
    const bool good = read_drive(*section, {"1", false, {"kind"}}, load, reading);
    if (good && duration < inf) check_load(load, duration, section->node.where, reading);
  }
}

}  // namespace bristle::scenario
