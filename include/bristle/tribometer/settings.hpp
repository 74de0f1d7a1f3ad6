#pragma once
#include "../relation.hpp"
#include "../vec.hpp"

/// Settings of the experiments of the virtual tribometer. Defaults of 0 or empty values come from the natural sizes of
/// the contact: force F0, velocity V, travel X.
namespace bristle::tribometer {

/// Values of a setting.
using Values = Vec<double>;

namespace detail {
inline constexpr Range count{2, 10000};
}

/// Natural sizes that replace those of the contact: equal sizes make experiments comparable.
struct SizeSettings {
  double force{}, velocity{}, travel{}, mass{};
  static constexpr auto fields() {
    using S = SizeSettings;
    return Fields{
        Field{&S::force, "force", "N", "natural force F0", positive, role::optional},
        Field{&S::velocity, "velocity", "m/s", "natural velocity V; default: of the contact, or 100/s times its travel",
              positive, role::optional},
        Field{&S::travel, "travel", "m", "natural travel X; default: of the contact, or 0.01 s times its velocity",
              positive, role::optional},
        Field{&S::mass, "mass", "kg", "mass of the body in experiments with forces; default: F0 X/(5 V)^2", positive,
              role::optional}};
  }
};

/// Pre-sliding: nested loops, slowly and fast.
struct LoopSettings {
  double amplitude{}, speed{}, fast{}, inner_top{0.5}, inner_bottom{-0.3};
  int points{100};
  static constexpr auto fields() {
    using S = LoopSettings;
    return Fields{
        Field{&S::amplitude, "amplitude", "m", "amplitude of the outer loop; default: 1.4 X", positive, role::optional},
        Field{&S::speed, "speed", "m/s", "slow speed; default: 1e-5 V", positive, role::optional},
        Field{&S::fast, "fast", "m/s", "speed of the second pass; default: 10 V", positive, role::optional},
        Field{&S::inner_top, "inner_top", "1", "upper end of the inner loop over the amplitude", Range{-1, 1},
              role::optional},
        Field{&S::inner_bottom, "inner_bottom", "1", "lower end of the inner loop over the amplitude", Range{-1, 1},
              role::optional},
        Field{&S::points, "points", "1", "rows per leg", detail::count, role::optional}};
  }
  static constexpr auto relations() {
    return std::array{relation::strictly_above<&LoopSettings::inner_top, &LoopSettings::inner_bottom>};
  }
};

/// Steady friction against velocity, forwards and backwards.
struct CurveSettings {
  double slowest{}, fastest{};
  int per_decade{8};
  static constexpr auto fields() {
    using S = CurveSettings;
    return Fields{Field{&S::slowest, "slowest", "m/s", "first velocity; default: 1e-3 V", positive, role::optional},
                  Field{&S::fastest, "fastest", "m/s", "last velocity; default: 1e3 V", positive, role::optional},
                  Field{&S::per_decade, "per_decade", "1", "velocities per decade", Range{1, 1000}, role::optional}};
  }
  static constexpr auto relations() {
    using S = CurveSettings;  // 0: follows from the contact
    return std::array{Relation<S>{[](const S& s) { return !(s.fastest > 0 && s.slowest > 0) || s.fastest > s.slowest; },
                                  {"fastest", "slowest"},
                                  "fastest > slowest"}};
  }
};

/// Sliding in one direction at v = mean + amplitude sin(omega t).
struct LagSettings {
  double mean{}, amplitude{};
  Values omega{};
  static constexpr auto fields() {
    using S = LagSettings;
    return Fields{Field{&S::mean, "mean", "m/s", "mean velocity; default: 1.5 V", positive, role::optional},
                  Field{&S::amplitude, "amplitude", "m/s", "amplitude of the velocity; default: two thirds of the mean",
                        positive, role::optional},
                  Field{&S::omega, "omega", "rad/s", "angular frequencies; default: 0.02, 0.15 and 1 times V/X",
                        positive, role::optional}};
  }
};

/// A jump of the velocity and back.
struct StepSettings {
  double from{}, to{};
  static constexpr auto fields() {
    using S = StepSettings;
    return Fields{Field{&S::from, "from", "m/s", "velocity before; default: 0.5 V", positive, role::optional},
                  Field{&S::to, "to", "m/s", "velocity after; default: 3 times that before", positive, role::optional}};
  }
};

/// A step of load below sliding friction.
struct HoldSettings {
  double load{0.5}, duration{};
  static constexpr auto fields() {
    using S = HoldSettings;
    return Fields{Field{&S::load, "load", "1", "load over sliding friction", Range{limit::least, 1}, role::optional},
                  Field{&S::duration, "duration", "s", "duration; default: 1e5 X/V", positive, role::optional}};
  }
};

/// A force ramp until the body slides.
struct BreakawaySettings {
  Values rates{};
  double sliding{};
  static constexpr auto fields() {
    using S = BreakawaySettings;
    return Fields{
        Field{&S::rates, "rates", "N/s", "force rates; default: 0.003 to 0.3 times F0 V/X", positive, role::optional},
        Field{&S::sliding, "sliding", "m/s", "velocity that ends the search for the largest force; default: 10 V",
              positive, role::optional}};
  }
};

/// Slide, rest, slide.
struct DwellSettings {
  Values dwells{};
  double speed{};
  static constexpr auto fields() {
    using S = DwellSettings;
    return Fields{
        Field{&S::dwells, "dwells", "s", "times at rest; default: 0.1 to 1e5 times X/V", positive, role::optional},
        Field{&S::speed, "speed", "m/s", "speed before and after; default: 0.1 V", positive, role::optional}};
  }
};

/// Velocity reversals, v = amplitude sin(2 pi f t).
struct ReversalSettings {
  double amplitude{};
  Values frequencies{};
  static constexpr auto fields() {
    using S = ReversalSettings;
    return Fields{
        Field{&S::amplitude, "amplitude", "m/s", "amplitude of the velocity; default: 5 V", positive, role::optional},
        Field{&S::frequencies, "frequencies", "Hz", "frequencies; default: amplitudes of 50 X and 5 X", positive,
              role::optional}};
  }
};

/// F = sliding friction x (mean + amplitude sin(2 pi f t)), with a soft start of one cycle.
struct DriftSettings {
  double mean{0.35}, amplitude{0.3}, frequency{};
  int cycles{24};
  static constexpr auto fields() {
    using S = DriftSettings;
    return Fields{
        Field{&S::mean, "mean", "1", "mean load over sliding friction", Range{-10, 10}, role::optional},
        Field{&S::amplitude, "amplitude", "1", "amplitude over sliding friction", Range{0, 10}, role::optional},
        Field{&S::frequency, "frequency", "Hz", "frequency; default: 0.015 V/X", positive, role::optional},
        Field{&S::cycles, "cycles", "1", "number of cycles; the last four are measured", Range{5, 10000},
              role::optional}};
  }
};

/// A block pulled by a spring.
struct StickSlipSettings {
  double velocity{}, stiffness{}, mass{}, damping_ratio{0.05};
  int cycles{5};
  bool critical{true};
  static constexpr auto fields() {
    using S = StickSlipSettings;
    return Fields{
        Field{&S::velocity, "velocity", "m/s", "velocity of the drive; default: 2 V", positive, role::optional},
        Field{&S::stiffness, "stiffness", "N/m", "stiffness of the spring; default: 1e-3 F0/X", positive,
              role::optional},
        Field{&S::mass, "mass", "kg", "mass of the block; default: as in the other experiments", positive,
              role::optional},
        Field{&S::damping_ratio, "damping_ratio", "1", "damping ratio of block and spring", Range{0, 10},
              role::optional},
        Field{&S::cycles, "cycles", "1", "number of stick phases", Range{2, 1000}, role::optional},
        Field{&S::critical, "critical", "1",
              "search the critical velocity and stiffness; not for contacts without a state equation", any_real,
              role::optional}};
  }
};

/// x = amplitude sin(omega t): energy per cycle and describing function.
struct CycleSettings {
  Values amplitudes{}, omega{};
  static constexpr auto fields() {
    using S = CycleSettings;
    return Fields{
        Field{&S::amplitudes, "amplitudes", "m", "amplitudes; default: 0.1 to 30 X", positive, role::optional},
        Field{&S::omega, "omega", "rad/s", "angular frequencies; default: 0.001, 0.1 and 10 times V/X", positive,
              role::optional}};
  }
};

/// Search for a closed cycle of motions that yields energy, and the largest force on a random path.
struct EnergySettings {
  int tries{300};
  double slowest{}, fastest{};
  static constexpr auto fields() {
    using S = EnergySettings;
    return Fields{Field{&S::tries, "tries", "1", "number of cycles to try", Range{1, 1e6}, role::optional},
                  Field{&S::slowest, "slowest", "m/s", "smallest speed; default: 1e-6 V", positive, role::optional},
                  Field{&S::fastest, "fastest", "m/s", "largest speed; default: 1e3 V", positive, role::optional}};
  }
};

/// Settings of all experiments.
struct Settings {
  SizeSettings sizes{};            // typical magnitudes that replace the automatic ones
  double rtol{1e-8};               // tolerance of runs with variable steps
  LoopSettings loops{};            // of the hysteresis loops
  CurveSettings curve{};           // of the steady curve
  LagSettings lag{};               // of the oscillating velocity
  StepSettings steps{};            // of the steps of the velocity
  HoldSettings hold{};             // of slide, hold, slide
  BreakawaySettings breakaway{};   // of breakaway against the rate of the force
  DwellSettings dwell{};           // of breakaway against the time at rest
  ReversalSettings reversal{};     // of the motion through zero velocity
  DriftSettings drift{};           // of the oscillating force below breakaway
  StickSlipSettings stick_slip{};  // of stick-slip
  CycleSettings cycles{};
  EnergySettings energy{};  // of the energy of random motions
};

}  // namespace bristle::tribometer
