#include "identify/fused.hpp"

#include <array>

#include "base/processor.hpp"
#include "bristle/models/lugre.hpp"
#include "identify/kernels/sensitivities.hpp"

namespace bristle::identify {
namespace {

namespace lanes = sensitivities;

/// Indices of the kernel's parameters among those of the model.
using P = LuGre<>::Params;
constexpr std::array<std::size_t, lanes::parameters> places{
    place_of<&P::Fc>, place_of<&P::Fs>, place_of<&P::vs>, place_of<&P::sigma0>, place_of<&P::sigma1>, place_of<&P::kv>};

const lanes::Kernels& kernels() {
  return best_kernel(&lanes::kernels_baseline, BRISTLE_IF_AVX2(&lanes::kernels_avx2),
                     BRISTLE_IF_AVX512(&lanes::kernels_avx512))();
}

}  // namespace

bool can_fuse(const Objective& o) {
  if (o.model.name() != LuGre<>::card.name || o.data.loaded || o.data.inverse || !o.data.terms.empty() ||
      !o.data.before_jump.empty() || o.data.fine || o.data.motion ||
      o.space.parameters() != decltype(P::fields())::size)
    return false;
  const Rule &alpha = o.space.rules[place_of<&P::alpha>], &vd = o.space.rules[place_of<&P::vd>],
             &n = o.space.rules[place_of<&P::kv_exponent>];
  const bool usual = alpha.kind == Rule::constant && alpha.value == 2 && vd.kind == Rule::constant &&
                     !(vd.value < inf) && n.kind == Rule::constant && n.value == 1;
  for (const Stretch& s : o.data.stretches) {
    if (s.steady) return false;
  }
  return usual;
}

double fused(const Objective& o, const double* p, const double* slopes, Gram* out) {
  const Series& data = o.data;
  std::vector<double> weight(data.size());
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = o.counts(i) ? data.weight[i] / o.scale : 0;
  std::array<double, lanes::parameters> own{};
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = p[places[i]];
  std::array<double, lanes::sums> sums{}, of_stretch{};
  double cost = 0;
  const lanes::Kernels& kernel = kernels();
  const bool turning = !data.turn_dt.empty();
  const double *turn_v = turning ? data.turn_v.data() : nullptr, *turn_dt = turning ? data.turn_dt.data() : nullptr;
  for (const Stretch& s : data.stretches) {
    const lanes::Job job{&data.v[s.from],
                         &data.step_v[s.from],
                         &data.dt[s.from],
                         turn_v ? turn_v + s.from : nullptr,
                         turn_dt ? turn_dt + s.from : nullptr,
                         &data.y[s.from],
                         &weight[s.from],
                         s.to - s.from,
                         data.held,
                         own.data(),
                         o.threshold};
    const double share = data.share_of(s) * data.share_of(s);
    if (!out) {
      cost += share * kernel.cost(job);
    } else if (share == 1) {
      kernel.gram(job, sums.data());
    } else {
      of_stretch.fill(0);
      kernel.gram(job, of_stretch.data());
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += share * of_stretch[i];
    }
    if (o.control.stopped()) return inf;
  }
  if (!out) return 0.5 * cost;
  // Transformation from parameters to coordinates: S' G S, with r unchanged.
  const std::size_t n = o.space.size(), m = lanes::parameters;
  auto slope = [&](std::size_t i, std::size_t j) {
    return i == m || j == n ? (i == m && j == n ? 1.0 : 0.0) : slopes[places[i] * n + j];
  };
  auto sum = [&](std::size_t a, std::size_t b) {
    return a > b ? sums[a * (a + 1) / 2 + b] : sums[b * (b + 1) / 2 + a];
  };
  std::vector<double> half((m + 1) * (n + 1));  // G S
  for (std::size_t i = 0; i <= m; ++i) {
    for (std::size_t j = 0; j <= n; ++j) {
      for (std::size_t k = 0; k <= m; ++k) half[i * (n + 1) + j] += sum(i, k) * slope(k, j);
    }
  }
  out->matrix.assign((n + 1) * (n + 1), 0.0);
  for (std::size_t i = 0; i <= n; ++i) {
    for (std::size_t j = 0; j <= n; ++j) {
      for (std::size_t k = 0; k <= m; ++k) out->matrix[i * (n + 1) + j] += slope(k, i) * half[k * (n + 1) + j];
    }
  }
  out->cost = 0.5 * sum(m, m);
  return out->cost;
}

}  // namespace bristle::identify
