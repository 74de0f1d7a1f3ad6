/// The reference of scenario files: complete, and the same as the readers accept.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "bristle/registry/describe.hpp"
#include "bristle/scenario.hpp"
#include "bristle/scenario/reference.hpp"
#include "scenario/prose.hpp"
#include "scenario/shared/section.hpp"

using namespace bristle;
using namespace bristle::scenario;

namespace {

/// f(section, group or nullptr, key)
template <class F> void each_key(F f) {
  for (const SectionInfo& s : sections()) {
    for (const Key& k : s.keys) f(s, nullptr, k);
    for (const SectionInfo::Group& g : s.groups) {
      for (const Key& k : g.keys) f(s, &g, k);
    }
  }
}

std::string name_of(const SectionInfo& s, const SectionInfo::Group* g, const Key& k) {
  return "[" + s.path + "]" + (g ? " " + s.by + " = " + g->word : "") + " " + k.name;
}

/// The frame with the sections of an example in place of its own.
Node with_frame(const std::string& example) {
  Problems problems;
  Node root = parse_toml(frame, "frame", problems);
  const Node more = parse_toml(example, "example", problems);
  EXPECT_TRUE(problems.empty()) << example;
  for (const Member& m : *more.as<Node::Object>()) {
    Node* old = root.find(m.key);
    const bool complete = m.key != "friction" || m.value.find("model") || m.value.as<Node::List>();
    if (old && complete) {
      *old = m.value;
    } else if (old) {
      for (const Member& part : *m.value.as<Node::Object>()) old->as<Node::Object>()->push_back(part);
    } else {
      root.as<Node::Object>()->push_back(m);
    }
  }
  if (more.find("system") && *more.find("system")->find("kind")->as<std::string>() == "multibody")
    std::erase_if(*root.as<Node::Object>(), [](const Member& m) { return m.key == "friction"; });
  return root;
}

std::string problems_of(const Node& root) {
  std::string out;
  for (const Problem& p : scenario_of(root, "", "").problems) out += p.line() + "\n";
  return out;
}

/// A file with one key of a section, of no form that a key accepts.
Node with_key(const SectionInfo& s, const SectionInfo::Group* g, const std::string& key) {
  Problems problems;
  Node root = parse_toml(frame, "frame", problems);
  std::string path = s.path;
  for (std::size_t star = 0; (star = path.find('*')) != std::string::npos;) path.replace(star, 1, "any");
  const std::string top = path.substr(0, path.find('.'));
  if (const SectionInfo* first = find_section(top);
      !top.empty() && first->example.find("[[" + top + "]]") != std::string::npos && top != "figure") {
    root = with_frame(first->example);  // of a mechanism
    auto& list = *root.find(top)->as<Node::List>();
    const auto at = std::ranges::find_if(list, [&](const Node& n) { return path == top && n.find(key); });
    if (at != list.end()) std::swap(list.front(), *at);
    std::erase_if(*list.front().as<Node::Object>(), [&](const Member& m) { return !first->find(m.key); });
    path.replace(0, top.size(), top + ".0");
  }
  if (path.starts_with("friction.distribution")) {
    assign(root, "friction", {.v = Node::Object{}}, problems);
    assign(root, "friction.model", {.v = std::string("gfm")}, problems);
  }
  if (path == "system.potential" || path == "system.spread") {
    assign(root, "system.kind", {.v = std::string("chain")}, problems);
    assign(root, "system.coupling", {.v = 1.0}, problems);
  }
  if (path == "sweep.curve") {
    assign(root, path, {.v = Node::List{Node{.v = Node::Object{}}}}, problems);
    path += ".0";
  }
  if (s.path == "sweep.vary.*") assign(root, path + ".from", {.v = 1.0}, problems);
  const bool terms = path.ends_with(".terms") && path != "fitted.terms";
  if (terms) {
    const std::string drive = path.substr(0, path.rfind('.'));
    assign(root, drive + ".kind", {.v = std::string("sum")}, problems);
    assign(root, path, {.v = Node::List{Node{.v = Node::Object{}}}}, problems);
    path += ".0";
  }
  if (s.path == "measure.*") assign(root, path + ".of", {.v = std::string("max(F)")}, problems);
  if (g && !g->word.empty()) assign(root, path + "." + s.by, {.v = g->word}, problems);
  const std::string place = path.empty() ? key : path + "." + key;
  if (!(g && key == s.by)) assign(root, place, {.v = Node::List{Node{.v = Node::List{}}}}, problems);
  EXPECT_TRUE(problems.empty()) << place << ": " << problems.front().text;
  return root;
}

std::filesystem::path source() { return std::filesystem::path(__FILE__).parent_path().parent_path(); }

}  // namespace

TEST(Reference, EveryKeyHasAMeaningAndAForm) {
  std::size_t count = 0;
  each_key([&](const SectionInfo& s, const SectionInfo::Group* g, const Key& k) {
    ++count;
    EXPECT_FALSE(k.text.empty()) << name_of(s, g, k)
                                 << " has no meaning: Key{name, form, meaning}, or a text of view()";
    EXPECT_NE(k.form, 0U) << name_of(s, g, k) << " has no form";
    EXPECT_TRUE(!(k.form & form::word) || !k.choices.empty()) << name_of(s, g, k) << " has no words";
  });
  EXPECT_GT(count, 200U);
}

TEST(Reference, EverySectionAndEveryKindIsExplained) {
  for (const Key& k : top_keys) {
    if (!(k.form & (form::table | form::tables))) continue;
    const SectionInfo* s = find_section(k.name);
    ASSERT_TRUE(s) << "no reader describes [" << k.name << "]";
    EXPECT_TRUE(s->open || !s->keys.empty()) << k.name;
  }
  for (const SectionInfo& s : sections()) {
    EXPECT_TRUE(s.path.starts_with("tribometer.") || !s.about.empty()) << "src/scenario/prose.cpp: " << s.path;
    for (const SectionInfo::Group& g : s.groups) {
      if (g.word.empty()) continue;
      EXPECT_FALSE(g.about.empty()) << "src/scenario/prose.cpp: " << s.path << "." << s.by << "=" << g.word;
    }
  }
}

TEST(Reference, EveryExampleIsAccepted) {
  std::size_t count = 0;
  auto accepted = [&](const std::string& example, const std::string& of) {
    if (example.empty()) return;
    ++count;
    EXPECT_EQ(problems_of(with_frame(example)), "") << of;
  };
  for (const SectionInfo& s : sections()) {
    accepted(s.example, s.path);
    for (const SectionInfo::Group& g : s.groups) accepted(g.example, s.path + " " + g.word);
  }
  EXPECT_GT(count, 25U);
}

// The other direction: a key in the reference is known to the reader, which refuses its value and not its name.
TEST(Reference, ReadersKnowEveryKey) {
  each_key([&](const SectionInfo& s, const SectionInfo::Group* g, const Key& k) {
    if (k.name == "*") return;
    const std::string said = problems_of(with_key(s, g, k.name));
    EXPECT_EQ(said.find("unknown key '" + k.name + "'"), std::string::npos) << name_of(s, g, k) << ": " << said;
    EXPECT_EQ(said.find("unknown section '" + k.name + "'"), std::string::npos) << name_of(s, g, k) << ": " << said;
  });
}

TEST(Reference, ReadersRefuseOtherKeys) {
  for (const SectionInfo& s : sections()) {
    if (s.open || s.path == "friction.initial") continue;
    const SectionInfo::Group* g = s.groups.empty() ? nullptr : &s.groups.back();
    const std::string said = problems_of(with_key(s, g, "qqqqqqqqq"));
    EXPECT_NE(said.find("'qqqqqqqqq'"), std::string::npos) << s.path << ": " << said;
  }
}

// A key that an example file contains is in the reference, in the group of its kind.
TEST(Reference, EveryKeyOfTheExamplesIsDescribed) {
  std::size_t files = 0, keys = 0;
  std::function<void(const Node&, const std::string&, const std::string&)> walk =
      [&](const Node& n, const std::string& path, const std::string& file) {
        if (const auto* list = n.as<Node::List>()) {
          for (const Node& e : *list) walk(e, path, file);
        }
        const auto* object = n.as<Node::Object>();
        const SectionInfo* s = find_section(path);
        if (!object || !s) return;
        const Node* by = s->by.empty() ? nullptr : n.find(s->by);
        const SectionInfo::Group* g = by ? s->group(*by->as<std::string>()) : s->group("");
        const Node* model = path == "friction" ? n.find("model") : nullptr;
        const bool from_file = path == "friction" && n.find("file");  // its model is there
        const ModelInfo* info = model ? find_model(*model->as<std::string>()) : nullptr;
        for (const Member& m : *object) {
          ++keys;
          const bool known = s->open || s->find(m.key) ||
                             (g && std::ranges::find(g->keys, m.key, &Key::name) != g->keys.end()) ||
                             path == "friction.initial" || path == "friction.negative";
          const bool parameter =
              info && (m.key == "normal_load" || std::ranges::any_of(info->parameters, [&](const FieldInfo& f) {
                         return f.name == m.key || f.per_load == m.key;
                       }));
          EXPECT_TRUE(known || parameter || from_file) << file << ": " << path << " " << m.key;
          walk(m.value, path.empty() ? m.key : path + (s->open ? ".*" : "." + m.key), file);
        }
      };
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source() / "examples")) {
    if (entry.path().extension() != ".toml") continue;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    Problems problems;
    const Node root = parse_toml(text.str(), entry.path().string(), problems);
    if (!root.find("system") || root.find("paper")) continue;
    ++files;
    walk(root, "", entry.path().filename().string());
  }
  EXPECT_GT(files, 15U);
  EXPECT_GT(keys, 300U);
}

TEST(Reference, UnitsFollowTheDrivenQuantity) {
  const SectionInfo& drive = *find_section("drive");
  EXPECT_EQ(drive.by, "kind");
  const auto& sine = drive.group("sine")->keys;
  const auto unit = [&](const char* key) { return std::ranges::find(sine, key, &Key::name)->unit; };
  EXPECT_EQ(unit("amplitude"), "m, m/s, N");
  EXPECT_EQ(unit("frequency"), "Hz");
  EXPECT_EQ(unit("omega"), "rad/s");
}

TEST(Reference, DefaultsAndRequirements) {
  const SectionInfo& solver = *find_section("solver");
  EXPECT_EQ(default_text(*solver.find("duration")), "required");
  EXPECT_EQ(default_text(*solver.find("rtol")), "1e-08");
  EXPECT_EQ(default_text(*solver.find("output_step")), "");  // follows from the duration
  EXPECT_EQ(default_text(*solver.find("method")), "\"auto\"");
  const SectionInfo& drive = *find_section("drive");
  EXPECT_EQ(default_text(drive.group("sine")->keys[1]), "this or omega");
  const auto& slider = find_section("system")->group("slider")->keys;
  const auto mass = std::ranges::find(slider, "mass", &Key::name);
  EXPECT_TRUE(mass->required && mass->waived);  // [fitted] may give it
}
