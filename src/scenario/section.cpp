#include "scenario/shared/section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace bristle::scenario {
namespace {

/// Removes the quotes around the placeholders of tables and lists.
std::string without_quotes(std::string text) {
  for (const std::string word : {"[...]", "{...}"}) {
    for (std::size_t at = 0; (at = text.find('"' + word + '"', at)) != std::string::npos;) {
      text.replace(at, word.size() + 2, word);
    }
  }
  return text;
}

}  // namespace

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string> names_of(const std::vector<Key>& keys) {
  std::vector<std::string> out(keys.size());
  std::ranges::transform(keys, out.begin(), &Key::name);
  return out;
}

void Reading::add(Problems more) {
  for (Problem& p : more) wrong(p.where, without_quotes(std::move(p.text)));
}

void Reading::describe(const Section& section, const std::vector<FieldView>& fields, const std::vector<Key>& also,
                       bool open) const {
  if (!description) return;
  std::vector<Key> keys;
  const auto replaces = [](const Key& k, const std::string& name) {
    return std::ranges::find(k.instead, name) != k.instead.end();
  };
  for (const Key& k : also) {
    if (std::ranges::none_of(fields, [&](const FieldView& f) { return replaces(k, f.name); })) keys.push_back(k);
  }
  for (const FieldView& f : fields) {
    keys.push_back(key_of(f));
    for (const Key& k : also) {
      if (replaces(k, f.name)) keys.push_back(k);  // omega after frequency
    }
  }
  description->keys.push_back({&section.node, section.name, std::move(keys), open});
}

std::string Reading::resolved(const std::string& file) { return files.emplace_back((folder / file).string()); }

std::string hint(const std::string& word, const std::vector<std::string>& known) {
  std::string near = nearest(word, known);
  auto low = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  if (word.size() == 1 && near.size() == 1 && low(word[0]) != low(near[0]))
    near.clear();  // suggest F for f, but not t for G
  return near.empty() ? fmt::format("; accepted: {}", fmt::join(known, ", "))
                      : fmt::format(", did you mean '{}'?", near);
}

std::optional<std::string> Section::text(const std::string& key, Reading& reading) const {
  const Node* n = node.find(key);
  if (!n) return {};
  if (const auto* s = n->as<std::string>()) return *s;
  reading.wrong(n->where, fmt::format("{} = {} in {} must be a text in quotes", key, text_of(*n), name));
  return {};
}

std::vector<std::string> Section::texts(const std::string& key, Reading& reading) const {
  const Node* n = node.find(key);
  std::vector<std::string> out;
  if (!n) return out;
  if (const auto* s = n->as<std::string>()) return {*s};
  const auto* list = n->as<Node::List>();
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    if (const auto* s = (*list)[i].as<std::string>()) out.push_back(*s);
  }
  if (!list || out.size() != list->size()) {
    reading.wrong(n->where, fmt::format("{} = {} in {} must be a text or an array of texts", key, text_of(*n), name));
  }
  return out;
}

const std::string& Section::where(const std::string& key) const {
  const Node* n = node.find(key);
  return n ? n->where : node.where;
}

std::optional<std::size_t> choice(const Section& section, const std::string& key,
                                  const std::vector<std::string>& choices, bool required, Reading& reading) {
  if (reading.description)
    reading.description->choices.push_back({&section.node, section.name, key, choices, required});
  if (!section.has(key)) {
    if (required) {
      reading.wrong(section.node.where, fmt::format("missing key '{}' in {}; accepted: \"{}\"", key, section.name,
                                                    fmt::join(choices, "\", \"")));
    }
    return {};
  }
  const Node& n = *section.node.find(key);
  const auto* word = n.as<std::string>();
  const auto found = word ? std::find(choices.begin(), choices.end(), *word) : choices.end();
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  reading.wrong(n.where, fmt::format("{} = {} in {} must be one of \"{}\"", key, text_of(n), section.name,
                                     fmt::join(choices, "\", \"")));
  return {};
}

Given read_section(const Section& section, const std::string& owner, std::vector<FieldView> fields,
                   const std::vector<Key>& also, Reading& reading) {
  reading.describe(section, fields, also);
  const std::size_t n = fields.size();
  for (const Key& key : also) fields.push_back({.name = key.name, .role = role::optional});
  Table table = to_table(section.node);
  std::erase_if(table, [&](const Entry& e) { return std::ranges::find(also, e.key, &Key::name) != also.end(); });
  ReadResult result = read_fields(fields, table, {section.name, owner, section.node.where});
  result.given.resize(n);
  const bool good = result.problems.empty();
  reading.add(std::move(result.problems));
  return {std::move(result.given), good};
}

std::optional<Section> subsection(const Node& parent, const std::string& key, Reading& reading) {
  const Node* n = parent.find(key);
  if (!n) return {};
  if (n->as<Node::Object>()) return Section{*n, "[" + key + "]"};
  reading.wrong(n->where, fmt::format("{} = {} must be a section [{}]", key, text_of(*n), key));
  return {};
}

}  // namespace bristle::scenario
