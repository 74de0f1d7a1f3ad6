#pragma once
#include "bristle/dual.hpp"
#include "simulate/slider.hpp"
#include "simulate/tableau.hpp"

/// A Rosenbrock step for one contact on a slider with everything known to the compiler: the contact, the number of
/// states, the shape of the matrix. Position and contact states are eliminated by hand; one number is left to divide by.
/// C is the contact over the scalar R: a number or a vector of lanes.
namespace bristle::slider {

template <class C, const auto& K> class Stages {
 public:
  using R = typename C::Scalar;
  static constexpr std::size_t nz = std::tuple_size_v<decltype(C::State::fields())>;
  static constexpr std::size_t S = K.alpha.size(), ix = nz, iv = nz + 1, n = nz + 2, size = n + works;
  using Column = std::array<R, size>;
  using Dl = Dual<R, nz + 1>;  // derivatives in v, then in the contact states

  struct Body {
    R inverse_mass, stiffness, damping, rest_length;
    bool holds;
  };
  struct Drive {  // at one time
    R end, end_v, external;
  };
  struct Slopes {
    std::array<R, nz> z_v, F_z;
    std::array<std::array<R, nz>, nz> z_z;
    R F, F_v;
  };
  struct Factors {
    R d, inverse_d, inverse_pivot, pivot, smallest, friction;
    std::array<R, nz> column, inverse;  // of the diagonal
    std::array<R, nz> row;              // of the velocity after elimination of the contact states
    std::array<std::array<R, nz>, nz> block;
  };

  [[gnu::always_inline]] static Column rates(const C& c, const typename C::State& like, const typename C::Mode& q,
                                             const Body& b, const Drive& a, const Column& y) {
    auto s = like;
    std::size_t k = 0;
    each_scalar(s, [&](const auto&, int, R& e) { e = y[k++]; });
    Motion<R> u;
    u.x = y[ix];
    u.v = y[iv];
    const auto rate = c.rate(s, q, u);
    const R F = c.force(s, q, u), v = y[iv], slack = a.end_v - v;
    const R pull = b.stiffness * (a.end - y[ix] - b.rest_length) + b.damping * slack;
    Column f;
    k = 0;
    each_scalar(rate, [&](const auto&, int, const R& e) { f[k++] = e; });
    f[ix] = v;
    f[iv] = b.holds ? R(0) : (pull + a.external - F) * b.inverse_mass;
    f[n] = pull * a.end_v + a.external * v;
    f[n + 1] = b.damping * slack * slack;
    f[n + 2] = b.holds ? R(0) : F * v;
    return f;
  }

  /// `v`: see World::slope_velocity.
  template <class D>
  [[gnu::always_inline]] static Slopes slopes(const D& dual, const typename D::State& like, const typename C::Mode& q,
                                              bool holds, const Column& y, const R& v) {
    auto s = like;
    std::size_t k = 0;
    each_scalar(s, [&](const auto&, int, Dl& e) {
      e = Dl(y[k]);
      e.d[++k] = R(1);
    });
    Motion<Dl> u;
    u.x = Dl(y[ix]);
    u.v = Dl(v);
    u.v.d[0] = R(1);
    const Dl F = dual.force(s, q, u);
    const auto rate = dual.rate(s, q, u);
    Slopes out;
    const R free = holds ? R(0) : R(1);
    out.F = free * F.a;
    out.F_v = free * finite(F.d[0]);
    for (std::size_t j = 0; j < nz; ++j) out.F_z[j] = free * finite(F.d[1 + j]);
    std::size_t i = 0;
    each_scalar(rate, [&](const auto&, int, const Dl& e) {
      out.z_v[i] = free * finite(e.d[0]);
      for (std::size_t j = 0; j < nz; ++j) out.z_z[i][j] = finite(e.d[1 + j]);
      ++i;
    });
    return out;
  }

  [[gnu::always_inline]] static Factors factor(const Body& b, const Slopes& a, const R& h) {
    Factors x;
    x.inverse_d = R(K.gamma) * h;
    const R d = x.d = R(1) / x.inverse_d;
    x.smallest = R(inf);
    for (std::size_t i = 0; i < nz; ++i) {
      for (std::size_t j = 0; j < nz; ++j) x.block[i][j] = (i == j ? d : R(0)) - a.z_z[i][j];
    }
    for (std::size_t k = 0; k < nz; ++k) {
      x.smallest = smaller(x.block[k][k], x.smallest);  // NaN stays
      x.inverse[k] = R(1) / x.block[k][k];
      for (std::size_t i = k + 1; i < nz; ++i) {
        x.block[i][k] = x.block[i][k] * x.inverse[k];
        for (std::size_t j = k + 1; j < nz; ++j) x.block[i][j] = x.block[i][j] - x.block[i][k] * x.block[k][j];
      }
    }
    x.column = a.z_v;
    eliminate(x, x.column);
    R sum = a.F_v;
    for (std::size_t j = 0; j < nz; ++j) sum = sum + a.F_z[j] * x.column[j];
    for (std::size_t i = 0; i < nz; ++i) {
      x.row[i] = b.inverse_mass * a.F_z[i];
      for (std::size_t j = 0; j < i; ++j) x.row[i] = x.row[i] - x.block[j][i] * x.row[j];
      x.row[i] = x.row[i] * x.inverse[i];
    }
    for (std::size_t i = nz; i-- > 0;) {
      for (std::size_t j = i + 1; j < nz; ++j) x.row[i] = x.row[i] - x.block[j][i] * x.row[j];
    }
    x.friction = sum * b.inverse_mass;  // what friction adds to the pivot
    const R free = b.holds ? R(0) : b.inverse_mass;
    x.pivot = d + free * (b.damping + b.stiffness * x.inverse_d) + x.friction;
    x.inverse_pivot = R(1) / x.pivot;
    return x;
  }
  /// The block of the contact states.
  template <class B> [[gnu::always_inline]] static void eliminate(const Factors& x, B& b) {
    for (std::size_t i = 1; i < nz; ++i) {
      for (std::size_t j = 0; j < i; ++j) b[i] = b[i] - x.block[i][j] * b[j];
    }
    for (std::size_t i = nz; i-- > 0;) {
      for (std::size_t j = i + 1; j < nz; ++j) b[i] = b[i] - x.block[i][j] * b[j];
      b[i] = b[i] * x.inverse[i];
    }
  }
  /// (I d - J) u = f + known, for the states; then the works. The next stage waits for u[iv], and that for the contact in
  /// f: everything else is out of the way by then.
  [[gnu::always_inline]] static void solve(const Body& b, const Slopes& a, const Factors& x, const Drive& drive,
                                           const R& v, const Column& f, const Column& known, Column& u) {
    u[ix] = f[ix] + known[ix];
    R right = known[iv];
    if (!b.holds) right = right - b.stiffness * b.inverse_mass * x.inverse_d * u[ix];
    for (std::size_t j = 0; j < nz; ++j) right = right - x.row[j] * known[j];
    for (std::size_t j = 0; j < nz; ++j) right = right - x.row[j] * f[j];
    u[iv] = (right + f[iv]) * x.inverse_pivot;
    for (std::size_t j = 0; j < nz; ++j) u[j] = f[j] + known[j];
    for (std::size_t i = n; i < size; ++i) u[i] = f[i] + known[i];
    extend(b, a, x, drive, v, u);
  }
  /// The right side of the velocity after elimination of the others.
  [[gnu::always_inline]] static R reduce(const Body& b, const Factors& x, const Column& u) {
    R right = u[iv];
    if (!b.holds) right = right - b.stiffness * b.inverse_mass * (u[ix] * x.inverse_d);
    for (std::size_t j = 0; j < nz; ++j) right = right - x.row[j] * u[j];
    return right;
  }
  /// The others, and the works, from the velocity.
  [[gnu::always_inline]] static void extend(const Body& b, const Slopes& a, const Factors& x, const Drive& drive,
                                            const R& v, Column& u) {
    u[ix] = (u[ix] + u[iv]) * x.inverse_d;
    eliminate(x, u);
    for (std::size_t j = 0; j < nz; ++j) u[j] = u[j] + x.column[j] * u[iv];
    R work = (a.F_v * v + a.F) * u[iv];
    for (std::size_t j = 0; j < nz; ++j) work = work + a.F_z[j] * v * u[j];
    const R slack = drive.end_v - v;
    u[n] =
        (u[n] - b.stiffness * drive.end_v * u[ix] + (drive.external - b.damping * drive.end_v) * u[iv]) * x.inverse_d;
    u[n + 1] = (u[n + 1] - R(2) * b.damping * slack * u[iv]) * x.inverse_d;
    u[n + 2] = (u[n + 2] + work) * x.inverse_d;
  }
  /// A Stribeck exponent below 1 has no slope at rest.
  [[gnu::always_inline]] static R finite(const R& x) {
    using std::abs;
    return select(abs(x) < R(1e308), x, R(0));
  }
};

}  // namespace bristle::slider
