#include "cli/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bristle/registry/describe.hpp"
#include "bristle/scenario/reference.hpp"
#include "cli/page.hpp"
#include "cli/paint.hpp"
#include "cli/screen.hpp"

namespace bristle::cli {
namespace {

using scenario::Key;
using scenario::SectionInfo;
namespace form = scenario::form;

/// The last parts of a path, as many as make it unique: sensor, reference.terms.
std::string topic_of(const SectionInfo& s) {
  if (s.path.empty()) return "scenario";
  for (std::size_t dot = s.path.rfind('.'); dot != std::string::npos && dot > 0; dot = s.path.rfind('.', dot - 1)) {
    const std::string last = s.path.substr(dot + 1);
    const auto same = std::ranges::count_if(
        scenario::sections(), [&](const SectionInfo& o) { return o.path == last || o.path.ends_with('.' + last); });
    if (same == 1) return last;
  }
  return s.path;
}

const SectionInfo* section_of(const std::string& topic) {
  for (const SectionInfo& s : scenario::sections()) {
    if (topic_of(s) == topic || (s.path == topic && !topic.empty())) return &s;
  }
  return nullptr;
}

/// Sections whose values belong to the page of another one: expect.* to expect.
bool is_part(const SectionInfo& s) { return s.path.ends_with(".*"); }

std::string unit_text(const Key& k) {
  const bool number = (k.form & (form::number | form::whole | form::numbers | form::points)) != 0;
  return !number || k.unit == "1" ? "" : k.unit;
}

void add_row(const SectionInfo& s, const Key& k, std::vector<std::vector<std::string>>& rows) {
  std::string meaning = k.text;
  if (!k.like.empty() && scenario::find_section(k.like))
    meaning += fmt::format("; keys of the section: those of [{}]", k.like);
  std::vector<std::string> words;
  for (const std::string& w : s.path == "friction" ? std::vector<std::string>{} : k.choices) {
    const std::string about = k.name == s.by ? "" : scenario::meaning_of_word(s.path, k.name, w);
    words.push_back(about.empty() ? w : fmt::format("{} ({})", w, about));
  }
  if (!words.empty()) meaning += fmt::format(": {}", fmt::join(words, ", "));
  const std::string accepted = k.form == form::word ? "word" : scenario::accepted(k);
  rows.push_back({k.name == "*" ? "(any name)" : k.name, unit_text(k), scenario::default_text(k), accepted, meaning});
}

void add_keys(const SectionInfo& s, const std::vector<Key>& keys, Page& page) {
  Block table{.kind = Block::table, .rows = {{"key", "unit", "default", "accepted", "meaning"}}};
  for (const Key& k : keys) add_row(s, k, table.rows);
  if (!keys.empty()) page.push_back(std::move(table));
}

/// The section with the same groups, which is described before.
const SectionInfo* twin_of(const SectionInfo& s) {
  auto names = [](const SectionInfo::Group& g) {
    std::vector<std::string> out;
    out.reserve(g.keys.size());
    for (const Key& k : g.keys) out.push_back(k.name);
    std::ranges::sort(out);
    return out;
  };
  for (const char* path : {"drive"}) {
    const SectionInfo* other = scenario::find_section(path);
    if (!other || other == &s || s.groups.empty()) continue;
    const bool same = std::ranges::all_of(s.groups, [&](const SectionInfo::Group& g) {
      const SectionInfo::Group* o = other->group(g.word);
      return o && names(*o) == names(g);
    });
    if (same) return other;
  }
  return nullptr;
}

void add_models(Page& page) {
  Block table{.kind = Block::table, .words = "models/", .rows = {{"model", "subject"}}};
  for (const ModelInfo& m : model_infos()) table.rows.push_back({m.name, m.title});
  page.push_back(std::move(table));
}

void add_functions(Page& page) {
  Block table{.kind = Block::table, .rows = {{"function", "value"}}};
  for (const scenario::FunctionInfo& f : scenario::run_functions()) table.rows.push_back({f.form, f.text});
  page.push_back(std::move(table));
  page.push_back({.kind = Block::text,
                  .words =
                      "Y is a column; mean(Y, 5, 20) is the mean from t = 5 s to 20 s, and so for the other "
                      "functions of a column. A function that is not defined in a run has no value; a check of it is "
                      "violated."});
}

void add_section(const SectionInfo& s, int level, Page& page) {
  const SectionInfo* root = scenario::find_section("");
  const Key* top = root->find(s.path);
  const std::string title = s.path.empty() ? "Scenario files" : s.heading;
  page.push_back({.kind = Block::heading, .level = level, .words = top ? title + ": " + top->text : title});
  if (!s.about.empty()) page.push_back({.kind = Block::text, .words = s.about});
  if (!s.example.empty()) page.push_back({.kind = Block::code, .words = s.example});
  add_keys(s, s.keys, page);
  if (s.path == "friction") add_models(page);
  if (s.path == "expect" || s.path == "measure") add_functions(page);
  if (const SectionInfo* value = scenario::find_section(s.path + ".*")) {
    page.push_back({.kind = Block::text, .words = value->about});
    add_keys(*value, value->keys, page);
  }
  if (const SectionInfo* twin = twin_of(s)) {
    page.push_back(
        {.kind = Block::text, .words = fmt::format("The kinds and their keys are those of {}.", twin->heading)});
    return;
  }
  for (const SectionInfo::Group& g : s.groups) {
    if (g.word.empty()) continue;  // the default word
    page.push_back({.kind = Block::heading, .level = level + 1, .words = fmt::format("{} = \"{}\"", s.by, g.word)});
    if (!g.about.empty()) page.push_back({.kind = Block::text, .words = g.about});
    add_keys(s, g.keys, page);
    if (!g.example.empty()) page.push_back({.kind = Block::code, .words = g.example});
  }
}

Page page_of(const SectionInfo& s) {
  Page page;
  add_section(s, 1, page);
  std::vector<std::string> inside;
  for (const SectionInfo& o : scenario::sections()) {
    if (o.path.starts_with(s.path + ".") && !is_part(o) && !s.path.empty()) inside.push_back(topic_of(o));
  }
  if (!inside.empty())
    page.push_back({.kind = Block::text,
                    .words = fmt::format("Subsections, topics of bristle help: {}.", fmt::join(inside, ", "))});
  return page;
}

}  // namespace

std::vector<std::string> help_topics() {
  std::vector<std::string> out;
  for (const SectionInfo& s : scenario::sections()) {
    if (!is_part(s)) out.push_back(topic_of(s));
  }
  return out;
}

bool print_topic(const std::string& topic) {
  const SectionInfo* s = section_of(topic);
  if (s) print_text(for_terminal(page_of(*s), screen_width()));
  return s != nullptr;
}

void print_topics(const std::vector<std::pair<std::string, std::string>>& commands) {
  Page page;
  page.push_back({.kind = Block::heading, .words = "Scenario files: bristle help TOPIC"});
  const SectionInfo* root = scenario::find_section("");
  Block topics{.kind = Block::table, .rows = {{"topic", "subject"}, {"scenario", "the whole file, with an example"}}};
  for (const SectionInfo& s : scenario::sections()) {
    if (s.path.empty() || is_part(s)) continue;
    const std::size_t dot = s.path.rfind('.');
    const SectionInfo* parent = dot == std::string::npos ? root : scenario::find_section(s.path.substr(0, dot));
    const std::vector<Key> keys = parent ? parent->all() : std::vector<Key>{};
    const auto key = std::ranges::find(keys, s.path.substr(dot + 1), &Key::name);
    topics.rows.push_back({topic_of(s), s.heading + (key == keys.end() ? "" : ": " + key->text)});
  }
  page.push_back(std::move(topics));
  page.push_back({.kind = Block::heading, .words = "Commands: bristle help COMMAND, or bristle COMMAND --help"});
  Block table{.kind = Block::table, .rows = {{"command", "subject"}}};
  for (const auto& [name, about] : commands) table.rows.push_back({name, about});
  page.push_back(std::move(table));
  page.push_back({.kind = Block::heading, .words = "Models: bristle help MODEL, or bristle models MODEL"});
  page.push_back({.kind = Block::text, .words = fmt::format("{}", fmt::join(model_names(), ", "))});
  print_text(for_terminal(page, screen_width()));
}

std::string reference_document() {
  Page page;
  for (const SectionInfo& s : scenario::sections()) {
    if (is_part(s)) continue;
    const auto depth = static_cast<int>(std::ranges::count(s.path, '.'));
    add_section(s, s.path.empty() ? 1 : 2 + depth, page);
  }
  return "<!-- Written by `make docs` from the readers of scenario files: change those instead. -->\n\n" +
         as_markdown(page);
}

}  // namespace bristle::cli
