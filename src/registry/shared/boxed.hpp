#pragma once
#include <fmt/format.h>

#include "bristle/field.hpp"
#include "bristle/models.hpp"
#include "bristle/registry/any.hpp"

/// What is inside an AnyContact, for rooms that go on with the static type.
namespace bristle {

template <class P> void list_scalars(const P& p, std::vector<Variable>& out) {
  each_scalar(p, [&](const auto& field, int i, const double& v) {
    out.push_back({i > 0 ? fmt::format("{}{}", field.name, i) : field.name, field.unit, v});
  });
}

/// The model inside an effect, or the contact itself.
template <class C> const auto& model_of(const C& c) {
  if constexpr (requires { c.inner; }) {
    return c.inner;
  } else {
    return c;
  }
}

template <Contact C> class Boxed final : public AnyContact {
 public:
  Boxed(const C& c, const typename C::State& s) : contact(c), start(s), s_(s) {}
  const C contact;
  const typename C::State start;

  std::unique_ptr<AnyContact> clone() const override { return std::make_unique<Boxed>(*this); }
  std::string_view model() const override { return model_of(contact).card.name; }
  std::size_t index() const override {
    constexpr std::size_t place = Models::index_of(std::remove_cvref_t<decltype(model_of(contact))>::card.name);
    return place;
  }
  bool has_effects() const override {
    return requires { contact.inner; };
  }
  std::vector<Variable> parameters() const override {
    std::vector<Variable> out;
    list_scalars(model_of(contact).p, out);
    if constexpr (requires { contact.inner; }) list_scalars(contact.p, out);
    return out;
  }
  std::vector<Variable> states() const override {
    std::vector<Variable> out;
    list_scalars(s_, out);
    return out;
  }
  bool passive() const override { return model_of(contact).passive(); }
  Scales<double> scales() const override { return model_of(contact).scales(); }
  void reset() override {
    s_ = start;
    q_ = {};
  }

 private:
  double do_step(const Motion<double>& u, double dt) override {
    contact.step(s_, q_, u, dt);
    return contact.force(s_, q_, u);
  }
  Coupled<double> do_couple(const Motion<double>& u, double mass, double dt) override {
    return bristle::couple(contact, s_, q_, u, mass, dt);
  }
  typename C::State s_;
  typename C::Mode q_{};
};

}  // namespace bristle
