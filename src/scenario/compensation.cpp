#include <fmt/format.h>

#include <algorithm>

#include "bristle/registry/describe.hpp"
#include "scenario/shared/section.hpp"

namespace bristle::scenario {
namespace {

const std::vector<std::string> laws = [] {
  constexpr auto words = choices(CompensationKind{});
  return std::vector<std::string>(words.begin(), words.end());
}();

const Key of_law{"kind", form::word, "law of the compensation"};
const Key of_model =
    Key{"model", form::text | form::table,
        "friction model of the compensation: \"model\" (the contact of the file), the name of a contact, a "
        "friction file, or a block of its own; the contact of the file unless given"}
        .as("friction");
const Key of_estimate{"estimate", form::text | form::texts,
                      "estimated parameters: of the model for ekf, among Fc, kv, offset, asymmetry for adaptive_rls"};

/// Accepts "model" or the model's name (with several contacts, the name of one), or a friction file.
std::unique_ptr<AnyContact> named_model(const std::string& key, const std::string& word, const std::string& where,
                                        std::span<const NamedContact> all, Reading& reading) {
  const bool one = all.size() == 1;
  const auto own = std::ranges::find_if(all, [&](const NamedContact& c) {
    return c.contact && (one ? word == "model" || word == c.contact->model() : word == c.name);
  });
  if (own != all.end()) return own->contact->clone();
  if (word != "model" && !find_model(word)) return read_friction_file(word, where, reading);
  if (std::ranges::all_of(
          all, [](const NamedContact& c) { return c.contact != nullptr; }))  // otherwise their own messages suffice
    reading.wrong(where, fmt::format("{} = \"{}\" must be {}, a friction file, or a block [controller.{}]", key, word,
                                     one           ? "\"model\", the one in the friction block"
                                     : all.empty() ? "the model of a contact, which this joint does not have"
                                                   : "the name of one of the contacts",
                                     key == "model" ? "compensation.model" : key));
  return {};
}

}  // namespace

std::unique_ptr<AnyContact> read_servo_model(const Section& section, const std::string& key, const std::string& block,
                                             std::span<const NamedContact> contacts, Reading& reading) {
  const Node* node = section.node.find(key);
  if (node && node->as<Node::Object>()) return read_friction_block(*node, block, reading);
  if (const auto word = section.text(key, reading)) return named_model(key, *word, node->where, contacts, reading);
  return {};
}

void read_compensation(const Section& controller, ControllerParams& c, std::span<const NamedContact> contacts,
                       Reading& reading) {
  const Node* node = controller.node.find("compensation");
  if (!node) return;
  CompensationParams& p = c.compensation;
  const bool table = node->as<Node::Object>() != nullptr;
  if (!table && !node->as<std::string>()) {
    reading.wrong(node->where,
                  fmt::format("compensation = {} must be a kind in quotes or a section [controller.compensation]",
                              text_of(*node)));
    return;
  }
  const Section section{table ? *node : controller.node, table ? "[controller.compensation]" : controller.name};
  const auto kind = choice(section, table ? "kind" : "compensation", laws, true, reading);
  if (!kind) return;
  p.kind = static_cast<CompensationKind>(*kind);
  if (table) {
    std::vector<FieldView> fields = views(p);
    std::erase_if(fields, [&](const FieldView& f) { return !reads(p.kind, f.name); });
    std::vector<Key> also{of_law};
    if (reads(p.kind, "model")) also.push_back(of_model);
    if (reads(p.kind, "estimate")) also.push_back(of_estimate);
    read_section(section, laws[*kind], fields, also, reading);
    p.estimate = section.texts("estimate", reading);
    for (auto e = p.estimate.begin(); e != p.estimate.end(); ++e) {
      if (std::find(p.estimate.begin(), e, *e) != e)
        reading.wrong(section.where("estimate"), fmt::format("estimate contains \"{}\" twice; once is accepted", *e));
    }
  }
  const bool model = reads(p.kind, "model");
  if (model && table && section.has("model")) {
    p.model = read_servo_model(section, "model", "controller.compensation.model", contacts, reading);
  } else if (model && contacts.size() == 1 && contacts.front().contact) {
    p.model = contacts.front().contact->clone();
  } else if (model && contacts.size() != 1) {
    reading.wrong(node->where,
                  fmt::format("compensation = \"{}\" requires model in [controller.compensation]: {}", laws[*kind],
                              contacts.empty() ? "a friction file or block; there is no contact"
                                               : "the name of one of the contacts, a friction file or block"));
  }
  if (controller.has("feedforward") && model)
    reading.wrong(
        controller.where("feedforward"),
        fmt::format("feedforward and compensation = \"{}\" would compensate the same friction twice; one of them, or "
                    "feedforward with \"disturbance_observer\", is accepted",
                    laws[*kind]));
}

void check_compensation(const Section& controller, const ControllerParams& c, double inertia, Reading& reading) {
  const Node* node = controller.node.find("compensation");
  if (!node || (reads(c.compensation.kind, "model") && !c.compensation.model)) return;
  const auto objection = objection_to_compensation(c, inertia, &reading.notes);
  if (!objection) {
    if (c.compensation.model && c.compensation.model->has_effects())
      reading.notes.push_back(fmt::format("compensation = \"{}\" uses the model without its effects",
                                          choices(c.compensation.kind)[static_cast<std::size_t>(c.compensation.kind)]));
    return;
  }
  const std::string key = objection->key.substr(objection->key.find('.') + 1);
  reading.wrong(node->as<Node::Object>() ? Section{*node, ""}.where(key) : node->where, objection->text);
}

}  // namespace bristle::scenario
