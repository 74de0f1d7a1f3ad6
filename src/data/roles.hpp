#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bristle/data.hpp"
#include "data/expression.hpp"

/// Roles of columns.
namespace bristle::identify {

enum class Role { t, x, v, F, mu, u, N, T, sigma, ref, on, load };
inline constexpr std::size_t role_count = 12;
const std::string& name_of(Role role);
std::vector<std::string> role_names();

struct Roles {
  std::optional<Expression> of[role_count]{};
  std::string text[role_count]{};  // as given or guessed
  bool given[role_count]{};        // by the user
  Problems problems{};
  std::vector<Finding> findings{};  // doubtful guesses

  const std::optional<Expression>& operator[](Role r) const { return of[static_cast<std::size_t>(r)]; }
  std::optional<Expression>& operator[](Role r) { return of[static_cast<std::size_t>(r)]; }
  const std::string& text_of(Role r) const { return text[static_cast<std::size_t>(r)]; }
  bool is_given(Role r) const { return given[static_cast<std::size_t>(r)]; }
  Quantity quantity(Role r) const { return (*this)[r] ? (*this)[r]->unit().quantity : Quantity::unknown; }
};
/// How well a column fits the time; 0: not at all.
int time_points(const Header& header);
/// How well a column fits friction, a coefficient or the force of an actuator.
int force_points(const Header& header);
/// Roles given by the user, and guesses for the others; `motion`: roles for a fit by simulation.
Roles roles_of(const Trace& trace, const std::vector<Header>& headers,
               const std::vector<std::pair<std::string, std::string>>& given, const std::string& path,
               bool motion = false);

}  // namespace bristle::identify
