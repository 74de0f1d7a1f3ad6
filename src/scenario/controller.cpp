#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "bristle/registry/describe.hpp"
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

/// Accepts "model" or the model's name (with several contacts, the name of one), or a friction file.
void read_feedforward(const std::string& word, const std::string& where, Experiment& experiment, Reading& reading) {
  const auto& all = experiment.contacts;
  const bool one = all.size() == 1;
  const auto own = std::find_if(all.begin(), all.end(), [&](const NamedContact& c) {
    return c.contact && (one ? word == "model" || word == c.contact->model() : word == c.name);
  });
  const bool all_known =
      std::all_of(all.begin(), all.end(), [](const NamedContact& c) { return c.contact != nullptr; });
  if (own != all.end()) {
    experiment.feedforward = own->contact->clone();
  } else if (word == "model" || find_model(word)) {
    if (!all_known) return;  // their own messages suffice
    reading.wrong(where,
                  fmt::format("feedforward = \"{}\" must be {}, a friction file, or a block [controller.feedforward]",
                              word, one ? "\"model\", the one in [friction]" : "the name of one of the contacts"));
  } else {
    experiment.feedforward = read_friction_file(word, where, reading);
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

void read_controller(const Node& root, Experiment& experiment, bool system_known, Reading& reading) {
  const auto section = subsection(root, "controller", reading);
  if (!section) return;
  ControllerParams& c = experiment.controller.emplace();
  bool good =
      read_section(*section, "a controller", views(c),
                   {Key{"feedforward", form::text | form::table,
                        "model whose force along the reference is added to u: \"model\", the name of a contact, a "
                        "friction file, or a block of its own; requires sample_time"}
                        .as("friction"),
                    {"sensor", form::table, "measurement of the motion by the servo"}},
                   reading)
          .good;
  if (const Node* sensor = section->node.find("sensor")) good = read_sensor(*section, *sensor, c, reading) && good;
  if (good && c.encoder_step > 0 && c.sample_time == 0) {
    reading.wrong(section->where("encoder_step"),
                  fmt::format("encoder_step = {} m requires sample_time (s) in [controller]", to_text(c.encoder_step)));
  }
  if (good && section->has("feedforward") && c.sample_time == 0) {
    reading.wrong(section->where("feedforward"), "feedforward requires sample_time (s) in [controller]");
  }
  if (good) check_kind(*section, c, reading);
  if (system_known) check_system(*section, root, experiment, reading);
  const Node* feedforward = section->node.find("feedforward");
  if (feedforward && feedforward->as<Node::Object>()) {
    experiment.feedforward = read_friction_block(*feedforward, "controller.feedforward", reading);
  } else if (const auto word = section->text("feedforward", reading)) {
    read_feedforward(*word, feedforward->where, experiment, reading);
  }
}

}  // namespace bristle::scenario
