#pragma once
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/decay_table.hpp"
#include "base/pack.hpp"
#include "bristle/quick.hpp"

/// What the steps of a single body have in common, whatever the body: numbers of the instruction set that is being
/// compiled, columns of all components side by side, the end of an attempt and its dense output. A Step is that of
/// simulate/slider.hpp or simulate/bodies.hpp.
namespace bristle::single {
namespace {  // NOLINT(google-build-namespaces, cert-dcl59-cpp): each instruction set has its own

template <Options O> struct BRISTLE_ISA {
  [[gnu::always_inline]] static double bell(double base, double height, double u) {
    return slider::table_bell(base, height, u);
  }
};
template <Options O> using NumberOf = Quick<double, BRISTLE_ISA<O>>;
constexpr std::size_t width = BRISTLE_BYTES / sizeof(double);
template <Options O> using LanesOf = batch::Pack<double, width, BRISTLE_ISA<O>>;
template <class C> constexpr bool in_lanes = requires { requires C::vector_lanes; };

}  // namespace
}  // namespace bristle::single

namespace bristle {
template <Options O> inline constexpr Options options<single::NumberOf<O>> = O;
template <Options O> inline constexpr Options options<single::LanesOf<O>> = O;
template <Options O, std::size_t N> inline constexpr Options options<Dual<single::NumberOf<O>, N>> = O;
template <Options O, std::size_t N> using SlopesOf = Dual<single::NumberOf<O>, N>;
template <Options O, std::size_t N>
[[gnu::always_inline]] inline SlopesOf<O, N> bell(const SlopesOf<O, N>& base, const SlopesOf<O, N>& height,
                                                  const SlopesOf<O, N>& u) {
  return slider::constant_bell(base, height, u);
}
}  // namespace bristle

namespace bristle::single {
namespace {  // NOLINT(google-build-namespaces, cert-dcl59-cpp)

/// All components of a column side by side.
template <std::size_t room> struct Wide {
  using Part = LanesOf<Options::open>;
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

/// Plain parameters or states in the tagged scalar: the same bytes.
template <class To> To tagged(const void* from) {
  static_assert(std::is_trivially_copyable_v<To>);
  To to;
  std::memcpy(static_cast<void*>(&to), from, sizeof to);
  return to;
}

template <class Step, std::size_t room> double norm(const Step& s, const Wide<room>& end, const Wide<room>& error) {
  using W = Wide<room>;
  using Part = typename W::Part;
  const W begin = W::load(s.y), atol = W::load(s.atol), largest = W::load(s.largest);
  Part worst(0), broken(0);
  for (std::size_t i = 0; i < W::parts; ++i) {
    const Part size_of = smaller(larger(abs(begin.p[i]), abs(end.p[i])), largest.p[i]);
    const Part e = abs(error.p[i]) / (atol.p[i] + Part(s.rtol) * size_of);
    worst = larger(worst, e);
    broken = broken + (e - e) + (end.p[i] - end.p[i]);  // NOLINT(misc-redundant-expression): zero, or not a number
  }
  std::array<double, width> each, not_finite;
  worst.store(each.data());
  broken.store(not_finite.data());
  double most = 0;
  for (std::size_t l = 0; l < width; ++l) most = (each[l] > most ? each[l] : most) + not_finite[l];
  return most;
}

/// The end of an attempt, and its error, from the increments of all stages.
template <const auto& K, class Step> [[gnu::always_inline]] inline void conclude(Step& s) {
  using W = Wide<std::tuple_size_v<decltype(s.y)>>;
  constexpr std::size_t S = K.alpha.size();
  W end = W::load(s.y);
  for (std::size_t r = 0; r + 1 < S; ++r) end.add(K.a[S - 1][r], W::load(s.u[r]));
  const W error = W::load(s.u[S - 1]);
  end.add(1, error);
  end.store(s.y1);
  s.norm = norm(s, end, error);
}
template <const auto& K, class Step> void bend(Step& s) {
  using W = Wide<std::tuple_size_v<decltype(s.y)>>;
  for (std::size_t d = 0; d < K.dense.size(); ++d) {
    W sum;
    for (std::size_t r = 0; r < K.alpha.size(); ++r) sum.add(K.dense[d][r], W::load(s.u[r]));
    sum.store(s.dense[d]);
  }
}

/// With everything inlined, so that force and rates share what they have in common. Not where that costs more time to
/// compile than it can save.
template <class One, class Step> struct Inlined {
  [[gnu::flatten]] static void prepare(Step& s) { One::prepare(s); }
  [[gnu::flatten]] static void attempt(Step& s) { One::attempt(s); }
};
template <class One, class Step, Options O>
using Fast = std::conditional_t<O == Options::usual && (width > 2), Inlined<One, Step>, One>;

/// alpha and vd, see Options.
template <class P> constexpr bool has_options = requires(P p) { p.alpha; } || requires(P p) { p.vd; };

}  // namespace
}  // namespace bristle::single
