#include "cli/json.hpp"

#include <cmath>

namespace bristle::cli {

Json json_number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }
std::string json_text(const Json& j) { return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace bristle::cli
