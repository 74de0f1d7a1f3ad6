#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "bristle/asperity/generic2010.hpp"
#include "bristle/effects.hpp"
#include "bristle/registry/any.hpp"

namespace bristle {

/// What the model of 2010 shows beside its force: the normal motion is its own.
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

/// The model of 2010 as a contact. It goes on in steps of its own dt; what is asked for in between waits for the next one.
class BoxedGeneric2010 final : public AnyContact {
 public:
  BoxedGeneric2010(const Generic2010Params& p, const std::optional<Effects<double>>& e);

  std::unique_ptr<AnyContact> clone() const override { return std::make_unique<BoxedGeneric2010>(*this); }
  std::string_view model() const override { return Generic2010<>::card.name; }
  bool has_effects() const override { return effects_.has_value(); }
  std::vector<Variable> parameters() const override;
  std::vector<Variable> states() const override;
  bool passive() const override { return true; }
  Scales<double> scales() const override;
  /// Settles, once for all contacts of the same parameters.
  void reset() override;
  /// The first part of it, which takes time; `tick` may throw.
  void settle(const std::function<void()>& tick);

  const Generic2010Params& params() const { return p_; }
  /// Settled if it has not moved yet.
  const Generic2010<double>& population() const;
  double step_size() const { return p_.dt * p_.scale_time; }

 private:
  double do_step(const Motion<double>& u, double dt) override;
  Coupled<double> do_couple(const Motion<double>& u, double mass, double dt) override;
  double own_step(double U, double r);
  double force(const Motion<double>& u) const;
  double load_ratio(const Motion<double>& u) const { return effects_ ? effects_->in(u).r : u.r; }

  Generic2010Params p_;
  std::optional<Effects<double>> effects_;
  std::shared_ptr<const Generic2010<double>> settled_;
  std::optional<Generic2010<double>> population_;  // none: as settled
  asperity::Response now_{};
  double time_{}, way_{};  // asked for and not yet gone
};

}  // namespace bristle
