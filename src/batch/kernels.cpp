/// The loops of a batch. This file is compiled once per instruction set BRISTLE_ISA with the vector length
/// BRISTLE_BYTES. Every template below is instantiated with the set as a tag, so that the linker cannot replace a
/// function by its namesake for a better processor (a test checks the symbols).
#include "shared/kernels.hpp"

#include <cstring>
#include <type_traits>

#include "base/isa.hpp"
#include "base/pack.hpp"
#include "bristle/model_check.hpp"
#include "bristle/quick.hpp"

namespace bristle::batch {
namespace {

template <CurveOptions O> struct BRISTLE_ISA {};
template <class T> constexpr std::size_t width = BRISTLE_BYTES / sizeof(T);
template <class T, CurveOptions O> using Scalar = Quick<T, BRISTLE_ISA<O>>;
template <class T, CurveOptions O> using Lanes = Pack<T, width<T>, BRISTLE_ISA<O>>;

}  // namespace
}  // namespace bristle::batch

namespace bristle {
template <class T, CurveOptions O> inline constexpr CurveOptions curve_options<batch::Scalar<T, O>> = O;
template <class T, CurveOptions O> inline constexpr CurveOptions curve_options<batch::Lanes<T, O>> = O;
}  // namespace bristle

namespace bristle::batch {
namespace {

/// Plain parameters or states in the tagged scalar: the same bytes. This code must not use the field list of a plain
/// type, which has no tag.
template <class To, class From> To tagged(const From& from) {
  static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
  To to;
  std::memcpy(static_cast<void*>(&to), static_cast<const void*>(&from), sizeof to);
  return to;
}

/// Calls f(samples, count) for each vector of v; the last one is padded with its last sample.
template <class T, class F> void each_vector(const T* v, std::size_t n, F&& f) {
  constexpr std::size_t W = width<T>;
  std::size_t i = 0;
  for (; i + W <= n; i += W) f(v + i, i, W);
  if (i < n) {
    std::array<T, W> last;
    for (std::size_t l = 0; l < W; ++l) last[l] = v[i + l < n ? i + l : n - 1];
    f(last.data(), i, n - i);
  }
}

/// One loop for both parts: the vector part of a group of samples overlaps with the recurrence of the previous group,
/// which is limited by latency.
template <template <class> class M, class T, CurveOptions O>
void along_prepared(const M<T>& plain, typename M<T>::State& s, const T* v, T dt, T* F, std::size_t n) {
  using L = Lanes<T, O>;
  const M<L> c{convert<typename M<L>::Params>(tagged<typename M<Scalar<T, O>>::Params>(plain.p))};
  typename M<T>::State state = s;
  each_vector(v, n, [&](const T* w, std::size_t from, std::size_t count) {
    alignas(64) std::array<T, width<T>> kept, gained, z;
    const L now = L::load(w);
    const auto a = c.prepare(now, L(dt));
    a.kept.store(kept.data());
    a.gained.store(gained.data());
    for (std::size_t l = 0; l < width<T>; ++l) {
      if (l < count) M<T>::apply(state, {T(0), kept[l], gained[l]});
      z[l] = state.z;
    }
    c.force_at(L::load(z.data()), {.v = now}, a.inverse).store(z.data());
    for (std::size_t l = 0; l < count; ++l) F[from + l] = z[l];
  });
  s = state;
}

/// Sum over vectors in the same order for every vector length, as with vectors of 64 bytes.
template <class L, std::size_t NV> auto sum_of_all(const std::array<L, NV>& f) {
  constexpr std::size_t parts = 64 / sizeof(L);
  std::array<L, parts> sum{};
  for (std::size_t j = 0; j < NV; ++j) sum[j % parts] = j < parts ? f[j] : sum[j % parts] + f[j];
  for (std::size_t half = parts / 2; half > 0; half /= 2) {
    for (std::size_t j = 0; j < half; ++j) sum[j] = sum[j] + sum[j + half];
  }
  return sum_of(sum[0]);
}

/// NV vectors of elements stay in registers for the whole motion; padding elements carry no force.
template <template <class> class M, class T, CurveOptions O, std::size_t NV>
void along_elements(const M<T>& plain, typename M<T>::State& s, Elements& q, const T* v, T dt, T* F, std::size_t n) {
  using L = Lanes<T, O>;
  using C = M<L>;
  constexpr std::size_t W = width<T>;
  const C c{convert<typename C::Params>(tagged<typename M<Scalar<T, O>>::Params>(plain.p))};
  const std::size_t count = plain.p.k.n;
  alignas(64) std::array<T, NV * W> buffer_f{}, buffer_k{}, buffer_nu{}, buffer_slip{};
  for (std::size_t i = 0; i < count; ++i) {
    buffer_f[i] = s.f[i];
    buffer_k[i] = plain.p.k[i];
    buffer_nu[i] = plain.p.nu[i];
    buffer_slip[i] = q.slips(i) ? T(1) : T(0);
  }
  std::array<L, NV> f, k, nu;
  std::array<typename L::Test, NV> slips;
  for (std::size_t j = 0; j < NV; ++j) {
    f[j] = L::load(&buffer_f[j * W]);
    k[j] = L::load(&buffer_k[j * W]);
    nu[j] = L::load(&buffer_nu[j * W]);
    slips[j] = L::load(&buffer_slip[j * W]) > L(0);
  }
  // Quantities of the motion alone, for a block of samples.
  constexpr std::size_t block = 256;
  alignas(64) std::array<T, block> travel, d, S, left;
  int dir = q.dir;
  for (std::size_t start = 0; start < n; start += block) {
    const std::size_t samples = n - start < block ? n - start : block;
    const T* w = v + start;
    each_vector(w, samples, [&](const T* now, std::size_t at, std::size_t) {
      const auto drive = c.drive_at(L::load(now), L(dt));
      drive.travel.store(&travel[at]);
      drive.d.store(&d[at]);
      drive.S.store(&S[at]);
      drive.left.store(&left[at]);
    });
    for (std::size_t i = 0; i < samples; ++i) {
      if (side(w[i]) != dir) {
        dir = side(w[i]);
        slips = {};
      }
      if (!(w[i] == T(0))) {
        const typename C::Drive u{travel[i], d[i], S[i], left[i]};
        for (std::size_t j = 0; j < NV; ++j) {
          const auto e = C::element(f[j], slips[j], k[j], nu[j], u);
          f[j] = e.f;
          slips[j] = e.slips;
        }
      }
      F[start + i] = sum_of_all(f) + viscous_force(plain.p, w[i]);
    }
  }
  q.dir = dir;
  q.slipping = 0;
  for (std::size_t i = 0; i < count; ++i) {
    s.f[i] = f[i / W].x[i % W];
    if (slips[i / W].m[i % W] != 0) q.release(i);
  }
}

/// Elements whose limits are not shares of one curve move one by one.
template <class P> constexpr bool has_own_curves(const P& p) {
  if constexpr (requires { p.has_own_curves(); }) return p.has_own_curves();
  return false;
}

/// Chooses the number of vectors; false if they exceed the registers.
template <template <class> class M, class T, CurveOptions O>
bool along_few_elements(const M<T>& c, typename M<T>::State& s, Elements& q, const T* v, T dt, T* F, std::size_t n) {
  switch ((c.p.k.n + width<T> - 1) / width<T>) {
    case 1: along_elements<M, T, O, 1>(c, s, q, v, dt, F, n); return true;
    case 2: along_elements<M, T, O, 2>(c, s, q, v, dt, F, n); return true;
    case 3: along_elements<M, T, O, 3>(c, s, q, v, dt, F, n); return true;
    case 4: along_elements<M, T, O, 4>(c, s, q, v, dt, F, n); return true;
    default: return false;
  }
}

template <template <class> class M, class T, CurveOptions O> struct Loops {
  using R = Scalar<T, O>;
  using L = Lanes<T, O>;

  static void along(const M<T>& c, typename M<T>::State& s, typename M<T>::Mode& q, const T* v, T dt, T* F,
                    std::size_t n) {
    if constexpr (Prepares<M<T>>) {
      return along_prepared<M, T, O>(c, s, v, dt, F, n);
    } else if constexpr (HasElements<M<T>>) {
      if (c.p.sigma.n == 0 && !has_own_curves(c.p) && along_few_elements<M, T, O>(c, s, q, v, dt, F, n)) return;
    }
    const M<R> quick{tagged<typename M<R>::Params>(c.p)};
    auto state = tagged<typename M<R>::State>(s);
    for (std::size_t i = 0; i < n; ++i) F[i] = advance(quick, state, q, Motion<R>{.v = v[i]}, R(dt)).x;
    s = tagged<typename M<T>::State>(state);
  }

  /// One contact, or as many as a vector holds, from arrays at i.
  template <class X> static X at(const T* a, std::size_t i) {
    if constexpr (std::is_same_v<X, L>) {
      return L::load(a + i);
    } else {
      return a[i];
    }
  }
  template <class X> static void put(const X& x, T* a, std::size_t i) {
    if constexpr (std::is_same_v<X, L>) {
      x.store(a + i);
    } else {
      a[i] = x.x;
    }
  }
  template <class X>
  static void contacts(M<X>& c, const T* const* params, T* const* stored, typename M<T>::Mode& q, const Inputs<T>& in,
                       T dt, T* F, std::size_t i) {
    if (params) {
      std::size_t j = 0;
      each_scalar(c.p, [&](const auto&, int, X& e) { e = at<X>(params[j++], i); });
    }
    auto s = c.bound();  // for its shape
    each_stored(s, [&](std::size_t j, X& e) { e = at<X>(stored[j], i); });
    Motion<X> u{.v = at<X>(in.v, i)};
    if (in.r) u.r = at<X>(in.r, i);
    if (in.F_app) u.F_app = at<X>(in.F_app, i);
    put(advance(c, s, q, u, X(dt)), F, i);
    each_stored(s, [&](std::size_t j, X& e) { put(e, stored[j], i); });
  }
  static void many(const M<T>& c, const T* const* params, T* const* stored, typename M<T>::Mode* q, const Inputs<T>& in,
                   T dt, T* F, std::size_t n) {
    if constexpr (InLanes<M<T>>) {
      M<L> lanes{convert<typename M<L>::Params>(tagged<typename M<R>::Params>(c.p))};
      std::size_t i = 0;
      for (; i + width<T> <= n; i += width<T>) contacts<L>(lanes, params, stored, q[i], in, dt, F, i);
      if (i < n) rest_of_many(lanes, params, stored, q[i], in, dt, F, i, n - i);
    } else {
      M<R> quick{tagged<typename M<R>::Params>(c.p)};
      for (std::size_t i = 0; i < n; ++i) contacts<R>(quick, params, stored, q[i], in, dt, F, i);
    }
  }
  /// The last contacts also run in lanes, in copies padded to a whole vector: the result of a contact does not depend
  /// on its index.
  static void rest_of_many(M<L>& c, const T* const* params, T* const* stored, typename M<T>::Mode& q,
                           const Inputs<T>& in, T dt, T* F, std::size_t from, std::size_t count) {
    constexpr std::size_t most_scalars = 16;
    using Copy = std::array<T, width<T>>;
    std::array<Copy, most_scalars> p{}, s{};
    std::array<const T*, most_scalars> p_at{};
    std::array<T*, most_scalars> s_at{};
    Copy v{}, r{}, F_app{}, out{};
    std::size_t n_params = 0, n_stored = 0;
    auto fill = [&](Copy& to, const T* a) {
      for (std::size_t l = 0; l < width<T>; ++l) to[l] = a[from + (l < count ? l : count - 1)];
    };
    each_scalar(c.p, [&](const auto&, int, L&) {
      if (params) fill(p[n_params], params[n_params]);
      p_at[n_params] = p[n_params].data();
      ++n_params;
    });
    auto shape = c.bound();
    each_stored(shape, [&](std::size_t j, L&) {
      fill(s[j], stored[j]);
      s_at[j] = s[j].data();
      ++n_stored;
    });
    fill(v, in.v);
    if (in.r) fill(r, in.r);
    if (in.F_app) fill(F_app, in.F_app);
    const Inputs<T> last{v.data(), in.r ? r.data() : nullptr, in.F_app ? F_app.data() : nullptr};
    contacts<L>(c, params ? p_at.data() : nullptr, s_at.data(), q, last, dt, out.data(), 0);
    for (std::size_t l = 0; l < count; ++l) {
      F[from + l] = out[l];
      for (std::size_t j = 0; j < n_stored; ++j) stored[j][from + l] = s[j][l];
    }
  }
};

template <template <class> class M, class T> struct Entry {
  static void along(const void* model, void* state, void* mode, const T* v, T dt, T* F, std::size_t n, bool usual) {
    const auto& c = *static_cast<const M<T>*>(model);
    auto& s = *static_cast<typename M<T>::State*>(state);
    auto& q = *static_cast<typename M<T>::Mode*>(mode);
    usual ? Loops<M, T, CurveOptions::usual>::along(c, s, q, v, dt, F, n)
          : Loops<M, T, CurveOptions::general>::along(c, s, q, v, dt, F, n);
  }
  static void many(const void* model, const T* const* params, T* const* stored, void* modes, const Inputs<T>& in, T dt,
                   T* F, std::size_t n, bool usual) {
    const auto& c = *static_cast<const M<T>*>(model);
    auto* q = static_cast<typename M<T>::Mode*>(modes);
    usual ? Loops<M, T, CurveOptions::usual>::many(c, params, stored, q, in, dt, F, n)
          : Loops<M, T, CurveOptions::general>::many(c, params, stored, q, in, dt, F, n);
  }
};

template <class T, template <class> class... M> constexpr Table<T> table(List<M...>) {
  return {ModelKernels<T>{&Entry<M, T>::along, &Entry<M, T>::many}...};
}

}  // namespace

const Table<double>& BRISTLE_JOIN(BRISTLE_FOR_ISA(kernels_), _double)() {
  static constexpr Table<double> all = table<double>(Models{});
  return all;
}
const Table<float>& BRISTLE_JOIN(BRISTLE_FOR_ISA(kernels_), _float)() {
  static constexpr Table<float> all = table<float>(Models{});
  return all;
}

}  // namespace bristle::batch
