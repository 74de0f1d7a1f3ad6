#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "any.hpp"

/// Friction files, such as MODEL.toml of `bristle identify`: the contact and the numbers that were identified with it.
namespace bristle {

/// [fitted] of a friction file: values found together with friction; NaN: not given. The force of an actuator is
///   u = mass a + F + gravity sin(x - gravity_phase) + offset;  without gravity_phase, gravity is a constant force.
struct FittedPart {
  /// Stands for an absent number.
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  double mass{none}, gravity{none}, gravity_phase{none}, offset{none}, normal_load{none};
  double machine_stiffness{none}, trend{none}, start_speed{none};
  double stiffness{none}, damping{none}, rest_length{none}, kp{none}, ki{none}, kd{none}, limit{none},
      derivative_weight{none};
  std::optional<bool> rotational{};  // `units`
  std::string target{};              // `role` of the fitted quantity: F, mu, u or x; empty: not given
  Table terms{};                     // [fitted.terms]: factors of the user's terms, numbers

  /// The force that acts against positive motion at any position.
  double constant_force() const;
  static constexpr auto fields() {
    using P = FittedPart;
    return Fields{
        Field{&P::mass, "mass", "kg", "mass or inertia", nonnegative, role::optional},
        Field{&P::gravity, "gravity", "N", "gravity: with gravity_phase that of a pendulum, else a constant force",
              any_real, role::optional},
        Field{&P::gravity_phase, "gravity_phase", "rad", "rest position of the pendulum", any_real, role::optional},
        Field{&P::offset, "offset", "N", "constant force", any_real, role::optional},
        Field{&P::normal_load, "normal_load", "N", "normal load at which the friction block holds", positive,
              role::optional},
        Field{&P::machine_stiffness, "machine_stiffness", "N/m", "spring between load point and contact", positive,
              role::optional},
        Field{&P::trend, "trend", "N/m", "growth of friction with displacement", any_real, role::optional},
        Field{&P::start_speed, "start_speed", "m/s", "speed of steady sliding before the recordings", positive,
              role::optional},
        Field{&P::stiffness, "stiffness", "N/m", "spring between drive and body", nonnegative, role::optional},
        Field{&P::damping, "damping", "N s/m", "damper parallel to the spring", nonnegative, role::optional},
        Field{&P::rest_length, "rest_length", "m", "length of the spring at rest", any_real, role::optional},
        Field{&P::kp, "kp", "N/m", "proportional gain", any_real, role::optional},
        Field{&P::ki, "ki", "N/(m s)", "integral gain", any_real, role::optional},
        Field{&P::kd, "kd", "N s/m", "derivative gain", any_real, role::optional},
        Field{&P::limit, "limit", "N", "largest |u|", positive, role::optional},
        Field{&P::derivative_weight, "derivative_weight", "1", "weight of the reference in the derivative", Range{0, 1},
              role::optional}};
  }
};

/// [measured] of a friction file: least and greatest values of the recordings behind it.
struct MeasuredRanges {
  /// Range of one quantity.
  struct Of {
    std::string name;  // v, x, N or T
    double least, most;
    /// Whether a value lies outside by more than 5 %: of the largest size, for positions and temperatures of the range.
    bool left_by(double value) const;
  };
  std::string file{};
  double normal_load = FittedPart::none;  // scale of N
  std::vector<Of> ranges{};               // one per measured quantity
};

/// The content of a friction file.
struct LoadedContact {
  std::unique_ptr<AnyContact> contact;  ///< empty if there are problems
  std::string title{};                  ///< title of the file, or ""
  bool rotational = false;              ///< units = "rotational": N m and rad
  FittedPart fitted{};                  ///< mass, gravity, offset: not part of the friction force
  MeasuredRanges measured{};            ///< ranges outside of which the fit extrapolates
  std::vector<std::string> notes{};     ///< remarks that are not errors
  Problems problems{};                  ///< all of them, each with file and line
};

/// Reads the friction block of a file: a section [friction], or a block at top level. Never throws for the content of a
/// file: an unreadable file is a problem too. [fitted] and [measured] are checked; sections of a scenario ([system],
/// [drive]...) are not read, `bristle check` checks them. A block that refers to another file is refused.
///
///     bristle::LoadedContact joint = bristle::load_contact("out/lugre.toml");
///     for (const auto& problem : joint.problems) std::puts(problem.line().c_str());
///     if (joint.contact) joint.contact->couple({.v = v, .F_app = F}, joint.fitted.mass, 1e-3);
LoadedContact load_contact(const std::string& path);
/// The same from text; `path` is used for messages.
LoadedContact read_contact(const std::string& text, const std::string& path);

}  // namespace bristle
