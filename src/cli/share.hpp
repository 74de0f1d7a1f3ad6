#pragma once
#include <string>

namespace bristle::cli {

/// The folder "papers" or "examples": of the environment variable BRISTLE_PAPERS or BRISTLE_EXAMPLES, else the installed one
/// next to the command, else that of the source tree.
std::string share_folder(const std::string& name);

}  // namespace bristle::cli
