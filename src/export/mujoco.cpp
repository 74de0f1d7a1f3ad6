#include <fmt/format.h>

#include <algorithm>

#include "base/escape.hpp"
#include "element/read.hpp"
#include "export/writers.hpp"

namespace bristle::exports {
namespace {

/// A value of the canonical text as MuJoCo's config values write it: numbers between blanks, words without quotes.
std::string plain(std::string value) {
  std::erase_if(value, [](char c) { return c == '[' || c == ']' || c == ',' || c == '"'; });
  return value;
}

}  // namespace

/// The actuator that gives a joint this friction; all values are written, so that defaults of another release cannot change it.
Exported write_mujoco(const Block& block, const Options& options) {
  Exported out;
  auto wrong = [&](std::string text) {
    out.problems.push_back({block.file.path, std::move(text)});
    return out;
  };
  if (options.joint.empty())
    return wrong("--joint NAME is required: the joint of the MuJoCo model that has this friction");
  element::Keys keys;
  if (const std::string error = element::split(block.canonical, "friction", keys); !error.empty()) return wrong(error);
  if (const element::Made made = element::read(block.canonical); !made.element) return wrong(made.error);
  std::string config;
  for (auto [key, value] : keys) {
    const std::string text = plain(value);
    const bool at_rest = key.starts_with("initial.") && text.find_first_not_of("0. -") == std::string::npos;
    const bool off = text == "inf" && !key.starts_with("negative.");  // a default; negative motion differs from it
    if (key == "bristle_contact" || key == "model" || key == "state" || off || at_rest) continue;
    if (key.starts_with("friction.")) key.erase(0, 9);
    config += fmt::format("      <config key=\"{}\" value=\"{}\"/>\n", key, text);
  }
  out.files.push_back({"", fmt::format("<!-- friction of a joint, bristle export mujoco; block {1}\n"
                                       "     Python: import bristle.mujoco before the model is loaded -->\n"
                                       "<mujoco>\n"
                                       "  <extension>\n    <plugin plugin=\"bristle.friction\"/>\n  </extension>\n"
                                       "  <actuator>\n"
                                       "    <plugin plugin=\"bristle.friction\" name=\"friction_{0}\" joint=\"{0}\">\n"
                                       "      <config key=\"model\" value=\"{2}\"/>\n{3}"
                                       "    </plugin>\n  </actuator>\n</mujoco>\n",
                                       escape(options.joint), block.sha256.substr(0, 16), block.model(), config)});
  out.notes = block.file.notes;
  const FittedPart& f = block.file.fitted;
  if (f.mass > 0)
    out.notes.push_back(
        fmt::format("[fitted] mass = {} belongs into the model of MuJoCo: armature or mass", to_text(f.mass)));
  return out;
}

}  // namespace bristle::exports
