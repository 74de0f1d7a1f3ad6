#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "bristle/random.hpp"
#include "chain_blocks.hpp"
#include "potential.hpp"
#include "record.hpp"
#include "system.hpp"

/// Langevin dynamics of a chain on viscous friction: the scheme BAOAB of Leimkuhler and Matthews, Appl. Math. Res. Express 2013.
/// Its positions have the exact distribution in a harmonic well; that of velocities has an error of second order in the step.
namespace bristle {
namespace {

constexpr std::uint64_t of_noise = 12;  // stream of random numbers

class ThermalRun {
 public:
  ThermalRun(const Experiment& e, Recorder& out)
      : e_(e), out_(out), blocks_(blocks_of(e)), n_(blocks_.x0.size()), x_(blocks_.x0), v_(n_, e.body.v0), F_(n_) {
    for (std::size_t b = 0; b < n_; ++b) {
      const AnyContact& contact = blocks_.contacts.empty() ? *e.contacts.front().contact : *blocks_.contacts[b];
      const Value kv = contact.parameter("kv");
      kv_.push_back(*kv.as<double>());
      PotentialParams own = e.chain.potential;
      own.U0 = blocks_.U0[b];
      potential_.emplace_back(own);
    }
    for (const int body : e.solver.record) shown_.push_back(static_cast<std::size_t>(body) - 1);
    std::sort(shown_.begin(), shown_.end());
    for (std::size_t b = 0; e.solver.record.empty() && b < n_; ++b) shown_.push_back(b);
  }

  void run() {
    const double T = e_.solver.duration, h = e_.solver.step;
    const double wanted = std::ceil(T / h * (1 - 1e-12));
    if (!(wanted <= e_.solver.max_steps))
      throw RunFailed(fmt::format("max_steps exceeded: {:.6g} steps of {} s are required", wanted, to_text(h)));
    const auto steps = static_cast<std::uint64_t>(wanted);
    require_stability(h);
    const double kinetic = kinetic_energy(), stored = stored_energy(0), bound = bound_energy();
    forces(0);
    x0_ = x_;
    v0_ = v_;
    for (std::uint64_t k = 0; k < steps; ++k) {
      const double t0 = static_cast<double>(k) * h, t1 = k + 1 == steps ? T : static_cast<double>(k + 1) * h;
      if (out_.due(t1)) {
        x0_ = x_;
        v0_ = v_;
      }
      step(t0, t1, k);
      ++out_.summary.steps;
      out_.tick(t1, n_);
      if (!std::isfinite(x_.front() + v_.back()))
        throw RunFailed(fmt::format("the run diverged before t = {} s; smaller steps are required", to_text(t1)));
      if (out_.due(t1)) out_.pass(t1, false, [&](double t, double* to) { between(t, t0, t1, to); });
    }
    out_.pass(T, true, [&](double t, double* to) { row(t, x_, v_, to); });
    Summary& s = out_.summary;
    s.method = "BAOAB";
    s.evaluations = s.steps + 1;
    s.energy.drive = drive_work_;
    s.energy.kinetic = kinetic_energy() - kinetic;
    s.energy.spring = stored_energy(T) - stored;
    s.energy.friction = bound_energy() - bound + to_bath_;
    s.energy.error = missing_part(s.energy);
    s.momentum.error = std::numeric_limits<double>::quiet_NaN();  // of the bath nothing is known
    if (e_.chain.kT > 0)
      s.notes.emplace_back(
          "friction in the energy balance is the heat given to the bath and the change of the potential");
  }

 private:
  /// End of the springs and the force on driven blocks.
  Input<double> input(double t) const {
    const Signal d = e_.drive.at(t);
    if (e_.drive.of == DriveOf::force) return {0, 0, d.value, 1};
    return {d.value, d.rate, 0, 1};
  }
  double place(std::size_t b) const { return static_cast<double>(b) * e_.chain.spacing; }
  bool pulled(std::size_t b) const { return b == 0 || e_.chain.pulled == Pulled::all; }
  double links(std::size_t b, const std::vector<double>& x) const {
    return blocks_.link[b] * (x[b > 0 ? b - 1 : n_ - 1] - x[b]) +
           blocks_.link[b + 1] * (x[b + 1 < n_ ? b + 1 : 0] - x[b]);
  }
  /// Without dampers.
  double applied(std::size_t b, const Input<double>& in, const std::vector<double>& x) const {
    return blocks_.stiffness[b] * (in.end - x[b] - e_.body.rest_length) + (pulled(b) ? in.external : 0) +
           blocks_.pull[b] + links(b, x);
  }
  void forces(double t) {
    const Input<double> in = input(t);
    for (std::size_t b = 0; b < n_; ++b) F_[b] = applied(b, in, x_) - potential_[b].slope(x_[b] + place(b));
  }
  double drive_power(double t) const {
    const Input<double> in = input(t);
    double sum = 0;
    for (std::size_t b = 0; b < n_; ++b)
      sum += blocks_.stiffness[b] * (in.end - x_[b] - e_.body.rest_length) * in.end_v +
             ((pulled(b) ? in.external : 0) + blocks_.pull[b]) * v_[b];
    return sum;
  }
  double normal(std::uint64_t step, std::size_t b) const {  // Box and Muller
    const auto seed = static_cast<std::uint64_t>(e_.chain.seed);
    const double radius = 1 - uniform(seed, of_noise, step, 2 * b), angle = uniform(seed, of_noise, step, 2 * b + 1);
    return std::sqrt(-2 * std::log(radius)) * std::cos(two_pi * angle);
  }
  void step(double t0, double t1, std::uint64_t k) {
    const double h = t1 - t0, kT = e_.chain.kT;
    const Input<double> middle = input(t0 + h / 2);
    drive_work_ += h / 2 * drive_power(t0);
    for (std::size_t b = 0; b < n_; ++b) {
      const double m = blocks_.mass[b], drag = kv_[b] + blocks_.damping[b];
      double& v = v_[b];
      v += h / 2 * F_[b] / m;
      x_[b] += h / 2 * v;
      if (drag > 0) {
        const double kept = std::exp(-drag * h / m), wind = blocks_.damping[b] * middle.end_v / drag, before = v;
        v = wind + (v - wind) * kept;
        if (kT > 0) v += std::sqrt(kT / m * (1 - kept * kept)) * normal(k, b);
        const double heat = m / 2 * (before * before - v * v),
                     by_drive = blocks_.damping[b] * (middle.end_v - (before + v) / 2) * middle.end_v * h;
        to_bath_ += heat + by_drive;
        drive_work_ += by_drive;
      }
      x_[b] += h / 2 * v;
    }
    forces(t1);
    for (std::size_t b = 0; b < n_; ++b) v_[b] += h / 2 * F_[b] / blocks_.mass[b];
    drive_work_ += h / 2 * drive_power(t1);
  }

  /// Beyond 2 over the highest frequency the scheme amplifies every motion.
  void require_stability(double h) const {
    const PotentialParams& p = e_.chain.potential;
    double bend = 0, stiffest = 0;  // curvature of the potential over U0; largest stiffness over mass
    for (std::size_t i = 0; i < p.fourier.size(); ++i) {
      const double wave = 2 * std::numbers::pi / p.period * static_cast<double>(i + 1);
      bend += std::abs(p.fourier[i]) * wave * wave;
    }
    for (std::size_t b = 0; b < n_; ++b) {
      const double links = 2 * (blocks_.link[b] + blocks_.link[b + 1]);
      stiffest = std::max(stiffest, (blocks_.stiffness[b] + links + blocks_.U0[b] * bend) / blocks_.mass[b]);
    }
    const double most = 2 / std::sqrt(stiffest);
    if (h >= most)
      throw RunFailed(fmt::format("step = {} s is unstable; less than {:.4g} s is required", to_text(h), most));
  }
  double kinetic_energy() const {
    double sum = 0;
    for (std::size_t b = 0; b < n_; ++b) sum += blocks_.mass[b] * v_[b] * v_[b] / 2;
    return sum;
  }
  double stored_energy(double t) const {
    const Input<double> in = input(t);
    double sum = 0;
    for (std::size_t b = 0; b < n_; ++b) {
      sum += blocks_.stiffness[b] * std::pow(in.end - x_[b] - e_.body.rest_length, 2) / 2;
      sum += blocks_.link[b + 1] * std::pow(x_[b + 1 < n_ ? b + 1 : 0] - x_[b], 2) / 2;
    }
    return sum;
  }
  double bound_energy() const {
    double sum = 0;
    for (std::size_t b = 0; b < n_; ++b) sum += potential_[b].energy(x_[b] + place(b));
    return sum;
  }
  /// With noise a velocity between two ends of steps is that at the later end: interpolated ones are too small on average.
  void between(double t, double t0, double t1, double* to) {
    const double part = (t - t0) / (t1 - t0), of_v = e_.chain.kT > 0 && part > 1e-9 ? 1 : part;
    std::vector<double> x(n_), v(n_);
    for (std::size_t b = 0; b < n_; ++b) {
      x[b] = x0_[b] + part * (x_[b] - x0_[b]);
      v[b] = v0_[b] + of_v * (v_[b] - v0_[b]);
    }
    row(t, x, v, to);
  }
  void row(double t, const std::vector<double>& x, const std::vector<double>& v, double* to) const {
    const Input<double> in = input(t);
    const double drive = e_.drive.at(t).value;
    bool begun = false;
    *to++ = t;
    for (const std::size_t b : shown_) {
      if (!begun && b != 0) *to++ = drive;
      begun = true;
      *to++ = x[b];
      *to++ = v[b];
      *to++ = potential_[b].slope(x[b] + place(b)) + kv_[b] * v[b];
      if (b == 0) {
        *to++ = applied(b, in, x) + blocks_.damping[b] * (in.end_v - v[b]);
        *to++ = drive;
      }
    }
  }

  const Experiment& e_;
  Recorder& out_;
  const Blocks blocks_;
  const std::size_t n_;
  std::vector<double> x_, v_, F_, kv_{}, x0_{}, v0_{};
  std::vector<Potential> potential_{};
  std::vector<std::size_t> shown_{};
  double drive_work_ = 0, to_bath_ = 0;
};

}  // namespace

void run_thermal(const Experiment& e, Recorder& out) { ThermalRun(e, out).run(); }

}  // namespace bristle
