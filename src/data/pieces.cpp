#include "data/pieces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/linear.hpp"

namespace bristle::identify {
namespace {

constexpr std::size_t fewest_samples = 20, most_bins = 1000;

/// x(t) = c0 + c1 t + sum of c_j (t - knot_j)+ on t from 0 to 1 with free knots.
class Polygon {
 public:
  Polygon(std::vector<double> t, std::vector<double> x) : t_(std::move(t)), x_(std::move(x)) { solve(); }

  /// Adds a knot where it reduces the error most, then optimises all knots.
  void add_knot() {
    constexpr int places = 100;
    const std::vector<double> before = knots_;
    double best = std::numeric_limits<double>::infinity(), where = 0.5;
    for (int i = 1; i < places; ++i) {
      knots_ = before;
      knots_.push_back(static_cast<double>(i) / places);
      const double left = solve();
      if (left < best) best = left, where = knots_.back();
    }
    knots_ = before;
    knots_.push_back(where);
    std::ranges::sort(knots_);
    solve();
    for (int round = 0; round < 30; ++round) improve();
  }
  double at(double t) const {
    double sum = c_[0] + c_[1] * t;
    for (std::size_t j = 0; j < knots_.size(); ++j) sum += c_[place(j)] * std::max(0.0, t - knots_[j]);
    return sum;
  }
  double slope(double t) const {
    double sum = c_[1];
    for (std::size_t j = 0; j < knots_.size(); ++j) sum += t > knots_[j] ? c_[place(j)] : 0;
    return sum;
  }
  const std::vector<double>& knots() const { return knots_; }

 private:
  static Eigen::Index place(std::size_t knot) { return static_cast<Eigen::Index>(knot) + 2; }
  Eigen::MatrixXd columns(bool with_knots) const {
    const auto n = static_cast<Eigen::Index>(t_.size()), k = static_cast<Eigen::Index>(knots_.size());
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, 2 + (with_knots ? 2 * k : k));
    for (Eigen::Index i = 0; i < n; ++i) {
      const double t = t_[static_cast<std::size_t>(i)];
      A(i, 0) = 1;
      A(i, 1) = t;
      for (std::size_t j = 0; j < knots_.size(); ++j) {
        if (t <= knots_[j]) continue;
        A(i, place(j)) = t - knots_[j];
        if (with_knots) A(i, place(j) + k) = -c_[place(j)];
      }
    }
    return A;
  }
  double solve() {
    const Eigen::Map<const Eigen::VectorXd> x(x_.data(), static_cast<Eigen::Index>(x_.size()));
    const Eigen::MatrixXd A = columns(false);
    c_ = linear::solve(A.transpose() * A, A.transpose() * x);
    return (x - A * c_).squaredNorm();
  }
  /// One Gauss-Newton step for the knots, accepted if the error decreases.
  void improve() {
    const Eigen::Map<const Eigen::VectorXd> x(x_.data(), static_cast<Eigen::Index>(x_.size()));
    const std::vector<double> before = knots_;
    const double old = solve();
    const Eigen::MatrixXd A = columns(true);
    const auto k = static_cast<Eigen::Index>(knots_.size());
    const Eigen::VectorXd step = linear::least_squares(A, x - A.leftCols(2 + k) * c_);
    for (double part = 1; part > 0.1; part /= 2) {
      for (std::size_t j = 0; j < knots_.size(); ++j)
        knots_[j] = std::clamp(before[j] + part * step[place(j) + k], t_.front(), t_.back());
      if (std::ranges::is_sorted(knots_) && solve() <= old) return;
    }
    knots_ = before;
    solve();
  }

  std::vector<double> t_, x_, knots_{};
  Eigen::VectorXd c_{};
};

/// Means over equal numbers of samples, with time scaled to 0...1.
Polygon coarse(const Samples& s, std::size_t from, std::size_t to) {
  const std::size_t n = to - from, bins = std::min(n, most_bins);
  std::vector<double> t(bins), x(bins);
  for (std::size_t b = 0; b < bins; ++b) {
    const std::size_t first = from + b * n / bins, last = from + (b + 1) * n / bins;
    for (std::size_t i = first; i < last; ++i) {
      t[b] += (s.t[i] - s.t[from]) / (s.t[to - 1] - s.t[from]) / static_cast<double>(last - first);
      x[b] += s.y[i] / static_cast<double>(last - first);
    }
  }
  return {std::move(t), std::move(x)};
}

/// The time of a change of speed is where two fitted lines intersect. It is uncertain by the noise of both, and by the
/// means over several samples that they were fitted to.
void add_unsure(const Samples& s, std::size_t from, std::size_t to, double knot, double rest, Pieces::Unsure rows,
                std::vector<Pieces::Unsure>& out) {
  const double step = (s.t[to - 1] - s.t[from]) / static_cast<double>(to - from - 1);
  const auto place = std::ranges::lower_bound(s.t.begin() + static_cast<std::ptrdiff_t>(from),
                                              s.t.begin() + static_cast<std::ptrdiff_t>(to), knot);
  const auto before = static_cast<double>(place - s.t.begin()) - static_cast<double>(from),
             after = static_cast<double>(to - from) - before;
  const double noise = 2 * rest * std::sqrt(1 / std::max(before, 1.0) + 1 / std::max(after, 1.0));
  const double error = 3 * noise / std::abs(rows.after - rows.before) +
                       step * (0.02 + 1e-3 * static_cast<double>(to - from) / static_cast<double>(most_bins));
  rows.from = static_cast<std::size_t>(place - s.t.begin());
  rows.to = rows.from;
  while (rows.from > from + 1 && s.t[rows.from - 1] >= knot - error) --rows.from;
  while (rows.to + 1 < to && s.t[rows.to] <= knot + error) ++rows.to;
  if (rows.to > rows.from) out.push_back(rows);
}

}  // namespace

std::optional<Pieces> straight_pieces(const Samples& s, double tolerance, std::size_t most) {
  Pieces out;
  double squares = 0;
  for (std::size_t k = 0; k < s.stretches.size(); ++k) {
    const std::size_t from = s.stretches[k], to = k + 1 < s.stretches.size() ? s.stretches[k + 1] : s.t.size();
    if (to - from < fewest_samples) return {};
    const double begin = s.t[from], span = s.t[to - 1] - begin;
    Polygon polygon = coarse(s, from, to);
    auto place = [&](std::size_t i) { return (s.t[i] - begin) / span; };
    double rest = 0;
    for (std::size_t pieces = 1;; ++pieces) {
      rest = 0;
      for (std::size_t i = from; i < to; ++i) rest += std::pow(s.y[i] - polygon.at(place(i)), 2);
      if (rest <= tolerance * tolerance * static_cast<double>(to - from)) break;
      if (pieces == most) return {};
      polygon.add_knot();
    }
    squares += rest;
    std::vector<double> ends = polygon.knots();
    ends.push_back(1);
    double last = 0;
    for (const double end : ends) {
      double speed = polygon.slope(0.5 * (last + end)) / span;
      if (std::abs(speed) * (end - last) * span < 3 * tolerance) speed = 0;  // at rest
      const auto samples = std::count_if(s.t.begin() + static_cast<std::ptrdiff_t>(from),
                                         s.t.begin() + static_cast<std::ptrdiff_t>(to), [&](double t) {
                                           const double here = (t - begin) / span;
                                           return here > last && here <= end;
                                         });
      if (static_cast<std::size_t>(samples) < fewest_samples) return {};
      out.speeds.push_back(speed);
      last = end;
    }
    const std::size_t first = out.speeds.size() - ends.size();
    for (std::size_t j = 0; j + 1 < ends.size(); ++j)
      add_unsure(s, from, to, begin + span * ends[j], std::sqrt(rest / static_cast<double>(to - from)),
                 {.before = out.speeds[first + j], .after = out.speeds[first + j + 1]}, out.unsure);
    for (std::size_t i = from; i < to; ++i) {
      const auto piece = static_cast<std::size_t>(std::ranges::lower_bound(ends, place(i)) - ends.begin());
      out.x.push_back(polygon.at(place(i)));
      out.v.push_back(out.speeds[first + std::min(piece, ends.size() - 1)]);
    }
  }
  const auto [slowest, fastest] = std::ranges::minmax(out.speeds);
  if (slowest * fastest < 0 || (slowest == 0 && fastest == 0)) return {};
  out.rest = std::sqrt(squares / static_cast<double>(s.t.size()));
  return out;
}

}  // namespace bristle::identify
