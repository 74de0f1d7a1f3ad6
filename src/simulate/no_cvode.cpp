#include "record.hpp"

/// In place of cvode.cpp with BRISTLE_CVODE=OFF.
namespace bristle {

const bool has_cvode = false;
void run_cvode(World&, const Experiment&, Recorder&) { throw RunFailed("CVODE is not part of this build"); }
void run_cvode(Chain&, const Experiment&, Recorder&) { throw RunFailed("CVODE is not part of this build"); }

}  // namespace bristle
