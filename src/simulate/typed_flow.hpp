#pragma once
#include <cmath>
#include <cstddef>
#include <new>
#include <type_traits>

#include "bristle/directed.hpp"
#include "bristle/dual.hpp"
#include "kernels/has_array.hpp"
#include "registry/shared/visit.hpp"
#include "simulate/shared/flow.hpp"

namespace bristle {
namespace detail {

template <class S, class F> void each_value(S& s, F&& f) {
  each_scalar(s, [&](const auto&, int, auto& e) { f(e); });
}
inline double finite(double x) { return std::isfinite(x) ? x : 0; }  // a Stribeck exponent below 1 has no slope at rest

}  // namespace detail

/// A contact of known type. Steppers for small systems use the type directly.
template <Contact C> class TypedFlow final : public ContactFlow {
  static_assert(Flow<C>);
  using State = typename C::State;
  using Mode = typename C::Mode;
  // Derivatives in one pass: v, r and all states where their number is known, else in chunks.
  static constexpr bool array = has_array<State>;
  // One pass too where a rate depends on its own state alone, and the force on the sum of the states.
  static constexpr bool apart = requires(const C& c) { c.elements_apart(); };
  static constexpr std::size_t states = std::tuple_size_v<decltype(State::fields())>;
  static constexpr std::size_t lanes = !array ? 2 + states : apart ? 3 : 6;
  using D = Dual<double, lanes>;

 public:
  TypedFlow(const C& c, const State& start) : c_(c), dual_(rebind<D>(c)), own_{start}, place_(start) {
    traits_.hybrid = switches(c);
    traits_.set_valued = SetValued<C>;
    traits_.scales = c.scales();
    traits_.states = shown_states(start);
    traits_.kink_at_rest = !traits_.hybrid && size() > 0;
    traits_.cusp_at_rest = has_cusp(c.p);
    if constexpr (requires { C::guarded_states; }) traits_.guarded_states = C::guarded_states;
    traits_.limits_fall = requires { C::limits_fall; };
    if constexpr (apart) traits_.apart = c.elements_apart();
    std::vector<double> bounds;
    const State bound = c.bound();
    detail::each_value(bound, [&](double b) { bounds.push_back(b); });
    for (std::size_t i = 0; i < size(); ++i) {
      const Variable& v = traits_.states[i];
      const double natural = v.unit == "m"                   ? traits_.scales.displacement
                             : v.unit == "N"                 ? traits_.scales.force
                             : v.unit == "m/s"               ? traits_.scales.velocity
                             : v.unit == "s" && v.value == 0 ? traits_.scales.displacement / traits_.scales.velocity
                                                             : std::abs(v.value);
      const bool bounded = i < bounds.size() && std::isfinite(bounds[i]) && bounds[i] > 0;
      const double scale = bounded ? bounds[i] : natural;
      traits_.state_scale.push_back(scale > 0 && std::isfinite(scale) ? scale : 1);
      traits_.bound.push_back(bounded ? bounds[i] : inf);
    }
  }
  TypedFlow(const TypedFlow& o) : ContactFlow(o), c_(o.c_), dual_(o.dual_), own_(*o.now_), place_(o.place_) {}
  TypedFlow& operator=(const TypedFlow&) = delete;
  std::unique_ptr<ContactFlow> clone() const override { return std::make_unique<TypedFlow>(*this); }

  void begin(const double* z, const Motion<double>& u) override {
    State s = state(z);
    c_.step(s, now_->mode, u, limit::least);
  }
  double force(const double* z, const Motion<double>& u) const override { return c_.force(at(z), now_->mode, u); }
  /// Inlined, so that force and rate share common terms.
  [[gnu::flatten]] double eval(const double* z, const Motion<double>& u, double* rate) const override {
    const State &s = at(z), r = c_.rate(s, now_->mode, u);
    detail::each_value(r, [&](double e) { *rate++ = e; });
    return c_.force(s, now_->mode, u);
  }
  void slopes(const double* z, const Motion<double>& u, Slopes& out) const override {
    if constexpr (apart) {
      if (traits_.apart) return slopes_apart(z, u, out);
    }
    const auto base = convert<typename rebound<C, D>::State>(at(z));
    const std::size_t n = size(), all = n + 2;
    for (std::size_t first = 0; first < all; first += lanes) {
      auto s = base;
      Motion<D> m = rebind<D>(u);
      auto seed = [&](D& d, std::size_t k) {
        if (k >= first && k < first + lanes) d.d[k - first] = 1;
      };
      seed(m.v, 0);
      seed(m.r, 1);
      std::size_t k = 2;
      detail::each_value(s, [&](D& e) { seed(e, k++); });
      const D F = dual_.force(s, now_->mode, m);
      const auto rate = dual_.rate(s, now_->mode, m);
      out.F = F.a;
      auto put = [&](std::size_t lane, double f, auto&& target_v, auto&& target_r, auto&& target_z) {
        const std::size_t j = first + lane;
        (j == 0 ? target_v : j == 1 ? target_r : target_z(j - 2)) = detail::finite(f);
      };
      for (std::size_t lane = 0; lane < lanes && first + lane < all; ++lane) {
        put(lane, F.d[lane], out.F_v, out.F_r, [&](std::size_t j) -> double& { return out.F_z[j]; });
        std::size_t i = 0;
        detail::each_value(rate, [&](const D& e) {
          out.rate[i] = e.a;
          put(lane, e.d[lane], out.rate_v[i], out.rate_r[i],
              [&](std::size_t j) -> double& { return out.rate_z[i * n + j]; });
          ++i;
        });
      }
    }
  }
  void guards(const double* z, const Motion<double>& u, int owner, std::vector<Guard>& out) const override {
    if constexpr (Hybrid<C>) {
      c_.guards(at(z), now_->mode, u, [&](int id, double g) { out.push_back({owner, id, g}); });
    }
  }
  void jump(double* z, const Motion<double>& u, int id) override {
    if constexpr (Hybrid<C>) {
      now_->state = state(z);
      c_.jump(now_->state, now_->mode, u, id);
      detail::each_value(now_->state, [&](double e) { *z++ = e; });
    }
  }
  bool holds() const override {
    if constexpr (SetValued<C>) return c_.holds(now_->mode);
    return false;
  }
  int direction() const override { return slip_direction<C>(now_->mode); }

  std::size_t memory_size() const override { return sizeof(Memory); }
  void begin_memory(void* at) const override { ::new (at) Memory(*now_); }
  void use_memory(void* at) override { now_ = static_cast<Memory*>(at); }

  Inside inside() const override {
    return {Models::index_of(C::card.name), &c_, &now_->state, &now_->mode, usual_options(c_.p), nullptr};
  }
  State state(const double* z) const {
    State s = now_->state;  // with its memory
    detail::each_value(s, [&](double& e) { e = *z++; });
    return s;
  }

 private:
  /// The same up to the next call. States with arrays have places for many elements, which are not copied, and no memory.
  decltype(auto) at(const double* z) const {
    if constexpr (array) {
      detail::each_value(place_, [&](double& e) { e = *z++; });
      return static_cast<const State&>(place_);
    } else {
      return state(z);
    }
  }
  /// All derivatives in one pass: the states have one direction in common.
  void slopes_apart(const double* z, const Motion<double>& u, Slopes& out) const {
    auto s = convert<typename rebound<C, D>::State>(at(z));
    Motion<D> m = rebind<D>(u);
    m.v.d[0] = m.r.d[1] = 1;
    detail::each_value(s, [](D& e) { e.d[2] = 1; });
    const std::size_t n = size();
    const D F = dual_.force(s, now_->mode, m);
    const auto rate = dual_.rate(s, now_->mode, m);
    out.F = F.a;
    out.F_v = detail::finite(F.d[0]);
    out.F_r = detail::finite(F.d[1]);
    std::size_t i = 0;
    detail::each_value(rate, [&](const D& e) {
      out.F_z[i] = detail::finite(F.d[2]) / static_cast<double>(n);
      out.rate[i] = e.a;
      out.rate_v[i] = detail::finite(e.d[0]);
      out.rate_r[i] = detail::finite(e.d[1]);
      out.rate_z[i * n + i] = detail::finite(e.d[2]);
      ++i;
    });
  }

  struct Memory {
    State state;
    Mode mode{};
  };
  static_assert(std::is_trivially_destructible_v<Memory> && alignof(Memory) <= alignof(std::max_align_t));
  C c_;
  rebound<C, D> dual_;
  Memory own_;
  Memory* now_ = &own_;
  mutable State place_;  // of an array
};

}  // namespace bristle
