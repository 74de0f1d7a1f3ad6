#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../registry/any.hpp"

/// Friction compensation in the loop of a sampled servo, by the observers and adaptive laws of bristle/control.
namespace bristle {

/// Kinds of compensation.
enum class CompensationKind {
  none,
  feedforward,
  lugre_observer,
  gms_observer,
  friedland_park,
  disturbance_observer,
  ekf,
  adaptive_rls,
  adaptive_lugre
};
constexpr std::array<const char*, 9> choices(CompensationKind) {
  return {"none", "feedforward",  "lugre_observer", "gms_observer", "friedland_park", "disturbance_observer",
          "ekf",  "adaptive_rls", "adaptive_lugre"};
}

/// Each kind reads some of the numbers, see keys_of.
struct CompensationParams {
  CompensationKind kind{CompensationKind::none};  // the kind
  double gain{0}, inertia{0}, filter{0}, adaptation_time{0}, forgetting{0}, least_velocity{0};
  double velocity_noise{0}, force_noise{0}, drift{0.05}, start{0}, blend{0};
  int factors{1};
  std::vector<std::string> estimate{};        // parameters that are estimated
  std::shared_ptr<const AnyContact> model{};  // friction; none for a disturbance observer

  static constexpr auto fields() {
    using C = CompensationParams;
    return Fields{
        Field{&C::gain, "gain", "1/s", "correction of the observer by the position error", nonnegative, role::optional},
        Field{&C::inertia, "inertia", "kg", "nominal inertia; the mass of [system] unless given", positive,
              role::optional},
        Field{&C::filter, "filter", "s", "time constant of the low-pass on forces; 10 samples unless given", positive,
              role::optional},
        Field{&C::adaptation_time, "adaptation_time", "s",
              "time constant of the adaptation in motion; 100 samples unless given", positive, role::optional},
        Field{&C::forgetting, "forgetting", "s", "memory of the least squares; 100 samples unless given", positive,
              role::optional},
        Field{
            &C::least_velocity, "least_velocity", "m/s",
            "estimates are frozen below this speed; 5 vs of the model, and two encoder steps per sample, unless given",
            positive, role::optional},
        Field{&C::velocity_noise, "velocity_noise", "m/s",
              "standard deviation of the measured velocity; from step and noise of the sensor unless given", positive,
              role::optional},
        Field{&C::force_noise, "force_noise", "N",
              "standard deviation of forces that the model does not explain; 2 % of the largest dry force unless given",
              positive, role::optional},
        Field{&C::drift, "drift", "1", "relative change of the parameters in a second, standard deviation", positive,
              role::optional},
        Field{&C::factors, "factors", "1", "1: one factor for all friction; 2: one each for dry and viscous friction",
              Range{1, 2}, role::optional},
        Field{&C::start, "start", "s", "time from which the compensation acts; it observes before", nonnegative,
              role::optional},
        Field{&C::blend, "blend", "s", "time constant of the transition at start", nonnegative, role::optional}};
  }
};

/// Whether a kind reads a number, or has a friction model or estimates of chosen parameters.
bool reads(CompensationKind kind, std::string_view key);

}  // namespace bristle
