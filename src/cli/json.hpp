#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace bristle::cli {

using Json = nlohmann::ordered_json;

Json json_number(double x);            // null if x is not finite
std::string json_text(const Json& j);  // indented, with a final newline
}  // namespace bristle::cli
