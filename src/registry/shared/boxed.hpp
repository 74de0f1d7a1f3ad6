#pragma once
#include "bristle/directed.hpp"
#include "bristle/effects.hpp"
#include "bristle/models.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/registry/view.hpp"
#include "registry/shared/slots.hpp"

/// Contents of an AnyContact, for code that uses the static type.
namespace bristle {

/// Parameters of a contact from the views of its model, of its effects, and of its model in negative motion.
Table settings_of(const std::vector<FieldView>& model, const Effects<double>* effects = nullptr,
                  const std::vector<FieldView>& negative = {});
std::vector<Variable> parameters_of(const std::vector<FieldView>& model, const Effects<double>* effects,
                                    const std::vector<FieldView>& negative = {});
std::vector<Variable> variables_of(const Slots& slots);

/// All that a friction block can add to a model.
template <template <class> class M> using Equipped = With<Directed<M<double>>, Effects<double>>;

/// The model inside effects, or the contact itself; its parameters are those of positive motion.
template <class C> const auto& model_of(const C& c) {
  if constexpr (requires { c.inner.inner; }) {
    return c.inner.inner;
  } else {
    return c;
  }
}
template <class C> using ModelOf = std::remove_cvref_t<decltype(model_of(std::declval<const C&>()))>;
template <class C> const Effects<double>* effects_of(const C& c) {
  if constexpr (requires { c.inner; }) {
    return &c.p;
  } else {
    return nullptr;
  }
}

/// The fields of `a` whose values are not those of `b`.
std::vector<FieldView> differing(std::vector<FieldView> a, const std::vector<FieldView>& b);
/// Whether a contact has other parameters in negative motion.
template <class C> bool is_directed(const C& c) {
  auto views_of = [](const auto& model) { return views(const_cast<typename ModelOf<C>::Params&>(model.p)); };
  return !differing(views_of(c.inner.negative), views_of(c.inner.inner)).empty();
}

/// All numbers of a state and a mode.
template <class S, class Q> Slots slots_of(S& s, Q& q) {
  Slots out;
  std::size_t used = 0;
  list_slots<fields_of<S>>(s, out, used);
  if constexpr (requires { S::memory(); }) list_slots<memory_of<S>>(s, out, used);
  list_slots<fields_of<Q>>(q, out, used);
  return out;
}

/// Those of a state that columns show.
template <class S> std::vector<Variable> shown_states(const S& s) {
  Slots shown;
  std::size_t used = 0;
  list_slots<fields_of<S>>(const_cast<S&>(s), shown, used);
  return variables_of(shown);
}

template <Contact C> class Boxed final : public AnyContact {
 public:
  Boxed(const C& c, const typename C::State& s) : contact(c), start(s), s_(s) {}
  C contact;
  typename C::State start;

  std::unique_ptr<AnyContact> clone() const override { return std::make_unique<Boxed>(*this); }
  std::string_view model() const override { return ModelOf<C>::card.name; }
  std::size_t index() const override {
    constexpr std::size_t place = Models::index_of(ModelOf<C>::card.name);
    return place;
  }
  bool has_effects() const override { return effects_of(contact) != nullptr; }
  bool passive() const override {
    if constexpr (requires { contact.inner.negative; }) {
      return model_of(contact).passive() && contact.inner.negative.passive();
    } else {
      return model_of(contact).passive();
    }
  }
  Scales<double> scales() const override {
    if constexpr (requires { contact.inner.scales(); }) {
      return contact.inner.scales();
    } else {
      return contact.scales();
    }
  }
  void reset() override {
    s_ = start;
    q_ = {};
  }
  std::vector<Variable> parameters() const override { return parameters_of(fields(), effects_of(contact), negative()); }
  Table settings() const override { return settings_of(fields(), effects_of(contact), negative()); }
  Table initial() const override { return settings_of(views(const_cast<typename C::State&>(start))); }
  std::vector<Variable> states() const override { return shown_states(s_); }
  std::vector<std::string> state_names() const override { return names_of(slots()); }
  std::vector<double> state() const override { return values_of(slots()); }
  ContactRef ref() override { return {contact, s_, q_}; }

 private:
  /// To be read from alone.
  std::vector<FieldView> fields() const { return views(const_cast<typename ModelOf<C>::Params&>(model_of(contact).p)); }
  std::vector<FieldView> negative() const {
    if constexpr (requires { contact.inner.negative; }) {
      return differing(views(const_cast<typename ModelOf<C>::Params&>(contact.inner.negative.p)), fields());
    } else {
      return {};
    }
  }
  Slots slots() const { return slots_of(const_cast<typename C::State&>(s_), const_cast<typename C::Mode&>(q_)); }

  double do_force(const Motion<double>& u) const override {
    auto s = s_;
    auto q = q_;
    contact.step(s, q, u, 1e-200);  // no time to change the state; the mode follows the motion
    return contact.force(s, q, u);
  }
  double do_step(const Motion<double>& u, double dt) override {
    contact.step(s_, q_, u, dt);
    return contact.force(s_, q_, u);
  }
  std::string do_set_state(std::span<const double> values) override { return set_values(slots(), values); }
  void take_parameters(const AnyContact& from) override {
    const auto& other = static_cast<const Boxed&>(from);
    auto rest = contact.rest();
    typename C::Mode none{};
    const auto now = state(), begin = values_of(slots_of(start, none)), at_rest = values_of(slots_of(rest, none));
    contact = other.contact;
    const bool reshaped = at_rest.size() != other.state().size();
    if (begin == at_rest || reshaped) start = other.start;
    if (now == begin || reshaped) reset();
  }
  typename C::State s_;
  typename C::Mode q_{};
};

}  // namespace bristle
