/// The steps of several sliders at once, one per lane, each with its own parameters, time and step length. Compiled once
/// per instruction set under the rule of src/batch/kernels.cpp.
#include <cstring>
#include <utility>

#include "base/isa.hpp"
#include "base/lane.hpp"
#include "error_norm.hpp"
#include "rosenbrock.hpp"

namespace bristle::kernel {
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
[[gnu::always_inline]] inline Lane gather(Step* const* s, double Step::* number) {
  return gather(s, [&](Step& a) -> double& { return a.*number; });
}
[[gnu::always_inline]] inline void scatter(const Lane& x, Step* const* s, double Step::* number) {
  scatter(x, s, [&](Step& a) -> double& { return a.*number; });
}

/// Room for a T that is written before it is read: that of a Lane is zeroed first otherwise.
template <class T> union Unset {
  Unset() {}  // NOLINT(modernize-use-equals-default): it would be deleted
  T it;
};

template <template <class> class M, const auto& K> struct Together {
  using L = Law<M, Lane, false>;
  using B = Slider<Lane, L::nz, false>;
  using X = Rosenbrock<L, B, K>;
  using Column = typename X::Column;
  using Start = typename X::Start;
  static constexpr std::size_t S = X::S, nz = X::nz, n = X::n, size = X::size;

  /// Rows of Constants: body, tolerances, parameters.
  enum Row : std::size_t {
    inverse_mass,
    mass,
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
      k.row[inverse_mass][l] = a.inverse_mass;
      k.row[mass][l] = 1 / a.inverse_mass;
      k.row[stiffness][l] = a.spring.stiffness;
      k.row[damping][l] = a.spring.damping;
      k.row[rest_length][l] = a.spring.rest_length;
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
  static L law(const Constants& k) {
    L law;
    std::size_t j = parameters;
    each_scalar(law.c.p, [&](const auto&, int, Lane& e) { e = constant(k, j++); });
    return law;
  }
  static B body(const Constants& k) {
    return {{constant(k, stiffness), constant(k, damping), constant(k, rest_length), 0, 0},
            constant(k, inverse_mass),
            false};
  }
  static Input<Lane> input(Step* const* s, std::size_t stage) {
    return {gather(s, [&](Step& a) -> double& { return a.end[stage]; }),
            gather(s, [&](Step& a) -> double& { return a.end_v[stage]; }),
            gather(s, [&](Step& a) -> double& { return a.external[stage]; }),
            {}};
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
  /// The start of a step, to and from the rows of Begun.
  template <class A, class F> static void each(A& start, F&& f) {
    std::size_t row = 0;
    for (std::size_t i = 0; i < size; ++i) f(row++, start.y[i]);
    for (std::size_t i = 0; i < size; ++i) f(row++, start.f[i]);
    for (auto* e : {&start.in.end, &start.in.end_v, &start.in.external, &start.a.F, &start.a.F_v}) f(row++, *e);
    for (std::size_t i = 0; i < nz; ++i) {
      f(row++, start.a.z_v[i]);
      f(row++, start.a.F_z[i]);
      for (std::size_t j = 0; j < nz; ++j) f(row++, start.a.z_z[i][j]);
    }
  }
  static_assert(2 * size + 5 + nz * (2 + nz) <= std::tuple_size_v<decltype(Begun::row)>);

  [[gnu::flatten]] static void prepare(Step* const* s, const Constants& constants, Begun& begun) {
    Start start;
    for (std::size_t i = 0; i < size; ++i) start.y[i] = gather(s, [&](Step& a) -> double& { return a.y[i]; });
    start.in = input(s, 0);
    start.slope_v = gather(s, &Step::slope_v);
    X::begin(law(constants), body(constants), Lane(0), false, start);
    for (std::size_t i = 0; i < n; ++i) scatter(start.f[i], s, [&](Step& a) -> double& { return a.f[i]; });
    each(start, [&](std::size_t row, const Lane& e) { e.store(begun.row[row].data()); });
  }

  /// Increments of all bodies side by side.
  struct Memory {
    Step* const* s;
    const Column& y0;
    Input<Lane> first;
    Lane h, external_rate;
    bool straight;
    double (*stages)[size][width];
    union {  // see Unset
      Column y;
    };
    union {
      Column newest;
    };
    [[gnu::always_inline]] Memory(Step* const* steps, const Start& start, const Lane& length, bool all_straight,
                                  double (*to)[size][width])
        : s(steps),
          y0(start.y),
          first(start.in),
          h(length),
          external_rate(start.external_rate),
          straight(all_straight),
          stages(to) {}
    template <std::size_t stage> [[gnu::always_inline]] Input<Lane> input() const {
      if (!straight) return Together::input(s, stage);
      const Lane after = Lane(K.alpha[stage]) * h;
      return {first.end + first.end_v * after, first.end_v, first.external + external_rate * after, {}};
    }
    template <std::size_t stage> [[gnu::always_inline]] void advance() {
      for (std::size_t i = 0; i < n; ++i)
        y[i] = continues<K, stage>() ? y[i] + newest[i] : sum<stage>(y0[i], K.a[stage], i);
    }
    template <std::size_t stage> [[gnu::always_inline]] void sum_known(const Lane& per_h, Column& known) const {
      for (std::size_t i = 0; i < size; ++i) known[i] = per_h * sum<stage>(Lane(0), K.c[stage], i);
    }
    template <std::size_t stage> [[gnu::always_inline]] void keep(const Column& u) {
      for (std::size_t i = 0; i < size; ++i) (newest[i] = u[i]).store(stages[stage][i]);
    }
    template <std::size_t count, class Factors>
    [[gnu::always_inline]] Lane sum(const Lane& first_term, const Factors& factor, std::size_t i) const {
      return sum(first_term, factor, i, std::make_index_sequence<count>{});
    }
    template <class Factors, std::size_t... r>
    [[gnu::always_inline]] Lane sum(Lane all, const Factors& factor, std::size_t i, std::index_sequence<r...>) const {
      ((all = all + Lane(factor[r]) * Lane::load(stages[r][i])), ...);
      return all;
    }
  };

  [[gnu::flatten]] static void attempt(Step* const* s, const Constants& constants, const Begun& begun) {
    alignas(64) double stages[S][size][width];  // not zeroed first
    const bool straight = all_straight(s);
    if (!straight) fill_stages(s);
    Start start;
    each(start, [&](std::size_t row, Lane& e) { e = Lane::load(begun.row[row].data()); });
    start.end_a = gather(s, &Step::end_a);
    start.external_rate = gather(s, &Step::external_rate);
    const L contact = law(constants);
    const B slider = body(constants);
    typename X::Frame k(contact, slider, start, gather(s, &Step::h));
    k.differentiate();
    scatter(k.z.d, s, &Step::diagonal);
    scatter(k.z.smallest, s, &Step::smallest);
    scatter(k.x.pivot, s, &Step::pivot);
    scatter(k.x.friction, s, &Step::friction);
    scatter(k.x.swing, s, &Step::swing);
    Memory m(s, start, k.h, straight, stages);
    X::stages(k, m);

    const Lane rtol_ = constant(constants, rtol);
    ErrorNorm<Lane> norm;
    Unset<Column> end_;
    Column& end = end_.it;
    Unset<std::array<Column, K.dense.size()>> dense_;
    auto& dense = dense_.it;
    for (std::size_t i = 0; i < size; ++i) {
      const Lane begin = k.start.y[i], error = m.newest[i];
      end[i] = (i < n ? m.y[i] : m.template sum<S - 1>(begin, K.a[S - 1], i)) + error;
      scatter(end[i], s, [&](Step& b) -> double& { return b.y1[i]; });
      norm.add(begin, end[i], error, constant(constants, atol + i), rtol_, constant(constants, largest + i));
      for (std::size_t d = 0; d < K.dense.size(); ++d) {
        dense[d][i] = m.template sum<S>(Lane(0), K.dense[d], i);
        scatter(dense[d][i], s, [&](Step& b) -> double& { return b.dense[d][i]; });
      }
    }
    scatter(norm.worst + norm.broken, s, &Step::norm);
    Lane net(0), pushed(0), most(0), misfit(0);
    const Lane m_ = constant(constants, mass);
    for (std::size_t j = 0; j < 3; ++j) {
      const double node = radau.nodes[j + 1], weight = radau.weights[j + 1], share = weight / (1 - radau.weights[0]);
      const Lane theta(node), left(1 - node), after = theta * k.h;
      Unset<Column> y_, unused;
      Column& y = y_.it;
      std::array<Lane, K.dense.size()> of_v;
      for (std::size_t i = 0; i < n; ++i) {
        Lane c = dense[K.dense.size() - 1][i];
        for (std::size_t d = K.dense.size() - 1; d-- > 0;) c = dense[d][i] + theta * c;
        y[i] = left * k.start.y[i] + theta * (end[i] + left * c);
      }
      const Lane F = contact.eval(y, L::motion(y[B::ix], y[B::iv], {}), unused.it);
      const Input<Lane> in{start.in.end + start.in.end_v * after, start.in.end_v,
                           start.in.external + start.external_rate * after, Lane(1)};
      const Lane load = slider.spring.transmitted(in, y[B::ix], y[B::iv]), rest = load - F;
      for (std::size_t d = 0; d < K.dense.size(); ++d) of_v[d] = dense[d][B::iv];
      const Lane slope = slope_between(k.start.y[B::iv], end[B::iv], of_v, node) * k.per_h;
      net = net + Lane(weight) * rest;
      pushed = pushed + Lane(share) * abs(load);
      most = larger(most, abs(load));
      misfit = larger(misfit, abs(rest - m_ * slope));
      if (straight) continue;
      scatter(y[B::ix], s, [&](Step& b) -> double& { return b.nodes[j].x; });
      scatter(y[B::iv], s, [&](Step& b) -> double& { return b.nodes[j].v; });
      scatter(F, s, [&](Step& b) -> double& { return b.nodes[j].F; });
    }
    scatter(net, s, [](Step& b) -> double& { return b.balance.net; });
    scatter(pushed, s, [](Step& b) -> double& { return b.balance.pushed; });
    scatter(most, s, [](Step& b) -> double& { return b.balance.load; });
    scatter(misfit, s, [](Step& b) -> double& { return b.balance.misfit; });
  }
};

template <class T> constexpr LaneKernel of() { return {width, &T::enter, &T::prepare, &T::attempt}; }
template <template <class> class M> constexpr LaneKernel kernel_for() {
  using C = M<double>;
  if constexpr (!(requires { requires C::vector_lanes; })) {
    return {};
  } else if constexpr (std::tuple_size_v<decltype(C::State::fields())> == 0) {
    return of<Together<M, rodas4>>();
  } else {
    return of<Together<M, rodas5p>>();
  }
}
template <template <class> class... M> constexpr LaneTable table(List<M...>) { return {kernel_for<M>()...}; }

}  // namespace

const LaneTable& BRISTLE_FOR_ISA(lanes_)() {
  static constexpr LaneTable all = table(Models{});
  return all;
}

}  // namespace bristle::kernel
