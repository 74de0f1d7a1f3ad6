#include "scenario/shared/kind.hpp"

#include <algorithm>

#include "scenario/shared/section.hpp"

namespace bristle::scenario {

bool is_friction_file(const Node& root) {
  const auto& all = *root.as<Node::Object>();
  auto belongs = [](const Member& m) {
    return m.key == "friction" || std::ranges::find(head_keys, m.key) != head_keys.end();
  };
  auto of_scenario = [&](const Member& m) {
    return !belongs(m) && std::ranges::find(known_sections, m.key) != known_sections.end();
  };
  const bool block = root.find("model") || root.find("file") || root.find("friction");
  return block && std::ranges::none_of(all, of_scenario);
}

}  // namespace bristle::scenario
