#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/linear.hpp"
#include "identify/experiments.hpp"
#include "identify/statistics.hpp"

/// Small loops of force over displacement: stiffness after a reversal, and Masing's rules.
namespace bristle::identify {
namespace {

/// Force over the displacement from a reversal, both counted from there in the direction of motion.
struct Branch {
  const Track* track = nullptr;
  std::size_t from = 0, to = 0;
  double sign = 1, length = 0;
  bool virgin = false;  // from rest without force
  double s(std::size_t i) const { return sign * (track->x[i] - track->x[from]); }
  double f(std::size_t i) const { return sign * track->y[i]; }
};

/// Reversals of the position: extremes that differ by more than `least`.
std::vector<std::size_t> reversals(const Track& k, double least) {
  std::vector<std::size_t> out;
  std::size_t low = 0, high = 0;
  int direction = 0;
  for (std::size_t i = 1; i < k.size(); ++i) {
    if (k.x[i] > k.x[high]) high = i;
    if (k.x[i] < k.x[low]) low = i;
    if (direction >= 0 && k.x[i] < k.x[high] - least) {
      if (direction > 0) out.push_back(high);
      direction = -1;
      low = i;
    } else if (direction <= 0 && k.x[i] > k.x[low] + least) {
      if (direction < 0) out.push_back(low);
      direction = 1;
      high = i;
    }
  }
  return out;
}

/// Median force of the rows whose displacement lies between two fractions of a branch.
double force_within(const Branch& b, double from, double to) {
  std::vector<double> f;
  for (std::size_t i = b.from; i < b.to; ++i) {
    const double s = b.s(i) / b.length;
    if (s >= from && s <= to) f.push_back(b.f(i));
  }
  return f.empty() ? std::nan("") : median(f);
}

/// Whether the force still grows at the end of the branch, and by a friction that reverses: pre-sliding.
bool in_presliding(const Branch& b) {
  const double first = force_within(b, 0.02, 0.12), second = force_within(b, 0.12, 0.22);
  const double third = force_within(b, 0.75, 0.85), last = force_within(b, 0.88, 0.98);
  const double swing = last - first;
  return second - first > 0.05 * swing && swing > 0 && last - third > 0.1 * (second - first) &&
         last - third < 0.95 * (second - first) && first < 0 && last > 0;
}

/// Difference of two opposite branches at a fraction of the first one: the force that reverses with the motion.
double width_at(const Branch& b, const Branch& back, double part) {
  const double x = b.track->x[b.from] + b.sign * part * b.length;
  const double there = back.sign * (x - back.track->x[back.from]) / back.length;
  return force_within(b, part - 0.05, part + 0.05) + force_within(back, there - 0.05, there + 0.05);
}

/// Whether the branches meet in two points, as those of a hysteresis: its force changes gradually after a reversal.
/// Friction of sliding reverses at once, so that its branches are parallel along a weight or a spring, and those of
/// viscous friction in a harmonic motion enclose an ellipse, still 0.6 wide a tenth of the stroke after a reversal.
bool is_hysteresis(const Branch& b, const Branch& back) {
  const double middle = width_at(b, back, 0.5), ends = width_at(b, back, 0.1) + width_at(b, back, 0.9);
  return middle > 0 && ends < 2 * 0.55 * middle;
}

std::vector<Branch> branches_of(const Track& k) {
  constexpr std::size_t fewest = 20;
  std::vector<Branch> out;
  if (k.size() < 2 * fewest) return out;
  const auto [low, high] = std::ranges::minmax(k.x);
  const std::vector<std::size_t> turns = reversals(k, 0.05 * (high - low));
  std::vector<Branch> all;
  for (std::size_t j = 0; j + 1 < turns.size(); ++j) {
    Branch& b = all.emplace_back(&k, turns[j], turns[j + 1] + 1);
    const double way = k.x[turns[j + 1]] - k.x[turns[j]];
    b.sign = way > 0 ? 1 : -1;
    b.length = std::abs(way);
  }
  for (std::size_t j = 0; j < all.size() && all.size() > 1; ++j) {
    const Branch& b = all[j];
    if (b.to - b.from >= fewest && in_presliding(b) && is_hysteresis(b, j + 1 < all.size() ? all[j + 1] : all[j - 1]))
      out.push_back(b);
  }
  return out;
}

/// Part of the branches in which the force gains a quarter of its swing. A noisy force does not choose single rows.
double first_quarter(const std::vector<Branch>& branches) {
  constexpr int steps = 40;
  std::vector<double> parts;
  for (const Branch& b : branches) {
    const double begin = force_within(b, 0, 0.05), end = force_within(b, 0.95, 1);
    for (int j = 1; j < steps; ++j) {
      const double f = force_within(b, (j - 0.5) / steps, (j + 0.5) / steps);
      if (!(f - begin > 0.25 * (end - begin))) continue;
      parts.push_back(static_cast<double>(j) / steps);
      break;
    }
  }
  return median(parts);
}

/// Sums for the regression f = c_b + k s + c s^2 (+ d |v|) over the first part of one branch, c_b its own.
struct Sums {
  Eigen::MatrixXd A;
  Eigen::VectorXd right;
  double squares = 0;
  std::size_t rows = 0;

  explicit Sums(Eigen::Index columns)
      : A(Eigen::MatrixXd::Zero(columns, columns)), right(Eigen::VectorXd::Zero(columns)) {}
  void add(const Sums& other, double sign = 1) {
    A += sign * other.A;
    right += sign * other.right;
    squares += sign * other.squares;
    rows = sign > 0 ? rows + other.rows : rows - other.rows;
  }
  Eigen::VectorXd solution() const { return linear::solve(A, right); }
  double slope() const { return rows > 0 ? solution()[0] : 0; }
  double rest() const { return std::max(0.0, squares - solution().dot(right)) / static_cast<double>(rows); }
};

/// Of every branch; displacements and speeds in the given units.
std::vector<Sums> sums_of(const std::vector<Branch>& branches, double part, bool with_speed, double length,
                          double speed) {
  const Eigen::Index columns = with_speed ? 3 : 2;
  std::vector<Sums> out;
  for (const Branch& b : branches) {
    Sums& sums = out.emplace_back(columns);
    std::size_t to = b.from;
    while (to < b.to && b.s(to) < part * b.length) ++to;
    const std::size_t n = to - b.from;
    if (n < 6) continue;
    Eigen::MatrixXd rows(static_cast<Eigen::Index>(n), columns + 1);
    for (std::size_t i = 0; i < n; ++i) {
      const double s = b.s(b.from + i) / length;
      const auto at = static_cast<Eigen::Index>(i);
      rows(at, 0) = s;
      rows(at, 1) = s * s;
      if (with_speed) rows(at, 2) = std::abs(b.track->v[b.from + i]) / speed;
      rows(at, columns) = b.f(b.from + i);
    }
    rows.rowwise() -= rows.colwise().mean().eval();
    sums.A = rows.leftCols(columns).transpose() * rows.leftCols(columns);
    sums.right = rows.leftCols(columns).transpose() * rows.col(columns);
    sums.squares = rows.col(columns).squaredNorm();
    sums.rows = n;
  }
  return out;
}
Sums total(const std::vector<Sums>& all) {
  Sums out(all.front().right.size());
  for (const Sums& e : all) out.add(e);
  return out;
}

Observation about(const std::vector<Branch>& branches, const char* name, const char* unit) {
  Observation o{.experiment = "small loops", .name = name, .unit = unit, .repetitions = branches.size()};
  for (const Branch& b : branches) {
    o.rows += b.to - b.from;
    const std::string& recording = b.track->recording->name;
    if (std::ranges::find(o.recordings, recording) == o.recordings.end()) o.recordings.push_back(recording);
  }
  const Branch& first = branches.front();
  o.from = first.track->t[first.from];
  o.to = first.track->t[first.to - 1];
  return o;
}

void add_stiffness(const std::vector<Branch>& branches, std::vector<Observation>& out) {
  const double part = first_quarter(branches);
  double length = 0, speed = 0;
  for (const Branch& b : branches) {
    length = std::max(length, b.length);
    for (std::size_t i = b.from; i < b.to; ++i) speed = std::max(speed, std::abs(b.track->v[i]));
  }
  auto sums = [&](double range, bool with_speed) { return sums_of(branches, range, with_speed, length, speed); };
  std::vector<Sums> each = sums(part, false);
  Sums all = total(each);
  if (all.rows == 0 || !(all.slope() > 0)) return;
  // A force in proportion to the speed is part of the slope over the displacement; it must be visible to be removed.
  const std::vector<Sums> viscous = sums(part, true);
  const bool with_speed = static_cast<double>(all.rows) * std::log(total(viscous).rest() / all.rest()) < -10;
  if (with_speed) {
    each = viscous;
    all = total(each);
  }
  const double value = all.slope() / length;
  std::vector<double> others;  // jackknife over branches: noise of any correlation within a branch
  for (const Sums& e : each) {
    Sums rest = all;
    rest.add(e, -1);
    others.push_back(rest.slope() / length);
  }
  const auto count = static_cast<double>(branches.size());
  const double error = standard_deviation(others) * (count - 1) / std::sqrt(count);
  const Sums shorter = total(sums(0.5 * part, with_speed));  // curvature beyond a parabola
  const double bias = shorter.rows > 0 ? std::abs(shorter.slope() / length - value) : 0.1 * value;
  Observation o = about(branches, "stiffness", "N/m");
  o.value = value;
  const double half = student_95(count - 1) * error + bias;
  o.low = value - half;
  o.high = value + half;
  o.scatter = error * std::sqrt(count);
  if (!branches.front().track->recording->u.empty()) o.remark = "includes the inertia of the moving part";
  if (half < 0.5 * value) out.push_back(std::move(o));
}

/// Force gained on a grid of displacements, relative to its mean on the grid.
std::vector<double> on_grid(const Branch& b, double length, std::size_t points) {
  const double scale = b.virgin ? 2 : 1;  // Masing: a branch is the virgin curve, doubled
  std::vector<double> sum(points, 0.0), n(points, 0.0);
  for (std::size_t i = b.from; i < b.to; ++i) {
    const double place = scale * b.s(i) / length * static_cast<double>(points);
    if (!(place >= 0 && place < static_cast<double>(points))) continue;
    sum[static_cast<std::size_t>(place)] += scale * b.f(i);
    n[static_cast<std::size_t>(place)] += 1;
  }
  double mean = 0, used = 0;
  for (std::size_t p = 0; p < points; ++p) {
    sum[p] = n[p] > 0 ? sum[p] / n[p] : std::nan("");
    if (n[p] > 0) mean += sum[p], used += 1;
  }
  for (double& e : sum) e -= mean / used;
  return sum;
}

/// The virgin curve before the first branch of a track, if the recording begins at rest without force.
void add_virgin(std::vector<Branch>& compared, const Branch& first) {
  const Track& k = *first.track;
  const double swing = force_within(first, 0.9, 1) - force_within(first, 0, 0.1);
  std::size_t rest = 0;  // last row near the initial position
  for (std::size_t i = 0; i < first.from; ++i) {
    if (std::abs(k.x[i] - k.x[0]) < 0.02 * first.length) rest = i;
  }
  Branch b{&k, rest, first.from + 1, -first.sign, std::abs(k.x[first.from] - k.x[rest]), true};
  const bool monotonic = b.length > 0.35 * first.length && b.to - b.from >= 20;
  if (monotonic && std::abs(median({k.y.begin(), k.y.begin() + static_cast<std::ptrdiff_t>(rest + 1)})) < 0.03 * swing)
    compared.push_back(b);
}

void add_masing(const std::vector<Branch>& branches, std::vector<Observation>& out) {
  double longest = 0, shortest = inf;
  for (const Branch& b : branches) longest = std::max(longest, b.length);
  std::vector<Branch> compared;
  for (const Branch& b : branches) {
    if (b.length < 0.4 * longest) continue;
    compared.push_back(b);
    shortest = std::min(shortest, b.length);
  }
  const std::size_t reversed = compared.size();
  add_virgin(compared, branches.front());
  constexpr std::size_t points = 16;
  std::vector<std::vector<double>> curves;
  curves.reserve(compared.size());
  for (const Branch& b : compared)
    curves.push_back(on_grid(b, std::min(shortest, b.virgin ? 2 * b.length : shortest), points));
  // Deviation of the mean curve of each kind (direction, virgin) from the mean of all, so that noise averages out.
  double swing = 0, squares = 0, noise = 0, used = 0;
  for (std::size_t p = 0; p < points; ++p) {
    std::array<std::vector<double>, 3> kinds;
    for (std::size_t j = 0; j < curves.size(); ++j) {
      if (std::isfinite(curves[j][p]))
        kinds[compared[j].virgin ? 2 : compared[j].sign > 0 ? 0 : 1].push_back(curves[j][p]);
    }
    auto mean = [](const std::vector<double>& x) {
      double sum = 0;
      for (const double e : x) sum += e / static_cast<double>(x.size());
      return sum;
    };
    if (kinds[0].empty() || kinds[1].empty()) continue;
    const double up = mean(kinds[0]), down = mean(kinds[1]), both = 0.5 * (up + down);
    double variance = 0;
    for (const auto& kind : {kinds[0], kinds[1]})
      variance += kind.size() > 1 ? std::pow(standard_deviation(kind), 2) / static_cast<double>(kind.size()) : 0;
    squares += (up - down) * (up - down);
    noise += variance;
    used += 1;
    if (!kinds[2].empty()) squares += std::pow(mean(kinds[2]) - both, 2), noise += 0.25 * variance, used += 1;
    swing = std::max(swing, 2 * std::abs(both));
  }
  if (!(used > 4) || !(swing > 0)) return;
  Observation o = about(compared, "Masing deviation", "%");
  const double deviation = 100 * std::sqrt(squares / used) / swing, floor = 100 * std::sqrt(noise / used) / swing;
  o.value = deviation;
  o.low = std::max(0.0, deviation - 2 * floor);
  o.high = deviation + 2 * floor;
  o.scatter = floor;
  o.remark = std::string(o.low > 5    ? "branches are not congruent: not a Masing hysteresis"
                         : o.high < 5 ? "branches are congruent: Masing's rules hold"
                                      : "congruence of the branches is not certain") +
             (compared.size() > reversed ? ", virgin curve included" : "");
  out.push_back(std::move(o));
}

}  // namespace

std::vector<Observation> small_loops(const std::vector<Track>& tracks) {
  std::vector<Branch> all;
  for (const Track& k : tracks) {
    const std::vector<Branch> own = branches_of(k);
    if (own.size() >= 2) all.insert(all.end(), own.begin(), own.end());
  }
  std::vector<Observation> out;
  if (all.size() < 3) return out;
  add_stiffness(all, out);
  add_masing(all, out);
  return out;
}

}  // namespace bristle::identify
