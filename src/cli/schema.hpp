#pragma once
#include "cli/json.hpp"

namespace bristle::cli {

/// JSON schema (draft 7) of scenario and friction files, for editors. Figure files ([paper]) are not restricted.
Json scenario_schema();

}  // namespace bristle::cli
