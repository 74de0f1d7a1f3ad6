#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../field.hpp"

/// Functions of time for drive and normal load, with exact derivatives and corners: a drive is smooth between corners,
/// and the integrator never steps across one.
namespace bristle {

/// A value with its first two derivatives in time.
struct Signal {
  double value{}, rate{}, rate2{};
  friend Signal operator+(const Signal& a, const Signal& b) {
    return {a.value + b.value, a.rate + b.rate, a.rate2 + b.rate2};
  }
  friend Signal operator*(const Signal& a, const Signal& b) {
    return {a.value * b.value, a.rate * b.value + a.value * b.rate,
            a.rate2 * b.value + 2 * a.rate * b.rate + a.value * b.rate2};
  }
};

// Kinds of drives. "*" in a unit is the unit of the driven quantity.
struct Constant {
  double value{};
  static constexpr auto fields() { return Fields{Field{&Constant::value, "value", "*", "the value", any_real}}; }
};
struct StepAt {
  double at{}, size{};
  static constexpr auto fields() {
    return Fields{Field{&StepAt::at, "at", "s", "time of the step; at 0 the size is already the initial value",
                        nonnegative, role::optional},
                  Field{&StepAt::size, "size", "*", "value after the step, 0 before it", any_real}};
  }
};
struct Ramp {
  double velocity{}, start{};
  static constexpr auto fields() {
    return Fields{Field{&Ramp::velocity, "velocity", "*/s", "slope; key rate for a force", any_real},
                  Field{&Ramp::start, "start", "*", "value at t = 0", any_real, role::optional}};
  }
};
struct Sine {
  double amplitude{}, frequency{}, phase{}, offset{};
  static constexpr auto fields() {
    return Fields{Field{&Sine::amplitude, "amplitude", "*", "amplitude", any_real},
                  Field{&Sine::frequency, "frequency", "Hz", "frequency; or omega in rad/s", positive},
                  Field{&Sine::phase, "phase", "rad", "phase at t = 0", any_real, role::optional},
                  Field{&Sine::offset, "offset", "*", "mean value", any_real, role::optional}};
  }
};
struct Chirp {
  double amplitude{}, f0{}, f1{}, sweep_time{};
  static constexpr auto fields() {
    return Fields{Field{&Chirp::amplitude, "amplitude", "*", "amplitude", any_real},
                  Field{&Chirp::f0, "f0", "Hz", "frequency at the start", nonnegative},
                  Field{&Chirp::f1, "f1", "Hz", "frequency at the end of the sweep and after it", nonnegative},
                  Field{&Chirp::sweep_time, "sweep_time", "s", "duration of the sweep", positive}};
  }
};
struct Triangle {
  double amplitude{}, frequency{};
  static constexpr auto fields() {
    return Fields{Field{&Triangle::amplitude, "amplitude", "*", "amplitude", any_real},
                  Field{&Triangle::frequency, "frequency", "Hz", "frequency; starts at 0, rising", positive}};
  }
};
/// Linear between the points, constant before the first and after the last.
struct Points {
  std::vector<double> t, value;  // t strictly increasing, at least one point
};

struct Term {
  std::variant<Constant, StepAt, Ramp, Sine, Chirp, Triangle, Points> shape;
  double soft_start{};                       // s; multiplies by sin^2(pi t/(2 soft_start)) up to t = soft_start
  Signal at(double t, double inside) const;  // see Drive::at
};

enum class DriveOf { position, velocity, force };

struct Drive {
  DriveOf of = DriveOf::position;
  std::vector<Term> terms{};  // the drive is their sum
  double soft_start{};        // of the sum

  /// Value at t on the smooth piece that contains the time `inside`: at a corner the two pieces differ.
  Signal at(double t, double inside) const;
  Signal at(double t) const { return at(t, t); }
  /// Whether the piece that contains the time `inside` is a straight line.
  bool straight(double inside) const;
  /// The first corner after t; infinity if there is none.
  double next_corner(double t) const;
  /// Longest step that resolves every oscillation between t and the next corner; infinity without oscillation.
  double longest_step(double t) const;
  /// The first time in (0, end] at which the value jumps.
  std::optional<double> first_jump(double end = inf) const;
};

}  // namespace bristle
