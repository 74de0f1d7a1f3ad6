#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "scenario/shared/drive.hpp"
#include "scenario/shared/section.hpp"
#include "table.hpp"

namespace bristle::scenario {
namespace {

const std::vector<std::string> subjects{"position", "velocity", "force"};  // as DriveOf

/// Kinds by name, in the order of Term::shape; a sum combines the shapes.
const std::vector<std::string> shapes{"constant",     "step",           "ramp",      "sine",      "chirp",
                                      "triangle",     "table",          "staircase", "trapezoid", "s_curve",
                                      "minimum_jerk", "point_to_point", "prbs"};
const std::vector<std::string> kinds = [] {
  std::vector<std::string> all = shapes;
  all.emplace_back("sum");
  return all;
}();

/// Unit and keys of a drive in its section.
struct Purpose {
  std::string unit;       // of its value
  bool force = false;     // the slope of a ramp has the key rate
  std::vector<Key> also;  // keys of the section read elsewhere
};

Key of_kind() { return {"kind", form::word, "shape of the function of time"}; }

/// Whether a field is given under its other name; both at once are an error.
bool is_called(const Section& section, const char* name, const char* other, Reading& reading) {
  const bool both = section.has(name) && section.has(other);
  if (both) {
    reading.wrong(section.where(other),
                  fmt::format("{} and {} are both given in {}; one is accepted", other, name, section.name));
  }
  return section.has(other) && !both;
}

void check_points(const Section& section, const Waypoints& k, Reading& reading) {
  const std::string& where = section.where("times");
  if (k.points.size() != k.times.size() || k.points.size() < 2) {
    reading.wrong(where, fmt::format("points has {} values and times has {} in {}; both must have the same length, at "
                                     "least 2",
                                     k.points.size(), k.times.size(), section.name));
    return;
  }
  for (std::size_t i = 1; i < k.times.size(); ++i) {
    if (k.times[i] > k.times[i - 1]) continue;
    reading.wrong(where, fmt::format("times in {} must increase: {} s is followed by {} s at point {}", section.name,
                                     to_text(k.times[i - 1]), to_text(k.times[i]), i + 1));
    return;
  }
}

template <class Shape>
Term read_shape(const Section& section, const std::string& kind, const Purpose& purpose, Reading& reading) {
  Shape shape{};
  Term term{};
  std::vector<FieldView> fields = views(shape);
  std::vector<Key> also = purpose.also;
  for (FieldView& f : fields) f.unit = derived_unit(f.unit, purpose.unit);
  auto call = [&](const char* name, const char* other) {  // the other name remains a known key
    for (FieldView& f : fields) {
      if (f.name != name && f.name != other) continue;
      f.name = other;
      if (!reading.description) {
        also.emplace_back(name);
        continue;
      }
      Key synonym = key_of(f);
      synonym.name = name;
      synonym.text = fmt::format("replaces {}", other);
      synonym.unit = std::string(name) == "omega" ? "rad/s" : f.unit;
      synonym.instead = {other};
      also.push_back(std::move(synonym));
    }
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
  fields.push_back(soft_start(term.soft_start));
  const bool good = read_section(section, "a " + kind, fields, also, reading).good;
  if constexpr (std::is_base_of_v<Waypoints, Shape>) {
    if (good) check_points(section, shape, reading);
  }
  if constexpr (std::is_same_v<Shape, Sine>) shape.frequency /= radians ? two_pi : 1;
  term.shape = shape;
  return term;
}

Term read_term(const Section& section, const std::string& kind, const Purpose& purpose, Reading& reading) {
  if (kind == "constant") return read_shape<Constant>(section, kind, purpose, reading);
  if (kind == "step") return read_shape<StepAt>(section, kind, purpose, reading);
  if (kind == "ramp") return read_shape<Ramp>(section, kind, purpose, reading);
  if (kind == "sine") return read_shape<Sine>(section, kind, purpose, reading);
  if (kind == "chirp") return read_shape<Chirp>(section, kind, purpose, reading);
  if (kind == "triangle") return read_shape<Triangle>(section, kind, purpose, reading);
  if (kind == "staircase") return read_shape<Staircase>(section, kind, purpose, reading);
  if (kind == "trapezoid") return read_shape<Trapezoid>(section, kind, purpose, reading);
  if (kind == "s_curve") return read_shape<SCurve>(section, kind, purpose, reading);
  if (kind == "minimum_jerk") return read_shape<MinimumJerk>(section, kind, purpose, reading);
  if (kind == "point_to_point") return read_shape<PointToPoint>(section, kind, purpose, reading);
  if (kind == "prbs") return read_shape<Prbs>(section, kind, purpose, reading);
  return read_table(section, purpose.unit, purpose.also, reading);
}

void read_sum(const Section& section, const Purpose& purpose, Drive& drive, Reading& reading) {
  std::vector<Key> also = purpose.also;
  also.push_back(Key{"terms", form::tables, "functions of time whose values are added"}.needed());
  read_section(section, "a sum", {soft_start(drive.soft_start)}, also, reading);
  const Node* terms = section.node.find("terms");
  const auto* list = terms ? terms->as<Node::List>() : nullptr;
  if (!list || !std::all_of(list->begin(), list->end(), [](const Node& n) { return n.as<Node::Object>(); })) {
    reading.wrong(section.where("terms"),
                  fmt::format("{} requires terms = [{{ kind = \"sine\", ... }}, ...]", section.name));
    return;
  }
  Purpose inner = purpose;
  inner.also = {of_kind()};
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

/// A servo that meets the derivative of a jump as a number.
void note_impulse(const Drive& drive, const ControllerParams& c, double t, Reading& reading) {
  const double size = drive.at(t).value - drive.at(t, std::nextafter(t, 0.0)).value;
  const double gain = c.cascade() ? 0 : c.kd * c.derivative_weight;
  const bool exact = c.velocity() == MeasuredVelocity::exact;
  if (gain != 0 && !exact) {
    const double time = c.derivative_filter + c.sample_time;
    reading.notes.push_back(fmt::format(
        "the reference jumps at t = {} s: its derivative is a Dirac impulse, which the servo meets as kd x "
        "{:.6g} m over {:.6g} s = {:.6g} N{}; derivative_weight = 0 or a smooth motion avoids it",
        to_text(t), size, time, gain * size / time, c.limit < inf ? fmt::format(" (limit {:.6g} N)", c.limit) : ""));
  } else if (gain != 0 || c.feeds_velocity() || c.acceleration_feedforward != 0) {
    reading.notes.push_back(fmt::format(
        "the reference jumps at t = {} s: its derivatives are Dirac impulses, which the servo leaves out", to_text(t)));
  }
}

/// Checks whether the system can follow the drive.
void check_drive(const Section& section, const Experiment& experiment, double duration, bool servo_known,
                 Reading& reading) {
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
  } else if (!servo_known) {
    return;
  } else if (jump && experiment.controller && experiment.controller->differentiates()) {
    const ControllerParams& c = *experiment.controller;
    wrong("kind",
          fmt::format("the reference jumps at t = {} s: its derivative is a Dirac impulse, on which {} cannot act; "
                      "sample_time, {} in [controller], a ramp, a table or a smooth motion is accepted",
                      to_text(*jump),
                      c.cascade() ? fmt::format("velocity_feedforward = {}", to_text(c.velocity_feedforward))
                                  : fmt::format("kd = {} N s/m", to_text(c.kd)),
                      c.cascade() ? "velocity_feedforward = 0" : "derivative_filter or derivative_weight = 0"));
  } else if (jump && experiment.controller) {
    note_impulse(drive, *experiment.controller, *jump, reading);
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

const std::string& kind_of(const Term& term) { return shapes[term.shape.index()]; }

const char* unit_of(DriveOf of) { return of == DriveOf::position ? "m" : of == DriveOf::velocity ? "m/s" : "N"; }

std::string derived_unit(const std::string& unit, std::string of) {
  if (!unit.starts_with('*')) return unit;
  int order = unit == "*" ? 0 : unit == "*/s" ? 1 : unit.back() - '0';
  if (of == "m/s") {
    of = "m";
    ++order;
  }
  return order == 0 ? of : order == 1 ? of + "/s" : fmt::format("{}/s^{}", of, order);
}

void read_actuator(const Section& section, const std::string& unit, bool force, const std::vector<Key>& also,
                   Drive& drive, Reading& reading) {
  read_drive(section, {unit, force, also}, drive, reading);
}

void read_drives(const Node& root, Experiment& experiment, double duration, bool servo_known, Reading& reading) {
  Drive& drive = experiment.drive;
  if (const auto section = subsection(root, "drive", reading)) {
    const auto of = choice(*section, "of", subjects, false, reading);
    drive.of = static_cast<DriveOf>(of.value_or(0));
    const bool force = drive.of == DriveOf::force;
    if (read_drive(*section,
                   {unit_of(drive.of),
                    force,
                    {of_kind(), Key{"of", form::word, "the quantity that is given"}.or_else("\"position\"")}},
                   drive, reading) ||
        force) {
      check_drive(*section, experiment, duration, servo_known, reading);
    }
  } else if (!root.find("drive") && experiment.kind == SystemKind::prescribed) {
    reading.wrong(root.where, "missing section [drive]; a prescribed motion requires it");
  }
  if (drive.terms.empty()) drive.terms.push_back({Constant{}});
  if (const auto section = subsection(root, "load", reading)) {
    Drive& load = experiment.load.emplace();
    const bool good = read_drive(*section, {"1", false, {of_kind()}}, load, reading);
    if (good && duration < inf) check_load(load, duration, section->node.where, reading);
  }
}

}  // namespace bristle::scenario
