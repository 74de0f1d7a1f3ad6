#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../registry/view.hpp"

/// Functions of time for drive and normal load, with exact derivatives and corners: a drive is smooth between corners,
/// and the integrator never steps across one.
namespace bristle {

/// Lists of any length in a field list.
inline constexpr std::size_t most_points = 100000;
template <> inline void detail::bind(FieldView& view, std::vector<double>& v) {
  view.kind = Kind::array;
  view.capacity = most_points;
  view.get = [&v] { return Value(v); };
  view.set = [&v](const Value& x) { v = *x.as<std::vector<double>>(); };
}

/// A value with its first two derivatives in time.
struct Signal {
  double value{}, rate{}, rate2{};  // rate: first derivative by time; rate2: second derivative by time
  friend Signal operator+(const Signal& a, const Signal& b) {
    return {a.value + b.value, a.rate + b.rate, a.rate2 + b.rate2};
  }
  friend Signal operator*(const Signal& a, const Signal& b) {
    return {a.value * b.value, a.rate * b.value + a.value * b.rate,
            a.rate2 * b.value + 2 * a.rate * b.rate + a.value * b.rate2};
  }
};

// Kinds of drives. "*" in a unit is the unit of the driven quantity.
/// A constant value.
struct Constant {
  double value{};
  static constexpr auto fields() { return Fields{Field{&Constant::value, "value", "*", "the value", any_real}}; }
};
/// A step.
struct StepAt {
  double at{}, size{};
  static constexpr auto fields() {
    return Fields{Field{&StepAt::at, "at", "s", "time of the step; at 0 the size is already the initial value",
                        nonnegative, role::optional},
                  Field{&StepAt::size, "size", "*", "value after the step, 0 before it", any_real}};
  }
};
/// A straight line.
struct Ramp {
  double velocity{}, start{};
  static constexpr auto fields() {
    return Fields{Field{&Ramp::velocity, "velocity", "*/s", "slope; key rate for a force", any_real},
                  Field{&Ramp::start, "start", "*", "value at t = 0", any_real, role::optional}};
  }
};
/// A sine.
struct Sine {
  double amplitude{}, frequency{}, phase{}, offset{};
  static constexpr auto fields() {
    return Fields{Field{&Sine::amplitude, "amplitude", "*", "amplitude", any_real},
                  Field{&Sine::frequency, "frequency", "Hz", "frequency; or omega in rad/s", positive},
                  Field{&Sine::phase, "phase", "rad", "phase at t = 0", any_real, role::optional},
                  Field{&Sine::offset, "offset", "*", "mean value", any_real, role::optional}};
  }
};
/// A sine of growing frequency.
struct Chirp {
  double amplitude{}, f0{}, f1{}, sweep_time{};
  static constexpr auto fields() {
    return Fields{Field{&Chirp::amplitude, "amplitude", "*", "amplitude", any_real},
                  Field{&Chirp::f0, "f0", "Hz", "frequency at the start", nonnegative},
                  Field{&Chirp::f1, "f1", "Hz", "frequency at the end of the sweep and after it", nonnegative},
                  Field{&Chirp::sweep_time, "sweep_time", "s", "duration of the sweep", positive}};
  }
};
/// A triangle wave.
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
/// Equal steps.
struct Staircase {
  double size{}, hold{1};
  int count{1};
  static constexpr auto fields() {
    using S = Staircase;
    return Fields{Field{&S::size, "size", "*", "height of a step", any_real},
                  Field{&S::hold, "hold", "s", "duration of a level; the first level is 0", positive},
                  Field{&S::count, "count", "1", "number of steps", Range{1, 1e6}}};
  }
};
/// A move from rest to rest within limits of velocity and acceleration, from t = 0 on; triangular if the distance is too
/// short for the velocity.
struct Trapezoid {
  double distance{}, velocity{1}, acceleration{1};
  static constexpr auto fields() {
    using S = Trapezoid;
    return Fields{Field{&S::distance, "distance", "*", "distance of the move, from 0", any_real},
                  Field{&S::velocity, "velocity", "*/s", "largest velocity", positive},
                  Field{&S::acceleration, "acceleration", "*/s^2", "acceleration and deceleration", positive}};
  }
};
/// The same with a limit of the jerk: seven pieces, fewer if the distance is short.
struct SCurve {
  double distance{}, velocity{1}, acceleration{1}, jerk{1};
  static constexpr auto fields() {
    using S = SCurve;
    return Fields{Field{&S::distance, "distance", "*", "distance of the move, from 0", any_real},
                  Field{&S::velocity, "velocity", "*/s", "largest velocity", positive},
                  Field{&S::acceleration, "acceleration", "*/s^2", "largest acceleration", positive},
                  Field{&S::jerk, "jerk", "*/s^3", "jerk of all curved pieces", positive}};
  }
};
/// Through points at given times, at rest at each; constant before the first and after the last. Minimum jerk: the
/// polynomial of fifth order, 10 s^3 - 15 s^4 + 6 s^5. Point to point: a trapezoid with thirds of the time for
/// acceleration, constant velocity and deceleration.
struct Waypoints {
  std::vector<double> points{0, 1}, times{0, 1};  // times strictly increasing, at least two of each
};
/// Polynomials of order five between points.
struct MinimumJerk : Waypoints {
  static constexpr auto fields() {
    using S = MinimumJerk;
    return Fields{Field<S, std::vector<double>>{&S::points, "points", "*", "values, with rest at each"},
                  Field<S, std::vector<double>>{&S::times, "times", "s", "time of each point, increasing"}};
  }
};
/// Motions with rests between points.
struct PointToPoint : Waypoints {
  static constexpr auto fields() {
    using S = PointToPoint;
    return Fields{Field<S, std::vector<double>>{&S::points, "points", "*", "values, with rest at each"},
                  Field<S, std::vector<double>>{&S::times, "times", "s", "time of each point, increasing"}};
  }
};
/// Pseudo-random binary signal: one of two values per bit, by the counter-based generator of random.hpp.
struct Prbs {
  double amplitude{}, bit_time{1};
  int seed{1};
  static constexpr auto fields() {
    using S = Prbs;
    return Fields{Field{&S::amplitude, "amplitude", "*", "the values are amplitude and -amplitude", any_real},
                  Field{&S::bit_time, "bit_time", "s", "duration of a bit", positive},
                  Field{&S::seed, "seed", "1", "of the sequence", Range{0, 2147483647}, role::optional}};
  }
};

/// One shape of a drive.
struct Term {
  std::variant<Constant, StepAt, Ramp, Sine, Chirp, Triangle, Points, Staircase, Trapezoid, SCurve, MinimumJerk,
               PointToPoint, Prbs>
      shape;                                 // the shape
  double soft_start{};                       // s; multiplies by sin^2(pi t/(2 soft_start)) up to t = soft_start
  Signal at(double t, double inside) const;  // see Drive::at
  /// Whether the piece that contains the time `inside` is a straight line.
  bool straight(double inside) const;
};

/// The quantity that a drive prescribes.
enum class DriveOf { position, velocity, force };

/// A function of time: the sum of terms.
struct Drive {
  DriveOf of = DriveOf::position;  // what it prescribes
  std::vector<Term> terms{};       // the drive is their sum
  double soft_start{};             // of the sum

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
  /// About the number of corners up to `end`, and how many a run accepts.
  double corners_until(double end) const;
  static constexpr double most_corners = 1e7;  // largest number of corners in a run
};

}  // namespace bristle
