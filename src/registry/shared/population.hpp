#pragma once
#include <optional>

#include "bristle/asperity/gfm.hpp"
#include "bristle/effects.hpp"
#include "bristle/registry/any.hpp"
#include "registry/shared/slots.hpp"

namespace bristle {

/// Displayed states of a population.
struct PopulationState {
  double contact{}, slip{}, Fn{}, W_adh{}, W_def{}, W_imp{}, W{}, E_el{};
  static constexpr auto fields() {
    using S = PopulationState;
    return Fields{Field{&S::contact, "contact", "1", "fraction of asperities in contact"},
                  Field{&S::slip, "slip", "1", "fraction of asperities in slip"},
                  Field{&S::Fn, "Fn", "N", "normal load of the contacts"},
                  Field{&S::W_adh, "W_adh", "J", "work lost in slip"},
                  Field{&S::W_def, "W_def", "J", "work lost when asperities break loose"},
                  Field{&S::W_imp, "W_imp", "J", "energy of impacts"},
                  Field{&S::W, "W", "J", "total loss: W_adh + W_def + W_imp"},
                  Field{&S::E_el, "E_el", "J", "elastic energy"}};
  }
};

/// The displacement of all steps, with what rounding left out of it.
struct Moved {
  double sum{}, rest{};
  static constexpr auto fields() {
    return Fields{Field{&Moved::sum, "moved", "m", "displacement"},
                  Field{&Moved::rest, "moved_rest", "m", "its rounding error"}};
  }
};

/// An asperity population as a contact.
class BoxedPopulation final : public AnyContact {
 public:
  BoxedPopulation(const GfmParams& p, const std::optional<Effects<double>>& e)
      : population_(std::in_place, p), effects_(e) {
    look();
  }

  std::unique_ptr<AnyContact> clone() const override { return std::make_unique<BoxedPopulation>(*this); }
  std::string_view model() const override { return Gfm::card.name; }
  bool has_effects() const override { return effects_.has_value(); }
  std::vector<Variable> parameters() const override;
  Table settings() const override;
  std::vector<Variable> states() const override;
  std::vector<std::string> state_names() const override;
  std::vector<double> state() const override;
  bool passive() const override { return true; }
  Scales<double> scales() const override { return population_->scales(); }
  void reset() override;

  // For runs of a prescribed motion, many steps at a time.
  const Gfm& population() const { return *population_; }
  void run(std::span<const asperity::Step> steps, std::span<asperity::Record> records, unsigned threads) {
    population_->run(steps, records, threads);
  }
  /// Throws BadInput for a displacement that is too large.
  void check_way(double goal) const;
  double load_ratio(const Motion<double>& u) const { return effects_ ? effects_->in(u).r : u.r; }
  bool plain() const { return !effects_; }
  const PopulationState& shown() const { return state_; }
  /// Adds the works of a step and keeps its record.
  void keep(const asperity::Record& r);
  double force(const Motion<double>& u, double elastic, double impact) const;
  double impact_force(double W_imp, double path, double side) const;

 private:
  double do_force(const Motion<double>& u) const override;
  double do_step(const Motion<double>& u, double dt) override;
  std::string do_set_state(std::span<const double> values) override;
  void take_parameters(const AnyContact& from) override;
  Slots own_slots() const;
  Coupled<double> do_couple(const Motion<double>& u, double mass, double dt) override;
  void look() { keep(population_->now()); }
  double advance(const Motion<double>& u, double goal, double dt);

  std::optional<Gfm> population_;  // always there; its parameters change with it
  std::optional<Effects<double>> effects_;
  PopulationState state_{};
  Moved moved_;
};

}  // namespace bristle
