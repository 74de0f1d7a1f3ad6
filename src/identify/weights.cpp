#include "identify/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/experiments.hpp"
#include "identify/statistics.hpp"

namespace bristle::identify {
namespace {

/// Noise of every recording, from the residual of a fit.
struct RecordingNoise {
  std::vector<double> sigma{};  // robust standard deviation of the weighted residual
  std::vector<double> share{};  // root of the information in a row: 1 for independent rows, less for correlated ones
  bool misfit = false;          // a residual is too smooth for noise: the model does not describe the recording
};

std::size_t recordings_in(const Series& s) {
  std::size_t n = 0;
  for (const Stretch& stretch : s.stretches) n = std::max(n, stretch.recording + 1);
  return n;
}

double median_size(std::vector<double> x) {
  for (double& e : x) e = std::abs(e);
  return median(std::move(x));
}

/// Standard deviation of noise without correlation, from second differences.
double rough(const std::vector<double>& x) {
  std::vector<double> second;
  for (std::size_t i = 1; i + 1 < x.size(); ++i) second.push_back(x[i - 1] - 2 * x[i] + x[i + 1]);
  return 1.4826 * median_size(std::move(second)) / std::sqrt(6.0);
}

RecordingNoise noise_of_recordings(const Candidate& c, const Setting& s) {
  const Series& data = s.data;
  const Objective o{data, *c.evaluator, c.space, s.control};
  const std::vector<double> r = o.residuals(c.best.q.data());
  std::vector<std::vector<double>> rest(recordings_in(data));
  std::vector<std::vector<std::size_t>> breaks(rest.size());
  std::vector<bool> steady(rest.size(), false);
  for (const Stretch& stretch : data.stretches) {
    std::vector<double>& own = rest[stretch.recording];
    breaks[stretch.recording].push_back(own.size());
    steady[stretch.recording] = stretch.steady;
    for (std::size_t i = stretch.from; i < stretch.to; ++i) {
      if (data.weight[i] > 0 && std::isfinite(r[i])) own.push_back(r[i] * data.weight[i]);
    }
  }
  RecordingNoise out;
  double largest = 0;
  for (std::size_t k = 0; k < rest.size(); ++k) {
    std::vector<double>& own = rest[k];
    const auto n = static_cast<double>(own.size());
    // Few rows do not show their noise: that of all of the data is worth ten of them.
    const double alone = own.empty() ? c.scale : 1.4826 * median_size(own);
    out.sigma.push_back(std::sqrt((n * alone * alone + 10 * c.scale * c.scale) / (n + 10)));
    largest = std::max(largest, out.sigma.back());
    // Of a first-order process with the correlation 0.97 the ratio is 7.
    if (!steady[k] && own.size() > 20) out.misfit = out.misfit || alone > 10 * rough(own);
    for (double& e : own) e = std::clamp(e, -4 * alone, 4 * alone);
    const double inflation = steady[k] || own.empty() ? 1 : autoregression(own, breaks[k], 24).inflation();
    const double most = std::max(1.0, n / 20);  // no recording counts less than twenty rows
    out.share.push_back(1 / std::sqrt(inflation > 1 ? std::min(inflation, most) : 1));
  }
  for (double& e : out.sigma) e = std::max({e, 0.01 * largest, s.least_scale});
  const double top = *std::ranges::max_element(out.share);
  for (double& e : out.share) e /= top;
  return out;
}

/// Whether the noise would change the weights of a fit.
bool differs(const RecordingNoise& noise, const std::vector<double>& share) {
  const auto [least, most] = std::ranges::minmax(noise.sigma);
  bool other = most > 1.1 * least;
  for (std::size_t k = 0; k < noise.share.size(); ++k) {
    const double ratio = noise.share[k] / (share.empty() ? 1 : share[k]);
    other = other || ratio > 1.3 || ratio < 1 / 1.3;
  }
  return other;
}

void weigh(Series& s, const RecordingNoise& noise) {
  const double usual = *std::ranges::min_element(noise.sigma);
  for (const Stretch& stretch : s.stretches) {
    for (std::size_t i = stretch.from; i < stretch.to; ++i) s.weight[i] *= usual / noise.sigma[stretch.recording];
  }
  s.share = noise.share;
}

/// A note on recordings whose friction is another multiple of the common fit, as of another joint; or "".
std::string unlike_others(const Candidate& c, const Setting& s, const std::vector<Recording>& recordings) {
  const Series& data = s.data;
  const Objective o{data, *c.evaluator, c.space, s.control};
  const std::vector<double> f = o.predicted(c.best.q.data());
  double largest = 0;
  for (const double e : f) largest = std::max(largest, std::abs(e));
  std::vector<std::vector<double>> ratios(recordings_in(data)), apart = ratios;
  for (const Stretch& stretch : data.stretches) {
    for (std::size_t i = stretch.from; i < stretch.to; ++i) {
      if (!(data.weight[i] > 0) || std::abs(f[i]) < 0.1 * largest) continue;
      ratios[stretch.recording].push_back(data.y[i] / f[i]);
      apart[stretch.recording].push_back(data.y[i] / f[i] - 1);
    }
  }
  // Medians: a few rows with the wrong sign, as at rest, do not matter.
  std::vector<double> factors;
  bool better = false;  // a multiple of the fit describes a recording
  for (std::size_t k = 0; k < ratios.size(); ++k) {
    factors.push_back(ratios[k].empty() ? 1 : median(ratios[k]));
    for (double& e : ratios[k]) e -= factors[k];
    if (!ratios[k].empty() && std::abs(factors[k] - 1) > 0.2)
      better = better || median_size(ratios[k]) < 0.5 * median_size(apart[k]);
  }
  const auto [least, most] = std::ranges::minmax_element(factors);
  if (!better || !(*most > 1.4 * *least) || !(*least > 0)) return "";
  auto name = [&](auto at) { return recordings[static_cast<std::size_t>(at - factors.begin())].name; };
  return fmt::format("the recordings disagree: forces of {} are {:.2g} times those of {}, compared with the common "
                     "fit; --group fits the recordings of different joints separately",
                     name(most), *most / *least, name(least));
}

}  // namespace

void weigh_recordings(const std::vector<Candidate*>& fitted, const Setting& s, const std::vector<Recording>& recordings,
                      const std::vector<Series*>& series, const std::function<void()>& fit_again,
                      std::vector<std::string>& notes) {
  if (recordings.size() < 2 || fitted.empty() || s.data.motion) return;
  auto best = [&]() -> const Candidate& { return **std::ranges::min_element(fitted, {}, &Candidate::scale); };
  if (!std::isfinite(best().best.cost)) return;
  if (std::string note = unlike_others(best(), s, recordings); !note.empty()) {
    notes.push_back(std::move(note));  // a weight would decide for one of the joints
    return;
  }
  const bool given = std::ranges::none_of(recordings, [](const Recording& r) { return r.sigma.empty(); });
  std::vector<double> weight(recordings.size(), 1.0);
  for (int round = 0; round < 4 && !given && !s.control.stopped(); ++round) {
    const RecordingNoise noise = noise_of_recordings(best(), s);
    if (noise.misfit || !differs(noise, s.data.share)) break;
    for (Series* e : series) weigh(*e, noise);
    for (std::size_t k = 0; k < weight.size(); ++k) weight[k] *= std::ranges::min(noise.sigma) / noise.sigma[k];
    fit_again();
  }
  const auto [least, most] = std::ranges::minmax_element(weight);
  auto name = [&](auto at) { return recordings[static_cast<std::size_t>(at - weight.begin())].name; };
  if (*most > 1.5 * *least)
    notes.push_back(fmt::format("recordings weighted by their noise: that of {} is {:.3g} times that of {}",
                                name(least), *most / *least, name(most)));
}

}  // namespace bristle::identify
