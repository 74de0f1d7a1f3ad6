#pragma once
#include <string_view>

/// Keys of a contact that belong to sections of their own below [friction]. `make` takes them, with their prefix, among the
/// effects; effects proper are without prefix there and "effects.KEY" among the settings of a contact.
namespace bristle {

// of_effects: prefix of friction effects; of_negative: of parameters for negative motion; of_distribution: of distributions;
// of_heat: of heat
inline constexpr std::string_view of_effects = "effects.", of_negative = "negative.", of_distribution = "distribution.",
                                  of_heat = "heat.";
/// Whether a key belongs to one of these sections.
constexpr bool of_section(std::string_view key) {
  return key.starts_with(of_negative) || key.starts_with(of_distribution) || key.starts_with(of_heat);
}

}  // namespace bristle
