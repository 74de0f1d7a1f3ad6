#include "commands.hpp"
#include "screen.hpp"

/// In place of identify.cpp with BRISTLE_IDENTIFY=OFF.
namespace bristle::cli {

int identify(const IdentifyOptions&) {
  print_error("bristle: identify is not part of this build (BRISTLE_IDENTIFY=OFF)\n");
  return wrong_input;
}

}  // namespace bristle::cli
