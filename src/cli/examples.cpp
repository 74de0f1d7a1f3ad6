#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>

#include "base/document.hpp"
#include "bristle/output.hpp"
#include "bristle/value.hpp"
#include "cli/paint.hpp"
#include "cli/screen.hpp"
#include "cli/share.hpp"
#include "commands.hpp"

namespace bristle::cli {
namespace {

namespace fs = std::filesystem;
using scenario::Node;

constexpr const char* templates = "init";  // folder of the scenarios of `bristle init`

struct Example {
  fs::path file;     // relative to the folder of the examples
  std::string name;  // "stick_slip", or "demo/stick_slip" where scenarios has the same name
  std::string title, command;
  Node root{};
};

/// The command that takes the file.
std::string command_for(const fs::path& file, const Node& root) {
  if (file.parent_path().filename() == "analyze") return "analyze";
  if (root.find("paper")) return "papers --from";
  return root.find("system") ? "simulate" : "characterize";
}

std::vector<Example> all_examples(const fs::path& folder) {
  std::vector<Example> out;
  std::map<std::string, int> uses;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(folder, error); !error && at != fs::recursive_directory_iterator();
       at.increment(error)) {
    const fs::path& path = at->path();
    if (path.extension() != ".toml" || path.stem() == "paper" || path.parent_path() == folder / templates) continue;
    Problems problems;
    Node root = scenario::parse_toml(read_file(path.string(), scenario::most_bytes), path.string(), problems);
    const Node* title = root.find("title");
    const auto* text = title ? title->as<std::string>() : nullptr;
    ++uses[path.stem().string()];
    const std::string command = command_for(path, root);
    out.push_back({path.lexically_relative(folder), "", text ? *text : "", command, std::move(root)});
  }
  for (Example& e : out) {
    const std::string stem = e.file.stem().string();
    const bool plain = uses[stem] == 1 || e.file.parent_path() == "scenarios";
    e.name = plain ? stem : (e.file.parent_path() / stem).string();
  }
  std::ranges::sort(out, {}, &Example::file);
  return out;
}

/// Files that the values of a file refer to.
void referred(const Node& node, const fs::path& folder, const fs::path& from, std::set<fs::path>& out) {
  if (const auto* text = node.as<std::string>()) {
    const fs::path file = (from / *text).lexically_normal();
    std::error_code ignored;
    if (!text->empty() && fs::is_regular_file(folder / file, ignored)) out.insert(file);
  } else if (const auto* object = node.as<Node::Object>()) {
    for (const scenario::Member& m : *object) referred(m.value, folder, from, out);
  } else if (const auto* list = node.as<Node::List>()) {
    for (const Node& n : *list) referred(n, folder, from, out);
  }
}

/// Writes new files, all or none; existing ones are refused.
int copy(const char* command, const std::vector<std::pair<fs::path, fs::path>>& files) {
  bool free = true;
  for (const auto& [from, to] : files) {
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(to, ignored))) continue;
    print_error("bristle {}: {}: exists already; a file that does not exist is accepted\n", command, to.string());
    free = false;
  }
  if (!free) return wrong_input;
  try {
    std::vector<OutputFile> written;
    for (const auto& [from, to] : files) {
      if (to.has_parent_path()) fs::create_directories(to.parent_path());
      const std::string text = read_file(from.string(), scenario::most_bytes);
      written.emplace_back(to.string(), [&](std::ostream& o) { o << text; });
    }
    keep(written);
  } catch (const FileError& e) {
    print_error("bristle {}: {}\n", command, e.what());
    return failed;
  } catch (const fs::filesystem_error& e) {
    print_error("bristle {}: {}: cannot be written: {}\n", command, e.path1().string(), e.code().message());
    return failed;
  }
  for (const auto& [from, to] : files) print("wrote {}\n", to.string());
  return done;
}

void list(const std::vector<Example>& all) {
  std::size_t width = 0;
  for (const Example& e : all) width = std::max(width, e.name.size());
  fs::path folder;
  for (const Example& e : all) {
    if (e.file.parent_path() != folder) {
      print("{}{}\n", folder.empty() ? "" : "\n", painted(e.file.parent_path().string(), Paint::bold));
      folder = e.file.parent_path();
    }
    print("  {:<{}}  {}\n", e.name, width, e.title.empty() ? "friction block" : e.title);
  }
  print("\n'bristle examples NAME' copies one to the current folder, 'bristle examples NAME -o DIR' to DIR.\n");
}

}  // namespace

int examples(const ExamplesOptions& options) {
  const fs::path folder = share_folder("examples");
  const std::vector<Example> all = all_examples(folder);
  if (all.empty()) {
    print_error("bristle examples: {}: contains no examples; BRISTLE_EXAMPLES sets the folder\n", folder.string());
    return failed;
  }
  if (options.names) {
    for (const Example& e : all) print("{}\n", e.name);
    return done;
  }
  if (options.name.empty()) {
    list(all);
    return done;
  }
  const auto wanted = std::ranges::find_if(all, [&](const Example& e) {
    return options.name == e.name || options.name == e.file.string() ||
           options.name == fs::path(e.file).replace_extension().string();
  });
  if (wanted == all.end()) {
    std::vector<std::string> names;
    names.reserve(all.size());
    for (const Example& e : all) names.push_back(e.name);
    const std::string near = nearest(options.name, names);
    print_error("bristle examples: unknown example '{}'{}\n", options.name,
                near.empty() ? "; 'bristle examples' lists them" : ", did you mean '" + near + "'?");
    return wrong_input;
  }
  std::set<fs::path> others;
  referred(wanted->root, folder, wanted->file.parent_path(), others);
  for (const auto& entry : fs::directory_iterator(folder / wanted->file.parent_path())) {
    // A figure file runs with the others of its paper.
    if (wanted->root.find("paper") && entry.is_regular_file() && entry.path().filename() != wanted->file.filename())
      others.insert(entry.path().lexically_relative(folder));
  }
  const fs::path out = options.out;
  std::vector<std::pair<fs::path, fs::path>> files;
  // Files that it refers to keep their place relative to it.
  files.emplace_back(folder / wanted->file, out / (others.empty() ? wanted->file.filename() : wanted->file));
  for (const fs::path& other : others) files.emplace_back(folder / other, out / other);
  const int status = copy("examples", files);
  if (status == done)
    print("run it: bristle {} {}\n", wanted->command,
          (wanted->command == "papers --from" ? files[0].second.parent_path() : files[0].second).string());
  return status;
}

std::vector<std::string> template_names() {
  std::vector<std::string> out;
  for (const Example& e : all_examples(fs::path(share_folder("examples")) / templates)) out.push_back(e.name);
  return out;
}

int init(const std::string& kind, const std::string& out) {
  const fs::path folder = fs::path(share_folder("examples")) / templates;
  const std::vector<std::string> known = template_names();
  if (known.empty()) {
    print_error("bristle init: {}: contains no scenarios; BRISTLE_EXAMPLES sets the folder of the examples\n",
                folder.string());
    return failed;
  }
  if (std::ranges::find(known, kind) == known.end()) {
    const std::string near = nearest(kind, known);
    print_error(
        "bristle init: unknown kind '{}'{}\n", kind,
        near.empty() ? fmt::format("; accepted: {}", fmt::join(known, ", ")) : ", did you mean '" + near + "'?");
    return wrong_input;
  }
  const fs::path file = folder / (kind + ".toml");
  if (!out.empty() && out != "-") return copy("init", {{file, out}});
  try {
    print_text(read_file(file.string(), scenario::most_bytes));
  } catch (const FileError& e) {
    print_error("bristle init: {}\n", e.what());
    return failed;
  }
  return done;
}

}  // namespace bristle::cli
