#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "asperity/shared/ledger.hpp"
#include "bristle/asperity/generic2010.hpp"
#include "bristle/effects.hpp"
#include "bristle/registry/any.hpp"

namespace bristle {

/// Displayed states of generic2010: its normal motion.
struct Generic2010State {
  double Y{}, Vn{}, Fn{}, contacts{};
  static constexpr auto fields() {
    using S = Generic2010State;
    return Fields{Field{&S::Y, "Y", "m", "normal position of the main mass"},
                  Field{&S::Vn, "Vn", "m/s", "normal velocity of the main mass"},
                  Field{&S::Fn, "Fn", "N", "normal force of the asperities"},
                  Field{&S::contacts, "contacts", "1", "number of asperities in contact"}};
  }
};

/// generic2010 as a contact. It has internal steps dt; a motion shorter than a step is added to the next one.
class BoxedGeneric2010 final : public AnyContact {
 public:
  BoxedGeneric2010(const Generic2010Params& p, const std::optional<Effects<double>>& e);

  std::unique_ptr<AnyContact> clone() const override { return std::make_unique<BoxedGeneric2010>(*this); }
  std::string_view model() const override { return Generic2010<>::card.name; }
  bool has_effects() const override { return effects_.has_value(); }
  std::vector<Variable> parameters() const override;
  Table settings() const override;
  std::vector<Variable> states() const override;
  /// A contact that has not moved yet settles for these.
  std::vector<std::string> state_names() const override;
  std::vector<double> state() const override;
  bool passive() const override { return true; }
  Scales<double> scales() const override;
  /// Settles, once for all contacts of the same parameters.
  void reset() override;
  /// Settles, which takes time; `tick` may throw.
  void settle(const std::function<void()>& tick);

  /// Keeps the works of the asperities since the last reset, without effects, in J: of this contact, or of a copy of it
  /// that runs. Empty for abm, whose steps are of another kind.
  std::shared_ptr<const asperity::Ledger> keep_works();

  const Generic2010Params& params() const { return p_; }
  /// The population; settles it before its first motion.
  const Generic2010<double>& population() const;
  double step_size() const { return p_.dt * p_.scale_time; }

 private:
  double do_force(const Motion<double>& u) const override;
  double do_step(const Motion<double>& u, double dt) override;
  std::string do_set_state(std::span<const double> values) override;
  void take_parameters(const AnyContact& from) override;
  void begin() const {
    if (!settled_ && !population_) const_cast<BoxedGeneric2010&>(*this).reset();
  }
  Coupled<double> do_couple(const Motion<double>& u, double mass, double dt) override;
  double own_step(double U, double r);
  double force(const Motion<double>& u) const;
  double load_ratio(const Motion<double>& u) const { return effects_ ? effects_->in(u).r : u.r; }

  Generic2010Params p_;
  std::optional<Effects<double>> effects_;
  std::shared_ptr<const Generic2010<double>> settled_;
  std::optional<Generic2010<double>> population_;  // empty: still as settled
  asperity::Response now_{};
  double time_{}, way_{};  // not yet stepped
  std::shared_ptr<asperity::Ledger> works_;
  std::optional<asperity::Bookkeeper> books_;
};

}  // namespace bristle
