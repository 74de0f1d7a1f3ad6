#include "bristle/boundary/any.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bristle/boundary/describe.hpp"
#include "bristle/boundary/read.hpp"
#include "bristle/effects.hpp"
#include "bristle/models.hpp"

namespace bristle {
namespace {

template <class P> void list(const P& p, std::vector<Variable>& out) {
  each_scalar(p, [&](const auto& field, int i, const double& v) {
    out.push_back({i > 0 ? fmt::format("{}{}", field.name, i) : field.name, field.unit, v});
  });
}

template <class C> const auto& model_of(const C& c) {
  if constexpr (requires { c.inner; }) {
    return c.inner;
  } else {
    return c;
  }
}

template <Contact C> class Boxed final : public AnyContact {
 public:
  Boxed(const C& c, const typename C::State& start) : c_(c), start_(start), s_(start) {}
  std::unique_ptr<AnyContact> clone() const override { return std::make_unique<Boxed>(*this); }
  std::string_view model() const override { return model_of(c_).card.name; }
  std::vector<Variable> parameters() const override {
    std::vector<Variable> out;
    list(model_of(c_).p, out);
    if constexpr (requires { c_.inner; }) list(c_.p, out);
    return out;
  }
  std::vector<Variable> states() const override {
    std::vector<Variable> out;
    list(s_, out);
    return out;
  }
  bool passive() const override { return model_of(c_).passive(); }
  void reset() override {
    s_ = start_;
    q_ = {};
  }

 private:
  double do_step(const Motion<double>& u, double dt) override {
    c_.step(s_, q_, u, dt);
    return c_.force(s_, q_, u);
  }
  Coupled<double> do_couple(const Motion<double>& u, double mass, double dt) override {
    return bristle::couple(c_, s_, q_, u, mass, dt);
  }
  C c_;
  typename C::State start_, s_;
  typename C::Mode q_{};
};

void require_positive(const char* name, const char* unit, double x) {
  if (!positive.contains(x)) {
    const char* must = x > 0 ? "between 1e-30 and 1e30" : "> 0";
    throw BadInput(fmt::format("{} = {} {} must be {}", name, number(x), unit, must));
  }
}
void require_finite(const Motion<double>& u) {
  struct Input {
    const char *name, *unit;
    double x;
  };
  for (const auto& [name, unit, x] : {Input{"x", " m", u.x},
                                      {"v", " m/s", u.v},
                                      {"F_app", " N", u.F_app},
                                      {"r", "", u.r},
                                      {"path", " m", u.path},
                                      {"t", " s", u.t},
                                      {"temperature", " degC", u.temperature}}) {
    if (!std::isfinite(x)) throw BadInput(fmt::format("{} = {}{} must be a finite number", name, number(x), unit));
  }
  if (u.r < 0) throw BadInput(fmt::format("r = {} must be >= 0: the normal load ratio", number(u.r)));
}

}  // namespace

double AnyContact::step(const Motion<double>& u, double dt) {
  require_positive("dt", "s", dt);
  require_finite(u);
  return do_step(u, dt);
}

Coupled<double> AnyContact::couple(const Motion<double>& u, double mass, double dt) {
  require_positive("dt", "s", dt);
  require_positive("mass", "kg", mass);
  require_finite(u);
  return do_couple(u, mass, dt);
}

Made make(std::string_view model, const Table& parameters, const Table& effects, const Table& initial,
          const std::string& where) {
  Made made;
  const bool known = Models::visit(model, [&]<template <class> class M>() {
    const std::string name(model);
    auto add = [&](const Problems& more) { made.problems.insert(made.problems.end(), more.begin(), more.end()); };
    M<double> c{};
    add(read(c.p, parameters, {"[friction]", name, where}));
    Effects<double> e{};
    add(read(e, effects, {"[friction.effects]", "effects", where}));
    auto s = c.rest();
    const auto shape = s;
    add(read(s, initial, {"[friction.initial]", name, where}, true));
    auto count = [](const auto& state) {
      std::size_t n = 0;
      each_scalar(state, [&](const auto&, int, const double&) { ++n; });
      return n;
    };
    if (made.problems.empty() && count(s) != count(shape)) {
      made.problems.push_back(
          {where,
           fmt::format("initial state of {} must have {} values, as many as its parameters say", name, count(shape))});
    }
    if (!made.problems.empty()) return;
    if (!c.passive())
      made.notes.push_back(
          fmt::format("{} with these parameters can create energy; it is passive if {}", name, c.card.passive_if));
    if (effects.empty()) {
      made.contact = std::make_unique<Boxed<M<double>>>(c, s);
    } else {
      made.contact = std::make_unique<Boxed<WithEffects<M, double>>>(WithEffects<M, double>{c, e}, s);
    }
  });
  if (!known) made.problems.push_back({where, unknown_model(model)});
  return made;
}

}  // namespace bristle
