#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "scenario/shared/section.hpp"

namespace bristle::scenario {
namespace {

/// The servo replaces the spring: the system must be a slider without one.
void check_system(const Section& section, const Node& root, const Experiment& experiment, Reading& reading) {
  if (experiment.kind != SystemKind::slider) {
    reading.wrong(section.node.where, "[controller] requires kind = \"slider\" in [system]");
  }
  const Section system{*root.find("system"), "[system]"};
  for (const auto& [key, value, unit] : {std::tuple{"stiffness", experiment.body.stiffness, "N/m"},
                                         std::tuple{"damping", experiment.body.damping, "N s/m"}}) {
    if (value == 0) continue;
    reading.wrong(system.where(key),
                  fmt::format("{} = {} {} in [system] must be 0 with a [controller]: the servo replaces the spring",
                              key, to_text(value), unit));
  }
}

/// False if it is wrong.
bool read_sensor(const Section& controller, const Node& node, ControllerParams& c, Reading& reading) {
  if (!node.as<Node::Object>()) {
    reading.wrong(node.where, fmt::format("sensor = {} must be a section [controller.sensor]", text_of(node)));
    return false;
  }
  const Section section{node, "[controller.sensor]"};
  const bool good = read_section(section, "a sensor", views(c.sensor), {}, reading).good;
  if (!section.has("step") || !controller.has("encoder_step")) return good;
  reading.wrong(controller.where("encoder_step"),
                "encoder_step in [controller] and step in [controller.sensor] are both given; one is accepted");
  return false;
}

/// Keys that do not belong together.
void check_kind(const Section& section, const ControllerParams& c, Reading& reading) {
  const auto objection = objection_to_servo(c);
  if (!objection) return;
  const auto& [key, text] = *objection;
  const std::string of_sensor = "sensor.";
  const Node* sensor = section.node.find("sensor");
  const bool inside = key.starts_with(of_sensor) && sensor;
  reading.wrong(inside ? Section{*sensor, ""}.where(key.substr(of_sensor.size())) : section.where(key), text);
}

}  // namespace

ServoRead read_servo(const Section& section, const std::string& unit, std::span<const NamedContact> contacts,
                     Reading& reading) {
  ServoRead out;
  ControllerParams& c = out.params;
  bool good =
      read_section(
          section, "a controller", views(c),
          {Key{"feedforward", form::text | form::table,
               "model whose force along the reference is added to u: \"model\", the name of a contact, a "
               "friction file, or a block of its own; requires sample_time"}
               .as("friction"),
           {"compensation", form::text | form::table,
            "estimated friction that is added to u: a kind, or a section with its numbers; requires sample_time"},
           {"sensor", form::table, "measurement of the motion by the servo"},
           {"joint", form::text, "of [[controller]] in a mechanism: the joint on which the servo acts"},
           {"reference", form::table, "of [[controller]] in a mechanism: the position s of the joint"}},
          reading)
          .good;
  if (const Node* sensor = section.node.find("sensor")) good = read_sensor(section, *sensor, c, reading) && good;
  if (good && c.encoder_step > 0 && c.sample_time == 0) {
    reading.wrong(section.where("encoder_step"),
                  fmt::format("encoder_step = {} m requires sample_time (s) in [controller]", to_text(c.encoder_step)));
  }
  if (good && section.has("feedforward") && c.sample_time == 0) {
    reading.wrong(section.where("feedforward"), "feedforward requires sample_time (s) in [controller]");
  }
  if (good) check_kind(section, c, reading);
  out.feedforward = read_servo_model(section, "feedforward", "controller.feedforward", contacts, reading);
  read_compensation(section, c, contacts, reading);
  if (c.compensation.kind == CompensationKind::feedforward && c.compensation.model)
    out.feedforward = c.compensation.model->clone();
  if (const Node* reference = section.node.find("reference")) {
    if (reference->as<Node::Object>()) {
      read_actuator({*reference, "[controller.reference]"}, unit, false,
                    {Key{"kind", form::word, "shape of the function of time"}}, out.reference, reading);
    } else {
      reading.wrong(reference->where,
                    fmt::format("reference = {} must be a section [controller.reference]", text_of(*reference)));
    }
  }
  return out;
}

bool read_controller(const Node& root, Experiment& experiment, bool system_known, Reading& reading) {
  const std::size_t before = reading.problems.size();
  const auto section = subsection(root, "controller", reading);
  if (!section) return reading.problems.size() == before;
  ServoRead read = read_servo(*section, "m", experiment.contacts, reading);
  experiment.controller = read.params;
  experiment.feedforward = std::move(read.feedforward);
  for (const char* key : {"joint", "reference"}) {
    if (section->has(key))
      reading.wrong(
          section->where(key),
          fmt::format("{} in [controller] requires [[controller]] and kind = \"multibody\" in [system]", key));
  }
  if (system_known) {
    check_system(*section, root, experiment, reading);
    check_compensation(*section, *experiment.controller, experiment.body.mass, reading);
  }
  return reading.problems.size() == before;
}

}  // namespace bristle::scenario
