#include "commands.hpp"
#include "screen.hpp"

/// Replaces identify.cpp with BRISTLE_IDENTIFY=OFF.
namespace bristle::cli {

int identify(const IdentifyOptions&) {
  print_error("bristle: identify is missing from this build; BRISTLE_IDENTIFY=ON is required\n");
  return wrong_input;
}

}  // namespace bristle::cli
