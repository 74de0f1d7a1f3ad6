#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace bristle::cli {

using Json = nlohmann::ordered_json;

Json json_number(double x);            // null unless it is finite
std::string json_text(const Json& j);  // as it is printed
}  // namespace bristle::cli
