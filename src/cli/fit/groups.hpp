#pragma once
#include <string>
#include <vector>

#include "bristle/report/fit.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"

/// Recordings of several joints in one command.
namespace bristle::cli {

/// Recordings of one joint, which are fitted together.
struct Group {
  std::string name{};
  std::vector<std::string> files{}, validate{};
};
/// Divides the files by --group. Throws BadInput.
std::vector<Group> groups_of(const IdentifyOptions& options);

/// Results of the groups, side by side.
class GroupResults {
 public:
  void add(const std::string& name, const report::Fitted& fitted);
  Json json() const { return {{"groups", json_}}; }
  void print_table() const;

 private:
  Json json_ = Json::array();
  std::vector<std::vector<std::string>> rows_{};
};

}  // namespace bristle::cli
