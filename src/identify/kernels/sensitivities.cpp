/// The law of sensitivities.hpp in lanes over time: terms that depend on the motion alone are computed for several
/// samples at once, the state follows by a short recurrence. Compiled once per instruction set under the rule of
/// src/batch/kernels.cpp.
#include "identify/kernels/sensitivities.hpp"

#include <array>
#include <cmath>

#include "base/isa.hpp"
#include "base/pack_dual.hpp"
#include "bristle/models/lugre.hpp"
#include "bristle/quick.hpp"

namespace bristle::sensitivities {
namespace {

struct BRISTLE_ISA {};
constexpr std::size_t width = BRISTLE_BYTES / sizeof(double);
using Lane = batch::Pack<double, width, BRISTLE_ISA>;
constexpr std::size_t directions = 4;  // Fc, Fs, vs and sigma0 act through the state; sigma1 and kv are linear
using Slopes = Dual<Lane, directions>;
using Row = std::array<double, width>;

}  // namespace
}  // namespace bristle::sensitivities

namespace bristle {
template <> inline constexpr CurveOptions curve_options<sensitivities::Lane> = CurveOptions::usual;
template <std::size_t N>
inline constexpr CurveOptions curve_options<Dual<sensitivities::Lane, N>> = CurveOptions::usual;
}  // namespace bristle

namespace bristle::sensitivities {
namespace {

/// Access to the lanes of a scalar: one, or one for the value and one per direction.
template <class T> struct Parts {
  static constexpr std::size_t count = 1;
  static Lane& at(Lane& x, std::size_t) { return x; }
};
template <> struct Parts<Slopes> {
  static constexpr std::size_t count = 1 + directions;
  static Lane& at(Slopes& x, std::size_t k) { return k == 0 ? x.a : x.d[k - 1]; }
};
template <class T> using Rows = std::array<Row, Parts<T>::count>;

template <class T> LuGre<T> model(const Job& job) {
  auto get = [&](std::size_t i) {
    T x(Lane(job.p[i]));
    if (i + 1 < Parts<T>::count) Parts<T>::at(x, i + 1) = Lane(1);
    return x;
  };
  return {{get(0), get(1), get(2), T(2), get(3), T(Lane(job.p[4])), T(Lane(0)), T(Lane(job.p[5]))}};
}

Lane load(const double* from, std::size_t i, std::size_t count, double beyond) {
  if (count == width) return Lane::load(from + i);
  Row row;
  for (std::size_t l = 0; l < width; ++l) row[l] = l < count ? from[i + l] : beyond;
  return Lane::load(row.data());
}

bool turns(const Job& job, std::size_t i, std::size_t count) {
  for (std::size_t l = 0; job.turn_dt && l < count; ++l) {
    if (job.turn_dt[i + l] > 0) return true;
  }
  return false;
}

/// Calls f(first sample, count, velocity, force, rate of the deflection) for groups of as many samples as lanes.
template <class T, class F> void along(const Job& job, F&& f) {
  const LuGre<T> c = model<T>(job);
  std::array<double, Parts<T>::count> z{};
  for (std::size_t i = 0; i < job.n; i += width) {
    const std::size_t count = job.n - i < width ? job.n - i : width;
    const T held(load(job.step_v, i, count, 0)), dt(load(job.dt, i, count, 0)), v(load(job.v, i, count, 0));
    auto a = c.prepare(held, dt);
    if (turns(job, i, count)) {
      const T first_v(load(job.turn_v, i, count, 0)), first(load(job.turn_dt, i, count, 0)), left = dt - first;
      const auto before = c.prepare(first_v, first);
      a = c.prepare((dt * held - first * first_v) / larger(left, T(Lane(1e-300))), left);
      a.gained = before.gained * a.kept + a.gained;
      a.kept = before.kept * a.kept;
    }
    Rows<T> kept, gained;
    for (std::size_t k = 0; k < Parts<T>::count; ++k) {
      Parts<T>::at(a.kept, k).store(kept[k].data());
      Parts<T>::at(a.gained, k).store(gained[k].data());
    }
    for (std::size_t l = 0; l < width; ++l) {  // z kept + gained, and its derivatives; constant beyond the end
      for (std::size_t k = 1; k < Parts<T>::count; ++k) {
        z[k] = z[k] * kept[0][l] + (z[0] * kept[k][l] + gained[k][l]);
        gained[k][l] = z[k];
      }
      z[0] = z[0] * kept[0][l] + gained[0][l];
      gained[0][l] = z[0];
    }
    T now(Lane(0));
    for (std::size_t k = 0; k < Parts<T>::count; ++k) Parts<T>::at(now, k) = Lane::load(gained[k].data());
    const T inverse = job.held ? a.inverse : c.inverse_reach(v);
    f(i, count, v, c.force_at(now, {.v = v}, inverse), c.deflection_rate(now, v, inverse));
  }
}

/// Residual under Huber's loss, and the factor of its derivatives.
struct Residual {
  Lane r, factor;
};
Residual residual(const Job& job, std::size_t i, const Lane& F, std::size_t count) {
  const Lane w = load(job.w, i, count, 0), r = w * (F - load(job.y, i, count, 0));
  if (!(job.threshold > 0)) return {r, w};
  Row rows, slopes;
  abs(r).store(rows.data());
  bool far = false;
  for (std::size_t l = 0; l < width; ++l) far = far || rows[l] > job.threshold;
  if (!far) return {r, w};
  r.store(rows.data());
  for (std::size_t l = 0; l < width; ++l) {
    const double size = rows[l] < 0 ? -rows[l] : rows[l];
    slopes[l] = 1;
    if (!(size > job.threshold)) continue;
    const double root = __builtin_sqrt(2 * job.threshold * size - job.threshold * job.threshold);
    slopes[l] = job.threshold / root;
    rows[l] = rows[l] < 0 ? -root : root;
  }
  return {Lane::load(rows.data()), w * Lane::load(slopes.data())};
}

void gram(const Job& job, double* out) {
  std::array<Lane, sums> sum{};
  along<Slopes>(job, [&](std::size_t i, std::size_t count, const Slopes& v, const Slopes& F, const Slopes& rate) {
    const Residual now = residual(job, i, F.a, count);
    std::array<Lane, parameters + 1> row;
    for (std::size_t j = 0; j < directions; ++j) row[j] = now.factor * F.d[j];
    row[4] = now.factor * rate.a;
    row[5] = now.factor * v.a;
    row[parameters] = now.r;
    std::size_t k = 0;
    for (std::size_t a = 0; a <= parameters; ++a) {
      for (std::size_t b = 0; b <= a; ++b, ++k) sum[k] = sum[k] + row[a] * row[b];
    }
  });
  for (std::size_t k = 0; k < sums; ++k) out[k] += sum_of(sum[k]);
}

double cost(const Job& job) {
  Lane sum(0);
  along<Lane>(job, [&](std::size_t i, std::size_t count, const Lane&, const Lane& F, const Lane&) {
    const Lane r = residual(job, i, F, count).r;
    sum = sum + r * r;
  });
  return sum_of(sum);
}

}  // namespace

const Kernels& BRISTLE_FOR_ISA(kernels_)() {
  static constexpr Kernels all{&gram, &cost};
  return all;
}

}  // namespace bristle::sensitivities
