/// Rosenbrock steps of a chain: contact states and positions of all blocks are eliminated in lanes, which leaves a
/// tridiagonal system of the velocities. Compiled once per instruction set under the rule of src/batch/kernels.cpp.
#include <cstring>
#include <utility>

#include "base/isa.hpp"
#include "error_norm.hpp"
#include "links.hpp"
#include "rosenbrock.hpp"

namespace bristle::kernel {
namespace {

template <template <class> class M, const auto& K> struct Row {
  using L = Law<M, Lane, false>;
  using B = Slider<Lane, L::nz, false>;
  using X = Rosenbrock<L, B, K>;
  using Column = typename X::Column;
  using Start = typename X::Start;
  using Slopes = typename L::Slopes;
  struct Factors {
    Elimination<Lane, L::nz> z;
    typename B::Factors x;
  };
  static constexpr std::size_t S = X::S, nz = X::nz, n = X::n, size = X::size, ix = B::ix, iv = B::iv;
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
  [[gnu::always_inline]] static L law(const ChainStep& s) {
    typename M<Number>::Params one;
    std::memcpy(static_cast<void*>(&one), s.contact, sizeof one);
    return {{convert<typename L::C::Params>(one)}, {}, {}, {}};
  }

  /// Shared by the stages; pointers, so that they are looked up once.
  struct Frame {
    L law;
    std::size_t stride, blocks;
    Lane inverse_mass, rest_length, coupling, damping, h, per_h;
    const double *stiffness, *dampers, *push, *y;
    double *stage, *in_time, *x, *v, *right_x, *u_v, *right;
    std::array<double*, S> u;
  };
  /// `stride` is that of s; where it is known to the compiler, so are all distances.
  [[gnu::always_inline]] static Frame frame(ChainStep& s, std::size_t stride) {
    Frame k{law(s),
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
  [[gnu::always_inline]] static B body(const Frame& k, std::size_t g) {
    return {{Lane::load(k.stiffness + g), Lane::load(k.dampers + g), k.rest_length, 0, 0}, k.inverse_mass, false};
  }
  [[gnu::always_inline]] static Input<Lane> input(const ChainStep& s, const Frame& k, std::size_t g,
                                                  std::size_t stage) {
    return {Lane(s.end[stage]), Lane(s.end_v[stage]), Lane(s.external[stage]) * Lane::load(k.push + g), {}};
  }
  /// Half of what the dampers of its links take from a block.
  [[gnu::always_inline]] static Lane loss(const Frame& k, const Gaps& v) {
    return Lane(0.5) * k.damping * (v.left * v.left + v.right * v.right);
  }

  [[gnu::flatten]] static void prepare(ChainStep& s) {
    const Frame k = frame(s, s.stride);
    std::memcpy(k.x + 1, k.y + ix * k.stride, k.stride * sizeof(double));
    std::memcpy(k.v + 1, k.y + iv * k.stride, k.stride * sizeof(double));
    const typename L::D dual = k.law.dual();
    double *f_at = s.f, *slopes = s.slopes;
    for (std::size_t g = 0; g < k.stride; g += width, slopes += slopes_size) {
      Column y;
      for (std::size_t i = 0; i < n; ++i) y[i] = Lane::load(k.y + i * k.stride + g);
      const Gaps gaps_x(s, k.x, g), gaps_v(s, k.v, g);
      Column f = X::at(k.law, body(k, g), input(s, k, g, 0), y);
      f[iv] = f[iv] + k.inverse_mass * (k.coupling * gaps_x.pull() + k.damping * gaps_v.pull());
      f[n + 1] = f[n + 1] + loss(k, gaps_v);
      for (std::size_t i = 0; i < size; ++i) f[i].store(f_at + i * k.stride + g);
      const Lane v = Lane::load(s.slope_v + g);
      put(k.law.slopes(dual, y, L::motion(y[ix], v, {}), {}, false), slopes);
    }
  }

  static constexpr auto timed = B::timed;
  static_assert(timed.size() == 3);
  /// Of what begins a step, the velocity, drive and slopes.
  [[gnu::always_inline]] static Start start_of(const ChainStep& s, const Frame& k, std::size_t g, const Lane& v0,
                                               const Slopes& slopes) {
    Start start;
    start.y[iv] = v0;
    start.in = input(s, k, g, 0);
    start.a = slopes;
    return start;
  }
  /// The blocks from g; what depends on time.
  [[gnu::always_inline]] static Factors factor(const ChainStep& s, const Frame& k, std::size_t g, const Slopes& slopes,
                                               Least& least) {
    const B own = body(k, g);
    B all = own;
    all.spring.stiffness = Lane::load(s.all_stiffness + g);
    all.spring.damping = Lane::load(s.all_damping + g);
    Start start = start_of(s, k, g, Lane::load(k.y + iv * k.stride + g), slopes);
    start.y[ix] = Lane::load(k.y + ix * k.stride + g);
    start.end_a = Lane(s.end_a);
    start.external_rate = Lane(s.external_rate) * Lane::load(k.push + g);
    Column in_time;
    own.in_time(start, in_time);
    for (std::size_t i = 0; i < timed.size(); ++i) in_time[timed[i]].store(k.in_time + i * k.stride + g);
    const Elimination<Lane, nz> z(slopes, Lane(K.gamma * s.h));
    typename B::Factors x = all.factor(start, z);
    x.stretch = own.spring.stiffness * k.inverse_mass * z.inverse_d;  // that of the links reaches the neighbours, too
    x.pivot.store(s.pivot + g);
    least.pivot = smaller(z.smallest, least.pivot);
    least.damping = smaller(x.friction + own.spring.damping * k.inverse_mass, least.damping);
    return {z, x};
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
  [[gnu::always_inline]] static Lane right_side(const ChainStep& s, const Frame& k, std::size_t g,
                                                const Factors& factors, const Column& y, const Gaps& x, const Gaps& v,
                                                const Lane& right_x, const Gaps& links, Column& u) {
    using Before = std::make_index_sequence<stage>;
    // First the terms that do not wait for the contact.
    Column known;
    for (std::size_t i = 0; i < size; ++i)
      known[i] = k.per_h * sum_of(k, Lane(0), K.c[stage], i * k.stride + g, Before{});
    if constexpr (K.gamma_i[stage] != 0) {
      const Lane in_time = Lane(K.gamma_i[stage]) * k.h;
      for (std::size_t i = 0; i < timed.size(); ++i)
        known[timed[i]] = known[timed[i]] + in_time * Lane::load(k.in_time + i * k.stride + g);
    }
    known[iv] = known[iv] + k.coupling * k.inverse_mass * factors.z.inverse_d * links.pull();
    if constexpr (stage == 0) {
      for (std::size_t i = 0; i < size; ++i) u[i] = Lane::load(s.f + i * k.stride + g) + known[i];
    } else {
      known[iv] = known[iv] + k.inverse_mass * (k.coupling * x.pull() + k.damping * v.pull());
      known[n + 1] = known[n + 1] + loss(k, v);
      const Column f = X::at(k.law, body(k, g), input(s, k, g, stage), y);
      for (std::size_t i = 0; i < size; ++i) u[i] = f[i] + known[i];
      u[ix] = right_x;
    }
    return B::reduce(factors.x, u);
  }
  /// The others from the velocity u[iv]. `v0`: at the beginning.
  [[gnu::always_inline]] static void finish(const ChainStep& s, const Frame& k, std::size_t g, const Slopes& slopes,
                                            const Factors& factors, const Lane& v0, const Gaps& v0_gaps, const Gaps& w,
                                            Column& u, double* to) {
    u[n + 1] = u[n + 1] + k.damping * (v0_gaps.left * w.left + v0_gaps.right * w.right);
    body(k, g).extend(start_of(s, k, g, v0, slopes), factors.z, factors.x, u);
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
  template <std::size_t stage>
  [[gnu::always_inline]] static void run_short(const ChainStep& s, const Frame& k, const Short& a) {
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

  template <std::size_t stage>
  [[gnu::always_inline]] static void run(const ChainStep& s, const Frame& k, const Tridiagonal& matrix) {
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
    matrix.solve(s, k.right, k.u_v + 1);
    for (std::size_t g = 0; g < k.stride; g += width) {
      Column u;
      for (std::size_t i = 0; i < size; ++i) u[i] = Lane::load(to + i * k.stride + g);
      u[iv] = Lane::load(k.u_v + 1 + g);
      finish(s, k, g, slopes_of(s, g), factors_of(s, g), Lane::load(s.v0 + 1 + g), Gaps(s, s.v0, g), Gaps(s, k.u_v, g),
             u, to);
    }
  }
  [[gnu::always_inline]] static Slopes slopes_of(const ChainStep& s, std::size_t g) {
    return get<Slopes>(s.slopes + g / width * slopes_size);
  }
  [[gnu::always_inline]] static Factors factors_of(const ChainStep& s, std::size_t g) {
    return get<Factors>(s.factors + g / width * factors_size);
  }

  [[gnu::flatten]] static void attempt(ChainStep& s) {
    constexpr std::make_index_sequence<S> stages{};
    const Tridiagonal matrix(s, K.gamma);
    const double diagonal = 1 / (K.gamma * s.h);
    Least least;
    if (s.stride == width) {
      const Frame k = frame(s, width);
      const Slopes slopes = slopes_of(s, 0);
      const Factors factors = factor(s, k, 0, slopes, least);
      matrix.factor(s, diagonal, least);
      if (!s.fits) return;  // see Stepper::attempt
      const Lane v0 = Lane::load(k.y + iv * width);
      const Short a{slopes, factors, matrix.inverse(s), v0, Gaps(s, v0)};
      [&]<std::size_t... stage>(std::index_sequence<stage...>) { (run_short<stage>(s, k, a), ...); }(stages);
      finish(s, k);
    } else {
      const Frame k = frame(s, s.stride);
      for (std::size_t g = 0; g < k.stride; g += width)
        put(factor(s, k, g, slopes_of(s, g), least), s.factors + g / width * factors_size);
      matrix.factor(s, diagonal, least);
      if (!s.fits) return;
      std::memcpy(s.v0 + 1, k.y + iv * k.stride, k.stride * sizeof(double));
      [&]<std::size_t... stage>(std::index_sequence<stage...>) { (run<stage>(s, k, matrix), ...); }(stages);
      finish(s, k);
    }
  }
  /// The end of the step and the norm of its error.
  [[gnu::always_inline]] static void finish(ChainStep& s, const Frame& k) {
    ErrorNorm<Lane> norm;
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t g = 0; g < k.stride; g += width) {
        const std::size_t at = i * k.stride + g;
        const Lane begin = Lane::load(k.y + at), error = Lane::load(k.u[S - 1] + at);
        const Lane end = sum_of(k, begin, K.a[S - 1], at, std::make_index_sequence<S - 1>{}) + error;
        end.store(s.y1 + at);
        norm.add(begin, end, error, s.atol[i], s.rtol, s.largest[i]);
      }
    }
    s.norm = norm.value();
  }

  static void curvature(ChainStep& s, bool velocity, std::size_t from, std::size_t to) {
    const Frame k = frame(s, s.stride);
    const std::size_t first = velocity ? iv : 0, last = velocity ? n : size;
    for (std::size_t d = 0; d < K.dense.size(); ++d) {
      for (std::size_t i = first; i < last; ++i) {
        for (std::size_t at = i * k.stride + from; at < i * k.stride + to; at += width)
          sum_of(k, Lane(0), K.dense[d], at, std::make_index_sequence<S>{}).store(s.dense[d] + at);
      }
    }
  }
  [[gnu::flatten]] static void rows(const ChainStep& s, const double* theta, std::size_t count, std::size_t from,
                                    std::size_t to, double* out) {
    const L law = Row::law(s);
    for (std::size_t r = 0; r < count; ++r, out += (n + 1) * s.stride) {
      const Lane at(theta[r]), left = Lane(1) - at;
      for (std::size_t g = from; g < to; g += width) {
        Column y, unused;
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t k = i * s.stride + g;
          const Lane curvature =
              Lane::load(s.dense[0] + k) + at * (Lane::load(s.dense[1] + k) + at * Lane::load(s.dense[2] + k));
          y[i] = left * Lane::load(s.y + k) + at * (Lane::load(s.y1 + k) + left * curvature);
          y[i].store(out + k);
        }
        law.eval(y, L::motion(y[ix], y[iv], {}), unused).store(out + n * s.stride + g);
      }
    }
  }
};

template <template <class> class M, const auto& K> constexpr ChainKernel of() {
  using T = Row<M, K>;
  return {{K.name, K.order, true, T::S, K.alpha.data()},
          width,
          T::slopes_size,
          T::factors_size,
          &T::prepare,
          &T::attempt,
          &T::curvature,
          &T::rows};
}
template <template <class> class M> constexpr ChainKernel kernel_for() {
  using C = M<double>;
  if constexpr (!(requires { requires C::vector_lanes; })) {
    return {};
  } else if constexpr (std::tuple_size_v<decltype(C::State::fields())> == 0) {
    return of<M, rodas4>();
  } else {
    return of<M, rodas5p>();
  }
}
template <template <class> class... M> constexpr ChainTable table(List<M...>) { return {kernel_for<M>()...}; }

}  // namespace

const ChainTable& BRISTLE_FOR_ISA(chains_)() {
  static constexpr ChainTable all = table(Models{});
  return all;
}

}  // namespace bristle::kernel
