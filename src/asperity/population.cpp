/// Functions of a whole population: many steps on many threads, separation, snapshots.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cmath>
#include <thread>

#include "asperity/shared/gfm_step.hpp"

namespace bristle {

using asperity::Asperity;
using asperity::Move;
using asperity::Phase;
using asperity::Record;
using asperity::Step;

const Card Gfm::card{
    .name = "gfm",
    .title = "Generic friction model of 2008: a population of asperities",
    .equations = "xi = u - p, p: tip on a land of the counter profile; 0 when free     (1)\n"
                 "F = scale sum kt xi / N (+ impact)                                   (2)\n"
                 "stick: p constant while |xi| < Y; slip: xi = +-Y                     (3)\n"
                 "Y = kn max(0, h - separation)/kt mu(age)                             (4)\n"
                 "mu = mu_inf - (mu_inf - mu0) exp(-age/tau), or                       (5)\n"
                 "mu = mu_log + b_log ln(1 + age/tau_log)                              (6)\n"
                 "contact with a land: age = 0, energy m v^2/2 is lost                 (7)\n"
                 "the tip reaches the land's end: kt xi^2/2 is lost, xi = 0            (8)",
    .notes =
        "Physical friction model: adhesion that grows with time, elastic asperities that break loose, impacts. Pre-sliding\n"
        "hysteresis, the Stribeck curve, lag, varying breakaway and stick-slip follow from one set of parameters.\n"
        "Events of every asperity are exact for steps of any length. Bodies with this contact have fixed steps.\n"
        "The seed determines the population: forces vary by about 1.4 % (4000 asperities), and F fluctuates by 2 %.\n"
        "Hysteresis is rate independent below 0.01 wavelength/tau with aged contacts only. With normal_load the separation\n"
        "is adjusted at the start of every step, otherwise the load ratio has no effect.",
    .passive_if = "always",
    .references =
        "F. Al-Bender, J. Swevers, Characterization of friction force dynamics, IEEE Control Systems Magazine 28 (2008)\n"
        "F. Al-Bender, V. Lampaert, J. Swevers, A novel generic model at asperity level for dry friction force dynamics, "
        "Tribology Letters 16 (2004)",
};

/// Every leaf makes all moves independently; sums do not depend on the thread.
void Gfm::run_moves(std::span<const Move> moves, std::span<Record* const> to, unsigned threads,
                    std::vector<Record>& parts) {
  const std::size_t n = moves.size(), all = leaves();
  parts.resize(std::max(parts.size(), n * all));
  constexpr std::size_t few = 8;  // rows summed together
  auto sum = [&](std::size_t from) {
    const std::size_t rows = std::min(few, n - from);
    std::array<Record, few> sums{};
    for (std::size_t k = 0; k < all; ++k) {
      for (std::size_t i = 0; i < rows; ++i) sums[i] += parts[k * n + from + i];
    }
    for (std::size_t i = 0; i < rows; ++i) {
      sums[i] *= 1 / static_cast<double>(n_);
      Record& out = *to[from + i];
      sums[i].W_adh += out.W_adh;  // work of a change of separation
      sums[i].W_def += out.W_def;
      out = sums[i];
    }
  };
  const std::size_t workers = std::clamp<std::size_t>(threads, 1, all);
  std::atomic<std::size_t> next_leaf{0}, next_row{0};
  std::barrier carried(static_cast<std::ptrdiff_t>(workers));
  auto work = [&] {
    for (std::size_t k = next_leaf++; k < all; k = next_leaf++) {
      for (std::size_t i = 0; i < n; ++i) run_leaf(k, moves[i], parts[k * n + i], tallies_[k]);
    }
    carried.arrive_and_wait();
    for (std::size_t i = next_row.fetch_add(few); i < n; i = next_row.fetch_add(few)) sum(i);
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < workers; ++i) others.emplace_back(work);
  work();
}

void Gfm::run(std::span<const Step> steps, std::span<Record> records, unsigned threads) {
  const std::size_t at_once = std::clamp<std::size_t>((std::size_t{1} << 17) / leaves(), 32, 2048);
  const bool follows = p.normal_load > 0;
  std::vector<Move> moves;
  std::vector<Record*> to;
  std::vector<Record> parts;
  auto flush = [&] {
    if (!moves.empty()) run_moves(moves, to, threads, parts);
    moves.clear();
    to.clear();
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto [u, dt, r] = steps[i];
    Record& out = records[i] = follows ? follow_load(r) : Record{};
    moves.push_back(next_move(u, dt));
    to.push_back(&out);
    if (moves.size() >= at_once || follows) flush();
  }
  flush();
}

Record Gfm::step(double u, double dt, double r) {
  const Step one{u, dt, r};
  Record out;
  run({&one, 1}, {&out, 1});
  return out;
}

Record Gfm::now() const {
  Record out;
  for (std::size_t k = 0; k < leaves(); ++k) out += standing(k, u_);
  out *= 1 / static_cast<double>(n_);
  return out;
}

Record Gfm::separate(double d) {
  Record out;
  for (std::size_t i = 0; i < n_; ++i) {
    const double before = full_[i], c = kn_[i] * std::max(0.0, h_[i] - d) / kt_[i];
    full_[i] = c;
    if (on_[i] == 0) continue;
    if (before <= 0) {  // touches at this separation, or not
      p_[i] = u_;
      if (c > 0) g_[i] = fresh(t_.value());
    }
    c_[i] = c;
    const double xi = u_ - p_[i], Y = c * adhesion_of(g_[i]);
    if (std::abs(xi) <= Y) continue;
    const double end = xi > 0 ? high_[i] : low_[i], goal = u_ - std::copysign(Y, xi);
    const bool breaks = xi > 0 ? goal > end : goal < end;
    const double left = breaks ? u_ - end : Y;
    out.W_adh += 0.5 * kt_[i] * (xi - left) * (xi + left);
    if (breaks) {
      out.W_def += 0.5 * kt_[i] * left * left;
      write(i, landed(i, {low_[i], high_[i], j_[i]}, xi > 0, u_), fresh(t_.value()));
    } else {
      p_[i] = goal;
    }
  }
  d_ = d;
  sum_loads();
  const Record at_rest = now();
  out *= 1 / static_cast<double>(n_);
  return {.F = at_rest.F,
          .W_adh = out.W_adh,
          .W_def = out.W_def,
          .E = at_rest.E,
          .Fn = at_rest.Fn,
          .contact = at_rest.contact};
}

/// The separation at which the asperities above lands carry the load. The load is a convex, decreasing, piecewise
/// linear function of separation: Newton steps from its steep side converge.
Record Gfm::follow_load(double r) {
  const double goal = r * p.normal_load * static_cast<double>(n_);
  double stiffness = 0;
  for (std::size_t i = 0; i < n_; ++i) stiffness += on_[i] != 0 ? kn_[i] : 0;
  if (!(goal > 0) || !(stiffness > 0)) return separate(highest_);
  double d = lowest_ - goal / stiffness;  // all asperities touch and carry more than the load
  for (int n = 0; n < 1000; ++n) {
    double load = 0, slope = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double zeta = on_[i] != 0 ? h_[i] - d : 0;
      load += zeta > 0 ? kn_[i] * zeta : 0;
      slope += zeta > 0 ? kn_[i] : 0;
    }
    const double next = d + (load - goal) / slope;
    if (!(next > d)) break;
    d = next;
  }
  return separate(d);
}

std::vector<Asperity> Gfm::snapshot() const {
  std::vector<Asperity> out(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    const double xi = c_[i] > 0 ? u_ - p_[i] : 0, Y = c_[i] * adhesion_of(g_[i]);
    const double entered = !exponential() ? g_[i]
                           : g_[i] > 0    ? p.tau * std::log(g_[i])
                                          : -inf;  // 0: too old to be known
    const bool slips = std::abs(xi) >= Y * (1 - 1e-12);
    out[i] = {.phase = c_[i] <= 0 ? Phase::free
                       : slips    ? Phase::slip
                                  : Phase::stick,
              .force = kt_[i] * xi,
              .load = kt_[i] * c_[i],
              .tip = p_[i],
              .age = c_[i] > 0 ? t_.value() - entered : 0,
              .land_from = on_[i] != 0 ? low_[i] : std::nextafter(low_[i], -inf),
              .land_to = on_[i] != 0 ? high_[i] : std::nextafter(high_[i], inf)};
  }
  return out;
}

Scales<double> Gfm::scales() const {
  const double mu = exponential() ? p.mu_inf : p.mu_log + p.b_log * std::log1p(period_ / p.tau_log);
  const double zeta = std::max(0.0, p.h_max - d_);
  const double mean =
      p.distribution.h ? asperity::Sampler(*p.distribution.h).mean_above(d_) : 0.5 * zeta * zeta / p.h_max;
  const double share = 1 / (1 + gaps_per_land_), load = p.normal_load > 0 ? p.normal_load : share * mean_kn_ * mean;
  return {.force = p.scale * mu * load,
          .velocity = 0.4 * period_ / (exponential() ? p.tau : 1e3 * p.tau_log),
          .displacement = std::min(0.5 * period_, mu * load / share / mean_kt_)};
}

}  // namespace bristle
