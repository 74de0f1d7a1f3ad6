#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bristle/identify.hpp"
#include "bristle/registry/view.hpp"

/// Shared by setup and simulation of a replay.
namespace bristle::identify {

inline bool is_in(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}
inline const double* number_in(const Table& table, std::string_view key) {
  const auto at = std::ranges::find(table, key, &Entry::key);
  return at == table.end() ? nullptr : at->value.as<double>();
}

/// Values of [system] and [controller] that a fit by simulation may adjust.
std::vector<FieldView> free_views(BodyParams& body, std::optional<ControllerParams>& controller);

}  // namespace bristle::identify
