#include "cli/fit/recordings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/number.hpp"
#include "cli/interrupt.hpp"
#include "cli/screen.hpp"

namespace bristle::cli {
namespace {

constexpr std::size_t few = 3;  // files with all of their findings on the terminal

struct Group {
  std::string text;
  std::vector<std::size_t> files;
};
/// Equal findings of several files together, in the order of their first file.
std::vector<Group> grouped(const Data& data, bool warnings) {
  std::vector<Group> out;
  for (std::size_t i = 0; i < data.findings.size(); ++i) {
    for (const identify::Finding& f : data.findings[i]) {
      if (f.warning != warnings) continue;
      const auto known = std::ranges::find(out, f.text, &Group::text);
      if (known == out.end()) {
        out.push_back({f.text, {i}});
      } else if (known->files.back() != i) {
        known->files.push_back(i);
      }
    }
  }
  return out;
}

std::string names_of(const Group& group, const Data& data) {
  if (group.files.size() == data.files.size()) return "all files";
  std::string out;
  for (std::size_t k = 0; k < std::min(group.files.size(), few); ++k)
    out += (out.empty() ? "" : ", ") + data.files[group.files[k]];
  return group.files.size() > few ? fmt::format("{} and {} more files", out, group.files.size() - few) : out;
}

void print_summary(const Data& data, const std::string& mark) {
  std::size_t rows = 0;
  double seconds = 0;
  for (const identify::Recording& r : data.recordings) {
    rows += r.size();
    for (std::size_t k = 0; k < r.stretches.size() && !r.steady(); ++k) {
      const std::size_t to = k + 1 < r.stretches.size() ? r.stretches[k + 1] : r.size();
      if (to > r.stretches[k]) seconds += r.t[to - 1] - r.t[r.stretches[k]];
    }
  }
  print("{} files{}: {} rows", data.files.size(), mark, rows);
  if (seconds > 0) print(", {:.4g} s", seconds);
  for (const Group& g : grouped(data, false)) {
    if (g.files.size() == data.files.size()) print("; {}", g.text);
  }
  print("\n");
  for (const Group& g : grouped(data, true)) print("  warning: {}: {}\n", names_of(g, data), g.text);
}

}  // namespace

Data read_all(const std::vector<std::string>& files, const identify::Reading& reading, bool join) {
  Data out;
  std::set<std::string> said;
  std::vector<std::vector<std::string>> groups;  // the files of each recording
  for (const std::string& file : files) {
    if (groups.empty() || !join) groups.emplace_back();
    groups.back().push_back(file);
  }
  for (const std::vector<std::string>& group : groups) {
    identify::Read read = read_joined(group, reading);
    out.files.push_back(fmt::to_string(fmt::join(group, " + ")));
    for (const Problem& p : read.problems) {
      if (said.insert(p.line()).second) complain(p.line());  // an error of the command line would repeat for every file
    }
    out.good = out.good && read.problems.empty();
    out.recordings.push_back(std::move(read.recording));
    out.findings.push_back(std::move(read.findings));
    if (Interrupt::flag()) break;
  }
  return out;
}

void print_findings(const Data& data, const std::string& mark) {
  if (data.files.size() > few) return print_summary(data, mark);
  for (std::size_t i = 0; i < data.files.size(); ++i) {
    print("{}{}\n", data.files[i], mark);
    for (const identify::Finding& f : data.findings[i]) print("  {}{}\n", f.warning ? "warning: " : "", f.text);
  }
}

std::string percent(double x) { return x < 0.1 ? fmt::format("{:.2g}", x) : fmt::format("{:.2f}", x); }

void print_rows(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line = fmt::format("{:<{}}", row[0], width[0]);
    for (std::size_t i = 1; i + 1 < row.size(); ++i) line += fmt::format("  {:>{}}", row[i], width[i]);
    line += "  " + row.back();
    line.erase(line.find_last_not_of(' ') + 1);
    print("{}\n", line);
  }
}

}  // namespace bristle::cli
