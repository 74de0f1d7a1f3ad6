#pragma once
#include <optional>
#include <string>
#include <vector>

#include "bristle/data.hpp"
#include "cli/commands.hpp"

/// Recordings on the command line.
namespace bristle::cli {

/// How to read the recordings; empty after errors, which are reported.
std::optional<identify::Reading> reading_of(const IdentifyOptions& options);

struct Data {
  std::vector<std::string> files{};  // one name per recording
  std::vector<identify::Recording> recordings{};
  std::vector<std::vector<identify::Finding>> findings{};
  bool good = true;
};
/// Reads all files until Ctrl-C and reports problems, repeated ones once. `join`: they are one recording.
Data read_all(const std::vector<std::string>& files, const identify::Reading& reading, bool join);

/// Findings of every file; of many files a summary and the warnings, equal ones together. `mark` follows file names.
void print_findings(const Data& data, const std::string& mark);

/// A table with the first and the last column left-aligned.
void print_rows(const std::vector<std::vector<std::string>>& rows);
/// Percent with two decimals, small ones with two digits.
std::string percent(double x);

}  // namespace bristle::cli
