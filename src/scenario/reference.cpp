#include "bristle/scenario/reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bristle/registry/describe.hpp"
#include "scenario/explore.hpp"
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
    for (const char* part : {"initial", "effects", "negative", "heat", "distribution"}) {  // the registry reads these
      const std::string path = top.name + "." + part;
      const Prose* p = prose_of(path);
      SectionInfo& s = out.emplace_back(
          SectionInfo{.path = path, .heading = "[" + path + "]", .about = p->about, .example = p->example});
      for (const FieldInfo& f : effect_infos()) {
        if (path.ends_with("effects")) s.keys.push_back(key_of(f));
      }
      for (const FieldInfo& f : heat_infos()) {
        if (path.ends_with("heat")) s.keys.push_back(key_of(f));
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
  if (!f.waived_by.empty()) out.instead.push_back(f.waived_by);
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
  if (k.form & form::points) out.push_back(fmt::format("array of {} points [x, y]", k.count.lo));
  if (k.form & form::tables) out.emplace_back("array of sections");
  return fmt::format("{}", fmt::join(out, " or "));
}

std::string default_text(const Key& k) {
  if (!k.required) return k.value;
  return k.instead.empty() ? "required" : fmt::format("this or {}", fmt::join(k.instead, ", "));
}

}  // namespace bristle::scenario
