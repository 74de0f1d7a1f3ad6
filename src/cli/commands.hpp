#pragma once
#include <string>

/// The subcommands. Each returns the exit status: 0 done, 1 the run failed, 2 the input is wrong.
namespace bristle::cli {

int models(const std::string& name, bool json);

}  // namespace bristle::cli
