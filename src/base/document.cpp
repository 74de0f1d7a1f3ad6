#include "base/document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.hpp"

namespace bristle::scenario {
namespace {

constexpr std::size_t most_parts = 16;

/// Splits a path such as friction."x.y".Fc; empty if it is invalid.
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (true) {
    path = trimmed(path);
    std::size_t end = 0;
    if (!path.empty() && (path.front() == '"' || path.front() == '\'')) {
      end = path.find(path.front(), 1);
      if (end == std::string_view::npos) return {};
      parts.emplace_back(path.substr(1, end - 1));
      path = trimmed(path.substr(end + 1));
      end = path.empty() ? std::string_view::npos : 0;
      if (!path.empty() && path.front() != '.') return {};
    } else {
      end = path.find('.');
      parts.emplace_back(trimmed(path.substr(0, end)));
      if (parts.back().empty()) return {};
    }
    if (end == std::string_view::npos) return parts;
    if (parts.size() == most_parts) return {};
    path.remove_prefix(end + 1);
  }
}

void place(Node& node, const std::string& where) {
  node.where = where;
  if (auto* list = node.as<Node::List>()) {
    for (Node& e : *list) place(e, where);
  }
  if (auto* object = node.as<Node::Object>()) {
    for (Member& m : *object) place(m.value, where);
  }
}

Node parsed_value(const std::string& text, const std::string& where) {
  Problems problems;
  Node root = parse_toml("v = " + text, where, problems);
  Node value{.v = text};
  if (problems.empty() && root.as<Node::Object>()->size() == 1) value = Node(*root.find("v"));
  place(value, where);
  return value;
}

std::size_t index_in(const std::string& part, std::size_t size) {
  const auto x = parse_number(part);
  return x && *x >= 0 && *x < static_cast<double>(size) ? static_cast<std::size_t>(*x) : size;
}

/// The element with an index, counted from 0, or with a name.
Node* element(Node::List& list, const std::string& part) {
  for (Node& e : list) {
    const Node* name = e.find("name");
    if (const auto* text = name ? name->as<std::string>() : nullptr; text && *text == part) return &e;
  }
  const std::size_t i = index_in(part, list.size());
  return i < list.size() ? &list[i] : nullptr;
}

}  // namespace

const Node* Node::find(std::string_view key) const { return const_cast<Node*>(this)->find(key); }
Node* Node::find(std::string_view key) {
  auto* object = as<Object>();
  if (!object) return nullptr;
  const auto m = std::find_if(object->begin(), object->end(), [&](const Member& e) { return e.key == key; });
  return m == object->end() ? nullptr : &m->value;
}

Value to_value(const Node& node) {
  if (const auto* x = node.as<double>()) return *x;
  if (const auto* x = node.as<bool>()) return *x;
  if (const auto* x = node.as<std::string>()) return *x;
  if (const auto* x = node.as<Node::Numbers>()) return *x;
  return node.as<Node::List>() ? "[...]" : "{...}";
}

Table to_table(const Node& object) {
  Table out;
  for (const Member& m : *object.as<Node::Object>()) out.push_back({m.key, to_value(m.value), m.value.where});
  return out;
}

std::string text_of(const Node& node) {
  if (node.as<Node::List>()) return "[...]";
  return node.as<Node::Object>() ? "{...}" : to_value(node).text();
}

void assign(Node& root, std::string_view path, const Node& value, Problems& problems) {
  const std::vector<std::string> parts = parts_of(path);
  const std::string& where = value.where;
  auto wrong = [&](const std::string& text) { problems.push_back({where, text}); };
  if (parts.empty()) return wrong(fmt::format("'{}' must be a key such as friction.Fc", path));
  Node* at = &root;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (auto* list = at->as<Node::List>()) {
      at = element(*list, part);
      if (!at)
        return wrong(
            fmt::format("unknown element '{}'; a name, or an index from 0 below {}, is accepted", part, list->size()));
    } else if (auto* numbers = at->as<Node::Numbers>(); numbers && i + 1 == parts.size()) {
      const std::size_t k = index_in(part, numbers->size());
      if (k == numbers->size() || !value.as<double>()) {
        return wrong(fmt::format("must be a number, at an index from 0 below {}", numbers->size()));
      }
      (*numbers)[k] = *value.as<double>();
      at->where = where;
      return;
    } else if (auto* object = at->as<Node::Object>()) {
      if (Node* next = at->find(part)) {
        at = next;
      } else {
        object->push_back({part, Node{.where = where}});
        at = &object->back().value;
      }
    } else {
      return wrong(fmt::format("'{}' belongs to {}, which is not a section", part, text_of(*at)));
    }
  }
  *at = value;
}

void change(Node& root, const std::string& assignment, Problems& problems) {
  const std::size_t equals = assignment.find('=');
  const std::string path(trimmed(std::string_view(assignment).substr(0, equals)));
  if (equals == std::string::npos || parts_of(path).empty()) {
    problems.push_back({"--set " + assignment, "must be KEY=VALUE, such as friction.Fc=1.2"});
    return;
  }
  assign(root, path, parsed_value(assignment.substr(equals + 1), "--set " + path), problems);
}

}  // namespace bristle::scenario
