#include "data/shared/motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <span>

#include "base/number.hpp"
#include "data/pieces.hpp"
#include "data/settle.hpp"
#include "data/smooth.hpp"

namespace bristle::identify {
namespace {

using Series = std::vector<double>;

Samples samples_of(const Recording& r, const Series& y) { return {r.t, y, r.stretches}; }

/// Comparison of a measured velocity with the derivative of the position.
struct Agreement {
  double factor = 1, share = 1;  // v = factor dx/dt, and the explained fraction of v
  int lag = 0;                   // delay of v in samples
  double difference = 0;         // rms of v - dx/dt
};
double share_of(const Series& a, const Series& b, int lag, double* factor = nullptr) {
  double ab = 0, aa = 0, bb = 0;
  const auto n = static_cast<std::ptrdiff_t>(a.size());
  for (std::ptrdiff_t i = std::max(0, -lag); i < n - std::max(0, lag); ++i) {
    const double x = a[static_cast<std::size_t>(i)], y = b[static_cast<std::size_t>(i + lag)];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  if (factor) *factor = aa > 0 ? ab / aa : 0;
  return aa > 0 && bb > 0 ? ab * std::abs(ab) / (aa * bb) : 0;
}
Agreement compare(const Series& derivative, const Series& v) {
  Agreement out;
  out.share = share_of(derivative, v, 0, &out.factor);
  for (std::size_t i = 0; i < v.size(); ++i) out.difference += (v[i] - derivative[i]) * (v[i] - derivative[i]);
  out.difference = std::sqrt(out.difference / static_cast<double>(v.size()));
  double best = out.share;
  const int far = static_cast<int>(std::min<std::size_t>(50, v.size() / 10));
  for (int lag = -far; lag <= far; ++lag) {
    const double share = share_of(derivative, v, lag);
    if (share <= best + 1e-3) continue;
    best = share;
    out.lag = lag;
  }
  return out;
}

/// Standard deviation of the noise of v, from its second differences. A hundredth of them is left out: steps of v.
double roughness(const Recording& r) {
  Series squares;
  for (std::size_t k = 0; k < r.stretches.size(); ++k) {
    const std::size_t end = k + 1 < r.stretches.size() ? r.stretches[k + 1] : r.t.size();
    for (std::size_t i = r.stretches[k] + 2; i < end; ++i)
      squares.push_back(std::pow(r.v[i] - 2 * r.v[i - 1] + r.v[i - 2], 2));
  }
  const auto kept = squares.end() - static_cast<std::ptrdiff_t>(squares.size() / 100 + 1);
  std::ranges::nth_element(squares, kept);
  return std::sqrt(std::accumulate(squares.begin(), kept, 0.0) / (6 * static_cast<double>(squares.size())));
}

/// x as the integral of v in each segment.
Series integral(const Recording& r) {
  Series x(r.v.size());
  for (std::size_t i = 1; i < x.size(); ++i) x[i] = x[i - 1] + (r.t[i] - r.t[i - 1]) * (r.v[i] + r.v[i - 1]) / 2;
  return x;
}

/// Whether v leads to the measured positions within one of their increments, as with a coarse encoder.
bool leads_to_positions(const Recording& r) {
  const Series from_v = integral(r);
  Series increments;
  double squares = 0;
  for (std::size_t k = 0; k < r.stretches.size(); ++k) {
    const std::size_t begin = r.stretches[k], end = k + 1 < r.stretches.size() ? r.stretches[k + 1] : r.t.size();
    double mean = 0;
    for (std::size_t i = begin; i < end; ++i) mean += (r.x[i] - from_v[i]) / static_cast<double>(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      squares += std::pow(r.x[i] - from_v[i] - mean, 2);
      if (i > begin && r.x[i] != r.x[i - 1]) increments.push_back(std::abs(r.x[i] - r.x[i - 1]));
    }
  }
  if (increments.empty()) return false;
  const auto middle = increments.begin() + static_cast<std::ptrdiff_t>(increments.size() / 2);
  std::ranges::nth_element(increments, middle);
  return squares < *middle * *middle * static_cast<double>(r.x.size());
}

/// Median displacement from row to row.
double usual_move(const Recording& r) {
  Series moves;
  for (std::size_t i = 1; i < r.x.size(); ++i) moves.push_back(std::abs(r.x[i] - r.x[i - 1]));
  if (moves.empty()) return 0;
  const auto middle = moves.begin() + static_cast<std::ptrdiff_t>(moves.size() / 2);
  std::ranges::nth_element(moves, middle);
  return *middle;
}

/// Description of the differentiation.
std::string smoothed(double hertz, bool given, double nyquist) {
  if (!given && hertz > nyquist) return "no visible noise at this sampling rate";
  return fmt::format("zero-phase smoothing at {:.3g} Hz ({})", hertz,
                     given ? "--bandwidth" : "estimated from the noise; --bandwidth sets it");
}

/// Standard deviation of a smoothed derivative of white noise: of the second one of positions (m = 3), of the first one of
/// velocities (m = 2). The integrals of w^2d / (1 + (w/wc)^2m)^2.
double derived_noise(double noise, double hertz, double step, int m) {
  const double integral = m == 3 ? two_pi / 36 : std::sqrt(2.0) * two_pi / 32, order = 2 * (m - 1);
  return noise * std::sqrt(2 * step * std::pow(two_pi, order) * std::pow(hertz, order + 1) * integral);
}

/// The same with the ends of the segments, where the smoother knows one side only: the squared errors at both ends are
/// together those of about 1000 periods of the bandwidth elsewhere (measured, with orders 2 and 3).
double with_ends(double noise, double hertz, const Recording& r) {
  const double duration = std::max(r.t.back() - r.t.front(), 1e-300), ends = static_cast<double>(r.stretches.size());
  return noise * std::sqrt(1 + 1000 * ends / std::max(hertz * duration, 1.0));
}

double rms_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(a.size(), 1)));
}

/// Rows at a change of speed: the force shows on which side they are. Of a law of the speed it changes there at once; if
/// it does not, the side does not matter.
void assign_sides(const std::vector<Pieces::Unsure>& unsure, Recording& r) {
  const Series& y = r.target();
  for (const Pieces::Unsure& rows : unsure) {
    std::size_t first = rows.from;  // after the change
    for (std::size_t i = rows.from; i <= rows.to; ++i) {
      if (std::abs(y[i] - y[i - 1]) > std::abs(y[first] - y[first - 1])) first = i;
    }
    for (std::size_t i = rows.from; i < rows.to; ++i) r.v[i] = i < first ? rows.before : rows.after;
  }
}

bool short_stretch(const Recording& r) {
  for (std::size_t k = 0; k < r.stretches.size(); ++k) {
    const std::size_t end = k + 1 < r.stretches.size() ? r.stretches[k + 1] : r.t.size();
    if (end - r.stretches[k] < 4) return true;
  }
  return false;
}

}  // namespace

double complete_motion(Recording& r, double bandwidth, Findings& findings) {
  if (short_stretch(r)) return 0;
  const bool given = bandwidth > 0;
  const double nyquist = 0.5 / median_step(samples_of(r, r.t));
  Smoothed from_x;
  double x_hertz = 0, noise = 0;
  if (!r.x.empty()) {
    const Bandwidth found = given ? Bandwidth{bandwidth} : choose_bandwidth(samples_of(r, r.x), 3);
    x_hertz = found.hertz;
    noise = found.noise;
    from_x = smooth(samples_of(r, r.x), x_hertz, 3);
  }
  bool use_v = !r.v.empty();
  const Bandwidth of_v = !use_v ? Bandwidth{} : choose_bandwidth(samples_of(r, r.v), 2);
  if (!r.x.empty() && use_v) {
    const Agreement a = compare(from_x.rate, r.v);
    const double late = a.lag * 0.5 / nyquist;
    const bool agrees = std::abs(a.factor - 1) < 0.05 && a.share > 0.9 && std::abs(a.lag) <= 1;
    if (agrees || leads_to_positions(r)) {
      // Independent errors: the squared difference is the sum of both variances, and v shows its own in its roughness.
      const double own = std::min(of_v.noise, roughness(r));
      use_v = of_v.hertz >= nyquist || 2 * own * own <= a.difference * a.difference;
      const std::string how = agrees ? fmt::format("agrees with the derivative of x within {:.2g} %",
                                                   100 * std::sqrt(1 - std::min(1.0, a.share)))
                                     : "leads to the positions within one of their increments";
      findings.push_back(
          {false, use_v ? fmt::format("v {} and is used: it contains less noise than the derivative", how)
                        : fmt::format("v contains noise of {:.2g} {}, more than the derivative of x, which is used "
                                      "instead; --column x=none uses v",
                                      own, r.rotational ? "rad/s" : "m/s")});
    } else {
      use_v = false;
      std::string what = a.share < 0.5                    ? "is not correlated with the derivative of x"
                         : std::abs(a.factor - 1) >= 0.05 ? fmt::format("is {:.3g} times the derivative of x", a.factor)
                                                          : "differs from the derivative of x";
      if (a.lag != 0) what += fmt::format(", {:.3g} ms {}", 1e3 * std::abs(late), late > 0 ? "late" : "early");
      findings.push_back(
          {true, fmt::format("v {}: the derivative of x is used instead; --column x=none uses v", what)});
    }
  }
  // Constant speeds of a servo: a smoother would keep noise in them and round their steps. Twice the noise allows for
  // the wobble of a screw. With inertia (u) a step without acceleration would be wrong.
  // The noise of a precise sensor cannot be distinguished from a step of the speed, but is small compared with a row.
  const auto pieces = use_v || given ? std::nullopt
                                     : straight_pieces(samples_of(r, r.x), std::max(2 * noise, 0.02 * usual_move(r)),
                                                       r.u.empty() ? 8 : 1);
  if (pieces) {
    std::string speeds;
    for (const double v : pieces->speeds) speeds += fmt::format("{}{:.3g}", speeds.empty() ? "" : ", ", v);
    findings.push_back({false, fmt::format("v from x, piecewise linear within {:.2g} {}: {} {} ({})", pieces->rest,
                                           r.rotational ? "rad" : "m", speeds, r.rotational ? "rad/s" : "m/s",
                                           "--bandwidth differentiates instead")});
    r.x = pieces->x;
    r.v = pieces->v;
    assign_sides(pieces->unsure, r);
    r.a.assign(r.x.size(), 0.0);
    return 0;
  }
  if (!use_v) {
    findings.push_back({false, fmt::format("v and a from x, {}", smoothed(x_hertz, given, nyquist))});
    r.a_noise =
        derived_noise(given ? rms_difference(r.x, from_x.y) : noise, std::min(x_hertz, nyquist), 0.5 / nyquist, 3);
    r.a_noise = with_ends(r.a_noise, x_hertz, r);
    const Series measured = r.x;
    if (!r.motion) r.x = std::move(from_x.y);  // a simulation is compared with the measured position
    r.v = std::move(from_x.rate);
    r.a = std::move(from_x.second);
    settle(r, measured, x_hertz, noise, findings);
    return x_hertz;
  }
  // The measured v stays unsmoothed: a smoother would change the zeros at rest.
  const double v_hertz = given ? bandwidth : of_v.hertz;
  Smoothed of_speed = smooth(samples_of(r, r.v), v_hertz, 2);
  r.a = std::move(of_speed.rate);
  r.a_noise =
      derived_noise(given ? rms_difference(r.v, of_speed.y) : of_v.noise, std::min(v_hertz, nyquist), 0.5 / nyquist, 2);
  r.a_noise = with_ends(r.a_noise, v_hertz, r);
  findings.push_back({false, fmt::format("a from v, {}", smoothed(v_hertz, given, nyquist))});
  if (r.x.empty()) {
    r.x = integral(r);
    findings.push_back({false, "x from v by integration"});
  }
  return v_hertz;
}

Reduction::Reduction(const Recording& r, double rate) : whole(r), bandwidth(0.4 * rate) {
  const double step = median_step(samples_of(r, r.t));
  const double reach = 4 / bandwidth;  // s; weights beyond it are below 4e-6
  std::ptrdiff_t common = -1;          // weights of evenly spaced samples
  for (std::size_t k = 0; k < r.stretches.size(); ++k) {
    const std::size_t begin = r.stretches[k], end = k + 1 < r.stretches.size() ? r.stretches[k + 1] : r.t.size();
    stretches.push_back(kept.size());
    double next = r.t[begin];
    for (std::size_t i = begin; i < end; ++i) {
      if (r.t[i] < next - 0.5 * step) continue;
      kept.push_back(i);
      next += std::ceil((r.t[i] - next) * rate + 0.5) / rate;  // skips gaps

      const auto wide = static_cast<std::size_t>(reach / step);
      const std::size_t from = i - std::min(i - begin, wide), to = std::min(end, i + wide + 1);
      bool even = to - from == 2 * wide + 1;
      for (std::size_t j = from + 1; j < to && even; ++j) even = std::abs(r.t[j] - r.t[j - 1] - step) < 0.01 * step;
      if (even && common >= 0) {
        rows.push_back({from, static_cast<std::size_t>(common), to - from});
        continue;
      }
      // The smoother is symmetric: its response to an impulse at this sample gives the weights of all samples.
      Series one(to - from, 0.0);
      one[i - from] = 1;
      const std::size_t whole_stretch = 0;
      const Series given =
          smooth({std::span(r.t).subspan(from, to - from), one, std::span(&whole_stretch, 1)}, bandwidth, 3).y;
      if (even) common = static_cast<std::ptrdiff_t>(weights.size());
      rows.push_back({from, weights.size(), to - from});
      weights.insert(weights.end(), given.begin(), given.end());
    }
  }
}

Series Reduction::operator()(const Series& series) const {
  Series out;
  out.reserve(rows.size());
  for (const Row& row : rows) {
    double sum = 0;
    for (std::size_t k = 0; k < row.count; ++k) sum += weights[row.weights + k] * series[row.first + k];
    out.push_back(sum);
  }
  return out;
}

void reduce_rate(Recording& r, double rate, Findings& findings) {
  const double before = 1 / median_step(samples_of(r, r.t));
  if (rate >= 0.75 * before) {
    findings.push_back(
        {true, fmt::format("--rate ignored: {1:.4g} Hz is not much less than the {0:.4g} Hz of the recording", before,
                           rate)});
    return;
  }
  const auto reduction = std::make_shared<const Reduction>(r, rate);
  const Reduction& reduce = *reduction;
  Recording out = r;
  for (auto* sparse : {&out.sparse_x, &out.sparse_v, &out.sparse_a})
    sparse->clear();  // of rows that are no longer there
  out.reduction = reduction;
  for (std::vector<double> Recording::* s :
       {&Recording::x, &Recording::v, &Recording::a, &Recording::F, &Recording::u, &Recording::N, &Recording::T,
        &Recording::sigma, &Recording::load, &Recording::ref, &Recording::on}) {
    if (!(r.*s).empty()) out.*s = reduce(r.*s);
  }
  for (Term& term : out.terms) term.values = reduce(term.values);
  out.t.clear();
  for (const std::size_t i : reduce.kept) out.t.push_back(r.t[i]);
  out.stretches = reduce.stretches;
  r = std::move(out);
  findings.push_back(
      {false, fmt::format(
                  "measured and computed forces re-sampled: zero-phase filter at {:.3g} Hz, {:.4g} Hz to {:.4g} Hz, {}",
                  reduce.bandwidth, before, rate, rows(r.t.size()))});
}

}  // namespace bristle::identify
