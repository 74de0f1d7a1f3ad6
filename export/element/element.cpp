#include "element.hpp"

#include <algorithm>
#include <type_traits>

#include "bristle/directed.hpp"
#include "bristle/effects.hpp"
#include "bristle/models.hpp"
#include "bristle/registry/read.hpp"

namespace bristle::element {
namespace {

/// Whether a parameter is given that replaces others: an array with elements, a number that is not 0. As the registry sees it.
template <class P> bool replaces(const P& p, const char* name) {
  bool found = false;
  each_field(p, [&](const auto& field, const auto& v) {
    using V = std::remove_cvref_t<decltype(v)>;
    if (std::string_view(name) != field.name) return;
    if constexpr (is_vec<V>) {
      found = v.n > 0;
    } else if constexpr (std::is_floating_point_v<V>) {
      found = v != 0;
    }
  });
  return found;
}

template <class P> std::vector<Parameter> list_parameters(P& p, bool replaced = true) {
  std::vector<Parameter> out;
  each_field(p, [&](const auto& field, auto& v) {
    using V = std::remove_cvref_t<decltype(v)>;
    if (!replaced && field.waived_by && replaces(p, field.waived_by)) return;
    auto add = [&]<class E>(E& e, std::size_t i, std::size_t length) {
      out.push_back({{field.name, field.unit, i, field.range, !std::is_floating_point_v<E>, &e,
                      bristle::detail::get_number<E>, bristle::detail::set_number<E>},
                     field.text,
                     {},
                     length,
                     (field.role & role::optional) != 0});
    };
    if constexpr (is_vec<V>) {
      for (std::size_t i = 0; i < v.n; ++i) add(v[i], i + 1, v.n);
    } else {
      add(v, 0, 0);
      if constexpr (std::is_enum_v<V>) {
        for (const char* c : choices(V{})) out.back().choices.push_back(c);
        out.back().slot.range = {0, static_cast<double>(out.back().choices.size()) - 1};
      }
    }
  });
  return out;
}

template <class P> std::vector<double> numbers(const P& p) {
  std::vector<double> out;
  each_scalar(p, [&](const auto&, int, const double& x) { out.push_back(x); });
  return out;
}

template <class P> bool resize_in(P& p, std::string_view array, std::size_t n) {
  bool found = false;
  each_field(p, [&](const auto& field, auto& v) {
    if constexpr (is_vec<std::remove_cvref_t<decltype(v)>>) {
      if (array != field.name || n > std::remove_cvref_t<decltype(v)>::capacity) return;
      v.n = n;
      found = true;
    }
  });
  return found;
}

template <class P> bool is_array_in(const P& p, std::string_view name) {
  bool found = false;
  each_field(p, [&](const auto& field, const auto& v) {
    if constexpr (is_vec<std::remove_cvref_t<decltype(v)>>) found = found || name == field.name;
  });
  return found;
}

template <class P> std::string broken_in(const P& p) {
  if constexpr (requires { P::relations(); }) {
    for (const auto& r : P::relations()) {
      if (r.holds(p)) continue;
      std::string out = "the parameters";
      for (const char* name : r.names) {
        if (name) out += std::string(" ") + name;
      }
      return out + " do not fit together" + (r.rule ? std::string(": ") + r.rule : "");
    }
  }
  return "";
}

/// A law whose state has a least value, where its rate jumps to zero: H of film at H_b.
template <class M>
concept Floored = requires(M m) {
  m.p.H_b;
  m.rest().H;
};

template <template <class> class M> class Box final : public Element {
  using C = With<Directed<M<double>>, Effects<double>>;
  using S = typename C::State;
  using Q = typename C::Mode;

 public:
  std::unique_ptr<Element> clone() const override { return std::make_unique<Box>(*this); }
  const char* model() const override { return M<double>::card.name; }
  bool set_valued() const override { return SetValued<C>; }
  bool hybrid() const override { return switches(c_); }
  bool random() const override { return M<double>::has.random; }
  bool steps_only() const override {
    if constexpr (requires { S::memory(); }) return !Flow<C> && !M<double>::has.random;
    return false;
  }

  std::vector<const char*> keys() const override {
    std::vector<const char*> out;
    each_field(c_.inner.inner.p, [&](const auto& field, const auto&) { out.push_back(field.name); });
    return out;
  }
  bool is_array(std::string_view field) const override {
    if (field.starts_with("effects.")) return is_array_in(c_.p, field.substr(8));
    if (field.starts_with("negative.")) field.remove_prefix(9);
    return is_array_in(c_.inner.inner.p, field);
  }
  bool resize(std::string_view array, std::size_t n) override {
    if (array.starts_with("effects.")) return resize_in(c_.p, array.substr(8), n);
    if (array.starts_with("negative.")) return resize_in(c_.inner.negative.p, array.substr(9), n);
    return resize_in(c_.inner.inner.p, array, n) && resize_in(c_.inner.negative.p, array, n);
  }
  const char* replaced_by(std::string_view field) const override {
    const char* out = nullptr;
    each_field(c_.inner.inner.p, [&](const auto& f, const auto&) {
      if (field == f.name && f.waived_by && replaces(c_.inner.inner.p, f.waived_by)) out = f.waived_by;
    });
    return out;
  }
  std::vector<Parameter> parameters() override { return list_parameters(c_.inner.inner.p, false); }
  std::vector<Parameter> effects() override { return list_parameters(c_.p); }
  std::vector<Parameter> negative() override { return list_parameters(c_.inner.negative.p); }
  void complete(const std::vector<std::string>& given) override {
    auto& p = c_.inner.inner.p;
    std::vector<bool> is_given;
    each_field(p, [&](const auto& field, auto&) {
      is_given.push_back(std::find(given.begin(), given.end(), field.name) != given.end());
    });
    bristle::detail::complete(p, is_given);
    c_.inner.negative.p = p;
  }
  std::string broken() const override {
    for (const auto* p : {&c_.inner.inner.p, &c_.inner.negative.p}) {
      if (std::string wrong = broken_in(*p); !wrong.empty()) return wrong;
    }
    return broken_in(c_.p);
  }

  Slots state() override {
    Slots out;
    std::size_t used = 0;
    list_slots<fields_of<S>>(s_, out, used);
    if constexpr (requires { S::memory(); }) list_slots<memory_of<S>>(s_, out, used);
    list_slots<fields_of<Q>>(q_, out, used);
    return out;
  }
  std::size_t continuous() const override { return nominal().size(); }
  std::vector<double> nominal() const override {
    std::vector<double> out;
    const auto rest = c_.rest(), bound = c_.inner.inner.bound();
    // A time that ages without limit falls by decades while the contact slides: the tolerance must see it then.
    const Scales<double> size = scales();
    const double young = size.velocity > 0 && size.displacement > 0 ? 1e-3 * size.displacement / size.velocity : 1;
    each_scalar(rest, [&](const auto& field, int, const double&) {
      out.push_back(std::string_view(field.unit) == "s" ? young : 1);
    });
    std::size_t i = 0;
    each_scalar(bound, [&](const auto&, int, const double& x) {
      if (i < out.size() && x > 0 && x < inf) out[i] = x;
      ++i;
    });
    return out;
  }
  void rest() override {
    s_ = c_.rest();
    q_ = {};
    floor_ = Floor::none;
  }
  Scales<double> scales() const override { return c_.inner.scales(); }

  /// Without effects, the model alone does the same in less time.
  ContactRef ref() override {
    if (numbers(c_.p) == numbers(Effects<double>{}) && numbers(c_.inner.negative.p) == numbers(c_.inner.inner.p))
      return {c_.inner.inner, s_, q_};
    return {c_, s_, q_};
  }
  double step(const Motion<double>& u, double dt) override {
    c_.step(s_, q_, u, dt);
    return c_.force(s_, q_, u);
  }
  double force(const Motion<double>& u) const override {
    auto s = s_;
    auto q = q_;
    c_.step(s, q, u, 1e-200);
    return c_.force(s, q, u);
  }

  void begin(const Motion<double>& u) override {
    c_.step(s_, q_, u, 1e-200);
    find_floor(u);
  }
  void find_floor(const Motion<double>& u) override {
    if constexpr (Floored<M<double>>) floor_ = s_.H <= least(u) && rate_above(u) < 0 ? Floor::at : Floor::above;
  }
  double eval(const Motion<double>& u, double* rate) const override {
    if constexpr (Flow<C>) {
      S r = c_.rate(s_, q_, u);
      if constexpr (Floored<M<double>>) {
        if (floor_ == Floor::at) r.H = 0;
        if (floor_ == Floor::above && s_.H <= least(u)) r.H = rate_above(u);
      }
      each_scalar(r, [&](const auto&, int, const double& x) { *rate++ = x; });
    }
    return c_.force(s_, q_, u);
  }
  D eval(const Motion<D>& u, std::span<const double> seeds, double* rate_slopes) const override {
    const auto c = rebind<D>(c_);
    auto s = convert<typename rebound<C, D>::State>(s_);
    std::size_t i = 0;
    each_scalar(s, [&](const auto&, int, D& x) { x.d[0] = i < seeds.size() ? seeds[i++] : 0; });
    if constexpr (Flow<C>) {
      const auto r = c.rate(s, q_, u);
      each_scalar(r, [&](const auto&, int, const D& x) { *rate_slopes++ = x.d[0]; });
    }
    return c.force(s, q_, u);
  }
  /// Ids of guards begin with -1; most models have two, those with elements one per element.
  std::size_t guards() const override {
    if constexpr (Hybrid<C>) return hybrid() ? 1 + std::max<std::size_t>(2, continuous()) + Floored<M<double>> : 0;
    return 0;
  }
  void guards(const Motion<double>& u, double* out) const override {
    if constexpr (Hybrid<C>) {
      std::fill_n(out, guards(), -1.0);
      const std::size_t n = guards();
      auto take = [&](int id, double g) {
        if (id >= -1 && static_cast<std::size_t>(id + 1) < n) out[id + 1] = g;
      };
      if (hybrid()) c_.inner.guards(s_, q_, at_event(u), take);
      if constexpr (Floored<M<double>>) {
        if (floor_ != Floor::none) out[n - 1] = floor_ == Floor::at ? rate_above(u) : least(u) - s_.H;
      }
    }
  }
  void jump(const Motion<double>& u, std::size_t guard) override {
    if constexpr (Floored<M<double>>) {
      if (guard + 1 == guards()) {
        floor_ = floor_ == Floor::at ? Floor::above : Floor::at;
        if (floor_ == Floor::at) s_.H = least(u);
        return;
      }
    }
    if constexpr (Hybrid<C>) c_.inner.jump(s_, q_, at_event(u), static_cast<int>(guard) - 1);
  }
  double zone(double v) const override {
    const auto& model = v < 0 ? c_.inner.negative : c_.inner.inner;
    if constexpr (requires { model.p.dv; }) return model.p.dv;
    return 0;
  }
  bool holds() const override {
    if constexpr (SetValued<C>) return c_.holds(q_);
    return false;
  }

 private:
  /// Guard and jump must agree on the direction of a set-valued law.
  Motion<double> at_event(const Motion<double>& u) const { return SetValued<C> ? c_.p.in_at_rest(u) : c_.p.in(u); }
  double least(const Motion<double>& u) const { return (u.v < 0 ? c_.inner.negative : c_.inner.inner).p.H_b; }
  /// The rate right above the least value. The jump of the rate is an event: across it, solvers would take differences for slopes.
  double rate_above(const Motion<double>& u) const {
    S s = s_;
    s.H = least(u) * (1 + 1e-12);
    return c_.rate(s, q_, u).H;
  }
  C c_{};
  S s_{};
  Q q_{};
  enum class Floor : unsigned char { none, above, at } floor_ = Floor::none;  // none: steps, which keep the least value
};

}  // namespace

std::unique_ptr<Element> make(std::string_view model) {
  std::unique_ptr<Element> out;
  Models::visit(model, [&]<template <class> class M>() { out = std::make_unique<Box<M>>(); });
  return out;
}

std::vector<const char*> names() {
  std::vector<const char*> out;
  Models::each([&]<template <class> class M>() { out.push_back(M<double>::card.name); });
  return out;
}

}  // namespace bristle::element
