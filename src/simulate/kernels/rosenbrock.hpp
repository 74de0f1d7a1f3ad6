#pragma once
#include <array>
#include <utility>

#include "bodies.hpp"
#include "tableau.hpp"

/// The stages of a step, for every contact L, body B and scalar. Increments are kept by a Memory: in a Step, or next
/// to those of other bodies.
namespace bristle::kernel {

/// f(index constant) for 0 ... count - 1: every index is known to the compiler.
template <std::size_t count, class F> [[gnu::always_inline]] constexpr void each_index(F&& f) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (f(std::integral_constant<std::size_t, i>{}), ...);
  }(std::make_index_sequence<count>{});
}

/// Whether a stage is the one before it plus its increment: stiffly accurate methods end so.
template <const auto& K, std::size_t stage> constexpr bool continues() {
  bool same = stage > 1 && K.a[stage][stage - 1] == 1;
  for (std::size_t r = 0; r + 1 < stage; ++r) same = same && K.a[stage][r] == K.a[stage - 1][r];
  return same;
}

template <class L, class B> struct Rates {
  using R = typename L::Scalar;
  using Column = typename B::Column;
  using Start = typename B::Start;
  static constexpr std::size_t nz = L::nz, n = B::n, size = n + works;
  [[gnu::always_inline]] static constexpr Column at(const L& law, const B& body, const Input<R>& in, const Column& y) {
    Column f;
    const R F = law.eval(y, L::motion(body.place(in, y), body.velocity(in, y), in.load), f);
    body.rates(in, y, F, f);
    return f;
  }
};

template <class L, class B, const auto& K> struct Rosenbrock : Rates<L, B> {
  using typename Rates<L, B>::R, typename Rates<L, B>::Column, typename Rates<L, B>::Start;
  using Rates<L, B>::nz, Rates<L, B>::n, Rates<L, B>::size;
  static constexpr std::size_t S = K.alpha.size();
  using Law = L;
  using Body = B;

  /// Rates and slopes where a step begins; its point and drive are known.
  [[gnu::always_inline]] static constexpr void begin(const L& law, const B& body, const R& load_rate, bool holds,
                                                     Start& s) {
    s.f = Rates<L, B>::at(law, body, s.in, s.y);
    const auto u = L::motion(body.place(s.in, s.y), s.slope_v, s.in.load);
    s.a = law.slopes(law.dual(), s.y, u, load_rate, holds);
  }

  /// All that stays the same over the stages.
  struct Frame {
    const L& law;
    const B& body;
    const Start& start;
    R h, per_h;
    Elimination<R, nz> z;
    typename B::Factors x;
    Column in_time;
    [[gnu::always_inline]] constexpr Frame(const L& l, const B& b, const Start& s, const R& length)
        : law(l), body(b), start(s), h(length), per_h(R(1) / length), z(s.a, R(K.gamma) * length), x(b.factor(s, z)) {}
    [[gnu::always_inline]] constexpr void differentiate() { body.in_time(start, in_time); }
  };

  template <class Memory> [[gnu::always_inline]] static constexpr void stages(const Frame& k, Memory& m) {
    all(k, m, std::make_index_sequence<S>{});
  }

 private:
  // Not by each_index: what goes from stage to stage must stay in registers, so no function may come between them.
  template <class Memory, std::size_t... stage>
  [[gnu::always_inline]] static constexpr void all(const Frame& k, Memory& m, std::index_sequence<stage...>) {
    (run<stage>(k, m), ...);
  }
  template <std::size_t i>
  [[gnu::always_inline]] static constexpr void add_at(const Frame& k, const R& g, Column& known) {
    known[i] = known[i] + g * k.in_time[i];
  }
  template <std::size_t... j>
  [[gnu::always_inline]] static constexpr void add_in_time(const Frame& k, const R& g, Column& known,
                                                           std::index_sequence<j...>) {
    (add_at<B::timed[j]>(k, g, known), ...);
  }
  template <std::size_t stage, class Memory>
  [[gnu::always_inline]] static constexpr void run(const Frame& k, Memory& m) {
    Column f, known, u;
    if constexpr (stage == 0) {
      for (std::size_t i = 0; i < size; ++i) {
        f[i] = k.start.f[i];
        known[i] = R(0);
      }
    } else {
      m.template advance<stage>();
      m.template sum_known<stage>(k.per_h, known);
      f = Rates<L, B>::at(k.law, k.body, m.template input<stage>(), m.y);
    }
    if constexpr (K.gamma_i[stage] != 0) {
      constexpr double gamma_i = K.gamma_i[stage];  // a number and not a place in a table, which a GPU does not have
      add_in_time(k, R(gamma_i) * k.h, known, std::make_index_sequence<B::timed.size()>{});
    }
    k.body.solve(k.start, k.z, k.x, f, known, u);
    m.template keep<stage>(u);
  }
};

}  // namespace bristle::kernel
