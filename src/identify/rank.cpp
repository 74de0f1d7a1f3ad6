#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/candidate.hpp"

namespace bristle::identify {
namespace {

/// Mean square of the held-out residual in consecutive parts of the data. Outliers count as much as a residual of six
/// times the noise, so that a few of them do not decide.
std::vector<double> losses(const Candidate& c, const Setting& s, double noise) {
  const std::size_t parts = std::min<std::size_t>(20, s.data.used);
  std::vector<double> sum(parts, 0.0), count(parts, 0.0);
  const double most = 36 * noise * noise;
  std::size_t used = 0;
  for (std::size_t i = 0; i < c.held_out.size(); ++i) {
    if (s.data.weight[i * s.stride] > 0) ++used;
  }
  std::size_t k = 0;
  for (std::size_t i = 0; i < c.held_out.size(); ++i) {
    if (!(s.data.weight[i * s.stride] > 0)) continue;
    const double r = static_cast<double>(c.held_out[i]);
    const std::size_t part = k++ * parts / used;
    sum[part] += std::min(r * r, most);
    count[part] += 1;
  }
  for (std::size_t part = 0; part < parts; ++part) sum[part] /= std::max(count[part], 1.0);
  return sum;
}

double mean(const std::vector<double>& x) {
  double sum = 0;
  for (const double e : x) sum += e;
  return sum / static_cast<double>(x.size());
}

/// By how much a is larger than b on average, and the standard error of that.
struct Difference {
  double mean, error;
};
Difference difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> d(a.size());
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = a[i] - b[i];
  const double m = mean(d);
  double squares = 0;
  for (const double e : d) squares += (e - m) * (e - m);
  const auto n = static_cast<double>(d.size());
  return {m, n > 1 ? std::sqrt(squares / (n - 1) / n) : 0};
}

}  // namespace

void rank(Ranking& ranking, std::vector<Candidate*>& best, const Setting& s) {
  std::ranges::sort(best, {}, [](const Candidate* c) { return std::pair(c->held_out_rmse, c->shape.model); });
  if (best.empty()) return;
  double noise = inf;
  for (const Candidate* c : best) noise = std::min(noise, c->scale);
  std::vector<std::vector<double>> loss;
  loss.reserve(best.size());
  for (const Candidate* c : best) loss.push_back(losses(*c, s, noise));
  std::size_t first = 0;
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (mean(loss[i]) < mean(loss[first])) first = i;
  }
  // Adequate: not worse than the best beyond one standard error of the difference, or two percent of its rms.
  auto adequate = [&](std::size_t i) {
    const Difference d = difference(loss[i], loss[first]);
    return d.mean <= std::max(d.error, 0.04 * mean(loss[first]));
  };
  std::size_t chosen = first;
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (!adequate(i)) continue;
    const std::size_t a = best[i]->space.size(), b = best[chosen]->space.size();
    if (a < b || (a == b && mean(loss[i]) < mean(loss[chosen]))) chosen = i;
  }
  ranking.recommended = best[chosen]->shape.model;
  const std::string unit = s.data.coefficient                   ? ""
                           : s.data.motion && s.data.rotational ? " rad"
                           : s.data.motion                      ? " m"
                           : s.data.rotational                  ? " N m"
                                                                : " N";
  auto count = [](std::size_t n) { return fmt::format("{} parameter{}", n, n == 1 ? "" : "s"); };
  std::string why = fmt::format("{} ({}) ", ranking.recommended, count(best[chosen]->space.size()));
  if (chosen == first) {
    why += fmt::format("predicts what it has not seen best of all ({:.3g}{} rms)", best[chosen]->held_out_rmse, unit);
  } else {
    why += fmt::format("predicts what it has not seen as well as {} ({}): {:.3g} against {:.3g}{} rms",
                       best[first]->shape.model, count(best[first]->space.size()), best[chosen]->held_out_rmse,
                       best[first]->held_out_rmse, unit);
  }
  std::ptrdiff_t simpler = -1;
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (best[i]->space.size() < best[chosen]->space.size() && simpler < 0) simpler = static_cast<std::ptrdiff_t>(i);
  }
  if (simpler >= 0) {
    const Candidate& c = *best[static_cast<std::size_t>(simpler)];
    why += fmt::format("; the best simpler one, {}, errs by {:.3g}{}", c.shape.model, c.held_out_rmse, unit);
  }
  ranking.why = why;
}

}  // namespace bristle::identify
