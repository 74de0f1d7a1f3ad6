/// Rosenbrock steps of one contact under a rolling disk or along a given motion, with everything known to the compiler.
/// This file is compiled once per instruction set, like src/batch/kernels.cpp, and under the same rule: every template
/// carries the name of the set as a tag.
#include "simulate/bodies.hpp"

#include <cstring>
#include <utility>

#include "base/isa.hpp"
#include "simulate/has_array.hpp"
#include "simulate/tableau.hpp"
#include "single.hpp"

namespace bristle::bodies {
namespace {

using namespace single;  // NOLINT(google-build-using-namespace)
using Wide = single::Wide<room>;

/// A contact with at most one state over the scalar R.
template <template <class> class M, class R> struct Law {
  using C = M<R>;
  static constexpr std::size_t nz = std::tuple_size_v<decltype(C::State::fields())>;
  C c;
  typename C::State like;
  typename C::Mode q;
  struct Answer {
    R rate, F;
  };
  Answer operator()(const R& z, const R& v) const {
    auto s = like;
    each_scalar(s, [&](const auto&, int, R& e) { e = z; });
    Motion<R> u;
    u.v = v;
    const auto rate = c.rate(s, q, u);
    Answer out{R(0), c.force(s, q, u)};
    each_scalar(rate, [&](const auto&, int, const R& e) { out.rate = e; });
    return out;
  }
};
template <template <class> class M, class Number> Law<M, Number> law_of(const Step& s) {
  using C = M<Number>;
  return {C{tagged<typename C::Params>(s.contact)}, tagged<typename C::State>(s.state),
          *static_cast<const typename C::Mode*>(s.mode)};
}

/// What all bodies need to know of the contact: derivatives at the beginning, and the state eliminated.
template <class R> struct Slopes {
  R z_z, z_v, F_z, F_v, F;
};
template <class R> using Column = std::array<R, room>;

/// A disk: x' = roll + part v, slip' = v, roll' = A/roll_mass, v' = A/m - F/slip_mass, A = pull of the spring + force.
template <class R, std::size_t nz> struct Disk {
  static constexpr std::size_t ix = nz, is = nz + 1, ir = nz + 2, iv = nz + 3, n = nz + 4;
  R im, is_m, ir_m, part, k, c, rest;
  explicit Disk(const Step& s)
      : im(s.inverse_mass),
        is_m(s.inverse_slip_mass),
        ir_m(s.inverse_roll_mass),
        part(s.slip_part),
        k(s.stiffness),
        c(s.damping),
        rest(s.rest_length) {}
  static R velocity(const Step&, std::size_t, const Column<R>& y) { return y[iv]; }
  [[gnu::always_inline]] void rates(const Step& s, std::size_t stage, const Column<R>& y, const R& F,
                                    Column<R>& f) const {
    const R v = y[ir] + part * y[iv], end_v = s.end_v[stage], external = s.external[stage], slack = end_v - v;
    const R pull = k * (R(s.end[stage]) - y[ix] - rest) + c * slack, all = pull + external;
    f[ix] = v;
    f[is] = y[iv];
    f[ir] = all * ir_m;
    f[iv] = all * im - F * is_m;
    f[n] = pull * end_v + external * v;
    f[n + 1] = c * slack * slack;
    f[n + 2] = F * y[iv];
  }
  [[gnu::always_inline]] void in_time(const Step& s, const Slopes<R>&, Column<R>& t) const {
    const R v = R(s.y[ir]) + part * R(s.y[iv]), end_v = s.end_v[0], end_a = s.end_a, rate = s.external_rate,
            slack = end_v - v;
    const R pull = k * (R(s.end[0]) - R(s.y[ix]) - rest) + c * slack, pull_t = k * end_v + c * end_a;
    t[ir] = (pull_t + rate) * ir_m;
    t[iv] = (pull_t + rate) * im;
    t[n] = pull_t * end_v + pull * end_a + rate * v;
    t[n + 1] = R(2) * c * slack * end_a;
  }
  struct Factors {
    R stretch, inverse_roll, roll_v, roll_b, inverse_pivot;
    R drive_x, drive_v, damper_v, friction_v, friction_z;  // rows of the works
  };
  [[gnu::always_inline]] Factors factor(Step& s, const Slopes<R>& a, const R& d, const R& id, const R& column) const {
    Factors x;
    const R stiff = c + k * id;  // per velocity of the body
    x.stretch = k * id;
    x.inverse_roll = R(1) / (d + ir_m * stiff);
    x.roll_v = x.inverse_roll * ir_m * stiff * part;
    x.roll_b = im * stiff * x.inverse_roll;
    const R pivot = d + im * stiff * (part - x.roll_v) + is_m * (a.F_v + a.F_z * column);
    x.inverse_pivot = R(1) / pivot;
    s.pivot = pivot.x;
    const R v = R(s.y[ir]) + part * R(s.y[iv]), end_v = s.end_v[0];
    x.drive_x = -k * end_v;
    x.drive_v = R(s.external[0]) - c * end_v;
    x.damper_v = R(-2) * c * (end_v - v);
    x.friction_v = a.F_v * R(s.y[iv]) + a.F;
    x.friction_z = a.F_z * R(s.y[iv]);
    return x;
  }
  /// u: right sides in, solution out; of the contact state what is left after elimination, then all of it.
  [[gnu::always_inline]] void solve(const Factors& x, const Slopes<R>& a, const R& id, const R& column,
                                    Column<R>& u) const {
    const R pulled = x.stretch * u[ix], roll = u[ir] - ir_m * pulled;
    R right = u[iv] - im * pulled - x.roll_b * roll;
    if constexpr (nz > 0) right = right - is_m * a.F_z * u[0];
    const R slip = u[iv] = right * x.inverse_pivot;
    u[ir] = x.inverse_roll * roll - x.roll_v * slip;
    const R v = u[ir] + part * slip;
    u[ix] = (u[ix] + v) * id;
    u[is] = (u[is] + slip) * id;
    if constexpr (nz > 0) u[0] = u[0] + column * slip;
    u[n] = (u[n] + x.drive_x * u[ix] + x.drive_v * v) * id;
    u[n + 1] = (u[n + 1] + x.damper_v * v) * id;
    u[n + 2] = u[n + 2] + x.friction_v * slip;
    if constexpr (nz > 0) u[n + 2] = u[n + 2] + x.friction_z * u[0];
    u[n + 2] = u[n + 2] * id;
  }
};

/// A motion whose velocity is given; its position is a state, or does not matter.
template <class R, std::size_t nz, bool x_is_state> struct Given {
  static constexpr std::size_t n = nz + x_is_state, iw = n + 2;
  explicit Given(const Step&) {}
  static R velocity(const Step& s, std::size_t stage, const Column<R>&) { return s.end_v[stage]; }
  [[gnu::always_inline]] void rates(const Step& s, std::size_t stage, const Column<R>&, const R& F,
                                    Column<R>& f) const {
    if constexpr (x_is_state) f[nz] = s.end_v[stage];
    f[n] = f[n + 1] = R(0);
    f[iw] = F * R(s.end_v[stage]);
  }
  [[gnu::always_inline]] void in_time(const Step& s, const Slopes<R>& a, Column<R>& t) const {
    const R acceleration = s.end_a;
    if constexpr (nz > 0) t[0] = a.z_v * acceleration;
    if constexpr (x_is_state) t[nz] = acceleration;
    t[iw] = (a.F_v * R(s.slope_v) + a.F) * acceleration;  // where the slope is taken
  }
  struct Factors {
    R friction_z;
  };
  [[gnu::always_inline]] Factors factor(Step& s, const Slopes<R>& a, const R& d, const R&, const R&) const {
    s.pivot = d.x;
    return {a.F_z * R(s.end_v[0])};
  }
  [[gnu::always_inline]] void solve(const Factors& x, const Slopes<R>&, const R& id, const R&, Column<R>& u) const {
    if constexpr (x_is_state) u[nz] = u[nz] * id;
    if constexpr (nz > 0) u[iw] = u[iw] + x.friction_z * u[0];
    u[iw] = u[iw] * id;
  }
};

template <template <class> class M, const auto& K, Options O, class Body> struct Single {
  using Number = NumberOf<O>;
  static constexpr std::size_t S = K.alpha.size(), nz = Law<M, Number>::nz, n = Body::n, size = n + works;
  static_assert(size <= room && nz <= 1);
  using Col = Column<Number>;

  [[gnu::always_inline]] static Col rates(const Step& s, const Law<M, Number>& law, const Body& body, std::size_t stage,
                                          const Col& y) {
    const auto [rate, F] = law(y[0], body.velocity(s, stage, y));
    Col f;
    if constexpr (nz > 0) f[0] = rate;
    body.rates(s, stage, y, F, f);
    return f;
  }
  static void prepare(Step& s) {
    const Body body(s);
    const auto law = law_of<M, Number>(s);
    Col y;
    for (std::size_t i = 0; i < n; ++i) y[i] = s.y[i];
    const Col f = rates(s, law, body, 0, y);
    for (std::size_t i = 0; i < size; ++i) s.f[i] = f[i].x;

    using D = Dual<Number, 2>;  // derivatives in v and in the contact state
    using C = M<D>;
    const Law<M, D> dual{C{convert<typename C::Params>(law.c.p)}, convert<typename C::State>(law.like), law.q};
    const auto [rate, F] = dual(D::variable(y[0], 1), D::variable(Number(s.slope_v), 0));
    s.F = F.a.x;
    s.F_v = finite(F.d[0].x);
    s.F_z = nz > 0 ? finite(F.d[1].x) : 0;
    s.z_v = finite(rate.d[0].x);
    s.z_z = finite(rate.d[1].x);
  }
  /// A Stribeck exponent below 1 has no slope at rest.
  static double finite(double x) { return (x < 0 ? -x : x) < 1e308 ? x : 0; }

  /// What stays the same over the stages.
  struct Frame {
    Law<M, Number> law;
    Body body;
    Slopes<Number> a;
    Number id, inverse_z, column, h, per_h;
    typename Body::Factors x;
    Col in_time;
  };
  static void attempt(Step& s) {
    const Body body(s);
    const Slopes<Number> a{s.z_z, s.z_v, s.F_z, s.F_v, s.F};
    const Number h = s.h, d = Number(1) / (Number(K.gamma) * h), id = Number(K.gamma) * h;
    const Number inverse_z = nz > 0 ? Number(1) / (d - a.z_z) : Number(0), column = a.z_v * inverse_z;
    Frame k{
        law_of<M, Number>(s), body, a, id, inverse_z, column, h, Number(1) / h, body.factor(s, a, d, id, column), {}};
    s.diagonal = d.x;
    s.smallest = nz > 0 ? (d - a.z_z).x : d.x;
    if (!(s.pivot > 0.5 * s.diagonal && s.smallest > 0.5 * s.diagonal)) return;  // see Stepper::attempt
    body.in_time(s, a, k.in_time);
    Col newest;
    [&]<std::size_t... stage>(std::index_sequence<stage...>) {
      (run<stage>(s, k, newest), ...);
    }(std::make_index_sequence<S>{});
    conclude<K>(s);
  }
  /// The history comes from memory in vectors, the newest stage from registers: nobody waits for a store.
  template <std::size_t stage> [[gnu::always_inline]] static void run(Step& s, const Frame& k, Col& newest) {
    Col u;
    if constexpr (stage == 0) {
      for (std::size_t i = 0; i < size; ++i) u[i] = s.f[i];
    } else {
      alignas(64) std::array<double, room> place, rise;
      Wide sum = Wide::load(s.y), known;
      for (std::size_t r = 0; r + 1 < stage; ++r) {
        const Wide before = Wide::load(s.u[r]);
        sum.add(K.a[stage][r], before);
        known.add(K.c[stage][r], before);
      }
      sum.store(place);
      known.store(rise);
      Col y;
      for (std::size_t i = 0; i < n; ++i) y[i] = Number(place[i]) + Number(K.a[stage][stage - 1]) * newest[i];
      u = rates(s, k.law, k.body, stage, y);
      for (std::size_t i = 0; i < size; ++i)
        u[i] = u[i] + k.per_h * (Number(rise[i]) + Number(K.c[stage][stage - 1]) * newest[i]);
    }
    if constexpr (K.gamma_i[stage] != 0) {
      const Number g = Number(K.gamma_i[stage]) * k.h;
      for (std::size_t i = 0; i < size; ++i) u[i] = u[i] + g * k.in_time[i];
    }
    if constexpr (nz > 0) u[0] = u[0] * k.inverse_z;
    k.body.solve(k.x, k.a, k.id, k.column, u);
    for (std::size_t i = 0; i < size; ++i) s.u[stage][i] = u[i].x;
    newest = u;
  }
};

/// Dense output and force, in lanes where the model can.
template <template <class> class M, Options O, bool given, std::size_t n> void rows(const Step& s, Rows& out) {
  using Number = NumberOf<O>;
  using R = std::conditional_t<in_lanes<M<double>>, LanesOf<O>, Number>;
  using C = M<R>;
  constexpr std::size_t at_once = sizeof(R) / sizeof(double), nz = Law<M, R>::nz;
  const auto plain = law_of<M, Number>(s);
  const Law<M, R> law{C{convert<typename C::Params>(plain.c.p)}, convert<typename C::State>(plain.like), plain.q};
  auto get = [](const double& from) {
    R to;
    std::memcpy(static_cast<void*>(&to), &from, sizeof to);
    return to;
  };
  for (std::size_t k = 0; k < out.n; k += at_once) {
    const R theta = get(out.theta[k]), left = R(1) - theta;
    std::array<R, n> y;
    for (std::size_t i = 0; i < n; ++i) {
      const R bend = R(s.dense[0][i]) + theta * (R(s.dense[1][i]) + theta * R(s.dense[2][i]));
      y[i] = left * R(s.y[i]) + theta * (R(s.y1[i]) + left * bend);
      std::memcpy(&out.y[i][k], static_cast<const void*>(&y[i]), sizeof theta);
    }
    R z(0), v;
    if constexpr (nz > 0) z = y[0];
    if constexpr (given) {
      v = get(out.v[k]);
    } else {
      v = y[n - 1];
    }
    const R F = law(z, v).F;
    std::memcpy(&out.F[k], static_cast<const void*>(&F), sizeof F);
  }
}

template <template <class> class M, const auto& K, Options O, class Body, bool given> constexpr Kernel kernel() {
  using One = Single<M, K, O, Body>;
  using Quickest = Fast<One, Step, O>;
  return {K.name,
          K.order,
          K.alpha.size(),
          K.alpha.data(),
          &Quickest::prepare,
          &Quickest::attempt,
          &bend<K, Step>,
          &rows<M, O, given, Body::n>};
}
template <template <class> class M, const auto& K> constexpr Kernels kernels_with() {
  using U = NumberOf<Options::usual>;
  using G = NumberOf<Options::general>;
  constexpr std::size_t nz = Law<M, U>::nz;
  constexpr Kernel disk = kernel<M, K, Options::usual, Disk<U, nz>, false>(),
                   by_velocity = kernel<M, K, Options::usual, Given<U, nz, true>, true>(),
                   by_position = kernel<M, K, Options::usual, Given<U, nz, false>, true>();
  if constexpr (has_options<typename M<double>::Params>) {
    return {{disk, kernel<M, K, Options::general, Disk<G, nz>, false>()},
            {by_velocity, kernel<M, K, Options::general, Given<G, nz, true>, true>()},
            {by_position, kernel<M, K, Options::general, Given<G, nz, false>, true>()}};
  } else {
    return {{disk, disk}, {by_velocity, by_velocity}, {by_position, by_position}};
  }
}
template <template <class> class M> constexpr Kernels kernels_of() {
  using C = M<NumberOf<Options::usual>>;
  if constexpr (has_array<typename C::State> || (Hybrid<C> && !SwitchesAtTimes<C>)) {
    return {};
  } else {
    constexpr std::size_t nz = std::tuple_size_v<decltype(C::State::fields())>;
    if constexpr (nz == 0) return kernels_with<M, rodas4>();
    if constexpr (nz == 1) return kernels_with<M, rodas5p>();
    return {};
  }
}
template <template <class> class... M> constexpr Table table(List<M...>) { return {kernels_of<M>()...}; }

}  // namespace

const Table& BRISTLE_FOR_ISA(bodies_)() {
  static constexpr Table all = table(Models{});
  return all;
}

}  // namespace bristle::bodies
