#pragma once
#include <optional>

#include "bristle/asperity/gfm.hpp"
#include "bristle/effects.hpp"
#include "bristle/registry/any.hpp"

namespace bristle {

/// What a population shows beside its force.
struct PopulationState {
  double contact{}, slip{}, Fn{}, W_adh{}, W_def{}, W_imp{}, W{}, E_el{};
  static constexpr auto fields() {
    using S = PopulationState;
    return Fields{Field{&S::contact, "contact", "1", "fraction of asperities in contact"},
                  Field{&S::slip, "slip", "1", "fraction of asperities in slip"},
                  Field{&S::Fn, "Fn", "N", "normal load of the contacts"},
                  Field{&S::W_adh, "W_adh", "J", "work lost in slip"},
                  Field{&S::W_def, "W_def", "J", "work lost where asperities break loose"},
                  Field{&S::W_imp, "W_imp", "J", "energy of impacts"},
                  Field{&S::W, "W", "J", "all that was lost: W_adh + W_def + W_imp"},
                  Field{&S::E_el, "E_el", "J", "elastic energy"}};
  }
};

/// An asperity population as a contact.
class BoxedPopulation final : public AnyContact {
 public:
  BoxedPopulation(const GfmParams& p, const std::optional<Effects<double>>& e) : population_(p), effects_(e) { look(); }

  std::unique_ptr<AnyContact> clone() const override { return std::make_unique<BoxedPopulation>(*this); }
  std::string_view model() const override { return Gfm::card.name; }
  bool has_effects() const override { return effects_.has_value(); }
  std::vector<Variable> parameters() const override;
  std::vector<Variable> states() const override;
  bool passive() const override { return true; }
  Scales<double> scales() const override { return population_.scales(); }
  void reset() override;

  // For runs of a prescribed motion, many steps at a time.
  const Gfm& population() const { return population_; }
  void run(std::span<const asperity::Step> steps, std::span<asperity::Record> records, unsigned threads) {
    population_.run(steps, records, threads);
  }
  /// Throws BadInput for a place too far away to be walked to.
  void check_way(double goal) const;
  double load_ratio(const Motion<double>& u) const { return effects_ ? effects_->in(u).r : u.r; }
  bool plain() const { return !effects_; }
  const PopulationState& state() const { return state_; }
  /// Adds the works of a step and takes the rest over.
  void keep(const asperity::Record& r);
  double force(const Motion<double>& u, double elastic, double impact) const;
  double impact_force(double W_imp, double path, double side) const;

 private:
  double do_step(const Motion<double>& u, double dt) override;
  Coupled<double> do_couple(const Motion<double>& u, double mass, double dt) override;
  void look() { keep(population_.now()); }
  double advance(const Motion<double>& u, double goal, double dt);

  Gfm population_;
  std::optional<Effects<double>> effects_;
  PopulationState state_{};
  double moved_{}, moved_rest_{};  // displacement, with what rounding left out of it
};

}  // namespace bristle
