#include "bristle/scenario/reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>

#include "bristle/registry/describe.hpp"
#include "scenario/prose.hpp"
#include "scenario/shared/section.hpp"

namespace bristle::scenario {
namespace {

unsigned form_of(Kind kind) {
  switch (kind) {
    case Kind::real: return form::number;
    case Kind::integer: return form::whole;
    case Kind::boolean: return form::boolean;
    case Kind::choice: return form::word;
    case Kind::array: return form::numbers;
  }
  return 0;
}

/// A default outside the range stands for "not given".
std::string text_of_default(const Value& value, const Range& range) {
  if (const auto* x = value.as<double>()) {
    if (std::isinf(*x) && range.contains(*x)) return "off";
    return range.contains(*x) ? to_text(*x) : "";
  }
  const auto* array = value.as<std::vector<double>>();
  return array && array->empty() ? "" : value.text();
}

/// Words of the choices that a probe sets: kind = "sine".
using Chosen = std::map<std::string, std::string>;

struct Found {
  Chosen chosen;
  std::vector<Key> keys;
  bool open;
};

/// Where a node is in a tree: for people, and for assign().
struct Place {
  std::string path, access;
};
bool find_place(const Node& from, const Node* wanted, Place& at) {
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

/// Reads files with every word of every choice and with every subsection, and collects the lists of the readers. No
/// list of sections, kinds or keys exists besides those of the readers.
class Explorer {
 public:
  std::vector<std::string> order{};  // paths as they are found
  std::map<std::string, std::vector<Found>> found{};
  std::map<std::string, std::map<std::string, Description::Choice>> choices{};  // by path and key

  void explore() {
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

 private:
  void run() {
    constexpr int most = 20000;  // probes; a reader that asks for words without end would be a mistake
    for (int i = 0; i < most && !queue_.empty(); ++i) {
      const Node root = std::move(queue_.front());
      queue_.pop_front();
      probe(root);
    }
  }

  void probe(const Node& root) {
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

  void note(const Node& root, const Description::Keys& k, Chosen chosen) {
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

  void ask(const Node& root, const Description::Choice& c, const Chosen& chosen) {
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

  /// A reader may work on a copy of a node; then the name of the section tells the place.
  Place place(const Node& root, const Node* node, const std::string& name) const {
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

  std::deque<Node> queue_{};
  std::set<std::string> tried_{}, open_{};
};

void add_unit(std::string& units, const std::string& unit) {
  constexpr std::string_view between = ", ";
  for (std::size_t at = 0; at <= units.size();) {
    const std::size_t end = std::min(units.find(between, at), units.size());
    if (units.substr(at, end - at) == unit) return;
    at = end + between.size();
  }
  units += std::string(between) + unit;
}

/// Adds a key to a list, or what it adds to the same key in the list.
void merge(std::vector<Key>& to, const Key& key) {
  const auto same = std::ranges::find(to, key.name, &Key::name);
  if (same == to.end()) {
    to.push_back(key);
    return;
  }
  add_unit(same->unit, key.unit);
  same->form |= key.form;
  if (same->value != key.value || same->required != key.required) same->value.clear();
  same->waived = same->waived || same->required != key.required;
  same->required = same->required || key.required;
  if (same->text.empty()) same->text = key.text;
  same->range = {std::min(same->range.lo, key.range.lo), std::max(same->range.hi, key.range.hi)};
  same->count = {std::min(same->count.lo, key.count.lo), std::max(same->count.hi, key.count.hi)};
  for (const std::string& other : key.instead) {
    if (std::ranges::find(same->instead, other) == same->instead.end()) same->instead.push_back(other);
  }
}

/// omega replaces frequency: then frequency also replaces omega.
void pair_up(std::vector<Key>& keys) {
  for (const Key& a : std::vector<Key>(keys)) {
    for (const std::string& other : a.instead) {
      const auto b = std::ranges::find(keys, other, &Key::name);
      if (b == keys.end() || !a.required || !b->required) continue;
      if (std::ranges::find(b->instead, a.name) == b->instead.end()) b->instead.push_back(a.name);
    }
  }
}

class Composer {
 public:
  explicit Composer(const Explorer& e) : e_(e) {}

  SectionInfo section(const std::string& path) const {
    SectionInfo out{.path = path};
    if (const Prose* p = prose_of(path)) {
      out.about = p->about;
      out.example = p->example;
    }
    const std::string list = "[[" + path + "]]";
    out.heading = path.empty() ? "" : out.example.find(list) != std::string::npos ? list : "[" + path + "]";
    const std::vector<Found>& found = e_.found.at(path);
    out.open = std::ranges::any_of(found, &Found::open);
    out.by = selector(path, found);
    std::vector<std::string> words{""};
    if (!out.by.empty()) {
      const auto& given = e_.choices.at(path).at(out.by).words;
      words.insert(words.end(), given.begin(), given.end());
    }
    for (const std::string& word : words) {
      std::vector<Key> keys;
      for (const Found& f : found) {
        const auto chosen = f.chosen.find(out.by);
        if (!out.by.empty() && (chosen == f.chosen.end() ? "" : chosen->second) != word) continue;
        for (const Key& k : f.keys) merge(keys, k);
      }
      if (keys.empty()) continue;
      complete(path, keys);
      SectionInfo::Group group{.word = word, .keys = std::move(keys)};
      if (const Prose* p = prose_of(fmt::format("{}.{}={}", path, out.by, word))) {
        group.about = p->about;
        group.example = p->example;
      }
      out.groups.push_back(std::move(group));
    }
    take_common(out);
    return out;
  }

 private:
  /// The key whose word decides which other keys exist.
  std::string selector(const std::string& path, const std::vector<Found>& found) const {
    if (!e_.choices.contains(path)) return "";
    for (const auto& [key, choice] : e_.choices.at(path)) {
      std::map<std::string, std::set<std::string>> names;
      for (const Found& f : found) {
        const auto word = f.chosen.find(key);
        if (word == f.chosen.end()) continue;
        for (const Key& k : f.keys) names[word->second].insert(k.name);
      }
      for (const auto& [word, set] : names) {
        if (set != names.begin()->second) return key;
      }
    }
    return "";
  }

  /// Words of the choices, and whether one of them is required.
  void complete(const std::string& path, std::vector<Key>& keys) const {
    for (Key& k : keys) {
      if (!e_.choices.contains(path) || !e_.choices.at(path).contains(k.name)) continue;
      const Description::Choice& c = e_.choices.at(path).at(k.name);
      k.choices = c.words;
      k.required = c.required;
    }
    if (path == "friction") std::ranges::find(keys, "model", &Key::name)->choices = model_names();
    pair_up(keys);
  }

  /// Keys of all groups become keys of the section.
  static void take_common(SectionInfo& out) {
    if (out.groups.empty()) return;
    std::map<std::string, std::pair<std::size_t, std::size_t>> uses;  // in groups, required
    for (const SectionInfo::Group& g : out.groups) {
      for (const Key& k : g.keys) {
        ++uses[k.name].first;
        uses[k.name].second += k.required ? 1 : 0;
      }
    }
    auto in_all = [&](const Key& k) {
      const auto& [groups, required] = uses[k.name];
      return groups == out.groups.size() && (required == 0 || required == groups);
    };
    for (SectionInfo::Group& g : out.groups) {
      for (const Key& k : g.keys) {
        if (in_all(k)) merge(out.keys, k);
      }
      std::erase_if(g.keys, in_all);
    }
    if (out.by.empty()) out.groups.clear();
  }

  const Explorer& e_;
};

std::vector<SectionInfo> composed() {
  Explorer explorer;
  explorer.explore();
  const Composer composer(explorer);
  std::vector<SectionInfo> out;
  auto add = [&](const std::string& path) {
    if (explorer.found.contains(path)) out.push_back(composer.section(path));
  };
  add("");
  for (const Key& top : top_keys) {
    add(top.name);
    for (const std::string& path : explorer.order) {
      if (path.starts_with(top.name + ".")) add(path);
    }
    if (top.name != "friction") continue;
    for (const char* part : {"initial", "effects", "negative"}) {  // the registry reads these
      const std::string path = top.name + "." + part;
      const Prose* p = prose_of(path);
      SectionInfo& s = out.emplace_back(
          SectionInfo{.path = path, .heading = "[" + path + "]", .about = p->about, .example = p->example});
      for (const FieldInfo& f : effect_infos()) {
        if (path.ends_with("effects")) s.keys.push_back(key_of(f));
      }
    }
  }
  return out;
}

}  // namespace

Key key_of(const FieldView& f) {
  Key out{f.name, form_of(f.kind), f.text, f.unit, f.range, {1, static_cast<double>(f.capacity)}};
  out.choices = f.choices;
  out.required = f.required();
  if (!f.required() && f.get) out.value = text_of_default(f.get(), f.range);
  return out;
}

Key key_of(const FieldInfo& f) {
  Key out{f.name, form_of(f.kind), f.meaning, f.unit, f.range};
  out.choices = f.choices;
  out.required = f.required;
  if (!f.required) out.value = text_of_default(f.value, f.range);
  if (!f.per_load.empty()) out.instead = {f.per_load};
  return out;
}

const Key* SectionInfo::find(std::string_view key) const {
  const auto at = std::ranges::find(keys, key, &Key::name);
  return at == keys.end() ? nullptr : &*at;
}
const SectionInfo::Group* SectionInfo::group(std::string_view word) const {
  const auto at = std::ranges::find(groups, word, &Group::word);
  return at == groups.end() ? nullptr : &*at;
}
std::vector<Key> SectionInfo::all() const {
  std::vector<Key> out = keys;
  for (const Group& g : groups) {
    for (const Key& k : g.keys) merge(out, k);
  }
  return out;
}

const std::vector<SectionInfo>& sections() {
  static const std::vector<SectionInfo> all = composed();
  return all;
}
const SectionInfo* find_section(std::string_view path) {
  const auto at = std::ranges::find(sections(), path, &SectionInfo::path);
  return at == sections().end() ? nullptr : &*at;
}

namespace {
/// 1e9 instead of 1000000000.
std::string short_number(double x) {
  std::string out = fmt::format("{:.10g}", x);
  if (std::abs(x) >= 1e6) out = fmt::format("{:g}", x);
  for (const char* zeros : {"e+0", "e+"}) {
    if (const std::size_t at = out.find(zeros); at != std::string::npos)
      out.replace(at, std::string(zeros).size(), "e");
  }
  return out;
}
std::string range_text(const Range& r) {
  if (r.hi < limit::most && r.lo > limit::least) return fmt::format("{} to {}", short_number(r.lo), short_number(r.hi));
  const std::string out = describe(r);
  return out == "a finite number" ? "" : out;
}
}  // namespace

std::string meaning_of_word(std::string_view path, std::string_view key, std::string_view word) {
  const Prose* p = prose_of(fmt::format("{}.{}={}", path, key, word));
  return p ? p->about : "";
}

std::string accepted(const Key& k) {
  std::vector<std::string> out;
  const std::string range = range_text(k.range);
  const bool pair = k.count.lo == k.count.hi;
  if (k.form & form::word) out.push_back(fmt::format("{}", fmt::join(k.choices, ", ")));
  if (k.form & form::whole) out.push_back(k.range.lo == k.range.hi ? to_text(k.range.lo) : "whole number " + range);
  if (k.form & form::number) out.push_back(range.empty() ? "number" : range);
  if (k.form & form::boolean) out.emplace_back("true, false");
  if (k.form & form::text) out.emplace_back("text");
  if (k.form & form::texts) out.emplace_back("array of texts");
  if (k.form & form::numbers)
    out.push_back(pair            ? fmt::format("array of {} numbers", k.count.lo)
                  : range.empty() ? "array of numbers"
                                  : "array, each " + range);
  if (k.form & form::table) out.emplace_back("section");
  if (k.form & form::tables) out.emplace_back("array of sections");
  return fmt::format("{}", fmt::join(out, " or "));
}

std::string default_text(const Key& k) {
  if (!k.required) return k.value;
  return k.instead.empty() ? "required" : fmt::format("this or {}", fmt::join(k.instead, ", "));
}

}  // namespace bristle::scenario
