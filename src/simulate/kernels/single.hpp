#pragma once
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/decay_table.hpp"
#include "base/isa.hpp"
#include "base/pack.hpp"
#include "bristle/quick.hpp"
#include "error_norm.hpp"
#include "has_array.hpp"
#include "rosenbrock.hpp"

/// Steps of one body: numbers of the instruction set that is being compiled, columns of all components side by side, the
/// end of an attempt, its dense output, and the table of kernels of a body. The files of the bodies are compiled once per
/// instruction set, like src/batch/kernels.cpp, and under the same rule: every template carries the name of the set as a
/// tag.
namespace bristle::kernel {
namespace {  // NOLINT(google-build-namespaces, cert-dcl59-cpp): each instruction set has its own

template <CurveOptions O> struct BRISTLE_ISA {
  [[gnu::always_inline]] static double bell(double base, double height, double u) {
    return table_bell(base, height, u);
  }
};
template <CurveOptions O> using NumberOf = Quick<double, BRISTLE_ISA<O>>;
constexpr std::size_t width = BRISTLE_BYTES / sizeof(double);
template <CurveOptions O> using LanesOf = batch::Pack<double, width, BRISTLE_ISA<O>>;
template <class C> constexpr bool in_lanes = requires { requires C::vector_lanes; };

}  // namespace
}  // namespace bristle::kernel

namespace bristle {
template <CurveOptions O> inline constexpr CurveOptions curve_options<kernel::NumberOf<O>> = O;
template <CurveOptions O> inline constexpr CurveOptions curve_options<kernel::LanesOf<O>> = O;
template <CurveOptions O, std::size_t N> inline constexpr CurveOptions curve_options<Dual<kernel::NumberOf<O>, N>> = O;
template <CurveOptions O, std::size_t N> using SlopesOf = Dual<kernel::NumberOf<O>, N>;
template <CurveOptions O, std::size_t N>
[[gnu::always_inline]] inline SlopesOf<O, N> bell(const SlopesOf<O, N>& base, const SlopesOf<O, N>& height,
                                                  const SlopesOf<O, N>& u) {
  return constant_bell(base, height, u);
}
}  // namespace bristle

namespace bristle::kernel {
namespace {  // NOLINT(google-build-namespaces, cert-dcl59-cpp)

/// All components of a column side by side.
struct Wide {
  using Part = LanesOf<CurveOptions::open>;
  static constexpr std::size_t parts = room / width;
  std::array<Part, parts> p{};
  static Wide load(const std::array<double, room>& a) {
    Wide w;
    for (std::size_t i = 0; i < parts; ++i) w.p[i] = Part::load(&a[i * width]);
    return w;
  }
  void store(std::array<double, room>& a) const {
    for (std::size_t i = 0; i < parts; ++i) p[i].store(&a[i * width]);
  }
  void add(double factor, const Wide& other) {
    for (std::size_t i = 0; i < parts; ++i) p[i] = p[i] + Part(factor) * other.p[i];
  }
};

double norm(const Step& s, const Wide& end, const Wide& error) {
  const Wide begin = Wide::load(s.y), atol = Wide::load(s.atol), largest = Wide::load(s.largest);
  ErrorNorm<Wide::Part> norm;
  for (std::size_t i = 0; i < Wide::parts; ++i)
    norm.add(begin.p[i], end.p[i], error.p[i], atol.p[i], s.rtol, largest.p[i]);
  return norm.value();
}

/// Plain parameters or states in the tagged scalar: the same bytes.
template <class To> To tagged(const void* from) {
  static_assert(std::is_trivially_copyable_v<To>);
  To to;
  std::memcpy(static_cast<void*>(&to), from, sizeof to);
  return to;
}
template <template <class> class M, CurveOptions O> using LawOf = Law<M, NumberOf<O>, O != CurveOptions::usual>;
template <class L> [[gnu::always_inline]] inline L law_of(const Step& s) {
  L law{{tagged<typename L::C::Params>(s.contact)},
        tagged<typename L::State>(s.state),
        *static_cast<const typename L::C::Mode*>(s.mode),
        {}};
  if constexpr (L::general) {
    if (s.effects) law.around = {tagged<Effects<typename L::Scalar>>(s.effects), true, s.temperature};
  }
  return law;
}
template <class B, class R> [[gnu::always_inline]] inline B body_of(const Step& s, bool holds) {
  if constexpr (requires(B b) { b.part; }) {
    return {tagged<Spring<R>>(&s.spring), s.inverse_mass, s.inverse_slip_mass, s.inverse_roll_mass, s.slip_part, holds};
  } else if constexpr (requires(B b) { b.spring; }) {
    return {tagged<Spring<R>>(&s.spring), s.inverse_mass, holds};
  } else {
    return {};
  }
}
template <class R>
[[gnu::always_inline]] inline Input<R> input_of(const Step& s, const double* alpha, std::size_t stage) {
  if (!s.straight) return {s.end[stage], s.end_v[stage], s.external[stage], s.load[stage]};
  const double after = alpha[stage] * s.h;
  return {s.end[0] + s.end_v[0] * after, s.end_v[0], s.external[0] + s.external_rate * after,
          s.load[0] + s.load_rate * after};
}

template <class X, const auto& K> struct Single {
  using L = typename X::Law;
  using B = typename X::Body;
  using R = typename L::Scalar;
  using Column = typename X::Column;
  static constexpr std::size_t n = X::n, size = X::size, nz = L::nz;
  static_assert(size <= room && nz <= most_states);
  static bool holds(const Step& s) { return L::may_hold && s.holds; }

  [[gnu::always_inline]] static typename X::Start start(const Step& s) {
    constexpr std::make_index_sequence<size> all{};
    return {column(s.y, all),
            column(s.f, all),
            {s.end[0], s.end_v[0], s.external[0], s.load[0]},
            s.end_a,
            s.external_rate,
            s.slope_v,
            {}};
  }
  template <std::size_t... i>
  [[gnu::always_inline]] static Column column(const std::array<double, room>& from, std::index_sequence<i...>) {
    return {R(from[i])...};
  }
  static void prepare(Step& s) {
    typename X::Start a = start(s);
    X::begin(law_of<L>(s), body_of<B, R>(s, holds(s)), s.load_rate, holds(s), a);
    for (std::size_t i = 0; i < size; ++i) s.f[i] = a.f[i].x;
    exchange(s, a.a, [](double& number, const R& r) { number = r.x; });
  }
  /// f(number of the step, that of the slopes).
  template <class S, class A, class F> [[gnu::always_inline]] static void exchange(S& s, A& a, F&& f) {
    f(s.F, a.F);
    f(s.F_v, a.F_v);
    for (std::size_t i = 0; i < nz; ++i) {
      f(s.z_v[i], a.z_v[i]);
      f(s.F_z[i], a.F_z[i]);
      for (std::size_t j = 0; j < nz; ++j) f(s.z_z[i][j], a.z_z[i][j]);
    }
    if constexpr (L::general) {
      f(s.F_x, a.F_x);
      f(s.F_t, a.F_t);
      for (std::size_t i = 0; i < nz; ++i) f(s.z_t[i], a.z_t[i]);
    }
  }

  /// The history comes from memory in vectors, the newest stage from registers: nobody waits for a store.
  struct Memory {
    Step& s;
    Column newest, y;
    template <std::size_t stage> [[gnu::always_inline]] Input<R> input() const {
      return input_of<R>(s, K.alpha.data(), stage);
    }
    template <std::size_t stage> [[gnu::always_inline]] void advance() {
      if constexpr (continues<K, stage>()) {
        for (std::size_t i = 0; i < n; ++i) y[i] = y[i] + newest[i];
      } else {
        alignas(64) std::array<double, room> before;
        sum(Wide::load(s.y), K.a[stage], before, std::make_index_sequence<stage - 1>{});
        for (std::size_t i = 0; i < n; ++i) y[i] = R(before[i]) + R(K.a[stage][stage - 1]) * newest[i];
      }
    }
    template <std::size_t stage> [[gnu::always_inline]] void sum_known(const R& per_h, Column& known) const {
      alignas(64) std::array<double, room> before;
      sum({}, K.c[stage], before, std::make_index_sequence<stage - 1>{});
      for (std::size_t i = 0; i < size; ++i) known[i] = per_h * (R(before[i]) + R(K.c[stage][stage - 1]) * newest[i]);
    }
    template <std::size_t stage> [[gnu::always_inline]] void keep(const Column& u) {
      keep(u, s.u[stage], std::make_index_sequence<size>{});
    }
    /// Without a loop, which would become a copy through memory.
    template <std::size_t... i>
    [[gnu::always_inline]] void keep(const Column& u, std::array<double, room>& to, std::index_sequence<i...>) {
      ((to[i] = u[i].x, newest[i] = u[i]), ...);
    }
    template <class Factors, std::size_t... r>
    [[gnu::always_inline]] void sum(Wide all, const Factors& factor, std::array<double, room>& to,
                                    std::index_sequence<r...>) const {
      (all.add(factor[r], Wide::load(s.u[r])), ...);
      all.store(to);
    }
  };

  static void attempt(Step& s) {
    typename X::Start a = start(s);
    exchange(s, a.a, [](const double& number, R& r) { r = number; });
    const L law = law_of<L>(s);
    const B body = body_of<B, R>(s, holds(s));
    typename X::Frame k(law, body, a, s.h);
    s.diagonal = k.z.d.x;
    s.smallest = k.z.smallest.x;
    s.pivot = k.x.pivot.x;
    s.friction = k.x.friction.x;
    s.swing = k.x.swing.x;
    if (!(s.pivot > 0.5 * s.diagonal && s.smallest > 0.5 * s.diagonal)) return;  // see Stepper::attempt
    k.differentiate();
    Memory m{s, {}, {}};
    X::stages(k, m);
    constexpr std::size_t last = K.alpha.size() - 1;
    Wide end = Wide::load(s.y);
    for (std::size_t r = 0; r < last; ++r) end.add(K.a[last][r], Wide::load(s.u[r]));
    const Wide error = Wide::load(s.u[last]);
    end.add(1, error);
    end.store(s.y1);
    s.norm = norm(s, end, error);
  }
  static void curvature(Step& s) {
    for (std::size_t d = 0; d < K.dense.size(); ++d) {
      Wide sum;
      for (std::size_t r = 0; r < K.alpha.size(); ++r) sum.add(K.dense[d][r], Wide::load(s.u[r]));
      sum.store(s.dense[d]);
    }
  }
  static constexpr Method method{K.name, K.order, true, K.alpha.size(), K.alpha.data()};
};

/// The explicit pair for laws that are not stiff between events.
template <class X> struct Explicit {
  using L = typename X::Law;
  using B = typename X::Body;
  using R = typename L::Scalar;
  using One = Single<X, rodas4>;
  using Column = typename X::Column;
  static constexpr std::size_t S = dopri5.c.size(), n = X::n, size = X::size;

  static void prepare(Step& s) {
    const typename X::Start a = One::start(s);
    const Column f = X::at(law_of<L>(s), body_of<B, R>(s, One::holds(s)), a.in, a.y);
    for (std::size_t i = 0; i < size; ++i) s.f[i] = f[i].x;
  }
  static void attempt(Step& s) {
    const L law = law_of<L>(s);
    const B body = body_of<B, R>(s, One::holds(s));
    s.u[0] = s.f;
    std::array<Column, S> k;
    for (std::size_t i = 0; i < size; ++i) k[0][i] = s.f[i];
    Column y;
    each_index<S - 1>([&](auto before) {
      constexpr std::size_t j = before + 1;
      [&]<std::size_t... r>(std::index_sequence<r...>) {
        for (std::size_t i = 0; i < n; ++i) y[i] = R(s.y[i]) + R(s.h) * ((R(dopri5.a[j][r]) * k[r][i]) + ...);
      }(std::make_index_sequence<j>{});
      k[j] = X::at(law, body, input_of<R>(s, dopri5.c.data(), j), y);
    });
    for (std::size_t i = 0; i < size; ++i) {
      auto sum = [&](const auto& factor) {
        R total = 0;
        for (std::size_t r = 0; r < factor.size(); ++r) total = total + R(factor[r]) * k[r][i];
        return total * R(s.h);
      };
      s.y1[i] = (R(s.y[i]) + sum(dopri5.a[S - 1])).x;
      s.u[S - 1][i] = sum(dopri5.error).x;
      const double rise = s.y1[i] - s.y[i], first = s.h * k[0][i].x - rise, last = rise - s.h * k[S - 1][i].x - first,
                   curvature = sum(dopri5.curvature).x;
      s.dense[0][i] = first;
      s.dense[1][i] = last + curvature;
      s.dense[2][i] = -curvature;
    }
    for (std::size_t i = size; i < room; ++i) s.u[S - 1][i] = 0;
    s.norm = norm(s, Wide::load(s.y1), Wide::load(s.u[S - 1]));
    s.diagonal = s.pivot = s.smallest = 1;  // nothing to look out for
    s.friction = 0;
    s.swing = One::holds(s) ? 1 : -1;  // swings must be resolved
  }
  static void curvature(Step&) {}
  static constexpr Method method{"dopri5", 5, false, S, dopri5.c.data()};
};

/// Calls f(load, store) for rows k, k + 1, ... of R: load(column) and store(column, value), also where less than a whole
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
template <std::size_t n>
void rows(const Step& s, double t0, double scale, const double* t, std::size_t count, double* const* to) {
  using R = Wide::Part;
  const R begin(t0), per_h(scale);
  each_row<R>(count, [&](auto&& load, auto&& store) {
    const R at = (load(t) - begin) * per_h, left = R(1) - at;
    each_index<n>([&](auto i) {
      const R curvature = R(s.dense[0][i]) + at * (R(s.dense[1][i]) + at * R(s.dense[2][i]));
      store(to[i], left * R(s.y[i]) + at * (R(s.y1[i]) + left * curvature));
    });
  });
}
/// Usual laws in lanes where the model can.
template <template <class> class M, CurveOptions O>
void forces(const Step& s, const double* const* y, std::size_t count, double* F) {
  constexpr bool general = O != CurveOptions::usual;
  using R = std::conditional_t<in_lanes<M<double>> && !general, LanesOf<O>, NumberOf<O>>;
  using L = Law<M, R, general>;
  using C = M<R>;
  const auto plain = law_of<LawOf<M, O>>(s);
  const C c{convert<typename C::Params>(plain.c.p)};
  auto state = convert<typename C::State>(plain.like);
  each_row<R>(count, [&](auto&& load, auto&& store) {
    std::size_t j = 0;
    each_scalar(state, [&](const auto&, int, R& e) { e = load(y[j++]); });
    if constexpr (general) {
      const auto u = L::motion(load(y[j]), load(y[j + 1]), load(y[j + 2]));
      store(F, plain.outside(u.x, c.force(state, plain.q, u)));
    } else {
      store(F, c.force(state, plain.q, L::motion(R(0), load(y[j + 1]), R(1))));
    }
  });
}

/// With everything inlined, so that force and rates share what they have in common. Not where that costs more time to
/// compile than it can save.
template <class One> struct Inlined {
  [[gnu::flatten]] static void prepare(Step& s) { One::prepare(s); }
  [[gnu::flatten]] static void attempt(Step& s) { One::attempt(s); }
};

template <template <class> class M, CurveOptions O, class One> constexpr Kernel kernel_of() {
  using Quickest = std::conditional_t<O == CurveOptions::usual, Inlined<One>, One>;
  return {One::method,        O != CurveOptions::usual, &Quickest::prepare,
          &Quickest::attempt, &One::curvature,          &rows<One::n>,
          &forces<M, O>};
}
template <template <class> class M, template <class, std::size_t, bool> class B, CurveOptions O>
constexpr Pair pair_of() {
  using L = LawOf<M, O>;
  using Body = B<typename L::Scalar, L::nz, L::general>;
  constexpr bool moves = requires(Body b) { b.spring; };  // not a given motion
  Pair pair;
  if constexpr (Body::n + works <= room) {
    constexpr bool hybrid = Hybrid<typename L::C> && !SwitchesAtTimes<typename L::C>;
    if constexpr (L::nz > 0 && (moves || !hybrid)) {
      pair.implicit = kernel_of<M, O, Single<Rosenbrock<L, Body, rodas5p>, rodas5p>>();
    } else if constexpr (!hybrid) {
      pair.implicit = kernel_of<M, O, Single<Rosenbrock<L, Body, rodas4>, rodas4>>();
    }
    if constexpr (L::nz == 0 && moves) pair.explicit_pair = kernel_of<M, O, Explicit<Rosenbrock<L, Body, rodas4>>>();
  }
  return pair;
}
/// The baseline, which few machines run, has one kernel for all options: two take long to compile.
template <template <class> class M, template <class, std::size_t, bool> class B> constexpr Choice choice_of() {
  if constexpr (has_array<typename M<double>::State>) {
    return {};
  } else if constexpr (width > 2) {
    return {pair_of<M, B, CurveOptions::usual>(), pair_of<M, B, CurveOptions::open>()};
  } else {
    return {pair_of<M, B, CurveOptions::open>(), pair_of<M, B, CurveOptions::open>()};
  }
}
template <template <class, std::size_t, bool> class B, template <class> class... M>
constexpr ByModel by_model(List<M...>) {
  return {choice_of<M, B>()...};
}

}  // namespace
}  // namespace bristle::kernel
