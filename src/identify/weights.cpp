#include "identify/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/statistics.hpp"

namespace bristle::identify {
namespace {

/// Noise of every recording, from the residual of a fit.
struct RecordingNoise {
  std::vector<double> sigma{};  // robust standard deviation of the weighted residual
  std::vector<double> share{};  // root of the information in a row: 1 for independent rows, less for correlated ones
};

std::size_t recordings_in(const Series& s) {
  std::size_t n = 0;
  for (const Stretch& stretch : s.stretches) n = std::max(n, stretch.recording + 1);
  return n;
}

double median_size(std::vector<double> x) {
  for (double& e : x) e = std::abs(e);
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::ranges::nth_element(x, middle);
  return *middle;
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
std::string disagreement(const Candidate& c, const Setting& s, const std::vector<Recording>& recordings) {
  const Series& data = s.data;
  const Objective o{data, *c.evaluator, c.space, s.control};
  const std::vector<double> f = o.predicted(c.best.q.data());
  struct Sum {
    double yy = 0, yf = 0, ff = 0;
    double factor() const { return ff > 0 ? yf / ff : 1; }
    double apart() const { return yy - 2 * yf + ff; }                 // residual of the common fit
    double alone() const { return ff > 0 ? yy - yf * yf / ff : yy; }  // of its multiple
  };
  std::vector<Sum> sums(recordings_in(data));
  for (const Stretch& stretch : data.stretches) {
    Sum& sum = sums[stretch.recording];
    for (std::size_t i = stretch.from; i < stretch.to; ++i) {
      const double w = data.weight[i] * data.weight[i];
      sum.yy += w * data.y[i] * data.y[i];
      sum.yf += w * data.y[i] * f[i];
      sum.ff += w * f[i] * f[i];
    }
  }
  double apart = 0, alone = 0;
  std::vector<double> factors;
  for (const Sum& sum : sums) {
    apart += sum.apart();
    alone += sum.alone();
    factors.push_back(sum.factor());
  }
  const auto [least, most] = std::ranges::minmax_element(factors);
  if (!(alone < 0.5 * apart) || !(*most > 1.4 * *least) || !(*least > 0)) return "";
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
  const bool given = std::ranges::none_of(recordings, [](const Recording& r) { return r.sigma.empty(); });
  std::vector<double> weight(recordings.size(), 1.0);
  for (int round = 0; round < 4 && !given && !s.control.stopped(); ++round) {
    const RecordingNoise noise = noise_of_recordings(best(), s);
    if (!differs(noise, s.data.share)) break;
    for (Series* e : series) weigh(*e, noise);
    for (std::size_t k = 0; k < weight.size(); ++k) weight[k] *= std::ranges::min(noise.sigma) / noise.sigma[k];
    fit_again();
  }
  const auto [least, most] = std::ranges::minmax_element(weight);
  auto name = [&](auto at) { return recordings[static_cast<std::size_t>(at - weight.begin())].name; };
  if (*most > 1.5 * *least)
    notes.push_back(fmt::format("recordings weighted by their noise: that of {} is {:.3g} times that of {}",
                                name(least), *most / *least, name(most)));
  if (std::string note = disagreement(best(), s, recordings); !note.empty()) notes.push_back(std::move(note));
}

}  // namespace bristle::identify
