#pragma once
#include <string>
#include <vector>

/// The subcommands. Each returns the exit status: 0 done, 1 the run failed, 2 the input is wrong, 130 stopped by Ctrl-C.
namespace bristle::cli {

int models(const std::string& name, bool json);

struct SimulateOptions {
  std::string file{};
  std::vector<std::string> changes{};             // KEY=VALUE
  std::string csv{}, events{}, plot{}, report{};  // files to write; empty: none
  bool json = false, quiet = false;
};
int simulate(const SimulateOptions& options);

}  // namespace bristle::cli
