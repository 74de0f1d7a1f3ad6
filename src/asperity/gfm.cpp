#include "bristle/asperity/gfm.hpp"

#include <algorithm>
#include <cmath>

#include "asperity/choice.hpp"
#include "asperity/kernel.hpp"
#include "asperity/shared/gfm_step.hpp"

namespace bristle {

using asperity::above;
using asperity::below;
using asperity::Lanes;
using asperity::Move;
using asperity::Record;
using asperity::UniformLands;

namespace {

namespace draw {
constexpr std::uint64_t height = 1, kt = 2, kn = 3, mass = 4, phase = 5, land = 7, gap = 8;
}

auto& kernels() {
  static asperity::Choice<asperity::Kernel> all(kernels_here(&asperity::kernel_baseline,
                                                             BRISTLE_IF_AVX2(&asperity::kernel_avx2),
                                                             BRISTLE_IF_AVX512(&asperity::kernel_avx512)));
  return all;
}

}  // namespace

const char* Gfm::instruction_set() { return kernels().used().name; }
bool Gfm::use_instruction_set(std::string_view name) { return kernels().use(name); }

Record& Record::operator+=(const Record& o) {
  F += o.F;
  W_adh += o.W_adh;
  W_def += o.W_def;
  W_imp += o.W_imp;
  E += o.E;
  Fn += o.Fn;
  contact += o.contact;
  slip += o.slip;
  return *this;
}
Record& Record::operator*=(double s) {
  for (double Record::* x : {&Record::F, &Record::W_adh, &Record::W_def, &Record::W_imp, &Record::E, &Record::Fn,
                             &Record::contact, &Record::slip})
    this->*x *= s;
  return *this;
}

/// Compensated summation (Neumaier).
void Gfm::Clock::add(double x) {
  const double t = sum + x;
  rest += std::abs(sum) >= std::abs(x) ? (sum - t) + x : (x - t) + sum;
  sum = t;
}

Gfm::Gfm(const GfmParams& params, bool energies)
    : p(params),
      n_(static_cast<std::size_t>(params.asperities)),
      padded_((n_ + leaf - 1) / leaf * leaf),
      energies_(energies) {
  const auto seed = static_cast<std::uint64_t>(p.seed);
  land_key_ = detail::mix(detail::mix(seed) ^ draw::land);
  gap_key_ = detail::mix(detail::mix(seed) ^ draw::gap);
  for (auto* all : {&kt_, &kn_, &h_, &m_, &full_, &p_, &c_, &low_, &high_, &g_}) all->assign(padded_, 0.0);
  j_.assign(padded_, 0);
  on_.assign(padded_, 0);
  tallies_.assign(leaves(), {});
  draw();
  reset();
}

/// The constants of all asperities, each by its own distribution or by that of its key.
void Gfm::draw() {
  const auto seed = static_cast<std::uint64_t>(p.seed);
  auto fill = [&](asperity::Aligned<double>& all, const std::optional<asperity::Distribution>& own,
                  std::uint64_t stream, auto&& usual, double mean) {
    if (!own) {
      for (std::size_t i = 0; i < n_; ++i) all[i] = usual(uniform(seed, stream, i));
      return mean;
    }
    const asperity::Sampler sample(*own);
    for (std::size_t i = 0; i < n_; ++i) all[i] = sample(asperity::inner(uniform(seed, stream, i)));
    return sample.mean();
  };
  const GfmDistribution& d = p.distribution;
  fill(h_, d.h, draw::height, [&](double U) { return p.h_max * U; }, p.h_max / 2);
  mean_kt_ = fill(kt_, d.kt, draw::kt, [&](double U) { return p.kt * (0.5 + U); }, p.kt);
  mean_kn_ = fill(kn_, d.kn, draw::kn, [&](double U) { return p.kn * (0.5 + U); }, p.kn);
  fill(m_, d.mass, draw::mass, [&](double U) { return p.mass * (0.5 + U); }, p.mass);
  lowest_ = 0;
  highest_ = p.h_max;
  if (d.h) {
    lowest_ = std::min(0.0, *std::min_element(h_.begin(), h_.begin() + static_cast<std::ptrdiff_t>(n_)));
    highest_ = *std::max_element(h_.begin(), h_.begin() + static_cast<std::ptrdiff_t>(n_));
  }
  if (d.land) land_.emplace(*d.land);
  if (d.gap) gap_.emplace(*d.gap);
  const double land = land_ ? land_->mean() : p.wavelength / (1 + p.topography);
  const double gap = gap_ ? gap_->mean() : p.topography * p.wavelength / (1 + p.topography);
  period_ = land_ || gap_ ? land + gap : p.wavelength;
  gaps_per_land_ = land_ || gap_ ? gap / land : p.topography;
}

void Gfm::reset() {
  u_ = reference_ = 0;
  d_ = p.separation;
  t_ = {};
  std::fill(low_.begin(), low_.end(), -inf);
  std::fill(high_.begin(), high_.end(), inf);
  const double g0 = exponential() ? std::exp(-p.age0 / p.tau) : -p.age0;
  for (std::size_t i = 0; i < n_; ++i) {
    full_[i] = kn_[i] * std::max(0.0, h_[i] - d_) / kt_[i];
    Land land{-period_ * (20 + uniform(static_cast<std::uint64_t>(p.seed), draw::phase, i)), 0, 0};
    for (;;) {
      land.to = land.from + land_length(i, land.j);
      if (land.to >= 0) break;
      const double next = land.to + gap_length(i, land.j);
      if (next > 0) break;
      land = {next, 0, land.j + 1};
    }
    const bool on = land.to >= 0;
    const double end = on ? land.to : land.to + gap_length(i, land.j);
    write(i, {on, on ? land.from : land.to, end, land.j, 0, false, 0, false}, g0);
  }
  sum_loads();
  if (p.normal_load > 0) follow_load(1);
}

double Gfm::land_length(std::size_t i, std::int64_t j) const {
  const double U = UniformLands::number(land_key_, i, j);
  if (land_) return (*land_)(asperity::inner(U));
  return p.wavelength / (1 + p.topography) * (1 + p.wavelength_spread * (2 * U - 1));
}
double Gfm::gap_length(std::size_t i, std::int64_t j) const {
  const double U = UniformLands::number(gap_key_, i, j);
  if (gap_) return (*gap_)(asperity::inner(U));
  return p.topography * p.wavelength / (1 + p.topography) * (1 + p.wavelength_spread * (2 * U - 1));
}

void Gfm::write(std::size_t i, const Visit& v, double g) {
  on_[i] = v.on ? 1 : 0;
  j_[i] = v.j;
  p_[i] = v.p;
  low_[i] = v.on ? v.from : above(v.from);
  high_[i] = v.on ? v.to : below(v.to);
  c_[i] = v.on ? full_[i] : 0;
  g_[i] = v.on || !exponential() ? g : 0;
}

void Gfm::sum_loads() {
  for (std::size_t k = 0; k < leaves(); ++k) {
    tallies_[k] = {};
    for (std::size_t i = k * leaf; i < (k + 1) * leaf; ++i) {
      if (c_[i] <= 0) continue;
      tallies_[k].load += kt_[i] * c_[i];  // kn zeta
      ++tallies_[k].contacts;
    }
  }
}

/// g_ is relative to a reference time, so that one exponential per step serves all asperities. Before an overflow, the
/// end of a step becomes the new reference.
double Gfm::longest_reference() const { return exponential() ? 300 * p.tau : 1e5 * p.tau_log; }

double Gfm::fresh(double t) const { return exponential() ? std::exp(t / p.tau) : t; }

void Gfm::rebase(std::size_t k, double t) {
  const double faded = exponential() ? std::exp(-t / p.tau) : 0;
  for (std::size_t i = k * leaf; i < (k + 1) * leaf; ++i) {
    g_[i] = exponential() ? g_[i] * faded : g_[i] - t;
    if (exponential() && g_[i] < 1e-130) g_[i] = 0;  // avoids denormal numbers
  }
}

double Gfm::adhesion_of(double g) const {
  const double t = t_.value();
  if (exponential()) return p.mu_inf - (p.mu_inf - p.mu0) * std::exp(-t / p.tau) * g;
  return p.mu_log + p.b_log * std::log1p((t - g) / p.tau_log);
}

Move Gfm::move_to(double u, double dt) const {
  Clock later = t_;
  later.add(dt);
  Move m{};
  m.u0 = u_;
  m.u1 = u;
  m.dt = dt;
  m.v = (m.u1 - m.u0) / dt;
  m.t0 = t_.value();
  m.t1 = later.value();
  m.rebases = m.t1 > longest_reference();
  if (exponential()) {
    const double growth = p.mu_inf - p.mu0;
    m.a = p.mu_inf;
    m.b0 = growth * std::exp(-m.t0 / p.tau);
    m.b1 = growth * std::exp(-m.t1 / p.tau);
    m.b_int = m.b0 * p.tau * -std::expm1(-dt / p.tau);
    m.per_tau = 1 / p.tau;
  } else {
    m.a = p.mu_log;
    m.b = p.b_log;
    m.per_tau = 1 / p.tau_log;
  }
  return m;
}

/// The step to u, after which the clock is at its end.
Move Gfm::next_move(double u, double dt) {
  const Move m = move_to(u, dt);
  u_ = u;
  t_.add(dt);
  if (m.rebases) {
    reference_ += t_.value();
    t_ = {};
  }
  return m;
}

struct Gfm::Lands {
  const Gfm& all;
  double land_length(std::size_t i, std::int64_t j) const { return all.land_length(i, j); }
  double gap_length(std::size_t i, std::int64_t j) const { return all.gap_length(i, j); }
};

Gfm::Visit Gfm::landed(std::size_t i, const Land& left, bool forward, double u) const {
  return asperity::landed(Lands{*this}, i, left.from, left.to, left.j, forward, u);
}

/// Moves one asperity through a step, from event to event; adds works to `out`.
Gfm::Visit Gfm::visit(std::size_t i, double g, const Move& m, bool energies, Record& out) const {
  const Visit before{on_[i] != 0, low_[i], high_[i], j_[i], p_[i], false, 0, false};
  return asperity::visit(before, p, Lands{*this}, i, kt_[i], full_[i], m_[i], g, m, energies, out);
}

/// Moves the asperities of a leaf that the vector code can handle, with tips `p`.
std::size_t Gfm::sweep(std::size_t k, const Move& m, bool energies, double* tips, Record& out, Hits& hits) const {
  const std::size_t at = k * leaf;
  asperity::Sums sums;
  const Lanes lanes{tips, &kt_[at], &c_[at], &g_[at], &low_[at], &high_[at], leaf};
  const asperity::Kernel& best = kernels().used();
  const auto n = best.sweep[exponential() ? 0 : 1][m.u1 < m.u0 ? 1 : 0][energies ? 1 : 0](lanes, m, sums, hits.data());
  out = {.F = sums.F, .W_adh = sums.W, .E = sums.E, .slip = sums.slip};
  return n;
}

/// Moves one leaf by one step.
void Gfm::run_leaf(std::size_t k, const Move& m, Record& out, Tally& tally) {
  const std::size_t at = k * leaf;
  Hits hits;
  std::size_t n = 0;
  if (m.u1 == m.u0) {
    out = standing(k, m.u1);
  } else {
    n = sweep(k, m, energies_, &p_[at], out, hits);
  }
  std::array<double, leaf> before;
  if (m.rebases) {
    std::copy_n(&g_[at], leaf, before.data());
    rebase(k, m.t1);
  }
  for (std::size_t l = 0; l < n; ++l) {
    const std::size_t i = at + hits[l];
    const double c = c_[i];
    const Visit v = visit(i, m.rebases ? before[hits[l]] : g_[i], m, energies_, out);
    write(i, v, !v.fresh ? g_[i] : fresh(m.rebases ? v.since - m.dt : m.t0 + v.since));
    tally.load += kt_[i] * (c_[i] - c);
    tally.contacts += (c_[i] > 0 ? 1 : 0) - (c > 0 ? 1 : 0);
  }
  out.Fn = tally.load;
  out.contact = static_cast<double>(tally.contacts);
}

Record Gfm::trial(double u, double dt, double r) const {
  if (u == u_ && p.normal_load == 0) return now();
  if (p.normal_load > 0) {
    Gfm copy = *this;
    return copy.step(u, dt, r);
  }
  const Move m = move_to(u, dt);
  Record sum;
  for (std::size_t k = 0; k < leaves(); ++k) {
    Hits hits;
    std::array<double, leaf> tips;
    std::copy_n(&p_[k * leaf], leaf, tips.data());
    Record part;
    const std::size_t n = sweep(k, m, false, tips.data(), part, hits);
    for (std::size_t l = 0; l < n; ++l) (void)visit(k * leaf + hits[l], g_[k * leaf + hits[l]], m, false, part);
    sum += part;
  }
  sum *= 1 / static_cast<double>(n_);
  return sum;
}

Record Gfm::standing(std::size_t k, double u) const {
  Record out{.Fn = tallies_[k].load, .contact = static_cast<double>(tallies_[k].contacts)};
  for (std::size_t i = k * leaf; i < (k + 1) * leaf; ++i) {
    const double xi = c_[i] > 0 ? u - p_[i] : 0;
    out.F += kt_[i] * xi;
    out.E += 0.5 * kt_[i] * xi * xi;
  }
  return out;
}

}  // namespace bristle
