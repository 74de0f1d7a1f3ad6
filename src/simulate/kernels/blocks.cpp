/// Rosenbrock steps of a chain: contact states and positions of all blocks are eliminated in lanes, which leaves a
/// tridiagonal system of the velocities. Compiled once per instruction set under the rule of src/batch/kernels.cpp.
#include <cstring>
#include <utility>

#include "base/isa.hpp"
#include "base/lane.hpp"
#include "simulate/coupled.hpp"
#include "slider_step.hpp"

namespace bristle::slider {
namespace {

template <std::size_t... l> [[gnu::always_inline]] inline Lane from_left(Lane a, std::index_sequence<l...>) {
  return __builtin_shufflevector(a.x, a.x, 0, static_cast<int>(l)...);
}
template <std::size_t... l> [[gnu::always_inline]] inline Lane from_right(Lane a, std::index_sequence<l...>) {
  return __builtin_shufflevector(a.x, a.x, static_cast<int>(l + 1)..., 0);
}

/// What blocks are short of their neighbours, where they have some.
struct Gaps {
  Lane left, right;
  /// All blocks of the chain.
  [[gnu::always_inline]] Gaps(const Coupled& s, const Lane& own) {
    const std::make_index_sequence<width - 1> but_one{};
    left = Lane::load(s.has_left) * (from_left(own, but_one) - own);
    right = Lane::load(s.has_right) * (from_right(own, but_one) - own);
  }
  /// Those from `at`.
  [[gnu::always_inline]] Gaps(const Coupled& s, const double* linked, std::size_t at) {
    const Lane own = Lane::load(linked + at + 1);
    left = Lane::load(s.has_left + at) * (Lane::load(linked + at) - own);
    right = Lane::load(s.has_right + at) * (Lane::load(linked + at + 2) - own);
  }
  [[gnu::always_inline]] Lane pull() const { return left + right; }
};

template <template <class> class M, const auto& K> struct Row {
  using C = M<Lane>;
  using X = Stages<C, K>;
  using Column = typename X::Column;
  using Slopes = typename X::Slopes;
  using Factors = typename X::Factors;
  static constexpr std::size_t S = X::S, nz = X::nz, n = X::n, size = X::size, ix = X::ix, iv = X::iv;
  static constexpr std::size_t slopes_size = sizeof(Slopes) / sizeof(double),
                               factors_size = sizeof(Factors) / sizeof(double);

  template <class T> [[gnu::always_inline]] static T get(const double* from) {
    T to;
    std::memcpy(static_cast<void*>(&to), from, sizeof to);
    return to;
  }
  template <class T> [[gnu::always_inline]] static void put(const T& from, double* to) {
    std::memcpy(to, static_cast<const void*>(&from), sizeof from);
  }
  [[gnu::always_inline]] static C contact(const Coupled& s) {
    typename M<Number>::Params one;
    std::memcpy(static_cast<void*>(&one), s.contact, sizeof one);
    return C{convert<typename C::Params>(one)};
  }

  /// What the stages share; pointers, so that nobody has to look them up again.
  struct Frame {
    C c;
    std::size_t stride, blocks;
    Lane inverse_mass, rest_length, coupling, damping, h, per_h;
    const double *stiffness, *dampers, *push, *y;
    double *stage, *in_time, *x, *v, *right_x, *u_v, *right;
    std::array<double*, S> u;
  };
  /// `stride` is that of s; where it is known to the compiler, so are all distances.
  [[gnu::always_inline]] static Frame frame(Coupled& s, std::size_t stride) {
    Frame k{contact(s),
            stride,
            s.blocks,
            Lane(1 / s.mass),
            Lane(s.rest_length),
            Lane(s.coupling),
            Lane(s.coupling_damping),
            Lane(s.h),
            Lane(1 / s.h),
            s.stiffness,
            s.damping,
            s.push,
            s.y,
            s.stage,
            s.in_time,
            s.x,
            s.v,
            s.right_x,
            s.u_v,
            s.right,
            {}};
    for (std::size_t r = 0; r < S; ++r) k.u[r] = s.u + r * room * stride;
    return k;
  }
  [[gnu::always_inline]] static typename X::Body body(const Frame& k, std::size_t g) {
    return {k.inverse_mass, Lane::load(k.stiffness + g), Lane::load(k.dampers + g), k.rest_length, false};
  }
  [[gnu::always_inline]] static typename X::Drive drive(const Coupled& s, const Frame& k, std::size_t g,
                                                        std::size_t stage) {
    return {Lane(s.end[stage]), Lane(s.end_v[stage]), Lane(s.external[stage]) * Lane::load(k.push + g)};
  }
  /// Half of what the dampers of its links take from a block.
  [[gnu::always_inline]] static Lane loss(const Frame& k, const Gaps& v) {
    return Lane(0.5) * k.damping * (v.left * v.left + v.right * v.right);
  }

  [[gnu::flatten]] static void prepare(Coupled& s) {
    const Frame k = frame(s, s.stride);
    std::memcpy(k.x + 1, k.y + ix * k.stride, k.stride * sizeof(double));
    std::memcpy(k.v + 1, k.y + iv * k.stride, k.stride * sizeof(double));
    using D = M<typename X::Dl>;
    const D dual{convert<typename D::Params>(k.c.p)};
    double *f_at = s.f, *slopes = s.slopes;
    for (std::size_t g = 0; g < k.stride; g += width, slopes += slopes_size) {
      Column y;
      for (std::size_t i = 0; i < n; ++i) y[i] = Lane::load(k.y + i * k.stride + g);
      const Gaps gaps_x(s, k.x, g), gaps_v(s, k.v, g);
      Column f = X::rates(k.c, {}, {}, body(k, g), drive(s, k, g, 0), y);
      f[iv] = f[iv] + k.inverse_mass * (k.coupling * gaps_x.pull() + k.damping * gaps_v.pull());
      f[n + 1] = f[n + 1] + loss(k, gaps_v);
      for (std::size_t i = 0; i < size; ++i) f[i].store(f_at + i * k.stride + g);
      const Lane v = Lane::load(s.slope_v + g);
      put(X::slopes(dual, typename D::State{}, {}, false, y, v), slopes);
    }
  }

  /// Beside the diagonal, with the sign reversed.
  [[gnu::always_inline]] static double link_of(const Coupled& s) {
    return (s.coupling * K.gamma * s.h + s.coupling_damping) / s.mass;
  }
  /// Smallest pivot and damping of some blocks.
  struct Least {
    Lane pivot{inf}, damping{inf};
  };
  /// The blocks from g; what depends on time.
  [[gnu::always_inline]] static Factors factor(const Coupled& s, const Frame& k, std::size_t g, const Slopes& slopes,
                                               Least& least) {
    const typename X::Body all{k.inverse_mass, Lane::load(s.all_stiffness + g), Lane::load(s.all_damping + g),
                               k.rest_length, false};
    const Lane v0 = Lane::load(k.y + iv * k.stride + g), stiffness = Lane::load(k.stiffness + g),
               damper = Lane::load(k.dampers + g), rate = Lane(s.external_rate) * Lane::load(k.push + g);
    const Lane end_v(s.end_v[0]), end_a(s.end_a), slack = end_v - v0;
    const Lane pull =
        stiffness * (Lane(s.end[0]) - Lane::load(k.y + ix * k.stride + g) - k.rest_length) + damper * slack;
    const Lane pull_t = stiffness * end_v + damper * end_a;
    ((pull_t + rate) * k.inverse_mass).store(k.in_time + g);
    (pull_t * end_v + pull * end_a + rate * v0).store(k.in_time + k.stride + g);
    (Lane(2) * damper * slack * end_a).store(k.in_time + 2 * k.stride + g);
    const Factors x = X::factor(all, slopes, Lane(s.h));
    x.pivot.store(s.pivot + g);
    least.pivot = smaller(x.smallest, least.pivot);
    least.damping = smaller(x.friction + damper * k.inverse_mass, least.damping);
    return x;
  }
  /// Then the tridiagonal matrix of the velocities.
  [[gnu::always_inline]] static void factor(Coupled& s, const Least& least) {
    const double diagonal = 1 / (K.gamma * s.h), link = link_of(s);
    bool fits = true;
    double before = 0;
    for (std::size_t b = 0; b < s.blocks; ++b) {
      s.lower[b] = link * before;
      const double left = s.pivot[b] - link * before * link;
      fits = fits && left > 0.5 * diagonal;
      s.pivot[b] = before = 1 / left;
    }
    s.restless = false;
    for (std::size_t l = 0; l < width; ++l) {
      fits = fits && least.pivot.x[l] > 0.5 * diagonal;
      s.restless = s.restless || least.damping.x[l] < 0;
    }
    s.fits = fits;
  }
  /// Velocities from k.right into k.u_v.
  [[gnu::always_inline]] static void solve(const Coupled& s, const Frame& k) {
    const double link = link_of(s);
    const double *pivot = s.pivot, *lower = s.lower;
    double* u = k.u_v + 1;
    double last = 0;
    for (std::size_t b = 0; b < k.blocks; ++b) u[b] = last = k.right[b] + lower[b] * last;
    last = 0;
    for (std::size_t b = k.blocks; b-- > 0;) u[b] = last = (u[b] + link * last) * pivot[b];
  }

  template <std::size_t... r>
  [[gnu::always_inline]] static Lane sum_of(const Frame& k, Lane sum, const std::array<double, S>& factor,
                                            [[maybe_unused]] std::size_t at, std::index_sequence<r...>) {
    ((sum = sum + Lane(factor[r]) * Lane::load(k.u[r] + at)), ...);
    return sum;
  }
  /// States at a stage, and the right side of the position.
  template <std::size_t stage>
  [[gnu::always_inline]] static Column states(const Frame& k, std::size_t g, Lane& right_x) {
    using Before = std::make_index_sequence<stage>;
    Column y;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = i * k.stride + g;
      y[i] = sum_of(k, Lane::load(k.y + at), K.a[stage], at, Before{});
    }
    right_x = y[iv] + k.per_h * sum_of(k, Lane(0), K.c[stage], ix * k.stride + g, Before{});
    return y;
  }
  /// Of the velocity, after elimination of the others; what is left of those in u.
  template <std::size_t stage>
  [[gnu::always_inline]] static Lane right_side(const Coupled& s, const Frame& k, std::size_t g, const Factors& factors,
                                                const Column& y, const Gaps& x, const Gaps& v, const Lane& right_x,
                                                const Gaps& links, Column& u) {
    using Before = std::make_index_sequence<stage>;
    // What does not wait for the contact goes first.
    Column known;
    for (std::size_t i = 0; i < size; ++i)
      known[i] = k.per_h * sum_of(k, Lane(0), K.c[stage], i * k.stride + g, Before{});
    if constexpr (K.gamma_i[stage] != 0) {
      const Lane in_time = Lane(K.gamma_i[stage]) * k.h;
      known[iv] = known[iv] + in_time * Lane::load(k.in_time + g);
      known[n] = known[n] + in_time * Lane::load(k.in_time + k.stride + g);
      known[n + 1] = known[n + 1] + in_time * Lane::load(k.in_time + 2 * k.stride + g);
    }
    known[iv] = known[iv] + k.coupling * k.inverse_mass * factors.inverse_d * links.pull();
    if constexpr (stage == 0) {
      for (std::size_t i = 0; i < size; ++i) u[i] = Lane::load(s.f + i * k.stride + g) + known[i];
    } else {
      known[iv] = known[iv] + k.inverse_mass * (k.coupling * x.pull() + k.damping * v.pull());
      known[n + 1] = known[n + 1] + loss(k, v);
      const Column f = X::rates(k.c, {}, {}, body(k, g), drive(s, k, g, stage), y);
      for (std::size_t i = 0; i < size; ++i) u[i] = f[i] + known[i];
      u[ix] = right_x;
    }
    return X::reduce(body(k, g), factors, u);
  }
  /// The others from the velocity u[iv]. `v0`: at the beginning.
  [[gnu::always_inline]] static void finish(const Coupled& s, const Frame& k, std::size_t g, const Slopes& slopes,
                                            const Factors& factors, const Lane& v0, const Gaps& v0_gaps, const Gaps& w,
                                            Column& u, double* to) {
    u[n + 1] = u[n + 1] + k.damping * (v0_gaps.left * w.left + v0_gaps.right * w.right);
    X::extend(body(k, g), slopes, factors, drive(s, k, g, 0), v0, u);
    for (std::size_t i = 0; i < size; ++i) u[i].store(to + i * k.stride + g);
  }

  /// A chain that fits in one vector.
  struct Short {
    Slopes slopes;
    Factors factors;
    std::array<Lane, width> inverse;  // of the matrix of the velocities
    Lane v0;
    Gaps v0_gaps;
  };
  [[gnu::always_inline]] static std::array<Lane, width> inverse(const Coupled& s, const Frame& k) {
    const double link = link_of(s);
    std::array<Lane, width> a;
    Lane last(0);
    for (std::size_t b = 0; b < width; ++b) {  // all right sides at once, one per lane
      std::array<double, width> unit{};
      unit[b] = b < k.blocks ? 1 : 0;
      a[b] = last = Lane::load(unit.data()) + Lane(s.lower[b]) * last;
    }
    last = Lane(0);
    for (std::size_t b = width; b-- > 0;) a[b] = last = (a[b] + Lane(link) * last) * Lane(s.pivot[b]);
    return a;
  }
  template <std::size_t stage>
  [[gnu::always_inline]] static void run_short(const Coupled& s, const Frame& k, const Short& a) {
    Lane right_x;
    Column u;
    const Column y = states<stage>(k, 0, right_x);
    const Lane right =
        right_side<stage>(s, k, 0, a.factors, y, Gaps(s, y[ix]), Gaps(s, y[iv]), right_x, Gaps(s, right_x), u);
    std::array<Lane, 2> half{Lane(0), Lane(0)};
    for (std::size_t b = 0; b < width; ++b) half[b % 2] = half[b % 2] + a.inverse[b] * Lane(right.x[b]);  // symmetric
    const Lane w = u[iv] = half[0] + half[1];
    finish(s, k, 0, a.slopes, a.factors, a.v0, a.v0_gaps, Gaps(s, w), u, k.u[stage]);
  }

  template <std::size_t stage> [[gnu::always_inline]] static void run(const Coupled& s, const Frame& k) {
    for (std::size_t g = 0; g < k.stride; g += width) {
      Lane right_x;
      const Column y = states<stage>(k, g, right_x);
      for (std::size_t i = 0; i < nz; ++i) y[i].store(k.stage + i * k.stride + g);
      y[ix].store(k.x + 1 + g);
      y[iv].store(k.v + 1 + g);
      right_x.store(k.right_x + 1 + g);
    }
    double* const to = k.u[stage];
    for (std::size_t g = 0; g < k.stride; g += width) {
      Column y, u;
      for (std::size_t i = 0; i < nz; ++i) y[i] = Lane::load(k.stage + i * k.stride + g);
      y[ix] = Lane::load(k.x + 1 + g);
      y[iv] = Lane::load(k.v + 1 + g);
      right_side<stage>(s, k, g, factors_of(s, g), y, Gaps(s, k.x, g), Gaps(s, k.v, g), Lane::load(k.right_x + 1 + g),
                        Gaps(s, k.right_x, g), u)
          .store(k.right + g);
      for (std::size_t i = 0; i < size; ++i) {
        if (i != iv) u[i].store(to + i * k.stride + g);
      }
    }
    solve(s, k);
    for (std::size_t g = 0; g < k.stride; g += width) {
      Column u;
      for (std::size_t i = 0; i < size; ++i) u[i] = Lane::load(to + i * k.stride + g);
      u[iv] = Lane::load(k.u_v + 1 + g);
      finish(s, k, g, slopes_of(s, g), factors_of(s, g), Lane::load(s.v0 + 1 + g), Gaps(s, s.v0, g), Gaps(s, k.u_v, g),
             u, to);
    }
  }
  [[gnu::always_inline]] static Slopes slopes_of(const Coupled& s, std::size_t g) {
    return get<Slopes>(s.slopes + g / width * slopes_size);
  }
  [[gnu::always_inline]] static Factors factors_of(const Coupled& s, std::size_t g) {
    return get<Factors>(s.factors + g / width * factors_size);
  }

  [[gnu::flatten]] static void attempt(Coupled& s) {
    constexpr std::make_index_sequence<S> stages{};
    Least least;
    if (s.stride == width) {
      const Frame k = frame(s, width);
      const Slopes slopes = slopes_of(s, 0);
      const Factors factors = factor(s, k, 0, slopes, least);
      factor(s, least);
      if (!s.fits) return;  // see Stepper::attempt
      const Lane v0 = Lane::load(k.y + iv * width);
      const Short a{slopes, factors, inverse(s, k), v0, Gaps(s, v0)};
      [&]<std::size_t... stage>(std::index_sequence<stage...>) { (run_short<stage>(s, k, a), ...); }(stages);
      finish(s, k);
    } else {
      const Frame k = frame(s, s.stride);
      for (std::size_t g = 0; g < k.stride; g += width)
        put(factor(s, k, g, slopes_of(s, g), least), s.factors + g / width * factors_size);
      factor(s, least);
      if (!s.fits) return;
      std::memcpy(s.v0 + 1, k.y + iv * k.stride, k.stride * sizeof(double));
      [&]<std::size_t... stage>(std::index_sequence<stage...>) { (run<stage>(s, k), ...); }(stages);
      finish(s, k);
    }
  }
  /// The end of the step and the norm of its error.
  [[gnu::always_inline]] static void finish(Coupled& s, const Frame& k) {
    Lane worst(0), broken(0);
    for (std::size_t i = 0; i < size; ++i) {
      const Lane atol(s.atol[i]), largest(s.largest[i]), rtol(s.rtol);
      for (std::size_t g = 0; g < k.stride; g += width) {
        const std::size_t at = i * k.stride + g;
        const Lane begin = Lane::load(k.y + at), error = Lane::load(k.u[S - 1] + at);
        const Lane end = sum_of(k, begin, K.a[S - 1], at, std::make_index_sequence<S - 1>{}) + error;
        end.store(s.y1 + at);
        const Lane e = abs(error) / (atol + rtol * smaller(larger(abs(begin), abs(end)), largest));
        worst = larger(worst, e);
        broken = broken + (e - e) + (end - end);  // zero, or not a number
      }
    }
    std::array<double, width> each, not_finite;
    worst.store(each.data());
    broken.store(not_finite.data());
    s.norm = 0;
    for (std::size_t l = 0; l < width; ++l) s.norm = (each[l] > s.norm ? each[l] : s.norm) + not_finite[l];
  }

  static void bend(Coupled& s, bool velocity, std::size_t from, std::size_t to) {
    const Frame k = frame(s, s.stride);
    const std::size_t first = velocity ? iv : 0, last = velocity ? n : size;
    for (std::size_t d = 0; d < K.dense.size(); ++d) {
      for (std::size_t i = first; i < last; ++i) {
        for (std::size_t at = i * k.stride + from; at < i * k.stride + to; at += width)
          sum_of(k, Lane(0), K.dense[d], at, std::make_index_sequence<S>{}).store(s.dense[d] + at);
      }
    }
  }
  [[gnu::flatten]] static void rows(const Coupled& s, const double* theta, std::size_t count, std::size_t from,
                                    std::size_t to, double* out) {
    const C c = contact(s);
    for (std::size_t r = 0; r < count; ++r, out += (n + 1) * s.stride) {
      const Lane at(theta[r]), left = Lane(1) - at;
      for (std::size_t g = from; g < to; g += width) {
        std::array<Lane, n> y;
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t k = i * s.stride + g;
          const Lane bend =
              Lane::load(s.dense[0] + k) + at * (Lane::load(s.dense[1] + k) + at * Lane::load(s.dense[2] + k));
          y[i] = left * Lane::load(s.y + k) + at * (Lane::load(s.y1 + k) + left * bend);
          y[i].store(out + k);
        }
        typename C::State state{};
        std::size_t j = 0;
        each_scalar(state, [&](const auto&, int, Lane& e) { e = y[j++]; });
        Motion<Lane> u;
        u.x = y[ix];
        u.v = y[iv];
        c.force(state, {}, u).store(out + n * s.stride + g);
      }
    }
  }
};

template <class T> constexpr ChainKernel of(const char* name, int order, const double* alpha) {
  return {name,  order,       T::S,        width,    T::slopes_size, T::factors_size,
          alpha, &T::prepare, &T::attempt, &T::bend, &T::rows};
}
template <template <class> class M> constexpr ChainKernel kernel() {
  using C = M<double>;
  if constexpr (!(requires { requires C::vector_lanes; })) {
    return {};
  } else if constexpr (std::tuple_size_v<decltype(C::State::fields())> == 0) {
    return of<Row<M, rodas4>>(rodas4.name, rodas4.order, rodas4.alpha.data());
  } else {
    return of<Row<M, rodas5p>>(rodas5p.name, rodas5p.order, rodas5p.alpha.data());
  }
}
template <template <class> class... M> constexpr ChainTable table(List<M...>) { return {kernel<M>()...}; }

}  // namespace

const ChainTable& BRISTLE_FOR_ISA(chains_)() {
  static constexpr ChainTable all = table(Models{});
  return all;
}

}  // namespace bristle::slider
