#include "scenario/explore.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scenario/prose.hpp"

namespace bristle::scenario {

void Explorer::explore() {
  queue_.push_back({.v = Node::Object{}});
  run();
  Problems ignored;
  Node fitted{.v = Node::Object{}};
  assign(fitted, "fitted.mass", {.v = 1.0}, ignored);  // a slider then does not require its own
  assign(fitted, "system.kind", {.v = std::string("slider")}, ignored);
  queue_.push_back(std::move(fitted));
  for (const Key& top : top_keys) {  // examples have keys of sections where any key is accepted
    if (const Prose* p = prose_of(top.name)) queue_.push_back(parse_toml(p->example, top.name, ignored));
  }
  run();
}

void Explorer::run() {
  constexpr int most = 20000;  // probes; a reader that asks for words without end would be a mistake
  for (int i = 0; i < most && !queue_.empty(); ++i) {
    const Node root = std::move(queue_.front());
    queue_.pop_front();
    probe(root);
  }
}

void Explorer::probe(const Node& root) {
  Description d;
  scenario_of(root, "", "", {}, {}, &d);
  std::map<const Node*, Chosen> chosen;
  for (const Description::Choice& c : d.choices) {
    const Node* value = c.node->find(c.key);
    if (const auto* word = value ? value->as<std::string>() : nullptr) chosen[c.node][c.key] = *word;
  }
  for (const Description::Keys& k : d.keys) {
    if (k.open) open_.insert(place(root, k.node, k.section).path);
  }
  for (const Description::Choice& c : d.choices) ask(root, c, chosen[c.node]);
  for (const Description::Keys& k : d.keys) note(root, k, chosen.contains(k.node) ? chosen[k.node] : Chosen{});
}

void Explorer::note(const Node& root, const Description::Keys& k, Chosen chosen) {
  const Place at = place(root, k.node, k.section);
  if (!found.contains(at.path)) order.push_back(at.path);
  auto& all = found[at.path];
  all.push_back({std::move(chosen), k.keys, k.open});
  for (const Key& key : k.keys) {
    const std::string inside = at.path + (at.path.empty() ? "" : ".") + key.name;
    const bool list = (key.form & form::tables) != 0;
    if (!(key.form & (form::table | form::tables)) || !key.like.empty() || key.name == "*") continue;
    if (at.access.empty() != at.path.empty() || !tried_.insert(inside).second) continue;
    Node element{.v = Node::Object{}};
    if (list && !(key.form & form::table)) element = Node{.v = Node::List{element}};
    Node next = root;
    Problems ignored;
    assign(next, at.access.empty() ? key.name : at.access + "." + key.name, element, ignored);
    queue_.push_back(std::move(next));
  }
}

void Explorer::ask(const Node& root, const Description::Choice& c, const Chosen& chosen) {
  const Place at = place(root, c.node, c.section);
  auto& known = choices[at.path];
  if (!known.contains(c.key)) known.emplace(c.key, c);
  if (at.access.empty() != at.path.empty()) return;  // a copy, which assign() cannot reach
  for (const std::string& word : c.words) {
    Chosen with = chosen;
    with[c.key] = word;
    if (!tried_.insert(fmt::format("{} {}", at.path, with)).second) continue;
    Node next = root;
    Problems ignored;
    assign(next, at.access.empty() ? c.key : at.access + "." + c.key, {.v = word}, ignored);
    queue_.push_back(std::move(next));
  }
}

Explorer::Place Explorer::place(const Node& root, const Node* node, const std::string& name) const {
  Place at;
  if (find_place(root, node, at)) {
    const std::size_t dot = at.path.find('.');
    if (dot != std::string::npos && open_.contains(at.path.substr(0, dot))) at.path = at.path.substr(0, dot) + ".*";
    for (const std::string& open : open_) {
      if (at.path.starts_with(open + ".")) at.path = open + ".*";
    }
    return at;
  }
  const std::size_t open = name.rfind('['), close = name.find(']', open == std::string::npos ? 0 : open);
  const std::string path = open == std::string::npos ? name : name.substr(open + 1, close - open - 1);
  return {name.find(" of [") == std::string::npos ? path : path + ".*", ""};
}

bool Explorer::find_place(const Node& from, const Node* wanted, Place& at) {
  if (&from == wanted) return true;
  auto inside = [&](const Node& next, const std::string& name, const std::string& index) {
    const Place before = at;
    if (!name.empty()) at.path += (at.path.empty() ? "" : ".") + name;
    at.access += (at.access.empty() ? "" : ".") + index;
    if (find_place(next, wanted, at)) return true;
    at = before;
    return false;
  };
  if (const auto* object = from.as<Node::Object>()) {
    return std::ranges::any_of(*object, [&](const Member& m) { return inside(m.value, m.key, m.key); });
  }
  const auto* list = from.as<Node::List>();
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    if (inside((*list)[i], "", std::to_string(i))) return true;
  }
  return false;
}

}  // namespace bristle::scenario
