#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "data/roles.hpp"

/// Words in the names of columns, in several languages.
namespace bristle::identify {

enum class Tag {
  other,   // references, limits and derived quantities, which are not measured
  spread,  // standard deviations
  measured,
  coefficient,
  not_friction,  // forces of other kinds
  turning,       // angles and torques
  joint,         // coordinates of robots, which mostly turn
  straight,      // displacements and forces
  across,        // a direction normal to the motion
  stress,
  shear,
  seconds,  // parts of a time
  nanoseconds
};

/// The words of friction_N, MotorTorque or pos2.
class Words {
 public:
  explicit Words(std::string_view name);

  /// How well the words fit a role; 0: not at all.
  int points(Role role) const;
  bool has(Tag tag) const;
  bool pull() const;  // a force or a torque
  bool empty() const { return words_.empty(); }
  /// Without standard deviations and means.
  Words without_statistics() const;

 private:
  std::vector<std::string> words_{};  // in lower case except single letters, without accents
};

}  // namespace bristle::identify
