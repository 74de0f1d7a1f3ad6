#include "commands.hpp"
#include "screen.hpp"

/// Replaces identify.cpp and score.cpp with BRISTLE_IDENTIFY=OFF.
namespace bristle::cli {

namespace {
int missing(const char* command) {
  print_error("bristle: {} is missing from this build; BRISTLE_IDENTIFY=ON is required\n", command);
  return wrong_input;
}
}  // namespace

int identify(const IdentifyOptions&) { return missing("identify"); }
int score(const ScoreOptions&) { return missing("score"); }

}  // namespace bristle::cli
