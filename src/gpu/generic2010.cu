#include <algorithm>
#include <type_traits>

#include "asperity/shared/generic2010_step.hpp"
#include "asperity/shared/inside.hpp"
#include "gpu/device.hpp"
#include "gpu/sums.hpp"

/// Populations of the model of 2010: an asperity stays in the registers of its thread for many steps.
namespace bristle::gpu {
namespace {

using asperity::Block;

template <class T> struct Motion2010 {
  T dt, per_dt, A, ha;
  const T *R, *h;
  std::int32_t last_arc;
};

template <Profile P, AdhesionLaw Law, bool all, class T>
__global__ void __launch_bounds__(crew) sweep(Block<T>* blocks, std::size_t n, const Motion2010<T> p, const T* U,
                                              unsigned steps, double* F, double* Fn, double* contacts) {
  __shared__ Tile<T> tile_F;
  __shared__ std::conditional_t<all, Tile<T>, char> tile_Fn;
  __shared__ std::conditional_t<all, Tile<float>, char> tile_contacts;
  const std::size_t i = blockIdx.x * std::size_t{crew} + threadIdx.x;
  const bool mine = i < n;
  Block<T>& b = blocks[mine ? i / Block<T>::size : 0];
  const std::size_t l = i % Block<T>::size;
  asperity::Mass<T> s{b.eT[l], b.eN[l], b.dT[l], b.dN[l], b.rx[l], b.Y[l], b.u[l], b.v[l]};
  const asperity::Springs<T> k{b.kTe[l],
                               b.kTp[l],
                               b.kNe[l],
                               b.kNp[l],
                               b.ET[l],
                               b.GT[l],
                               b.EN[l],
                               b.GN[l],
                               b.kP[l],
                               b.Fadh[l],
                               mine ? b.m[l] : T(0)};
  const T lT = b.lT[l], lN = b.lN[l];
  T R = b.R[l], h = b.h[l];
  std::int32_t arc = b.arc[l];
  for (unsigned from = 0; from < steps; from += tile) {
    const unsigned count = steps - from < tile ? steps - from : tile;
#pragma unroll 4
    for (unsigned j = 0; j < count; ++j) {
      const T speed = U[from + j], none = 0;
      asperity::move(s, lT, lN, p.dt, speed, none);
      if (s.rx > h || s.rx < -h) asperity::cross(s.rx, h, R, arc, p.R, p.h, p.last_arc);
      const auto pull = asperity::accelerate<P, Law>(s, k, R, h, p.A, p.ha, p.per_dt, speed, none);
      tile_F.row[j][threadIdx.x] = pull.F;
      if constexpr (all) {
        tile_Fn.row[j][threadIdx.x] = pull.Fn;
        tile_contacts.row[j][threadIdx.x] = mine && pull.inside ? 1.0F : 0.0F;
      }
    }
    __syncthreads();
    const std::size_t at = from * std::size_t{gridDim.x} + blockIdx.x;
    sum_rows(tile_F, count, F + at, gridDim.x);
    if constexpr (all) {
      sum_rows(tile_Fn, count, Fn + at, gridDim.x);
      sum_rows(tile_contacts, count, contacts + at, gridDim.x);
    }
    __syncthreads();
  }
  if (!mine) return;
  b.eT[l] = s.eT;
  b.eN[l] = s.eN;
  b.dT[l] = s.dT;
  b.dN[l] = s.dN;
  b.rx[l] = s.rx;
  b.Y[l] = s.Y;
  b.u[l] = s.u;
  b.v[l] = s.v;
  b.R[l] = R;
  b.h[l] = h;
  b.arc[l] = arc;
}

}  // namespace

template <class T> struct Generic2010Population<T>::Inside {
  explicit Inside(const Generic2010<T>& from)
      : p(from.p),
        dt(from.dt()),
        n(from.size()),
        blocks(std::span<const Block<T>>(asperity::Inside::blocks(from))),
        R(std::span<const T>(asperity::Inside::profile(from).R)),
        h(std::span<const T>(asperity::Inside::profile(from).h)) {}
  Generic2010Params p;
  double dt;
  std::size_t n;
  Array<Block<T>> blocks;
  Array<T> R, h;

  template <bool all> void launch(const T* U, unsigned steps, double* F, double* Fn, double* contacts) {
    const Motion2010<T> m{static_cast<T>(dt),
                          static_cast<T>(1 / dt),
                          static_cast<T>(p.A),
                          static_cast<T>(p.ha),
                          R.data(),
                          h.data(),
                          static_cast<std::int32_t>(R.size()) - 1};
    const auto grid = static_cast<unsigned>((n + crew - 1) / crew);
    auto one = [&]<Profile P, AdhesionLaw Law>() {
      sweep<P, Law, all, T><<<grid, crew>>>(blocks.data(), n, m, U, steps, F, Fn, contacts);
    };
    auto of = [&]<Profile P>() {
      p.adhesion == AdhesionLaw::tangential ? one.template operator()<P, AdhesionLaw::tangential>()
                                            : one.template operator()<P, AdhesionLaw::normal>();
    };
    switch (p.profile) {
      case Profile::circular: of.template operator()<Profile::circular>(); break;
      case Profile::triangular: of.template operator()<Profile::triangular>(); break;
      case Profile::trapezoidal: of.template operator()<Profile::trapezoidal>(); break;
      case Profile::sinusoidal: of.template operator()<Profile::sinusoidal>(); break;
    }
    check_launch("population");
  }
};

template <class T> Generic2010Population<T>::Generic2010Population(const Generic2010<T>& from) {
  require_device();
  if (from.p.integrator != Integrator::moreau)
    throw BadInput("integrator = \"abm\" is not accepted on a GPU; \"moreau\" is");
  inside_ = std::make_unique<Inside>(from);
}
template <class T> Generic2010Population<T>::~Generic2010Population() = default;

template <class T>
std::vector<asperity::Response> Generic2010Population<T>::run(std::span<const double> U, bool force_only) {
  std::vector<asperity::Response> out(U.size());
  const std::size_t grid = (inside_->n + crew - 1) / crew, most = 4096;
  const std::size_t steps_at_once = std::min(most, std::max<std::size_t>(U.size(), 1)), rows = force_only ? 1 : 3;
  Array<double> parts(rows * steps_at_once * grid), sums(rows * steps_at_once);
  Array<T> speeds(steps_at_once);
  std::vector<T> speed;
  std::vector<double> sum(rows * steps_at_once);
  for (std::size_t from = 0; from < U.size(); from += steps_at_once) {
    const std::size_t count = std::min(steps_at_once, U.size() - from);
    speed.assign(U.begin() + static_cast<std::ptrdiff_t>(from), U.begin() + static_cast<std::ptrdiff_t>(from + count));
    speeds.put(speed);
    double* const at[3]{parts.data(), parts.data() + (rows - 1) / 2 * count * grid,
                        parts.data() + (rows - 1) * count * grid};
    const auto steps = static_cast<unsigned>(count);
    force_only ? inside_->template launch<false>(speeds.data(), steps, at[0], nullptr, nullptr)
               : inside_->template launch<true>(speeds.data(), steps, at[0], at[1], at[2]);
    sum_parts<<<static_cast<unsigned>(rows * count), 256>>>(parts.data(), grid, sums.data());
    check_launch("population");
    sums.get(std::span(sum).first(rows * count));
    for (std::size_t i = 0; i < count; ++i) {
      out[from + i] = {sum[i], force_only ? 0 : sum[count + i], force_only ? 0 : sum[2 * count + i]};
    }
  }
  return out;
}
template class Generic2010Population<double>;
template class Generic2010Population<float>;

}  // namespace bristle::gpu
