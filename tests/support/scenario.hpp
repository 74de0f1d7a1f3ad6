#pragma once
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bristle/scenario.hpp"

/// Scenarios with changes, and the messages about them.
namespace bristle {

using Lines = std::vector<std::string>;

inline const std::string stick_slip = R"(schema = 1
title = "Stick-slip"
units = "linear"
[friction]
model = "lugre"
Fc = 1.0
Fs = 1.5
vs = 0.001
sigma0 = 1e5
sigma1 = 316.2
[system]
kind = "slider"
mass = 2
stiffness = 2.0
[drive]
kind = "ramp"
velocity = 0.1
[solver]
duration = 20.0
)";

/// The text with one piece replaced; nothing else may hold that piece.
inline std::string with(std::string text, const std::string& piece, const std::string& other) {
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  EXPECT_EQ(text.find(piece, at + 1), std::string::npos) << piece;
  return at == std::string::npos ? text : text.replace(at, piece.size(), other);
}

inline Lines lines(const Problems& problems) {
  Lines out;
  for (const Problem& p : problems) out.push_back(p.line());
  return out;
}
inline Lines problems(const std::string& text, const Lines& changes = {}) {
  const Loaded loaded = read_scenario(text, "s.toml", changes);
  EXPECT_EQ(loaded.scenario.has_value(), loaded.problems.empty());
  return lines(loaded.problems);
}
inline Scenario good(const std::string& text, const Lines& changes = {}) {
  Loaded loaded = read_scenario(text, "s.toml", changes);
  EXPECT_EQ(lines(loaded.problems), Lines{}) << text;
  return loaded.scenario ? std::move(*loaded.scenario) : Scenario{};
}
inline double parameter(const AnyContact& contact, const std::string& name) {
  for (const Variable& v : contact.parameters()) {
    if (v.name == name) return v.value;
  }
  ADD_FAILURE() << "no parameter " << name;
  return 0;
}

}  // namespace bristle
