/// The steps of src/kernels/slider.cpp for several bodies at once, one per lane, each with its own parameters, time and
/// step length. Compiled once per instruction set under the rule of src/batch/kernels.cpp.
#include <cstring>
#include <utility>

#include "base/isa.hpp"
#include "base/lane.hpp"
#include "slider_step.hpp"

namespace bristle::slider {
namespace {

/// One number of every body. `get(step)` refers to it.
template <class Get> [[gnu::always_inline]] inline Lane gather(Step* const* s, Get&& get) {
  return [&]<std::size_t... l>(std::index_sequence<l...>) {
    return Lane(typename Lane::Raw{get(*s[l])...});
  }(std::make_index_sequence<width>{});
}
template <class Get> [[gnu::always_inline]] inline void scatter(const Lane& x, Step* const* s, Get&& get) {
  std::array<double, width> a;
  x.store(a.data());
  for (std::size_t l = 0; l < width; ++l) get(*s[l]) = a[l];
}

template <template <class> class M, const auto& K> struct Together {
  using C = M<Lane>;
  using X = Stages<C, K>;
  using Column = typename X::Column;
  static constexpr std::size_t S = X::S, nz = X::nz, n = X::n, size = X::size, ix = X::ix, iv = X::iv;

  /// Rows of Constants: body, tolerances, parameters.
  enum Row : std::size_t {
    inverse_mass,
    stiffness,
    damping,
    rest_length,
    rtol,
    atol,
    largest = atol + room,
    parameters = largest + room
  };
  static_assert(parameters + sizeof(typename M<Number>::Params) / sizeof(double) <=
                std::tuple_size_v<decltype(Constants::row)>);

  static void enter(Step* const* s, Constants& k) {
    for (std::size_t l = 0; l < width; ++l) {
      const Step& a = *s[l];
      k.row[inverse_mass][l] = 1 / a.mass;
      k.row[stiffness][l] = a.stiffness;
      k.row[damping][l] = a.damping;
      k.row[rest_length][l] = a.rest_length;
      k.row[rtol][l] = a.rtol;
      for (std::size_t i = 0; i < size; ++i) {
        k.row[atol + i][l] = a.atol[i];
        k.row[largest + i][l] = a.largest[i];
      }
      typename M<Number>::Params one;
      std::memcpy(static_cast<void*>(&one), a.contact, sizeof one);
      std::size_t j = parameters;
      each_scalar(one, [&](const auto&, int, Number& e) { k.row[j++][l] = e.x; });
    }
  }
  static Lane constant(const Constants& k, std::size_t row) { return Lane::load(k.row[row].data()); }
  static C contact(const Constants& k) {
    C c;
    std::size_t j = parameters;
    each_scalar(c.p, [&](const auto&, int, Lane& e) { e = constant(k, j++); });
    return c;
  }
  static typename X::Body body(const Constants& k) {
    return {constant(k, inverse_mass), constant(k, stiffness), constant(k, damping), constant(k, rest_length), false};
  }
  static typename X::Drive drive(Step* const* s, std::size_t stage) {
    return {gather(s, [&](Step& a) -> double& { return a.end[stage]; }),
            gather(s, [&](Step& a) -> double& { return a.end_v[stage]; }),
            gather(s, [&](Step& a) -> double& { return a.external[stage]; })};
  }
  static bool all_straight(Step* const* s) {
    bool all = true;
    for (std::size_t l = 0; l < width; ++l) all = all && s[l]->straight;
    return all;
  }
  /// A lane without a straight drive has all its stages in place; then the others get them, too.
  static void fill_stages(Step* const* s) {
    for (std::size_t l = 0; l < width; ++l) {
      Step& a = *s[l];
      if (!a.straight) continue;
      for (std::size_t i = 1; i < S; ++i) {
        const double after = K.alpha[i] * a.h;
        a.end[i] = a.end[0] + a.end_v[0] * after;
        a.end_v[i] = a.end_v[0];
        a.external[i] = a.external[0] + a.external_rate * after;
      }
    }
  }
  /// What begins a step, to and from the rows of Begun.
  struct Start {
    Column y, f;
    typename X::Drive drive;
    typename X::Slopes a;

    template <class F> static void each(auto& start, F&& f) {
      std::size_t row = 0;
      for (std::size_t i = 0; i < size; ++i) f(row++, start.y[i]);
      for (std::size_t i = 0; i < size; ++i) f(row++, start.f[i]);
      for (auto* e : {&start.drive.end, &start.drive.end_v, &start.drive.external, &start.a.F, &start.a.F_v})
        f(row++, *e);
      for (std::size_t i = 0; i < nz; ++i) {
        f(row++, start.a.z_v[i]);
        f(row++, start.a.F_z[i]);
        for (std::size_t j = 0; j < nz; ++j) f(row++, start.a.z_z[i][j]);
      }
    }
  };
  static_assert(2 * size + 5 + nz * (2 + nz) <= std::tuple_size_v<decltype(Begun::row)>);

  [[gnu::flatten]] static void prepare(Step* const* s, const Constants& constants, Begun& begun) {
    const C c = contact(constants);
    const typename C::State like{};
    const typename C::Mode q{};
    Start start;
    for (std::size_t i = 0; i < size; ++i) start.y[i] = gather(s, [&](Step& a) -> double& { return a.y[i]; });
    start.drive = drive(s, 0);
    start.f = X::rates(c, like, q, body(constants), start.drive, start.y);
    for (std::size_t i = 0; i < n; ++i) scatter(start.f[i], s, [&](Step& a) -> double& { return a.f[i]; });
    const Lane v = gather(s, [](Step& a) -> double& { return a.slope_v; });
    using D = M<typename X::Dl>;
    start.a = X::slopes(D{convert<typename D::Params>(c.p)}, typename D::State{}, q, false, start.y, v);
    Start::each(start, [&](std::size_t row, const Lane& e) { e.store(begun.row[row].data()); });
  }

  struct Frame {
    C c;
    typename X::Body b;
    Start start;
    typename X::Factors x;
    Lane h, per_h, external_rate;
    bool straight;
    std::array<Lane, 3> in_time;
    double (*stages)[size][width];  // increments
    [[gnu::always_inline]] Lane u(std::size_t stage, std::size_t i) const { return Lane::load(stages[stage][i]); }
  };

  [[gnu::flatten]] static void attempt(Step* const* s, const Constants& constants, const Begun& begun) {
    alignas(64) double stages[S][size][width];  // not zeroed first
    Frame k;
    k.stages = stages;
    k.c = contact(constants);
    k.b = body(constants);
    k.straight = all_straight(s);
    if (!k.straight) fill_stages(s);
    Start::each(k.start, [&](std::size_t row, Lane& e) { e = Lane::load(begun.row[row].data()); });
    k.h = gather(s, [](Step& a) -> double& { return a.h; });
    k.per_h = Lane(1) / k.h;
    k.x = X::factor(k.b, k.start.a, k.h);
    scatter(k.x.d, s, [](Step& b) -> double& { return b.diagonal; });
    scatter(k.x.pivot, s, [](Step& b) -> double& { return b.pivot; });
    scatter(k.x.smallest, s, [](Step& b) -> double& { return b.smallest; });
    scatter(k.x.friction, s, [](Step& b) -> double& { return b.friction_pivot; });

    k.external_rate = gather(s, [](Step& b) -> double& { return b.external_rate; });
    const Lane end_v = k.start.drive.end_v, end_a = gather(s, [](Step& b) -> double& { return b.end_a; }),
               rate = k.external_rate, v0 = k.start.y[iv], slack = end_v - v0;
    const Lane pull = k.b.stiffness * (k.start.drive.end - k.start.y[ix] - k.b.rest_length) + k.b.damping * slack,
               pull_t = k.b.stiffness * end_v + k.b.damping * end_a;
    k.in_time = {(pull_t + rate) * k.b.inverse_mass, pull_t * end_v + pull * end_a + rate * v0,
                 Lane(2) * k.b.damping * slack * end_a};
    [&]<std::size_t... stage>(std::index_sequence<stage...>) {
      (run<stage>(s, k), ...);
    }(std::make_index_sequence<S>{});

    const Lane rtol_ = constant(constants, rtol);
    Lane worst(0), broken(0);
    for (std::size_t i = 0; i < size; ++i) {
      Lane end = sum_of(k, k.start.y[i], K.a[S - 1], i, std::make_index_sequence<S - 1>{}) + k.u(S - 1, i);
      scatter(end, s, [&](Step& b) -> double& { return b.y1[i]; });
      const Lane size_of = smaller(larger(abs(k.start.y[i]), abs(end)), constant(constants, largest + i));
      const Lane e = abs(k.u(S - 1, i)) / (constant(constants, atol + i) + rtol_ * size_of);
      worst = larger(worst, e);
      broken = broken + (e - e) + (end - end);
      for (std::size_t d = 0; d < K.dense.size(); ++d)
        scatter(sum_of(k, Lane(0), K.dense[d], i, std::make_index_sequence<S>{}), s,
                [&](Step& b) -> double& { return b.dense[d][i]; });
    }
    scatter(worst + broken, s, [](Step& b) -> double& { return b.norm; });
  }
  template <std::size_t... r>
  [[gnu::always_inline]] static Lane sum_of(const Frame& k, Lane sum, const std::array<double, S>& factor,
                                            std::size_t i, std::index_sequence<r...>) {
    ((sum = sum + Lane(factor[r]) * k.u(r, i)), ...);
    return sum;
  }
  template <std::size_t stage> [[gnu::always_inline]] static void run(Step* const* s, Frame& k) {
    Column f, known;
    if constexpr (stage == 0) {
      f = k.start.f;
      for (std::size_t i = 0; i < size; ++i) known[i] = Lane(0);
    } else {
      Column y;
      for (std::size_t i = 0; i < n; ++i)
        y[i] = sum_of(k, k.start.y[i], K.a[stage], i, std::make_index_sequence<stage>{});
      typename X::Drive now = k.start.drive;
      if (k.straight) {
        const Lane after = Lane(K.alpha[stage]) * k.h;
        now.end = now.end + now.end_v * after;
        now.external = now.external + k.external_rate * after;
      } else {
        now = drive(s, stage);
      }
      f = X::rates(k.c, {}, {}, k.b, now, y);
      for (std::size_t i = 0; i < size; ++i)
        known[i] = k.per_h * sum_of(k, Lane(0), K.c[stage], i, std::make_index_sequence<stage>{});
    }
    if constexpr (K.gamma_i[stage] != 0) {
      const Lane g = Lane(K.gamma_i[stage]) * k.h;
      known[iv] = known[iv] + g * k.in_time[0];
      known[n] = known[n] + g * k.in_time[1];
      known[n + 1] = known[n + 1] + g * k.in_time[2];
    }
    Column u;
    X::solve(k.b, k.start.a, k.x, k.start.drive, k.start.y[iv], f, known, u);
    for (std::size_t i = 0; i < size; ++i) u[i].store(k.stages[stage][i]);
  }
};

template <class T> constexpr LaneKernel of() { return {width, &T::enter, &T::prepare, &T::attempt}; }
template <template <class> class M> constexpr LaneKernel kernel() {
  using C = M<double>;
  if constexpr (!(requires { requires C::vector_lanes; })) {
    return {};
  } else if constexpr (std::tuple_size_v<decltype(C::State::fields())> == 0) {
    return of<Together<M, rodas4>>();
  } else {
    return of<Together<M, rodas5p>>();
  }
}
template <template <class> class... M> constexpr LaneTable table(List<M...>) { return {kernel<M>()...}; }

}  // namespace

const LaneTable& BRISTLE_FOR_ISA(lanes_)() {
  static constexpr LaneTable all = table(Models{});
  return all;
}

}  // namespace bristle::slider
