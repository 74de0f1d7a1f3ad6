#pragma once
#include <array>
#include <type_traits>

#include "bristle/contact.hpp"
#include "bristle/dual.hpp"
#include "bristle/effects.hpp"
#include "step.hpp"

/// A contact as a step sees it: force and rates of its states, their derivatives, and its states eliminated.
namespace bristle::kernel {

/// Further derivatives that only general laws have: by the place, and in time at fixed states.
template <class R, std::size_t nz> struct OuterSlopes {
  R F_x{}, F_t{};
  std::array<R, nz> z_t{};
};
struct NoOuterSlopes {};
template <class R, std::size_t nz, bool general>
struct Slopes : std::conditional_t<general, OuterSlopes<R, nz>, NoOuterSlopes> {
  std::array<R, nz> z_v{}, F_z{};
  std::array<std::array<R, nz>, nz> z_z{};
  R F{}, F_v{};
};

/// A Stribeck exponent below 1 has no slope at rest.
template <class R> [[gnu::always_inline]] constexpr R finite(const R& x) {
  using std::abs;
  return select(abs(x) < R(1e308), x, R(0));
}

/// Effects that depend on force and place alone.
template <class R> struct Around {
  Effects<R> e{};
  bool acts = false;
  double temperature{20};
  template <class T> static constexpr T force(const Effects<T>& e, const T& x, double temperature, const T& F) {
    Motion<T> u;
    u.x = x;
    u.temperature = temperature;
    return e.gain(u, F) * F + e.steady(u);
  }
  constexpr R operator()(const R& x, const R& F) const { return acts ? force(e, x, temperature, F) : F; }
};
struct Nothing {};

/// A model over the scalar R. General: the load ratio counts, and effects.
template <template <class> class M, class R, bool general_> struct Law {
  static constexpr bool general = general_;
  using Scalar = R;
  using C = M<R>;
  using State = typename C::State;
  static constexpr std::size_t nz = std::tuple_size_v<decltype(State::fields())>;
  static constexpr bool may_hold = SetValued<C>;
  using Dl = Dual<R, nz + 1 + (general ? 1 : 0)>;  // derivatives in v, in the contact states, in the load ratio
  using D = M<Dl>;
  using Slopes = kernel::Slopes<R, nz, general>;
  C c{};
  State like{};  // for what only events change
  typename C::Mode q{};
  [[no_unique_address]] std::conditional_t<general, Around<R>, Nothing> around{};

  [[gnu::always_inline]] static constexpr Motion<R> motion(const R& x, const R& v, const R& load) {
    Motion<R> u;
    u.x = x;
    u.v = v;
    if constexpr (general) u.r = load;
    return u;
  }
  /// Rates into the first places of f; the force.
  template <class Column>
  [[gnu::always_inline]] constexpr R eval(const Column& y, const Motion<R>& u, Column& f) const {
    State s = like;
    std::size_t k = 0;
    each_scalar(s, [&](const auto&, int, R& e) { e = y[k++]; });
    const auto rate = c.rate(s, q, u);
    const R F = c.force(s, q, u);
    k = 0;
    each_scalar(rate, [&](const auto&, int, const R& e) { f[k++] = e; });
    return outside(u.x, F);
  }
  [[gnu::always_inline]] constexpr R outside(const R& x, const R& F) const {
    if constexpr (general) {
      return around(x, F);
    } else {
      return F;
    }
  }

  [[gnu::always_inline]] constexpr D dual() const { return D{convert<typename D::Params>(c.p)}; }
  /// u.v: see System::slope_velocity. While the body is held its velocity does not count, nor does the force.
  template <class Column>
  [[gnu::always_inline]] constexpr Slopes slopes(const D& d, const Column& y, const Motion<R>& u, const R& load_rate,
                                                 bool holds) const {
    auto s = convert<typename D::State>(like);
    std::size_t k = 0;
    each_scalar(s, [&](const auto&, int, Dl& e) {
      e = Dl(y[k]);
      e.d[++k] = R(1);
    });
    Motion<Dl> m;
    m.x = Dl(u.x);
    m.v = Dl(u.v);
    m.v.d[0] = R(1);
    if constexpr (general) {
      m.r = Dl(u.r);
      m.r.d[nz + 1] = R(1);
    }
    const Dl F = d.force(s, q, m);
    const auto rate = d.rate(s, q, m);
    Slopes out;
    R gain = holds ? R(0) : R(1);
    const R free = gain;
    out.F = F.a;
    if constexpr (general) {
      if (around.acts) {
        using E = Dual<R, 2>;
        const E all = Around<R>::force(convert<Effects<E>>(around.e), E::variable(u.x, 1), around.temperature,
                                       E::variable(F.a, 0));
        out.F = all.a;
        out.F_x = free * all.d[1];
        gain = free * all.d[0];
      }
      out.F_t = gain * finite(F.d[nz + 1]) * load_rate;
    }
    out.F = free * out.F;
    out.F_v = gain * finite(F.d[0]);
    for (std::size_t j = 0; j < nz; ++j) out.F_z[j] = gain * finite(F.d[1 + j]);
    std::size_t i = 0;
    each_scalar(rate, [&](const auto&, int, const Dl& e) {
      out.z_v[i] = free * finite(e.d[0]);
      for (std::size_t j = 0; j < nz; ++j) out.z_z[i][j] = finite(e.d[1 + j]);
      if constexpr (general) out.z_t[i] = finite(e.d[nz + 1]) * load_rate;
      ++i;
    });
    return out;
  }
};

/// I d - J with the contact states eliminated: z = (d - z_z)^-1 (right side + z_v w), w: increment of the slip velocity.
template <class R, std::size_t nz> struct Elimination {
  R d, inverse_d, smallest;                // of I d; pivot
  R friction;                              // part of the pivot of the slip velocity, times mass
  std::array<R, nz> column, row, inverse;  // (d - z_z)^-1 z_v, F_z (d - z_z)^-1, of the diagonal
  std::array<std::array<R, nz>, nz> block;

  Elimination() = default;
  template <bool general>
  [[gnu::always_inline]] constexpr Elimination(const Slopes<R, nz, general>& a, const R& gamma_h) : inverse_d(gamma_h) {
    d = R(1) / inverse_d;
    smallest = R(inf);
    for (std::size_t i = 0; i < nz; ++i) {
      for (std::size_t j = 0; j < nz; ++j) block[i][j] = (i == j ? d : R(0)) - a.z_z[i][j];
    }
    for (std::size_t k = 0; k < nz; ++k) {
      smallest = smaller(block[k][k], smallest);  // NaN stays
      inverse[k] = R(1) / block[k][k];
      for (std::size_t i = k + 1; i < nz; ++i) {
        block[i][k] = block[i][k] * inverse[k];
        for (std::size_t j = k + 1; j < nz; ++j) block[i][j] = block[i][j] - block[i][k] * block[k][j];
      }
    }
    column = a.z_v;
    solve(column);
    friction = a.F_v;
    for (std::size_t j = 0; j < nz; ++j) friction = friction + a.F_z[j] * column[j];
    for (std::size_t i = 0; i < nz; ++i) {
      row[i] = a.F_z[i];
      for (std::size_t j = 0; j < i; ++j) row[i] = row[i] - block[j][i] * row[j];
      row[i] = row[i] * inverse[i];
    }
    for (std::size_t i = nz; i-- > 0;) {
      for (std::size_t j = i + 1; j < nz; ++j) row[i] = row[i] - block[j][i] * row[j];
    }
  }
  template <class B> [[gnu::always_inline]] constexpr void solve(B& b) const {
    for (std::size_t i = 1; i < nz; ++i) {
      for (std::size_t j = 0; j < i; ++j) b[i] = b[i] - block[i][j] * b[j];
    }
    for (std::size_t i = nz; i-- > 0;) {
      for (std::size_t j = i + 1; j < nz; ++j) b[i] = b[i] - block[i][j] * b[j];
      b[i] = b[i] * inverse[i];
    }
  }
  /// The contact states, whose right sides are in u, from the slip velocity.
  template <class B> [[gnu::always_inline]] constexpr void extend(B& u, const R& w) const {
    solve(u);
    for (std::size_t j = 0; j < nz; ++j) u[j] = u[j] + column[j] * w;
  }
};

}  // namespace bristle::kernel
