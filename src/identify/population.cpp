#include "bristle/identify/population.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/parallel.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/simulate.hpp"
#include "bristle/version.hpp"
#include "identify/population_estimates.hpp"

namespace bristle::identify {
namespace {

constexpr const char* no_sliding =
    "no sliding over several wavelengths at three speeds or more; mu0, tau, wavelength, mass are not determined";
constexpr int enough = 10000;  // asperities of all seeds
constexpr std::array<bool, n_shape> all_free{true, true, true, true}, fixed_wavelength{true, true, true, false};

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
PopulationShape start_of(const Sizes& s, double wavelength, double tau_share, double mu0) {
  const double scale = s.F / 0.43;
  const double kt = std::clamp(2 * s.stiffness / scale, 2 / wavelength, 2000 / wavelength);
  const double middle = std::sqrt(s.v_slow * s.v_fast);
  return {std::log(kt), std::log(mu0), std::log(tau_share * 0.4 * wavelength / middle), std::log(wavelength)};
}

/// The search from a grid of wavelengths with few asperities, then with all, from several wavelengths.
struct Course {
  const PopulationSearch& search;
  Crowd all;
  std::vector<PopulationCandidate> profile{};  // other wavelengths, each with the best of the other parameters

  /// The other parameters fitted at a wavelength, from a candidate moved along the valley of tau and wavelength.
  PopulationCandidate beside(const PopulationCandidate& from, double factor, const Crowd& crowd, int rounds) const {
    PopulationShape q = from.q;
    q[at_wavelength] += std::log(factor);
    q[at_tau] += std::log(factor);
    return search.descend(search.at(q, crowd), crowd, rounds, fixed_wavelength);
  }
  /// The lowest point of wavelengths around it; a lower one than the given is searched from there.
  PopulationCandidate around(PopulationCandidate best, const std::vector<double>& factors, const Crowd& crowd,
                             int rounds) {
    for (int turn = 0; turn < 3; ++turn) {
      profile.clear();
      for (const double f : factors) profile.push_back(beside(best, f, crowd, rounds));
      const auto lowest = std::ranges::min_element(profile, {}, &PopulationCandidate::cost);
      if (!(lowest->cost < best.cost)) break;
      best = search.descend(*lowest, crowd, 6, all_free);
    }
    return best;
  }
};

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
  const Blocks blocks = make_blocks(recordings);
  if (blocks.reversals == 0) throw NotDetermined("the motion never reverses; kt is not determined");
  if (sliding_speeds(recordings, 0) < 3) throw NotDetermined(no_sliding);
  if (blocks.all.size() < 2 * n_free)
    throw NotDetermined(
        fmt::format("{} blocks of rows; at least {} are required for 6 parameters", blocks.all.size(), 2 * n_free));

  const Motions motions(recordings);
  std::atomic<std::size_t> runs = 0, work = 0;
  std::mutex reporting;
  const Crowd all{o.asperities, o.seeds, o.seed}, few{std::min(o.asperities, 1000), 2, o.seed};
  const double expected = 1000.0 * few.asperities + 100.0 * all.asperities * all.seeds;
  auto tick = [&](int asperities) {
    if (o.stop != nullptr && *o.stop) throw Stopped();
    ++runs;
    work += static_cast<std::size_t>(asperities);
    if (!o.progress) return;
    const std::lock_guard lock(reporting);
    o.progress(std::min(0.99, static_cast<double>(work) / expected));
  };
  PopulationSearch search(motions, blocks, o.threads, tick);
  Course course{search, all};

  PopulationCandidate best;
  if (std::ranges::all_of(o.start, [](double x) { return x > 0; })) {
    best = search.at({std::log(o.start[1]), std::log(o.start[2]), std::log(o.start[3]), std::log(o.start[4])}, few);
  } else {
    std::vector<PopulationShape> grid;
    for (const double share : {0.3, 0.1, 0.03, 0.01, 0.003}) {
      for (const double tau : {0.03, 0.1, 0.3, 1.0, 3.0, 10.0})
        grid.push_back(start_of(sizes, share * sizes.travel, tau, 0.25));
    }
    const std::vector<PopulationCandidate> found = search.at_all(grid, {few.asperities, 1, o.seed});
    // The best of every wavelength, fitted.
    std::vector<PopulationCandidate> valley;
    for (std::size_t i = 0; i < grid.size(); i += 6) {
      const auto first = found.begin() + static_cast<std::ptrdiff_t>(i);
      valley.push_back(
          search.descend(*std::min_element(first, first + 6, [](auto& a, auto& b) { return a.cost < b.cost; }), few, 5,
                         fixed_wavelength));
    }
    std::ranges::sort(valley, {}, &PopulationCandidate::cost);
    for (std::size_t i = 0; i < 2; ++i) {
      PopulationCandidate c = search.descend(valley[i], few, 10, all_free);
      if (c.cost < best.cost) best = std::move(c);
    }
  }
  const auto require_friction = [&] {
    if (!(best.scale > 0))
      throw NotDetermined("the friction force does not oppose the motion; no parameter is determined");
  };
  require_friction();
  search.weigh(best, {std::max(1, o.asperities / 4), 16, o.seed}, 0.25 * (1 + 1.0 / o.seeds));
  best = search.descend(search.at(best.q, few), few, 8, all_free);
  best = course.around(best, {0.4, 0.63, 1.6, 2.5}, few, 3);
  Refined refined = identify::refined(search, best.q, all);
  best = course.around(search.at(refined.best.q, all), {0.8, 1.25}, all, 2);
  if (best.q != refined.best.q) refined = identify::refined(search, best.q, all);
  best = refined.best;
  require_friction();

  if (sliding_speeds(recordings, std::exp(best.q[at_wavelength])) < 3) throw NotDetermined(no_sliding);
  PopulationFit out;
  out.blocks = blocks.all.size();
  out.rows = motions.measured().size();
  out.parameters = estimates(search, refined, course.profile, all);
  for (const PopulationEstimate& e : out.parameters) {
    if (!e.determined) out.notes.push_back(e.name + " is not determined by these recordings");
  }
  if (o.asperities * o.seeds < enough)
    out.notes.push_back(fmt::format(
        "{} asperities in all: below {} the noise of the populations favours short wavelengths, and intervals "
        "may exclude the truth",
        o.asperities * o.seeds, enough));
  out.population = population_of(best.q, best.scale, best.impact / best.scale, o.asperities, o.seed);
  const auto F = motions.force(out.population);
  std::vector<double> total(F[0].size());
  double rows = 0, means = 0;
  for (std::size_t i = 0; i < total.size(); ++i) {
    total[i] = F[0][i] + F[1][i];
    rows += std::pow(total[i] - motions.measured()[i], 2);
  }
  out.measured = blocks.means(motions.measured());
  out.predicted = blocks.means(total);
  for (std::size_t i = 0; i < out.measured.size(); ++i) means += std::pow(out.predicted[i] - out.measured[i], 2);
  out.row_error = std::sqrt(rows / static_cast<double>(total.size())) / motions.rms();
  out.block_error = std::sqrt(means / static_cast<double>(out.measured.size())) / motions.rms();
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
