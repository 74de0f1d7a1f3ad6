#pragma once
#include <memory>

#include "bristle/heat.hpp"
#include "bristle/registry/any.hpp"

namespace bristle {

/// A lumped model with its effects, and the temperature that its friction produces.
class HeatedContact final : public AnyContact {
 public:
  /// `inner` is the model, or the model with its effects.
  HeatedContact(std::unique_ptr<AnyContact> inner, const Heat& heat, const Heat::Nodes& start, bool effects)
      : inner_(std::move(inner)), heat_(heat), start_(start), nodes_(start), effects_(effects) {}
  /// The motion at a temperature, as a model or its effects read it.
  static Motion<double> at_temperature(const Heat& heat, Motion<double> u, double T, bool effects) {
    u.temperature = T;
    u.dry = heat.dry_factor(T);
    u.viscosity = heat.viscous_factor(T);
    if (!effects) u.r *= u.dry;
    return u;
  }
  HeatedContact(const HeatedContact& o)
      : AnyContact(o),
        inner_(o.inner_->clone()),
        heat_(o.heat_),
        start_(o.start_),
        nodes_(o.nodes_),
        over_(o.over_),
        near_dry_(o.near_dry_),
        near_viscous_(o.near_viscous_),
        last_(o.last_),
        effects_(o.effects_),
        measured_(o.measured_) {}
  HeatedContact& operator=(const HeatedContact&) = delete;

  std::unique_ptr<AnyContact> clone() const override { return std::make_unique<HeatedContact>(*this); }
  std::string_view model() const override { return inner_->model(); }
  bool has_effects() const override { return effects_; }
  bool passive() const override { return inner_->passive(); }
  Scales<double> scales() const override { return inner_->scales(); }
  void reset() override;
  std::vector<Variable> parameters() const override;
  Table settings() const override;
  Table initial() const override;
  std::vector<Variable> states() const override;
  std::vector<std::string> state_names() const override;
  std::vector<double> state() const override;
  ContactRef ref() override;

  const AnyContact& inner() const { return *inner_; }
  const Heat& heat() const { return heat_; }
  const Heat::Nodes& start() const { return start_; }
  /// The temperature of the motion, which is measured, takes the place of the computed one.
  void follow_measured(bool measured) { measured_ = measured; }

 private:
  Motion<double> heated(const Motion<double>& u, double T) const { return at_temperature(heat_, u, T, effects_); }
  Motion<double> heated(const Motion<double>& u) const {
    return heated(u, measured_ ? u.temperature : heat_.acting(nodes_));
  }
  void warm(double before, double after, double dt);
  double do_force(const Motion<double>& u) const override { return inner_->force(heated(u)); }
  double do_step(const Motion<double>& u, double dt) override;
  Coupled<double> do_couple(const Motion<double>& u, double mass, double dt) override;
  std::string do_set_state(std::span<const double> values) override;
  void take_parameters(const AnyContact& from) override;
  struct Reference;

  std::unique_ptr<AnyContact> inner_;
  Heat heat_;
  Heat::Nodes start_, nodes_;
  Heat::Transfer over_{};                     // of the last length of step
  Heat::Anchor near_dry_{}, near_viscous_{};  // of the last temperature
  /// Force and velocity at the end of the last step; infinite: none yet.
  struct {
    double F{inf}, v{};
  } last_;
  bool effects_, measured_ = false;
};

inline bool is_heated(const AnyContact& c) { return dynamic_cast<const HeatedContact*>(&c) != nullptr; }

}  // namespace bristle
