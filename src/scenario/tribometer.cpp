#include "bristle/tribometer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bristle/output.hpp"
#include "scenario/shared/section.hpp"

namespace bristle {
namespace scenario {
namespace {

/// f(name, meaning, settings of the experiment) for each section of [tribometer].
template <class F> void each_section(tribometer::Settings& s, F&& f) {
  f("loops", "nested hysteresis loops in pre-sliding, slow and fast", s.loops);
  f("curve", "steady friction against velocity, forwards and backwards", s.curve);
  f("lag", "friction lag in sliding with an oscillating velocity", s.lag);
  f("steps", "a jump of the velocity and back", s.steps);
  f("hold", "a step of load below sliding friction", s.hold);
  f("breakaway", "breakaway force against the force rate", s.breakaway);
  f("dwell", "breakaway force after times at rest", s.dwell);
  f("reversal", "reversals of the velocity", s.reversal);
  f("drift", "drift under an oscillating load below breakaway", s.drift);
  f("stick_slip", "stick-slip of a mass on a spring", s.stick_slip);
  f("cycles", "closed loops of the displacement", s.cycles);
  f("energy", "energy that the contact returns", s.energy);
}

}  // namespace

void read_tribometer(const Node& root, tribometer::Settings& settings, Reading& reading) {
  const auto section = subsection(root, "tribometer", reading);
  if (!section) return;
  std::vector<Key> names;
  each_section(settings, [&](const char* name, const char* about, auto& s) {
    names.emplace_back(name, form::table, about);
    const Node* n = section->node.find(name);
    if (!n) return;
    const std::string title = fmt::format("[tribometer.{}]", name);
    if (!n->as<Node::Object>()) {
      reading.wrong(n->where, fmt::format("{} = {} must be a section {}", name, text_of(*n), title));
    } else {
      reading.describe({*n, title}, views(s));
      reading.add(read(s, to_table(*n), {title, "tribometer", n->where}));
    }
  });
  std::vector<FieldView> fields = views(settings.sizes);
  fields.push_back(view("rtol", "1", settings.rtol, Range{1e-13, 1e-2}, "relative tolerance of the solver"));
  read_section(*section, "tribometer", std::move(fields), names, reading);
}

}  // namespace scenario

namespace tribometer {
using namespace bristle::scenario;

SubjectRead read_subject(const std::string& text, const std::string& path, const std::vector<std::string>& changes) {
  SubjectRead out{.text = text};
  const std::filesystem::path file(path);
  Reading reading{.folder = file.parent_path()};
  Subject subject{.label = file.stem().string(), .contact = {}};
  if (const std::optional<Node> root = friction_root(text, path, changes, reading)) {
    bristle::Experiment e;
    read_friction(*root, e, out.notes, reading);
    if (e.contacts.size() > 1) {
      reading.wrong(root->find("friction")->where,
                    fmt::format("{} friction blocks; characterize accepts one per file", e.contacts.size()));
    }
    read_tribometer(*root, subject.settings, reading);
    out.rotational = read_units(*root, out.notes, reading);
    if (e.contacts.size() == 1) subject.contact = std::move(e.contacts[0].contact);
  }
  out.problems = tidied(std::move(reading.problems), path);
  if (out.problems.empty()) out.subject = std::move(subject);
  return out;
}

SubjectRead load_subject(const std::string& path, const std::vector<std::string>& changes) {
  try {
    return read_subject(read_file(path, most_bytes), path, changes);
  } catch (const FileError& e) { return {.problems = {{"", e.what()}}}; }
}

}  // namespace tribometer
}  // namespace bristle
