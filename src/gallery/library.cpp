#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "bristle/gallery.hpp"
#include "bristle/output.hpp"
#include "scenario/shared/section.hpp"

namespace bristle::gallery {
namespace {

namespace fs = std::filesystem;
using namespace scenario;

/// Natural order of names: fig9 before fig10.
bool natural_less(const std::string& a, const std::string& b) {
  auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0, k = 0;
  while (i < a.size() && k < b.size()) {
    if (digit(a[i]) && digit(b[k])) {
      std::size_t end_a = i, end_b = k;
      while (end_a < a.size() && digit(a[end_a])) ++end_a;
      while (end_b < b.size() && digit(b[end_b])) ++end_b;
      if (end_a - i != end_b - k) return end_a - i < end_b - k;
    }
    if (a[i] != b[k]) return a[i] < b[k];
    ++i;
    ++k;
  }
  return a.size() - i < b.size() - k;
}

std::vector<std::string> names_in(const fs::path& folder, bool papers) {
  std::vector<std::string> out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (papers ? fs::exists(entry.path() / "paper.toml")
               : entry.path().extension() == ".toml" && entry.path().stem() != "paper") {
      out.push_back((papers ? entry.path().filename() : entry.path().stem()).string());
    }
  }
  std::sort(out.begin(), out.end(), natural_less);
  return out;
}

/// Names in the order of paper.toml, which must contain all.
std::vector<std::string> ordered(std::vector<std::string> names, const Section& paper, Reading& reading) {
  if (!paper.has("order")) return names;
  std::vector<std::string> order = paper.texts("order", reading);
  auto wrong = [&](const std::string& text) { reading.wrong(paper.where("order"), text); };
  for (const std::string& name : order) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      wrong(fmt::format("order contains '{}', but {}.toml does not exist", name, name));
    }
  }
  for (const std::string& name : names) {
    if (std::count(order.begin(), order.end(), name) != 1) wrong(fmt::format("order must contain '{}' once", name));
  }
  return order;
}

Paper read_paper(const fs::path& folder, const std::string& figure, Problems& problems) {
  Reading reading{.folder = folder};
  const std::string path = (folder / "paper.toml").string();
  Paper out{.name = fs::path(folder).filename().string()};
  std::vector<std::string> names = names_in(folder, false);
  const Node root = parse_toml(read_file(path, most_bytes), path, reading.problems);
  if (reading.problems.empty()) {
    const Section section{root, "the file"};
    read_section(section, "a paper", {}, {"title", "authors", "reference", "order"}, reading);
    for (const char* key : {"title", "reference"}) {
      if (!section.has(key)) reading.wrong(path, fmt::format("missing key '{}'", key));
    }
    out.title = section.text("title", reading).value_or("");
    out.authors = section.text("authors", reading).value_or("");
    out.reference = section.text("reference", reading).value_or("");
    names = ordered(names, section, reading);
  }
  for (Problem& p : tidied(std::move(reading.problems), path)) problems.push_back(std::move(p));
  if (!figure.empty()) {
    if (std::find(names.begin(), names.end(), figure) == names.end()) {
      problems.push_back({"", fmt::format("unknown figure '{}' of {}{}", figure, out.name, hint(figure, names))});
    }
    names = {figure};
  }
  for (const std::string& name : names) {
    const fs::path file = folder / (name + ".toml");
    if (!fs::exists(file)) continue;
    FigureRead read = read_figure_file(read_file(file.string(), most_bytes), file.string());
    for (Problem& p : read.problems) problems.push_back(std::move(p));
    out.figures.push_back(std::move(read.file));
  }
  return out;
}

}  // namespace

Library load(const std::string& folder, const std::string& selection) {
  Library out;
  const std::size_t slash = selection.find('/');
  std::string paper = selection.substr(0, slash);
  std::string figure = slash == std::string::npos ? "" : selection.substr(slash + 1);
  const fs::path place = (fs::absolute(folder) / "paper.toml").lexically_normal();
  const bool single = fs::exists(place);
  const std::vector<std::string> names =
      single ? std::vector{place.parent_path().filename().string()} : names_in(folder, true);
  if (names.empty()) {
    out.problems.push_back({folder, "contains no papers; folders with a paper.toml are required"});
    return out;
  }
  if (single && slash == std::string::npos && paper != names[0]) {  // within one paper the figure alone is accepted
    figure = paper;
    paper = names[0];
  }
  if (!paper.empty() && std::find(names.begin(), names.end(), paper) == names.end()) {
    out.problems.push_back({"", fmt::format("unknown paper '{}'{}", paper, hint(paper, names))});
  }
  try {
    for (const std::string& name : names) {
      if (!paper.empty() && paper != name) continue;
      out.papers.push_back(read_paper(single ? fs::path(folder) : fs::path(folder) / name, figure, out.problems));
      out.papers.back().name = name;
    }
  } catch (const FileError& e) { out.problems.push_back({"", e.what()}); }
  return out;
}

}  // namespace bristle::gallery
