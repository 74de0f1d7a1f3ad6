#include "bristle/identify/population.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>

#include "base/linear.hpp"
#include "base/parallel.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/simulate.hpp"
#include "bristle/version.hpp"
#include "identify/blocks.hpp"
#include "identify/statistics.hpp"

namespace bristle::identify {
namespace {

constexpr std::size_t n_free = 6;
using Logs = std::array<double, n_free>;  // ln of the free parameters
constexpr std::array<const char*, n_free> names{"scale", "kt", "mu0", "tau", "wavelength", "mass"};
constexpr std::array<const char*, n_free> units{"1", "N/m", "1", "s", "m", "kg"};
constexpr double step = 0.05;  // in ln p: smaller ones see events that do not move
constexpr const char* no_sliding =
    "no sliding over several wavelengths at three speeds or more; mu0, tau, wavelength, mass are not determined";
constexpr std::size_t at_mu0 = 2, at_wavelength = 4, at_mass = 5;

GfmParams params_of(const Logs& q, int asperities, std::int64_t seed) {
  GfmParams p;
  p.asperities = asperities;
  p.seed = seed;
  p.scale = std::exp(q[0]);
  p.kt = std::exp(q[1]);
  p.mu0 = std::min(std::exp(q[2]), p.mu_inf);
  p.tau = std::exp(q[3]);
  p.wavelength = std::exp(q[4]);
  p.mass = std::exp(q[5]);
  return p;
}

/// The motion of all recordings; each starts with a new population at rest.
struct Motions {
  std::vector<std::vector<asperity::Step>> steps{};
  std::vector<double> F{};  // measured
  std::size_t rows = 0;

  explicit Motions(const std::vector<Recording>& recordings) {
    for (const Recording& r : recordings) {
      auto& s = steps.emplace_back();
      for (std::size_t i = 1; i < r.t.size(); ++i) s.push_back({r.x[i] - r.x[0], r.t[i] - r.t[i - 1]});
      F.insert(F.end(), r.F.begin(), r.F.end());
      rows += r.t.size();
    }
  }
  /// The force of a population at every row; the first row of a recording is 0.
  std::vector<double> force(const GfmParams& p) const {
    std::vector<double> out;
    out.reserve(rows);
    Gfm g(p, false);
    for (const auto& s : steps) {
      g.reset();
      std::vector<asperity::Record> records(s.size());
      g.run(s, records);
      out.push_back(0);
      double before = 0;
      for (std::size_t i = 0; i < s.size(); ++i) {
        const double path = s[i].u - before;
        const double impact = path != 0 ? std::copysign(records[i].W_imp / std::abs(path), path) : 0;
        out.push_back(p.scale * (records[i].F + impact));
        before = s[i].u;
      }
    }
    return out;
  }
};

struct Solution {
  Logs q{};
  double cost = HUGE_VAL;
  Logs sd{};  // of the fit
};

/// Least squares of one seed.
class Search {
 public:
  Search(const Motions& motions, const Blocks& blocks, int asperities, std::int64_t seed,
         std::atomic<std::size_t>& runs, const std::function<void()>& tick)
      : motions_(motions), blocks_(blocks), asperities_(asperities), seed_(seed), runs_(runs), tick_(tick) {
    const double size = std::sqrt(std::inner_product(motions.F.begin(), motions.F.end(), motions.F.begin(), 0.0) /
                                  static_cast<double>(motions.F.size()));
    measured_ = blocks.means(motions.F);
    weights_ = blocks.weights();
    for (double& w : weights_) w /= size;
  }
  Eigen::VectorXd residuals(const Logs& q) const {
    tick_();
    ++runs_;
    const std::vector<double> model = blocks_.means(motions_.force(params_of(q, asperities_, seed_)));
    Eigen::VectorXd out(static_cast<Eigen::Index>(model.size()));
    for (std::size_t i = 0; i < model.size(); ++i)
      out[static_cast<Eigen::Index>(i)] = weights_[i] * (model[i] - measured_[i]);
    return out;
  }
  double cost(const Logs& q) const { return residuals(q).squaredNorm(); }

  Solution from(const Logs& start, int rounds) const {
    Solution out{.q = start};
    Eigen::VectorXd r = residuals(start);
    out.cost = r.squaredNorm();
    double damping = 1e-2;
    Eigen::MatrixXd J;
    for (int round = 0; round < rounds; ++round) {
      J = jacobian(out.q, r);
      const Eigen::MatrixXd A = J.transpose() * J;
      const Eigen::VectorXd b = -J.transpose() * r;
      bool better = false;
      double gain = 0;
      for (int trial = 0; trial < 6 && !better; ++trial) {
        Eigen::MatrixXd damped = A;
        for (Eigen::Index k = 0; k < damped.rows(); ++k) damped(k, k) += damping * A(k, k) + 1e-12 * A.trace();
        const Eigen::VectorXd d = linear::solve(damped, b);
        Logs next = out.q;
        for (std::size_t k = 0; k < n_free; ++k) next[k] += std::clamp(d[static_cast<Eigen::Index>(k)], -0.7, 0.7);
        next[at_mu0] = std::min(next[at_mu0], -1e-3);  // mu0 < mu_inf = 1
        const Eigen::VectorXd after = residuals(next);
        if (after.squaredNorm() < out.cost) {
          gain = 1 - after.squaredNorm() / out.cost;
          out.q = next;
          out.cost = after.squaredNorm();
          r = after;
          damping = std::max(1e-6, damping / 5);
          better = true;
        } else {
          damping = std::max(1e-3, damping * 6);
        }
      }
      if (!better || gain < 1e-4) break;
    }
    J = jacobian(out.q, r);
    const auto n = static_cast<double>(r.size());
    const Eigen::MatrixXd A = J.transpose() * J;
    const double variance = out.cost / std::max(1.0, n - static_cast<double>(n_free));
    for (std::size_t k = 0; k < n_free; ++k) {
      Eigen::VectorXd unit = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n_free));
      unit[static_cast<Eigen::Index>(k)] = 1;
      const double entry = linear::solve(A, unit)[static_cast<Eigen::Index>(k)];
      out.sd[k] = entry > 0 && std::isfinite(entry) ? std::sqrt(variance * entry) : HUGE_VAL;
    }
    return out;
  }

 private:
  Eigen::MatrixXd jacobian(const Logs& q, const Eigen::VectorXd& r) const {
    Eigen::MatrixXd J(r.size(), static_cast<Eigen::Index>(n_free));
    for (std::size_t k = 0; k < n_free; ++k) {
      Logs up = q, down = q;
      up[k] += step;
      down[k] -= step;
      J.col(static_cast<Eigen::Index>(k)) = (residuals(up) - residuals(down)) / (2 * step);
    }
    return J;
  }

  const Motions& motions_;
  const Blocks& blocks_;
  int asperities_;
  std::int64_t seed_;
  std::atomic<std::size_t>& runs_;
  const std::function<void()>& tick_;
  std::vector<double> measured_, weights_;
};

/// Sizes in the recordings, for the start of the search.
struct Sizes {
  double F{}, stiffness{}, v_slow{}, v_fast{}, travel{};
};
Sizes sizes_of(const std::vector<Recording>& recordings) {
  Sizes out{.v_slow = HUGE_VAL};
  std::vector<double> forces, stiffnesses;
  for (const Recording& r : recordings) {
    double sign = 0, travel = 0;
    for (std::size_t i = 1; i < r.t.size(); ++i) {
      const double dx = r.x[i] - r.x[i - 1], speed = std::abs(dx) / (r.t[i] - r.t[i - 1]);
      if (dx == 0) continue;
      const double side = dx > 0 ? 1 : -1;
      if (side != sign) {
        travel = 0;
        if (sign != 0 && i + 1 < r.t.size()) stiffnesses.push_back(std::abs((r.F[i] - r.F[i - 1]) / dx));
      }
      sign = side;
      travel += std::abs(dx);
      out.travel = std::max(out.travel, travel);
      out.v_slow = std::min(out.v_slow, speed);
      out.v_fast = std::max(out.v_fast, speed);
      forces.push_back(std::abs(r.F[i]));
    }
  }
  auto quantile = [](std::vector<double>& v, double share) {
    if (v.empty()) return 0.0;
    const auto at = v.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(v.size() - 1));
    std::nth_element(v.begin(), at, v.end());
    return *at;
  };
  out.F = quantile(forces, 0.75);
  out.stiffness = quantile(stiffnesses, 0.5);
  return out;
}

/// Half of the asperities touch, with the mean height 1 of the model: F = 0.43 scale at low speed, stiffness = 0.5 scale kt.
Logs start_of(const Sizes& s, double wavelength, double tau_share, double impact) {
  const double scale = s.F / 0.43;
  const double kt = std::clamp(2 * s.stiffness / scale, 2 / wavelength, 2000 / wavelength);
  const double middle = std::sqrt(s.v_slow * s.v_fast);
  return {std::log(scale),      std::log(kt),
          std::log(0.25),       std::log(tau_share * 0.4 * wavelength / middle),
          std::log(wavelength), std::log(impact * wavelength * 0.86 / (s.v_fast * s.v_fast))};
}

/// Number of different speeds, 8 per decade, that at least 5 rows have.
std::size_t count_speeds(const std::vector<Recording>& recordings) {
  std::map<int, int> rows;
  for (const Recording& r : recordings) {
    for (std::size_t i = 1; i < r.t.size(); ++i) {
      const double speed = std::abs(r.x[i] - r.x[i - 1]) / (r.t[i] - r.t[i - 1]);
      if (speed > 0) ++rows[static_cast<int>(std::floor(8 * std::log10(speed)))];
    }
  }
  return static_cast<std::size_t>(std::ranges::count_if(rows, [](const auto& bin) { return bin.second >= 5; }));
}

void check_recordings(const std::vector<Recording>& recordings) {
  if (recordings.empty()) throw BadInput("gfm: no recording; time, motion and friction are required");
  for (const Recording& r : recordings) {
    if (r.steady()) throw BadInput(r.name + ": points of steady sliding; gfm requires a recording with time");
    if (r.motion || r.F.size() != r.t.size() || r.x.size() != r.t.size())
      throw BadInput(r.name + ": gfm requires time t, motion x or v and the friction force F, not an actuator force");
    if (r.stretches.size() > 1)
      throw BadInput(r.name + ": the recording has gaps in time; gfm requires recordings without gaps");
    if (r.t.size() < 50) throw BadInput(fmt::format("{}: {} rows; gfm requires at least 50", r.name, r.t.size()));
    for (std::size_t i = 0; i < r.t.size(); ++i) {
      if (!std::isfinite(r.x[i]) || !std::isfinite(r.F[i]) || (i > 0 && !(r.t[i] > r.t[i - 1])))
        throw BadInput(fmt::format("{}: row {}: gfm requires finite x and F and increasing t", r.name, i + 1));
    }
  }
}

}  // namespace

PopulationFit fit_gfm(const std::vector<Recording>& recordings, const PopulationOptions& o) {
  check_recordings(recordings);
  const Sizes sizes = sizes_of(recordings);
  if (!(sizes.v_fast > 0) || !(sizes.F > 0))
    throw NotDetermined(
        "no motion or no force in the recordings; scale, kt, mu0, tau, wavelength, mass are not determined");
  const Motions motions(recordings);
  std::atomic<std::size_t> runs = 0;
  std::mutex reporting;
  const double expected = 60 + static_cast<double>(o.seeds) * 3 * 130;
  const std::function<void()> tick = [&] {
    if (o.stop != nullptr && *o.stop) throw Stopped();
    if (!o.progress) return;
    const std::lock_guard lock(reporting);
    o.progress(std::min(1.0, static_cast<double>(runs) / expected));
  };

  const bool reverses = make_blocks(recordings, sizes.travel).reversals > 0;
  if (!reverses) throw NotDetermined("the motion never reverses; kt is not determined");
  if (count_speeds(recordings) < 3) throw NotDetermined(no_sliding);
  // The scale of length: a coarse search over wavelengths, times and impacts with few asperities.
  Logs start{};
  const bool given = std::ranges::all_of(o.start, [](double x) { return x > 0; });
  if (given) {
    for (std::size_t k = 0; k < n_free; ++k) start[k] = std::log(o.start[k]);
  } else {
    std::vector<Logs> grid;
    for (const double share : {0.3, 0.1, 0.03, 0.01, 0.003}) {
      for (const double tau : {0.1, 1.0, 10.0}) {
        for (const double impact : {0.02, 0.3}) grid.push_back(start_of(sizes, share * sizes.travel, tau, impact));
      }
    }
    std::vector<double> costs(grid.size());
    in_parallel(grid.size(), o.threads, [&](std::size_t i) {
      const Blocks blocks = make_blocks(recordings, std::exp(grid[i][at_wavelength]));
      costs[i] = Search(motions, blocks, 1000, 1, runs, tick).cost(grid[i]);
    });
    start = grid[static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin())];
    const Blocks blocks = make_blocks(recordings, std::exp(start[at_wavelength]));
    start = Search(motions, blocks, 1000, 1, runs, tick).from(start, 6).q;
  }
  const Blocks blocks = make_blocks(recordings, std::exp(start[at_wavelength]));
  auto count = [&](Block::Kind kind) { return std::ranges::count(blocks.all, kind, &Block::kind); };
  const auto sliding = count(Block::Kind::constant) + count(Block::Kind::varying);
  if (sliding < 3) throw NotDetermined(no_sliding);
  if (count(Block::Kind::presliding) < 5) throw NotDetermined("too few rows after reversals; kt is not determined");
  if (blocks.all.size() < 2 * n_free)
    throw NotDetermined(
        fmt::format("{} blocks of rows; at least {} are required for 6 parameters", blocks.all.size(), 2 * n_free));

  // Every seed from three starts.
  const auto K = static_cast<std::size_t>(o.seeds);
  std::vector<std::array<Solution, 3>> found(K);
  in_parallel(K, o.threads, [&](std::size_t k) {
    const Search search(motions, blocks, o.asperities, static_cast<std::int64_t>(o.seed + k), runs, tick);
    found[k][0] = search.from(start, 12);
    for (const std::size_t i : {1U, 2U}) {
      Logs again = found[k][0].q;
      for (const std::size_t p : {at_wavelength, at_mass}) again[p] += std::log(i == 1 ? 0.8 : 1.25);
      found[k][i] = search.from(again, 10);
    }
  });

  PopulationFit out;
  out.blocks = blocks.all.size();
  out.rows = motions.rows;
  Logs mean{}, between{}, starts{}, of_fit{};
  for (const auto& s : found) {
    const Solution& best = *std::ranges::min_element(s, {}, &Solution::cost);
    for (std::size_t p = 0; p < n_free; ++p) {
      mean[p] += best.q[p] / static_cast<double>(K);
      of_fit[p] += best.sd[p] / static_cast<double>(K);
      double squares = 0;
      for (const Solution& other : s) squares += other.cost < 1.5 * best.cost ? std::pow(other.q[p] - best.q[p], 2) : 0;
      starts[p] += squares / 2 / static_cast<double>(K);
    }
  }
  for (const auto& s : found) {
    const Solution& best = *std::ranges::min_element(s, {}, &Solution::cost);
    for (std::size_t p = 0; p < n_free; ++p)
      between[p] += std::pow(best.q[p] - mean[p], 2) / static_cast<double>(std::max<std::size_t>(K - 1, 1));
  }
  const double t = student_95(static_cast<double>(K - 1));
  for (std::size_t p = 0; p < n_free; ++p) {
    PopulationEstimate& e = out.parameters.emplace_back();
    e.name = names[p];
    e.unit = units[p];
    e.between_seeds = std::sqrt(between[p]);
    e.between_starts = std::sqrt(starts[p]);
    e.of_fit = of_fit[p];
    const double half = t * std::sqrt((between[p] + starts[p]) / static_cast<double>(K) + of_fit[p] * of_fit[p]);
    e.value = std::exp(mean[p]);
    e.low = std::exp(mean[p] - half);
    e.high = std::exp(mean[p] + half);
    e.determined = half < std::log(3);
    if (!e.determined) out.notes.push_back(e.name + " is not determined by these recordings");
  }
  out.notes.push_back(
      "wavelength, tau and mass change together along a valley of the error; the intervals do not contain the truth if the "
      "search ended before its lowest point");
  out.population = params_of(mean, o.asperities, static_cast<std::int64_t>(o.seed));
  const std::vector<double> F = motions.force(out.population);
  out.measured = blocks.means(motions.F);
  out.predicted = blocks.means(F);
  double size = 0, rows = 0, means = 0;
  for (std::size_t i = 0; i < F.size(); ++i) {
    size += motions.F[i] * motions.F[i];
    rows += std::pow(F[i] - motions.F[i], 2);
  }
  for (std::size_t i = 0; i < out.measured.size(); ++i) means += std::pow(out.predicted[i] - out.measured[i], 2);
  size /= static_cast<double>(F.size());
  out.row_error = std::sqrt(rows / static_cast<double>(F.size()) / size);
  out.block_error = std::sqrt(means / static_cast<double>(out.measured.size()) / size);
  out.runs = runs;
  return out;
}

std::string population_file(const PopulationFit& fit) {
  std::string out = fmt::format("# gfm fitted by Bristle {}: rms error {:.3g} % of the rows, {:.3g} % of {} blocks\n"
                                "# fixed, because only products act: kn, mu_inf, the mean height\nschema = 1\n\n"
                                "[friction]\nmodel = \"gfm\"\nasperities = {}\nseed = {}\n",
                                BRISTLE_VERSION, 100 * fit.row_error, 100 * fit.block_error, fit.blocks,
                                fit.population.asperities, fit.population.seed);
  for (const PopulationEstimate& e : fit.parameters)
    out += fmt::format("{} = {}  # {:.5g} to {:.5g}{}{}\n", e.name, to_text(e.value), e.low, e.high,
                       e.unit == "1" ? "" : " " + e.unit, e.determined ? "" : ", not determined");
  for (const std::string& n : fit.notes) out += "# " + n + "\n";
  return out;
}

}  // namespace bristle::identify
