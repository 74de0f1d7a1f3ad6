/// Rosenbrock steps of one contact on a slider. This file is compiled once per instruction set, like
/// src/batch/kernels.cpp, and under the same rule: every template carries the name of the set as a tag.
#include "simulate/slider.hpp"

#include <cstring>
#include <utility>

#include "base/isa.hpp"
#include "simulate/has_array.hpp"
#include "single.hpp"
#include "slider_step.hpp"

namespace bristle::slider {
namespace {

using namespace single;  // NOLINT(google-build-using-namespace)
using Wide = single::Wide<room>;

template <template <class> class M, const auto& K, Options O> struct Single {
  using Number = NumberOf<O>;
  using C = M<Number>;
  using X = Stages<C, K>;
  using Dl = typename X::Dl;
  static constexpr std::size_t S = X::S, nz = X::nz, n = X::n, size = X::size, ix = X::ix, iv = X::iv;
  static_assert(size <= room);

  static typename X::Body body(const Step& s) {
    return {Number(1) / Number(s.mass), s.stiffness, s.damping, s.rest_length, s.holds};
  }
  static typename X::Drive drive(const Step& s, std::size_t stage) {
    if (!s.straight) return {s.end[stage], s.end_v[stage], s.external[stage]};
    const double after = K.alpha[stage] * s.h;
    return {s.end[0] + s.end_v[0] * after, s.end_v[0], s.external[0] + s.external_rate * after};
  }

  static void prepare(Step& s) {
    const C c{tagged<typename C::Params>(static_cast<const M<double>*>(s.contact))};
    const auto like = tagged<typename C::State>(s.state);
    const auto& q = *static_cast<const typename C::Mode*>(s.mode);
    typename X::Column y;  // stages of the states
    for (std::size_t i = 0; i < n; ++i) y[i] = s.y[i];
    const typename X::Drive a0{s.end[0], s.end_v[0], s.external[0]};
    const auto f = X::rates(c, like, q, body(s), a0, y);
    for (std::size_t i = 0; i < size; ++i) s.f[i] = f[i].x;
    using D = M<Dl>;
    const auto a = X::slopes(D{convert<typename D::Params>(c.p)}, convert<typename D::State>(like), q, s.holds, y,
                             Number(s.slope_v));
    s.F = a.F.x;
    s.F_v = a.F_v.x;
    for (std::size_t i = 0; i < nz; ++i) {
      s.z_v[i] = a.z_v[i].x;
      s.F_z[i] = a.F_z[i].x;
      for (std::size_t j = 0; j < nz; ++j) s.z_z[i][j] = a.z_z[i][j].x;
    }
  }

  /// What stays the same over the stages.
  struct Frame {
    C c;
    typename C::State like;
    typename C::Mode q;
    typename X::Body b;
    typename X::Slopes a;
    typename X::Factors x;
    typename X::Drive at_start;
    Number v0, h, per_h;
    std::array<Number, 3> in_time;  // derivatives in time at fixed states: of v, drive work, damper work
  };

  static typename X::Slopes slopes(const Step& s) {
    typename X::Slopes a;
    a.F = s.F;
    a.F_v = s.F_v;
    for (std::size_t i = 0; i < nz; ++i) {
      a.z_v[i] = s.z_v[i];
      a.F_z[i] = s.F_z[i];
      for (std::size_t j = 0; j < nz; ++j) a.z_z[i][j] = s.z_z[i][j];
    }
    return a;
  }

  static void attempt(Step& s) {
    const Number h = s.h;
    const typename X::Body b = body(s);
    const typename X::Slopes a = slopes(s);
    Frame k{C{tagged<typename C::Params>(static_cast<const M<double>*>(s.contact))},
            tagged<typename C::State>(s.state),
            *static_cast<const typename C::Mode*>(s.mode),
            b,
            a,
            X::factor(b, a, h),
            drive(s, 0),
            s.y[iv],
            h,
            Number(1) / h,
            {}};
    s.diagonal = k.x.d.x;
    s.pivot = k.x.pivot.x;
    s.smallest = k.x.smallest.x;
    s.friction_pivot = k.x.friction.x;
    if (!(s.pivot > 0.5 * s.diagonal && s.smallest > 0.5 * s.diagonal)) return;  // see Stepper::attempt

    const Number end_v = s.end_v[0], end_a = s.end_a, slack = end_v - k.v0, rate = s.external_rate;
    const Number pull = k.b.stiffness * (Number(s.end[0]) - Number(s.y[ix]) - k.b.rest_length) + k.b.damping * slack;
    const Number pull_t = k.b.stiffness * end_v + k.b.damping * end_a;
    k.in_time = {s.holds ? Number(0) : (pull_t + rate) * k.b.inverse_mass, pull_t * end_v + pull * end_a + rate * k.v0,
                 Number(2) * k.b.damping * slack * end_a};

    typename X::Column newest;
    typename X::Column y;  // stages of the states
    [&]<std::size_t... stage>(std::index_sequence<stage...>) {
      (run<stage>(s, k, newest, y), ...);
    }(std::make_index_sequence<S>{});

    conclude<K>(s);
  }
  /// The history comes from memory in vectors, the newest stage from registers: nobody waits for a store.
  template <std::size_t stage>
  [[gnu::always_inline]] static void run(Step& s, const Frame& k, typename X::Column& newest, typename X::Column& y) {
    typename X::Column f, known, u;
    if constexpr (stage == 0) {
      for (std::size_t i = 0; i < size; ++i) {
        f[i] = s.f[i];
        known[i] = 0;
      }
    } else {
      alignas(64) std::array<double, room> before;
      if constexpr (continues<stage>()) {
        for (std::size_t i = 0; i < n; ++i) y[i] = y[i] + newest[i];
      } else {
        Wide sum = Wide::load(s.y);
        history<stage>([&](std::size_t r) { sum.add(K.a[stage][r], Wide::load(s.u[r])); });
        sum.store(before);
        for (std::size_t i = 0; i < n; ++i) y[i] = Number(before[i]) + Number(K.a[stage][stage - 1]) * newest[i];
      }
      Wide sum;
      history<stage>([&](std::size_t r) { sum.add(K.c[stage][r], Wide::load(s.u[r])); });
      sum.store(before);
      for (std::size_t i = 0; i < size; ++i)
        known[i] = k.per_h * (Number(before[i]) + Number(K.c[stage][stage - 1]) * newest[i]);
      f = X::rates(k.c, k.like, k.q, k.b, drive(s, stage), y);
    }
    if constexpr (K.gamma_i[stage] != 0) {
      const Number g = Number(K.gamma_i[stage]) * k.h;
      known[iv] = known[iv] + g * k.in_time[0];
      known[n] = known[n] + g * k.in_time[1];
      known[n + 1] = known[n + 1] + g * k.in_time[2];
    }
    X::solve(k.b, k.a, k.x, k.at_start, k.v0, f, known, u);
    for (std::size_t i = 0; i < size; ++i) s.u[stage][i] = u[i].x;
    newest = u;
  }
  template <std::size_t stage, class F> [[gnu::always_inline]] static void history(F&& add) {
    [&]<std::size_t... r>(std::index_sequence<r...>) { (add(r), ...); }(std::make_index_sequence<stage - 1>{});
  }
  /// Whether a stage is the one before it plus its increment: stiffly accurate methods end so.
  template <std::size_t stage> static constexpr bool continues() {
    bool same = stage > 1 && K.a[stage][stage - 1] == 1;
    for (std::size_t r = 0; r + 1 < stage; ++r) same = same && K.a[stage][r] == K.a[stage - 1][r];
    return same;
  }
};

/// Calls f(k, load, store) for rows k, k + 1, ... of R: load(column) and store(column, value), also where less than a whole
/// vector is left.
template <class R, class F> [[gnu::always_inline]] inline void each_row(std::size_t count, F&& f) {
  constexpr std::size_t at_once = sizeof(R) / sizeof(double);
  std::size_t k = 0;
  auto some = [&](std::size_t n) {
    f(
        [&, n](const double* column) {
          R x(0);
          std::memcpy(static_cast<void*>(&x), column + k, n * sizeof(double));
          return x;
        },
        [&, n](double* column, const R& x) {
          std::memcpy(column + k, static_cast<const void*>(&x), n * sizeof(double));
        });
  };
  for (; k + at_once <= count; k += at_once) some(at_once);
  if (k < count) some(count - k);
}
/// Dense output.
template <std::size_t n> void rows(const Step& s, double t0, const double* t, std::size_t count, double* const* to) {
  using R = Wide::Part;
  const R begin(t0), per_h(1 / s.h);
  each_row<R>(count, [&](auto&& load, auto&& store) {
    const R at = (load(t) - begin) * per_h, left = R(1) - at;
    for (std::size_t i = 0; i < n; ++i) {
      const R bend = R(s.dense[0][i]) + at * (R(s.dense[1][i]) + at * R(s.dense[2][i]));
      store(to[i], left * R(s.y[i]) + at * (R(s.y1[i]) + left * bend));
    }
  });
}
template <template <class> class M, Options O>
void forces(const Step& s, const double* const* y, std::size_t count, double* F) {
  using R = std::conditional_t<in_lanes<M<double>>, LanesOf<O>, NumberOf<O>>;
  using C = M<R>;
  constexpr std::size_t nz = std::tuple_size_v<decltype(C::State::fields())>;
  const C c{convert<typename C::Params>(tagged<typename M<NumberOf<O>>::Params>(s.contact))};
  const auto& q = *static_cast<const typename C::Mode*>(s.mode);
  auto state = convert<typename C::State>(tagged<typename M<NumberOf<O>>::State>(s.state));
  each_row<R>(count, [&](auto&& load, auto&& store) {
    std::size_t j = 0;
    each_scalar(state, [&](const auto&, int, R& e) { e = load(y[j++]); });
    Motion<R> u;
    u.x = load(y[nz]);
    u.v = load(y[nz + 1]);
    store(F, c.force(state, q, u));
  });
}

/// The explicit pair for dry laws: between events they are not stiff.
template <template <class> class M, Options O> struct Explicit {
  using One = Single<M, rodas4, O>;  // for its rates
  using X = typename One::X;
  using Number = NumberOf<O>;
  using C = M<Number>;
  static constexpr std::size_t S = dopri5.c.size(), n = X::n, size = X::size, ix = X::ix, iv = X::iv;

  static void prepare(Step& s) {
    typename X::Column y;
    for (std::size_t i = 0; i < n; ++i) y[i] = s.y[i];
    const auto f = X::rates(contact(s), tagged<typename C::State>(s.state), mode(s), One::body(s),
                            {s.end[0], s.end_v[0], s.external[0]}, y);
    for (std::size_t i = 0; i < size; ++i) s.f[i] = f[i].x;
  }
  static void attempt(Step& s) {
    const C c = contact(s);
    const auto like = tagged<typename C::State>(s.state);
    const typename C::Mode q = mode(s);
    const typename X::Body b = One::body(s);
    s.u[0] = s.f;
    std::array<typename X::Column, S> k;
    for (std::size_t i = 0; i < size; ++i) k[0][i] = s.f[i];
    typename X::Column y;
    auto stage = [&]<std::size_t j, std::size_t... r>(std::index_sequence<j>, std::index_sequence<r...>) {
      for (std::size_t i = 0; i < n; ++i)
        y[i] = Number(s.y[i]) + Number(s.h) * ((Number(dopri5.a[j][r]) * k[r][i]) + ...);
      k[j] = X::rates(c, like, q, b, drive(s, j), y);
    };
    [&]<std::size_t... j>(std::index_sequence<j...>) {
      (stage(std::index_sequence<j + 1>{}, std::make_index_sequence<j + 1>{}), ...);
    }(std::make_index_sequence<S - 1>{});
    for (std::size_t i = 0; i < size; ++i) {
      auto sum = [&](const auto& factor) {
        Number total = 0;
        for (std::size_t r = 0; r < factor.size(); ++r) total = total + Number(factor[r]) * k[r][i];
        return total * Number(s.h);
      };
      s.y1[i] = (Number(s.y[i]) + sum(dopri5.a[S - 1])).x;
      s.u[S - 1][i] = sum(dopri5.error).x;
      const double rise = s.y1[i] - s.y[i], first = s.h * k[0][i].x - rise, last = rise - s.h * k[S - 1][i].x - first,
                   bend = sum(dopri5.bend).x;
      s.dense[0][i] = first;
      s.dense[1][i] = last + bend;
      s.dense[2][i] = -bend;
    }
    for (std::size_t i = size; i < room; ++i) s.u[S - 1][i] = 0;
    s.norm = norm(s, Wide::load(s.y1), Wide::load(s.u[S - 1]));
    s.diagonal = s.pivot = s.smallest = 1;  // nothing to look out for
    s.friction_pivot = s.holds ? 0 : -inf;  // swings must be resolved
  }
  static void bend(Step&) {}

 private:
  static C contact(const Step& s) { return C{tagged<typename C::Params>(s.contact)}; }
  static const typename C::Mode& mode(const Step& s) { return *static_cast<const typename C::Mode*>(s.mode); }
  static typename X::Drive drive(const Step& s, std::size_t stage) {
    if (!s.straight) return {s.end[stage], s.end_v[stage], s.external[stage]};
    const double after = dopri5.c[stage] * s.h;
    return {s.end[0] + s.end_v[0] * after, s.end_v[0], s.external[0] + s.external_rate * after};
  }
};

template <template <class> class M, const auto& K, Options O> constexpr Kernel kernel() {
  using One = Single<M, K, O>;
  using Quickest = Fast<One, Step, O>;
  return Kernel{K.name,
                K.order,
                true,
                K.alpha.size(),
                K.alpha.data(),
                &Quickest::prepare,
                &Quickest::attempt,
                &bend<K, Step>,
                &rows<One::n>,
                &forces<M, O>};
}
template <template <class> class M, Options O> constexpr Kernel explicit_kernel() {
  using One = Explicit<M, O>;
  using Quickest = Fast<One, Step, O>;
  return Kernel{"dopri5",           5,          false,         dopri5.c.size(), dopri5.c.data(), &Quickest::prepare,
                &Quickest::attempt, &One::bend, &rows<One::n>, &forces<M, O>};
}
template <template <class> class M, Options O> constexpr Pair kernels_for() {
  using C = M<NumberOf<O>>;
  if constexpr (std::tuple_size_v<decltype(C::State::fields())> > 0) {
    return {kernel<M, rodas5p, O>(), {}};
  } else if constexpr (Hybrid<C>) {
    return {{}, explicit_kernel<M, O>()};
  } else {
    return {kernel<M, rodas4, O>(), explicit_kernel<M, O>()};
  }
}
template <template <class> class M> constexpr Kernels kernels_of() {
  if constexpr (has_array<typename M<double>::State>) {
    return {};
  } else if constexpr (has_options<typename M<double>::Params>) {
    return {kernels_for<M, Options::usual>(), kernels_for<M, Options::general>()};
  } else {
    return {kernels_for<M, Options::usual>(), kernels_for<M, Options::usual>()};
  }
}
template <template <class> class... M> constexpr Table table(List<M...>) { return {kernels_of<M>()...}; }

}  // namespace

const Table& BRISTLE_FOR_ISA(kernels_)() {
  static constexpr Table all = table(Models{});
  return all;
}

}  // namespace bristle::slider
