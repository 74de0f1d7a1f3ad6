#include "cli/fit/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "bristle/registry/any.hpp"
#include "cli/fit/ranking.hpp"
#include "cli/fit/recordings.hpp"
#include "cli/screen.hpp"

namespace bristle::cli {
namespace {

namespace fs = std::filesystem;

/// Whether text matches a pattern with * and ?.
bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '*')
    return matches(pattern.substr(1), text) || (!text.empty() && matches(pattern, text.substr(1)));
  return !text.empty() && (pattern.front() == '?' || pattern.front() == text.front()) &&
         matches(pattern.substr(1), text.substr(1));
}

struct Rule {
  std::string name, pattern;
};
Rule rule_of(const std::string& text) {
  const std::size_t at = text.find('=');
  const std::string name = text.substr(0, at);
  const bool plain = !name.empty() && name.find_first_of("/\\") == std::string::npos && name.front() != '.';
  if (at == std::string::npos || at + 1 == text.size() || !plain)
    throw BadInput(fmt::format("--group {}: must be NAME=PATTERN, such as joint1=joint1_*, or auto", text));
  return {name, text.substr(at + 1)};
}

/// The name of a file up to its first separator: joint1 of joint1_ramp.csv.
std::string beginning_of(const std::string& file) {
  const std::string stem = fs::path(file).stem().string();
  return stem.substr(0, std::max<std::size_t>(1, stem.find_first_of("_- .")));
}

}  // namespace

std::vector<Group> groups_of(const IdentifyOptions& options) {
  std::vector<Group> out;
  std::vector<Rule> rules;
  const bool automatic = options.groups == std::vector<std::string>{"auto"};
  for (std::size_t i = 0; i < options.groups.size() && !automatic; ++i) rules.push_back(rule_of(options.groups[i]));
  auto place = [&](const std::string& file, std::vector<std::string> Group::* list) {
    std::vector<std::string> names;
    if (automatic) names.push_back(beginning_of(file));
    for (const Rule& r : rules) {
      const bool fits = matches(r.pattern, fs::path(file).filename().string()) || matches(r.pattern, file);
      if (fits && std::ranges::find(names, r.name) == names.end()) names.push_back(r.name);
    }
    if (names.size() != 1)
      throw BadInput(fmt::format("--group: {} belongs to {}; every file must belong to one group", file,
                                 names.empty() ? "no group" : fmt::format("{}", fmt::join(names, " and "))));
    auto group = std::ranges::find(out, names.front(), &Group::name);
    if (group == out.end()) group = out.insert(out.end(), {names.front()});
    ((*group).*list).push_back(file);
  };
  for (const std::string& file : options.files) place(file, &Group::files);
  for (const std::string& file : options.validate) place(file, &Group::validate);
  for (const Group& g : out) {
    if (g.files.empty())
      throw BadInput(
          fmt::format("--group: {} has only recordings of --validate; at least one to fit is required", g.name));
  }
  return out;
}

void GroupResults::add(const std::string& name, const report::Fitted& fitted) {
  json_.push_back({{"group", name}});
  json_.back().update(to_json(fitted));
  const identify::Ranking& ranking = *fitted.ranking;
  const auto best = std::ranges::find(ranking.fits, ranking.recommended, &identify::Fit::model);
  if (rows_.empty()) rows_.push_back({"group", "files", "model", "held out %", "R²", "parameters"});
  if (best == ranking.fits.end()) {
    rows_.push_back({name, std::to_string(fitted.files.size()), "none", "", "", ""});
    return;
  }
  std::string values;
  for (const auto* list : {&best->friction, &best->body}) {
    for (const identify::Estimate& e : *list)
      values += fmt::format("{}{} {:.4g}", values.empty() ? "" : ", ", e.name, e.value);
  }
  rows_.push_back({name, std::to_string(fitted.files.size()), best->model, percent(best->held_out_relative),
                   fmt::format("{:.4g}", best->r_squared), values});
}

void GroupResults::print_table() const {
  if (rows_.size() < 2) return;
  print("\ngroups\n");
  print_rows(rows_);
}

}  // namespace bristle::cli
