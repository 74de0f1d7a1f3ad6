#pragma once
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "compensator.hpp"

namespace bristle {

/// Order of the values in control::FrictionLeastSquares.
inline constexpr std::array<const char*, 4> least_squares_names{"Fc", "kv", "offset", "asymmetry"};

/// The numbers of a compensator with their defaults, from the servo and its model.
struct CompensatorNumbers {
  CompensatorNumbers(const ControllerParams& c, double body);
  double inertia{}, filter{}, adaptation_time{}, forgetting{}, settle{}, least_velocity{}, velocity_noise{},
      force_noise{};
  double Fc{}, kv{}, speed{1}, smooth{};  // smooth: width of the reversal of laws along the reference, m/s
  static constexpr double least_level = 0.2, most_level = 5;  // admissible estimates over the values of the model
};

/// A law of bristle/control with names() and values() of its estimates.
template <class Part> class Wrapped final : public Compensator {
 public:
  Wrapped(Part part, const CompensationParams& p)
      : Compensator(1 + part.names().size()), part_(std::move(part)), start_(p.start), switch_{p.blend} {}
  double step(const control::Interval<double>& in) override {
    t_ += in.dt;
    F_ = part_.law.step(in);
    return switch_(F_, t_ >= start_, in.dt);
  }
  std::vector<Column> columns() const override {
    std::vector<Column> out{{"Fhat", "N"}};
    for (Column& c : part_.names()) out.push_back(std::move(c));
    return out;
  }
  void estimates(double* out) const override {
    *out = F_;
    part_.values(out + 1);
  }

 private:
  Part part_;
  double start_, t_{}, F_{};
  control::Bumpless<double> switch_;
};
template <class Part> std::unique_ptr<Compensator> wrapped(Part part, const CompensationParams& p) {
  return std::make_unique<Wrapped<Part>>(std::move(part), p);
}

std::unique_ptr<Compensator> make_kalman(const CompensationParams& p, const CompensatorNumbers& n);
/// Problem with the model or the estimates of an extended Kalman filter, or "".
std::string objection_to_kalman(const CompensationParams& p);

}  // namespace bristle
