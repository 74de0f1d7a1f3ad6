#include <algorithm>

#include "asperity/shared/inside.hpp"
#include "gpu/device.hpp"
#include "gpu/sums.hpp"

/// Populations of the model of 2008: an asperity stays in the registers of its thread for many steps. An asperity that meets
/// an edge goes through asperity::visit, as on the processor.
namespace bristle::gpu {
namespace {

using asperity::Move;
using asperity::Record;

/// The numbers of the growth of adhesion: GfmParams without distributions.
struct Growth {
  Adhesion adhesion;
  double mu0, mu_inf, tau, mu_log, b_log, tau_log;
};
/// Arrays of the device. c: strength, or 0 when free.
struct Asperities {
  const double *kt, *m, *full;
  double *p, *c, *low, *high, *g;
  std::int64_t* j;
  char* on;
};
constexpr unsigned sums = 8;  // F, W_adh, W_def, W_imp, E, Fn, contact, slip

/// A step of an asperity that meets no edge; with works also one that does not begin to slip. See asperity/kernel.cpp.
struct Still {
  double p, xi;
  bool hit, slips;
  double work;
};
template <bool logarithmic, bool all>
__device__ Still move_still(double p0, double kt, double c, double g, double low, double high, const Move& m) {
  Still out{};
  const bool back = m.u1 < m.u0;
  const double Y1 = logarithmic ? c * (m.a + m.b * quick::log(1 + (m.t1 - g) * m.per_tau)) : c * (m.a - m.b1 * g);
  const double p1 = back ? smaller(p0, m.u1 + Y1) : larger(p0, m.u1 - Y1);
  out.p = p1;
  out.xi = m.u1 - p1;
  out.hit = back ? p1 < low : p1 > high;
  if constexpr (all) {
    const double speed = std::abs(m.v), noise = 1e-15 * std::abs(m.u0);
    const bool moved = back ? p1 < p0 : p1 > p0;
    const double Y0 = logarithmic ? c * (m.a + m.b * quick::log(1 + (m.t0 - g) * m.per_tau)) : c * (m.a - m.b0 * g);
    const double short_of_slip = back ? Y0 + (m.u0 - p0) : Y0 - (m.u0 - p0);
    double Y_int = 0, slope = 0;
    if constexpr (logarithmic) {
      const double old = m.t0 - g + 1 / m.per_tau, x = m.dt / old;
      Y_int = c * (m.a * m.dt + m.b * (m.dt * quick::log(old * m.per_tau) + old * asperity::growth(x)));
      slope = c * m.b / old;
    } else {
      Y_int = c * (m.a * m.dt - m.b_int * g);
      slope = c * m.b0 * g * m.per_tau;
    }
    out.hit = out.hit || (moved && (short_of_slip > noise + 1e-15 * Y0 || slope > speed));
    out.work = moved ? kt * (speed * Y_int - 0.5 * (Y1 - Y0) * (Y1 + Y0)) : 0;
    out.slips = moved && c > 0;
  }
  return out;
}

/// One number per warp.
__device__ inline double sum_of_warp(double x) {
  for (int half = 16; half > 0; half /= 2) x += __shfl_xor_sync(0xffffffffU, x, half);
  return x;
}

template <bool logarithmic, bool all>
__global__ void __launch_bounds__(crew)
    sweep(const Asperities a, std::size_t n, const Growth law, const asperity::UniformLands lands, const Move* moves,
          unsigned steps, double* out) {
  __shared__ Tile<double> tile_F;
  __shared__ Move now[tile];
  const std::size_t i = blockIdx.x * std::size_t{crew} + threadIdx.x;
  const bool mine = i < n;
  const std::size_t at = mine ? i : 0;
  const double kt = mine ? a.kt[at] : 0, full = mine ? a.full[at] : 0, mass = mine ? a.m[at] : 0;
  double p = a.p[at], c = mine ? a.c[at] : 0, low = -inf, high = inf, g = a.g[at];
  if (mine) {
    low = a.low[at];
    high = a.high[at];
  }
  std::int64_t j = a.j[at];
  bool on = a.on[at] != 0;
  for (unsigned from = 0; from < steps; from += tile) {
    const unsigned count = steps - from < tile ? steps - from : tile;
    if (threadIdx.x < count) now[threadIdx.x] = moves[from + threadIdx.x];
    __syncthreads();
    for (unsigned k = 0; k < count; ++k) {
      const Move& m = now[k];
      Record r{};
      const double before = g;
      if (m.rebases) {
        g = logarithmic ? g - m.t1 : g * std::exp(-m.t1 / law.tau);
        if (!logarithmic && g < 1e-130) g = 0;
      }
      if (m.u1 == m.u0) {
        const double xi = c > 0 ? m.u1 - p : 0;
        r.F = kt * xi;
        r.E = 0.5 * kt * xi * xi;
      } else {
        const auto still = move_still<logarithmic, all>(p, kt, c, before, low, high, m);
        if (still.hit) {
          const asperity::Visit v = asperity::visit(asperity::Visit{on, low, high, j, p, false, 0, false}, law, lands,
                                                    i, kt, full, mass, before, m, all, r);
          if (v.fresh) {
            const double t = m.rebases ? v.since - m.dt : m.t0 + v.since;
            g = logarithmic ? t : std::exp(t / law.tau);
          }
          on = v.on;
          j = v.j;
          p = v.p;
          low = v.on ? v.from : asperity::above(v.from);
          high = v.on ? v.to : asperity::below(v.to);
          c = v.on ? full : 0;
          if (!v.on && !logarithmic) g = 0;
        } else {
          p = still.p;
          r.F = kt * still.xi;
          if constexpr (all) {
            r.E = 0.5 * kt * still.xi * still.xi;
            r.W_adh = still.work;
            r.slip = still.slips ? 1 : 0;
          }
        }
      }
      if constexpr (all) {
        const double each[sums]{r.F, r.W_adh, r.W_def, r.W_imp, r.E, kt * c, c > 0 ? 1.0 : 0.0, r.slip};
        const unsigned warps = gridDim.x * (crew / 32), warp = blockIdx.x * (crew / 32) + threadIdx.x / 32;
#pragma unroll
        for (unsigned q = 0; q < sums; ++q) {
          const double sum = sum_of_warp(mine ? each[q] : 0);
          if (threadIdx.x % 32 == 0) out[(std::size_t{q} * steps + from + k) * warps + warp] = sum;
        }
      } else {
        tile_F.row[k][threadIdx.x] = r.F;
      }
    }
    __syncthreads();
    if constexpr (!all) {
      sum_rows(tile_F, count, out + from * std::size_t{gridDim.x} + blockIdx.x, gridDim.x);
      __syncthreads();
    }
  }
  if (!mine) return;
  a.p[i] = p;
  a.c[i] = c;
  a.low[i] = low;
  a.high[i] = high;
  a.g[i] = g;
  a.j[i] = j;
  a.on[i] = on ? 1 : 0;
}

}  // namespace

struct GfmPopulation::Inside {
  explicit Inside(const Gfm& from)
      : clock(asperity::Inside::clock_of(from)),
        lands(asperity::Inside::lands(from)),
        n(from.size()),
        all(asperity::Inside::arrays(from)),
        kt(all.kt),
        m(all.m),
        full(all.full),
        p(all.p),
        c(all.c),
        low(all.low),
        high(all.high),
        g(all.g),
        j(all.j),
        on(all.on) {}
  Gfm clock;
  asperity::UniformLands lands;
  std::size_t n;
  asperity::Inside::Arrays all;
  Array<double> kt, m, full, p, c, low, high, g;
  Array<std::int64_t> j;
  Array<char> on;

  template <bool logarithmic, bool records> void launch(const Move* moves, unsigned steps, double* parts) const {
    const GfmParams& q = clock.p;
    const auto grid = static_cast<unsigned>((n + crew - 1) / crew);
    sweep<logarithmic, records><<<grid, crew>>>(
        {kt.data(), m.data(), full.data(), p.data(), c.data(), low.data(), high.data(), g.data(), j.data(), on.data()},
        n, {q.adhesion, q.mu0, q.mu_inf, q.tau, q.mu_log, q.b_log, q.tau_log}, lands, moves, steps, parts);
    check_launch("population");
  }
};

GfmPopulation::GfmPopulation(const Gfm& from) {
  require_device();
  if (from.p.normal_load > 0)
    throw BadInput("normal_load is not accepted on a GPU: the separation follows it at every step; a separation is");
  if (asperity::Inside::drawn_lands(from))
    throw BadInput(
        "distributions of land and gap are not accepted on a GPU; wavelength, topography and their spread are");
  inside_ = std::make_unique<Inside>(from);
}
GfmPopulation::~GfmPopulation() = default;

std::vector<Record> GfmPopulation::run(std::span<const asperity::Step> steps, bool force_only) {
  Inside& in = *inside_;
  std::vector<Record> out(steps.size());
  const std::size_t blocks = (in.n + crew - 1) / crew, per_step = force_only ? blocks : blocks * (crew / 32) * sums,
                    at_once = std::clamp<std::size_t>((std::size_t{1} << 25) / per_step, tile, 4096),
                    rows = force_only ? 1 : sums;
  Array<double> parts(per_step * std::min(at_once, steps.size())), total(rows * std::min(at_once, steps.size()));
  Array<Move> on_device(std::min(at_once, steps.size()));
  std::vector<Move> moves;
  std::vector<double> sum;
  const double each = 1 / static_cast<double>(in.n);
  for (std::size_t from = 0; from < steps.size(); from += at_once) {
    const std::size_t count = std::min(at_once, steps.size() - from);
    moves.clear();
    for (std::size_t i = 0; i < count; ++i)
      moves.push_back(asperity::Inside::next_move(in.clock, steps[from + i].u, steps[from + i].dt));
    on_device.put(moves);
    const auto n = static_cast<unsigned>(count);
    if (in.clock.p.adhesion == Adhesion::logarithmic) {
      force_only ? in.launch<true, false>(on_device.data(), n, parts.data())
                 : in.launch<true, true>(on_device.data(), n, parts.data());
    } else {
      force_only ? in.launch<false, false>(on_device.data(), n, parts.data())
                 : in.launch<false, true>(on_device.data(), n, parts.data());
    }
    sum_parts<<<static_cast<unsigned>(rows * count), 256>>>(parts.data(), per_step / rows, total.data());
    check_launch("population");
    sum.resize(rows * count);
    total.get(sum);
    for (std::size_t i = 0; i < count; ++i) {
      auto of = [&](std::size_t q) { return q < rows ? sum[q * count + i] * each : 0; };
      out[from + i] = {of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)};
    }
  }
  return out;
}

}  // namespace bristle::gpu
