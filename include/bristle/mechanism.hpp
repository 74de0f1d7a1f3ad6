#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulate.hpp"

/// Planar mechanisms: rigid bodies, joints with friction, springs and actuators. The constraints Phi(q) = 0 give
///   [M  Phi_q'; Phi_q  0] [q''; -lambda] = [forces; gamma],
/// friction depends on the reactions lambda and is solved together with them.
namespace bristle {

using Point2 = std::array<double, 2>;  // Point2: a point or vector in the plane

/// A rigid body in the plane.
struct MechanismBody {
  std::string name{};
  double mass{1}, inertia{1}, angle{0}, rate{0};
  Point2 position{}, velocity{};  // of the centre of mass
  // rate_given: whether the angular velocity at the start is given;
  // velocity_given: whether the velocity at the start is given
  bool rate_given = false, velocity_given = false;
  static constexpr auto fields() {
    using B = MechanismBody;
    return Fields{Field{&B::mass, "mass", "kg", "mass", positive},
                  Field{&B::inertia, "inertia", "kg m^2", "moment of inertia about the centre of mass", positive},
                  Field{&B::angle, "angle", "rad", "angle at t = 0", any_real, role::optional},
                  Field{&B::rate, "rate", "rad/s", "angular velocity at t = 0; from the constraints unless given",
                        any_real, role::optional}};
  }
};

/// The kinds of joints.
enum class JointKind { revolute, prismatic, fixed, rolling, point };
constexpr std::array<const char*, 5> choices(JointKind) {
  return {"revolute", "prismatic", "fixed", "rolling", "point"};
}

/// Bodies are counted from 0; ground is -1.
inline constexpr int ground = -1;

/// A joint between two bodies.
struct MechanismJoint {
  std::string name{};
  JointKind kind = JointKind::revolute;  // its kind
  int first = ground, second = ground;   // first: number of the first body; second: number of the second body
  Point2 at{}, axis{1, 0};               // of the world, at t = 0; the axis is fixed in the first body
  double radius{0};                      // of a bearing or a disk
  double length{0};                      // of a guide; 0: a point slider
  double normal_load{0};                 // nominal load of the friction law; 0: the law does not depend on the load
  int contact = -1;                      // in Experiment::contacts; -1: no friction
  static constexpr auto fields() {
    using J = MechanismJoint;
    return Fields{
        Field{&J::radius, "radius", "m", "radius of the bearing, or of the rolling disk", positive, role::optional},
        Field{&J::length, "length", "m", "length of a guide; 0: a point slider", nonnegative, role::optional}};
  }
};

/// Between points of two bodies, or on the coordinate s of a joint.
struct MechanismSpring {
  int joint = -1;                       // number of the joint that it acts in; -1: between two points
  int first = ground, second = ground;  // first: number of the first body; second: number of the second body
  Point2 from{}, to{};                  // of the world, at t = 0
  double stiffness{0}, damping{0}, rest_length{0}, rest{0};
  static constexpr auto fields() {
    using S = MechanismSpring;
    return Fields{
        Field{&S::stiffness, "stiffness", "N/m", "stiffness", nonnegative, role::optional},
        Field{&S::damping, "damping", "N s/m", "damping", nonnegative, role::optional},
        Field{&S::rest_length, "rest_length", "m", "distance of the points without force", nonnegative, role::optional},
        Field{&S::rest, "rest", "m", "value of s of the joint without force", any_real, role::optional}};
  }
};

/// A force or torque towards +s of a joint, a prescribed s(t) of a joint, or a force on a point of a body in a direction
/// that is fixed in the world.
struct MechanismActuator {
  int joint = -1, body = -1;  // joint: number of the joint that it moves, -1: none; body: number of the body, -1: none
  bool motion = false;        // whether a motion is prescribed instead of a force
  Point2 at{}, direction{1, 0};  // at: point of the body where the force acts; direction: direction of the force
  Drive drive{};
};

/// A servo that acts towards +s of a joint, on its s and v; its reference is a position s(t). The model of the feedforward
/// moves along the reference as the joint would, under its nominal load.
struct MechanismController {
  int joint = -1;             // number of the joint that it moves; -1: a force on a body
  ControllerParams params{};  // gains and sensor
  Drive reference{};
  std::shared_ptr<const AnyContact> feedforward{};  // friction that is compensated; empty: none
};

/// A problem of a description, at an element and one of its keys.
struct MechanismProblem {
  /// Number of the joint that it moves.
  enum Of { whole, body, joint, spring, actuator, controller } of = whole;
  std::size_t index{};  // its number
  std::string key{}, text{};
};

/// Bodies in the plane with joints, springs, actuators and controllers.
class Mechanism final : public OwnSystem {
 public:
  Point2 gravity{0, -9.81};                        // acceleration of gravity, m/s^2
  std::vector<MechanismBody> bodies{};             // the bodies
  std::vector<MechanismJoint> joints{};            // the joints
  std::vector<MechanismSpring> springs{};          // the springs
  std::vector<MechanismActuator> actuators{};      // the actuators
  std::vector<MechanismController> controllers{};  // the controllers

  /// All that is wrong, with the contacts, the solver and the method of the experiment; empty contacts are skipped.
  std::vector<MechanismProblem> problems(const Experiment& e) const;
  std::vector<Column> columns(const Experiment& e) const override;
  std::string objection(const Experiment& e) const override;
  Run run(const Experiment& e, const RunOptions& options) const override;
};

}  // namespace bristle
