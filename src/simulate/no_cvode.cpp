#include "record.hpp"

/// Replaces cvode.cpp with BRISTLE_CVODE=OFF.
namespace bristle {

const bool has_cvode = false;
void run_cvode(System&, const Experiment&, Recorder&) {
  throw RunFailed("CVODE is missing from this build; BRISTLE_CVODE=ON is required");
}
void run_cvode(Chain&, const Experiment&, Recorder&) {
  throw RunFailed("CVODE is missing from this build; BRISTLE_CVODE=ON is required");
}

}  // namespace bristle
