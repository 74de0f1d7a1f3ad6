#include "bristle/asperity/generic2010.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>

#include "asperity/choice.hpp"
#include "asperity/crew.hpp"
#include "asperity/generic2010_kernel.hpp"
#include "asperity/meeting.hpp"

namespace bristle {

using asperity::Block;
using asperity::Kernel2010;
using asperity::PointMass;
using asperity::Push;
using asperity::Response;

namespace {

auto& kernels() {
  static asperity::Choice<Kernel2010> all(kernels_here(&asperity::kernel2010_baseline,
                                                       BRISTLE_IF_AVX2(&asperity::kernel2010_avx2),
                                                       BRISTLE_IF_AVX512(&asperity::kernel2010_avx512)));
  return all;
}
template <class T> asperity::Sweep2010<T> sweep_of(const Generic2010Params& p) {
  const Kernel2010& k = kernels().used();
  const auto profile = static_cast<std::size_t>(p.profile), law = static_cast<std::size_t>(p.adhesion);
  if constexpr (std::is_same_v<T, double>) {
    return k.in_double[profile][law];
  } else {
    return k.in_float[profile][law];
  }
}

/// Streams of random numbers of an asperity and of an arc.
enum Draw : std::uint64_t { wTe, wTp, rT, wNe, wNp, rN, dX, Fadh, wP, mass, length, angle, tail, zeta, shift };
constexpr std::uint64_t asperity_stream = 11, arc_stream = 12;

double within(const Generic2010Params::Pair& range, double part) { return range[0] + (range[1] - range[0]) * part; }

/// One parameter of all asperities: by its distribution, else uniform in its range.
class Drawing {
 public:
  Drawing(const Generic2010Params::Pair& range, const std::optional<asperity::Distribution>& own) : range_(range) {
    if (own) own_.emplace(*own);
  }
  double operator()(double U) const { return own_ ? (*own_)(asperity::inner(U)) : within(range_, U); }

 private:
  Generic2010Params::Pair range_;
  std::optional<asperity::Sampler> own_;
};

}  // namespace

template <class T> const char* Generic2010<T>::instruction_set() { return kernels().used().name; }
template <class T> bool Generic2010<T>::use_instruction_set(std::string_view name) { return kernels().use(name); }

template <class T>
Generic2010<T>::Generic2010(const Generic2010Params& params, double dt)
    : p(params), n_(static_cast<std::size_t>(params.asperities)), dt_(dt > 0 ? dt : params.dt) {
  const auto seed = static_cast<std::uint64_t>(p.seed);
  const Generic2010Distribution& d = p.distribution;
  const Drawing wTe_of(p.wTe, d.wTe), wTp_of(p.wTp, d.wTp), rT_of(p.rT, d.rT), wNe_of(p.wNe, d.wNe),
      wNp_of(p.wNp, d.wNp), rN_of(p.rN, d.rN), dX_of(p.dX, d.dX), Fadh_of(p.Fadh, d.Fadh), R_of(p.R, d.R),
      wP_of(p.wP, d.wP), m_of(p.m, d.m);
  std::optional<asperity::Sampler> L_of;
  if (d.L) L_of.emplace(*d.L);
  auto profile = std::make_shared<Profiles>();
  for (std::size_t j = 0; j < arcs; ++j) {
    const double R = R_of(uniform(seed, arc_stream, j)), h = std::sqrt(2 * R * p.A - p.A * p.A);
    profile->R[j] = static_cast<T>(R);
    profile->h[j] = static_cast<T>(h);
    profile->begin[j + 1] = profile->begin[j] + 2 * h;
  }
  const double way = profile->begin[arcs];
  profile_ = profile;

  for (auto* all : {&shift_, &L_, &cT_, &cN_}) all->resize(n_);
  blocks_.resize((n_ + Block<T>::size - 1) / Block<T>::size);
  for (std::size_t i = 0; i < blocks_.size() * Block<T>::size; ++i) {
    Block<T>& b = blocks_[i / Block<T>::size];
    const std::size_t l = i % Block<T>::size;
    if (i >= n_) {  // padding without mass
      b.Y[l] = b.R[l] = b.h[l] = b.ET[l] = b.GT[l] = b.EN[l] = b.GN[l] = 1;
      continue;
    }
    auto draw = [&](Draw what) { return uniform(seed, asperity_stream, i, what); };
    auto square = [](double w) { return w * w; };
    const double kTe = square(wTe_of(draw(wTe))), kTp = square(wTp_of(draw(wTp)));
    const double kNe = square(wNe_of(draw(wNe))), kNp = square(wNp_of(draw(wNp)));
    b.kTe[l] = static_cast<T>(kTe);
    b.kTp[l] = static_cast<T>(kTp);
    b.kNe[l] = static_cast<T>(kNe);
    b.kNp[l] = static_cast<T>(kNp);
    b.lT[l] = static_cast<T>(rT_of(draw(rT)) / kTp);
    b.lN[l] = static_cast<T>(rN_of(draw(rN)) / kNp);
    b.kP[l] = static_cast<T>(square(wP_of(draw(wP))));
    b.Fadh[l] = static_cast<T>(Fadh_of(draw(Fadh)));
    b.m[l] = static_cast<T>(m_of(draw(mass)));
    L_[i] = L_of ? (*L_of)(asperity::inner(draw(length)))
                 : p.L_sd * std::sqrt(-2 * std::log1p(-draw(length))) * std::cos(2 * std::numbers::pi * draw(angle));
    const double more = draw(tail) < p.tail_share ? std::pow(p.zeta_N_tail / p.zeta_N, draw(zeta)) : 1;
    cT_[i] = 2 * p.zeta_T * std::sqrt(kTe + kTp);
    cN_[i] = 2 * p.zeta_N * more * std::sqrt(kNe + kNp);
    shift_[i] = std::fmod(way + std::fmod(way * draw(shift) + dX_of(draw(dX)), way), way);
  }
  damp();
  reset();
}

template <class T> void Generic2010<T>::damp() {
  for (std::size_t i = 0; i < n_; ++i) {
    Block<T>& b = blocks_[i / Block<T>::size];
    const std::size_t l = i % Block<T>::size;
    auto over_a_step = [dt = dt_](double c, T& E, T& G) {
      E = static_cast<T>(std::exp(-c * dt));
      G = static_cast<T>(c > 0 ? -std::expm1(-c * dt) / c : dt);
    };
    over_a_step(cT_[i], b.ET[l], b.GT[l]);
    over_a_step(cN_[i], b.EN[l], b.GN[l]);
  }
}

template <class T> void Generic2010<T>::reset() {
  steps_ = 0;
  last_ = {};
  history_.clear();
  V_ = 0;
  start_ = Y_ = p.A + *std::max_element(L_.begin(), L_.end());
  for (std::size_t i = 0; i < n_; ++i) {
    Block<T>& b = blocks_[i / Block<T>::size];
    const std::size_t l = i % Block<T>::size;
    for (auto* lane : {&b.eT, &b.eN, &b.dT, &b.dN, &b.u, &b.v}) (*lane)[l] = 0;
    b.Y[l] = static_cast<T>(Y_ - L_[i]);
    const auto next = std::upper_bound(profile_->begin.begin(), profile_->begin.end() - 1, shift_[i]);
    const auto j = static_cast<std::size_t>(next - profile_->begin.begin()) - 1;
    b.arc[l] = static_cast<std::int32_t>(j);
    b.R[l] = profile_->R[j];
    b.h[l] = profile_->h[j];
    b.rx[l] = static_cast<T>(shift_[i] - 0.5 * (profile_->begin[j] + profile_->begin[j + 1]));
  }
}

template <class T> Response Generic2010<T>::sweep(double U, double V) {
  const Push<T> push{.dt = static_cast<T>(dt_),
                     .per_dt = static_cast<T>(1 / dt_),
                     .U = static_cast<T>(U),
                     .V = static_cast<T>(V),
                     .A = static_cast<T>(p.A),
                     .ha = static_cast<T>(p.ha),
                     .R = profile_->R.data(),
                     .h = profile_->h.data(),
                     .last_arc = arcs - 1};
  const auto kernel = sweep_of<T>(p);
  constexpr std::size_t leaf = Block<T>::leaf;
  const std::size_t all = blocks_.size(), leaves = (all + leaf - 1) / leaf;
  thread_local std::vector<Response> parts;
  parts.resize(leaves);
  Response* const to = parts.data();
  constexpr std::size_t piece = 16;  // leaves per job of a thread
  if (threads_ > 1 && leaves > piece) {
    if (!crew_ || crew_.use_count() > 1) crew_ = std::make_shared<asperity::Crew>(threads_);
    std::atomic<std::size_t> next{0};
    crew_->run([&] {
      for (std::size_t k = next.fetch_add(piece); k < leaves; k = next.fetch_add(piece))
        kernel(&blocks_[k * leaf], std::min(piece * leaf, all - k * leaf), push, to + k);
    });
  } else {
    kernel(blocks_.data(), all, push, to);
  }
  Response sum;
  for (std::size_t k = 0; k < leaves; ++k) {
    sum.F += to[k].F;
    sum.Fn += to[k].Fn;
    sum.contacts += to[k].contacts;
  }
  ++steps_;
  return last_ = sum;
}

/// Asperities move with the previous velocity of the main mass; their forces change it.
template <class T> Response Generic2010<T>::push(double U, double load, double damping) {
  if (p.integrator == Integrator::abm) return advance_abm(U, load, damping, true);
  Y_ += dt_ * V_;
  const Response r = sweep(U, V_);
  V_ += dt_ * (r.Fn - load - damping * V_);
  return r;
}
template <class T> Response Generic2010<T>::step(double U, double load) { return push(U, load, 0); }
template <class T> Response Generic2010<T>::step_to(double U, double Y) {
  V_ = (Y - Y_) / dt_;
  if (p.integrator == Integrator::abm) return advance_abm(U, 0, 0, false);
  Y_ = Y;
  return sweep(U, V_);
}

template <class T> void Generic2010<T>::settle(double time, const std::function<void()>& tick) {
  const std::int64_t n = std::llround(time / dt_),
                     every = std::max<std::int64_t>(1, 100000 / static_cast<std::int64_t>(n_));
  for (std::int64_t k = 0; k < n; ++k) {
    const double part = static_cast<double>(k) / static_cast<double>(n);
    push(0, p.load * std::min(1.0, 2 * part), part < 0.75 ? 2 : 0);
    if (tick && k % every == 0) tick();
  }
}

template <class T> void Generic2010<T>::use_threads(unsigned n) {
  threads_ = std::max(1U, n);
  crew_.reset();
}

template <class T> double Generic2010<T>::kinetic() const {
  double sum = 0;
  for (const Block<T>& b : blocks_) {
    for (std::size_t l = 0; l < Block<T>::size; ++l)
      sum += double(b.m[l]) * (double(b.u[l]) * b.u[l] + double(b.v[l]) * b.v[l]);
  }
  return 0.5 * (sum + V_ * V_);
}
template <class T> double Generic2010<T>::momentum() const {
  double sum = 0;
  for (const Block<T>& b : blocks_) {
    for (std::size_t l = 0; l < Block<T>::size; ++l) sum += double(b.m[l]) * b.u[l];
  }
  return sum;
}
template <class T> double Generic2010<T>::potential() const {
  const bool vertical = p.profile == Profile::sinusoidal || p.profile == Profile::trapezoidal;
  double sum = 0;
  for (const Block<T>& b : blocks_) {
    for (std::size_t l = 0; l < Block<T>::size; ++l) {
      const asperity::Meeting c = asperity::meet(p.profile, b.rx[l], b.Y[l], b.R[l], b.h[l], p.A);
      const double depth = vertical ? c.depth * c.ny : c.depth;
      auto half = [](double k, double e) { return 0.5 * k * e * e; };
      sum += b.m[l] * (half(b.kTe[l], b.eT[l]) + half(b.kTp[l], b.dT[l]) + half(b.kNe[l], b.eN[l]) +
                       half(b.kNp[l], b.dN[l]) + half(b.kP[l], depth));
    }
  }
  return sum;
}
template <class T> double Generic2010<T>::fastest() const {
  double most = 0;
  for (const Block<T>& b : blocks_) {
    for (std::size_t l = 0; l < Block<T>::size; ++l)
      most = std::max({most, double(b.kP[l]) + b.kTe[l] + b.kTp[l], double(b.kP[l]) + b.kNe[l] + b.kNp[l]});
  }
  return most;
}
template <class T> double Generic2010<T>::stiffness_of_dampers() const {
  double tangential = 0, normal = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double m = blocks_[i / Block<T>::size].m[i % Block<T>::size];
    tangential += m * -std::expm1(-cT_[i] * dt_);  // a damper transfers at most the momentum of its mass
    normal += m * -std::expm1(-cN_[i] * dt_);
  }
  return std::max(tangential, normal);
}

template <class T> std::vector<PointMass> Generic2010<T>::snapshot() const {
  std::vector<PointMass> out(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    const Block<T>& b = blocks_[i / Block<T>::size];
    const std::size_t l = i % Block<T>::size;
    const asperity::Meeting c = asperity::meet(p.profile, b.rx[l], b.Y[l], b.R[l], b.h[l], p.A);
    const double along = std::abs(b.u[l] * c.ny - b.v[l] * c.nx), x = -b.eT[l];
    out[i] = {.touches = c.g < 0,
              .sticks = c.g < 0 && p.adhesion == AdhesionLaw::tangential && along < 1e-9,
              .force = double(b.m[l]) * (b.kTe[l] * b.eT[l] + b.kTp[l] * b.dT[l]),
              .load = -double(b.m[l]) * (b.kNe[l] * b.eN[l] + b.kNp[l] * b.dN[l]),
              .x = x,
              .y = b.Y[l],
              .gap = c.g,
              .crest = x - b.rx[l],
              .half = b.h[l]};
  }
  return out;
}

template <class T>
const Card Generic2010<T>::card{
    .name = "generic2010",
    .title = "Elastic-plastic asperity model of 2010: point masses over a profile",
    .equations = "X'' = wTe^2 eT + wTp^2 dT + cT (X_t' - X') + wP^2 delta n_x + f_x          (1)\n"
                 "Y'' = wNe^2 eN + wNp^2 dN + cN (Y_t' - Y') + wP^2 delta n_y + f_y          (2)\n"
                 "eT = X_t + dX - X, eN = Y_t - L - Y                                        (3)\n"
                 "d <- clip(d + change of e, +-r/w_p^2), c = 2 zeta sqrt(w_e^2 + w_p^2)      (4)\n"
                 "delta = max(0, -g), g: gap along the normal n of the counter profile       (5)\n"
                 "adhesion f: |f| <= Fadh along the profile while g < 0, or -Fadh n, g < ha  (6)\n"
                 "F = sum m [wTe^2 eT + wTp^2 dT + cT (X_t' - X')], Fn analogous             (7)\n"
                 "Y_t'' = Fn - load                                                          (8)",
    .notes =
        "Physical friction model: elastic-plastic asperities with mass and damping, adhesion, a profile to climb. Stribeck\n"
        "curve, creep, ageing, pre-sliding hysteresis, lag, lift-up and stick-slip follow from one set of parameters, with\n"
        "the normal motion. Dimensionless, in units of scale_force, scale_length and scale_time: a main mass of 1 on a\n"
        "spring of 0.5625 shows stick-slip. Runs have fixed steps dt, after a time `settle` in which the load increases.\n"
        "Requires dt sum m c < 1; velocities above 8 require dt = 2.5e-4. Forces vary by about 2 % with the seed.",
    .passive_if = "always",
    .references =
        "T. De Moerlooze, F. Al-Bender, H. Van Brussel, A generalised asperity-based friction model, Tribology "
        "Letters 40 (2010) 113-130",
};

template class Generic2010<double>;
template class Generic2010<float>;

}  // namespace bristle
