#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/candidate.hpp"

namespace bristle::identify {
namespace {

/// Outliers: samples with residuals above six times the noise for all models.
std::vector<bool> outliers(const std::vector<const Candidate*>& all, double noise) {
  std::vector<bool> out(all.front()->held_out.size(), true);
  for (const Candidate* c : all) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = out[i] && std::abs(static_cast<double>(c->held_out[i])) > 6 * noise;
  }
  return out;
}

/// Mean square of the cross-validation residual in consecutive parts of the data. Residuals of outliers are limited to
/// six times the noise.
std::vector<double> losses(const Candidate& c, const Setting& s, const std::vector<bool>& outlier, double noise) {
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
    sum[part] += outlier[i] ? most : r * r;
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

/// Mean of a - b and its standard error.
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

/// Whether a is at most one standard error of the difference, or two percent of the rms, worse than the best.
bool as_good(const std::vector<double>& loss, const std::vector<double>& best) {
  const Difference d = difference(loss, best);
  return d.mean <= std::max(d.error, 0.04 * mean(best));
}

}  // namespace

bool clearly_better(const Candidate& a, const Candidate& b, const Setting& s) {
  const double noise = std::min(a.scale, b.scale);
  const std::vector<bool> outlier = outliers({&a, &b}, noise);
  return !as_good(losses(b, s, outlier, noise), losses(a, s, outlier, noise));
}

void rank(Ranking& ranking, std::vector<Candidate*>& best, const Setting& s) {
  std::ranges::sort(best, {}, [](const Candidate* c) { return std::pair(c->held_out_rmse, c->shape.model); });
  if (best.empty()) return;
  double noise = inf;
  for (const Candidate* c : best) noise = std::min(noise, c->scale);
  const std::vector<bool> outlier = outliers({best.begin(), best.end()}, noise);
  std::vector<std::vector<double>> loss;
  loss.reserve(best.size());
  for (const Candidate* c : best) loss.push_back(losses(*c, s, outlier, noise));
  std::size_t first = 0;
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (mean(loss[i]) < mean(loss[first])) first = i;
  }
  std::size_t chosen = first;
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (!as_good(loss[i], loss[first])) continue;
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
    why += fmt::format("has the smallest cross-validation error ({:.3g}{} rms)", best[chosen]->held_out_rmse, unit);
  } else {
    why += fmt::format("has the same cross-validation error as {} ({}) within its uncertainty: {:.3g} and {:.3g}{} rms",
                       best[first]->shape.model, count(best[first]->space.size()), best[chosen]->held_out_rmse,
                       best[first]->held_out_rmse, unit);
  }
  std::ptrdiff_t simpler = -1;
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (best[i]->space.size() < best[chosen]->space.size() && simpler < 0) simpler = static_cast<std::ptrdiff_t>(i);
  }
  if (simpler >= 0) {
    const Candidate& c = *best[static_cast<std::size_t>(simpler)];
    why += fmt::format("; best simpler model: {}, {:.3g}{} rms", c.shape.model, c.held_out_rmse, unit);
  }
  ranking.why = why;
}

}  // namespace bristle::identify
