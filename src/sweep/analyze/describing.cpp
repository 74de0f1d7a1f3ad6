#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/parallel.hpp"
#include "bristle/sweep/analyze.hpp"
#include "sweep/analyze/subject.hpp"

namespace bristle::analysis {
namespace {

/// 2/T times the integral of F e^{-j(wt)} over one period for F linear between its points, which is exact for each piece; j times
/// this is the coefficient of e^{j(wt)} in units of sin.
Complex first_harmonic(const std::vector<double>& t, const std::vector<double>& F, double from, double to, double w) {
  Complex sum = 0;
  const Complex jw(0, w);
  for (std::size_t i = 1; i < t.size(); ++i) {
    if (t[i] <= from || t[i - 1] >= to || t[i] == t[i - 1]) continue;
    auto at = [&](double time) { return F[i - 1] + (F[i] - F[i - 1]) * (time - t[i - 1]) / (t[i] - t[i - 1]); };
    const double a = std::max(t[i - 1], from), b = std::min(t[i], to), Fa = at(a), Fb = at(b),
                 slope = (Fb - Fa) / (b - a);
    // Of F e^{-jwt}: partial integration.
    auto end = [&](double time, double f) { return std::exp(-jw * time) * (-f / jw - slope / (jw * jw)); };
    sum += end(b, Fb) - end(a, Fa);
  }
  return 2.0 / (to - from) * sum;
}

}  // namespace

Describing describing_function(const Experiment& experiment, double amplitude, double omega,
                               const std::atomic<bool>* stop) {
  Describing out{.amplitude = amplitude, .omega = omega};
  Experiment e = copy_of(experiment);
  e.kind = SystemKind::prescribed;
  e.controller.reset();
  e.feedforward.reset();
  e.body.start = Beginning::given;
  e.body.x0 = e.body.v0 = 0;
  e.solver.event_rows = false;
  e.solver.rtol = std::max(e.solver.rtol, 1e-7);  // the harmonic is taken from 720 points of a period
  e.method = Method::automatic;
  e.drive = {.of = DriveOf::position, .terms = {Term{Sine{.amplitude = amplitude, .frequency = omega / turn}}}};
  e.load.reset();
  if (const double r = load_ratio(experiment); r != 1) e.load = Drive{.terms = {Term{Constant{r}}}};
  const double period = turn / omega;
  constexpr int rows = 720;
  try {
    for (int periods = 3; periods <= 24; periods *= 2) {
      e.solver.duration = periods * period;
      e.solver.output_step = e.solver.duration;
      // Reversals, where F may jump, are in the middle between two points.
      std::vector<double> t;
      for (int k = (periods - 2) * rows - 1; k < periods * rows; ++k) t.push_back((k + 0.5) / rows * period);
      const Run run = simulate(e, {.probes = t, .stop = stop, .rows = false});
      const std::vector<double>& F = run.probes.find("F")->values;
      auto of = [&](double from) {
        // F = Im of c e^{jwt}: sin has c = 1.
        return Complex(0, 1) * first_harmonic(t, F, from, from + period, omega);
      };
      const Complex now = of(t.back() - period), before = of(t.front());
      if (std::abs(now - before) > 1e-5 * std::abs(now)) continue;
      out.N = now / amplitude;
      return out;
    }
    out.reason = "the friction does not settle within 24 periods";
  } catch (const RunFailed& failure) { out.reason = failure.what(); }
  return out;
}

Complex loop_force(const Experiment& experiment, double omega) {
  const Experiment& e = experiment;
  const double w = omega;
  const Complex s(0, w);
  if (!e.controller) return e.body.stiffness + s * e.body.damping;
  const ControllerParams& c = *e.controller;
  const Complex derivative = c.velocity() == MeasuredVelocity::filter ? s / (1.0 + s * c.derivative_filter) : s;
  const Complex law = c.cascade() ? (c.velocity_gain + c.velocity_integral / s) * (c.position_gain + derivative)
                                  : c.kp + c.ki / s + c.kd * derivative;
  // A held output is half a sample late; a difference is one more half for the derivative alone, which is left out.
  return law * std::exp(-s * (0.5 * c.sample_time + c.sensor.delay));
}

namespace {

/// Residual of harmonic balance.
Complex balance_of(const Experiment& e, const Describing& d) {
  return loop_force(e, d.omega) - e.body.mass * d.omega * d.omega + d.N;
}

/// Newton in the logarithms of amplitude and frequency from the middle of a cell.
std::optional<Predicted> polish(const Experiment& e, double A, double w, const std::atomic<bool>* stop) {
  double a = std::log(A), b = std::log(w);
  auto residual = [&](double p, double q) {
    return balance_of(e, describing_function(e, std::exp(p), std::exp(q), stop));
  };
  const double size = std::abs(loop_force(e, w)) + e.body.mass * w * w;
  Complex R = residual(a, b);
  for (int k = 0; k < 25; ++k) {
    constexpr double h = 1e-3;
    const Complex Ra = (residual(a + h, b) - residual(a - h, b)) / (2 * h),
                  Rb = (residual(a, b + h) - residual(a, b - h)) / (2 * h);
    const double det = Ra.real() * Rb.imag() - Ra.imag() * Rb.real();
    if (std::abs(R) <= 1e-6 * size) {
      // Loeb: a larger amplitude must be damped.
      return Predicted{std::exp(a), std::exp(b), det > 0};
    }
    if (!(std::abs(det) > 0) || !std::isfinite(det)) return {};
    double da = -(R.real() * Rb.imag() - R.imag() * Rb.real()) / det,
           db = -(Ra.real() * R.imag() - Ra.imag() * R.real()) / det;
    const double limit = 0.7 / std::max({0.7, std::abs(da), std::abs(db)});
    da *= limit;
    db *= limit;
    for (int half = 0; half < 6; ++half, da *= 0.5, db *= 0.5) {
      const Complex next = residual(a + da, b + db);
      if (!(std::abs(next) < std::abs(R)) && half < 5) continue;
      R = next;
      break;
    }
    a += da;
    b += db;
    if (std::abs(a - std::log(A)) > 3 || std::abs(b - std::log(w)) > 3 || std::isnan(R.real())) return {};
  }
  return {};
}

void find_cycles(const Experiment& e, DescribingRead& out, const sweep::RunHooks& hooks) {
  const std::size_t nw = out.omegas.size();
  for (std::size_t i = 0; i + 1 < out.amplitudes.size(); ++i) {
    for (std::size_t j = 0; j + 1 < nw; ++j) {
      double re[2]{inf, -inf}, im[2]{inf, -inf};
      for (const std::size_t k : {i * nw + j, (i + 1) * nw + j, i * nw + j + 1, (i + 1) * nw + j + 1}) {
        const Complex R = balance_of(e, out.values[k]);
        re[0] = std::min(re[0], R.real());
        re[1] = std::max(re[1], R.real());
        im[0] = std::min(im[0], R.imag());
        im[1] = std::max(im[1], R.imag());
      }
      if (!(re[0] <= 0 && re[1] >= 0 && im[0] <= 0 && im[1] >= 0)) continue;
      const auto found = polish(e, std::sqrt(out.amplitudes[i] * out.amplitudes[i + 1]),
                                std::sqrt(out.omegas[j] * out.omegas[j + 1]), hooks.stop);
      const auto known = [&](const Predicted& p) {
        return std::abs(std::log(p.amplitude / found->amplitude)) < 1e-2 &&
               std::abs(std::log(p.omega / found->omega)) < 1e-2;
      };
      // Beyond the limit of its force the servo is not linear.
      const bool possible =
          found && (!e.controller || std::abs(loop_force(e, found->omega)) * found->amplitude <= e.controller->limit);
      if (possible && std::ranges::none_of(out.cycles, known)) out.cycles.push_back(*found);
    }
  }
  std::ranges::sort(out.cycles, {}, &Predicted::amplitude);
}

std::vector<double> spaced(double lo, double hi, int n) {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) out.push_back(lo * std::pow(hi / lo, i / static_cast<double>(n - 1)));
  return out;
}

}  // namespace

DescribingRead describing(const Experiment& e, const sweep::RunHooks& hooks) {
  DescribingRead out;
  const double K = e.controller ? std::abs(e.controller->stiffness()) : e.body.stiffness, m = e.body.mass;
  const double w0 = K > 0 ? std::sqrt(K / m) : 1;
  double force = 0, length = 0, speed = 0;
  for (const NamedContact& c : e.contacts) {
    const Scales<double> s = c.contact->scales();
    force += s.force;
    length = std::max(length, s.displacement);
    speed = std::max(speed, s.velocity);
  }
  // Amplitudes: pre-sliding, the velocity of the steady curve, the stretch under the friction.
  double lo = inf, hi = 0;
  for (const double A : {length, speed / w0, K > 0 ? force / K : 0.0}) {
    if (!(A > 0)) continue;
    lo = std::min(lo, A);
    hi = std::max(hi, A);
  }
  if (!(hi > 0)) lo = hi = 1;
  const int per_decade = 3;
  lo /= 30;
  hi *= 30;
  out.amplitudes = spaced(lo, hi, std::clamp(static_cast<int>(per_decade * std::log10(hi / lo)), 9, 28));
  out.omegas = spaced(w0 / 30, w0 * 30, e.controller ? 10 : 4);
  const std::size_t n = out.amplitudes.size() * out.omegas.size();
  out.values.resize(n);
  std::mutex mutex;
  std::uint64_t done = 0;
  in_parallel(n, hooks.threads, [&](std::size_t k) {
    out.values[k] =
        describing_function(e, out.amplitudes[k / out.omegas.size()], out.omegas[k % out.omegas.size()], hooks.stop);
    const std::lock_guard lock(mutex);
    if (hooks.progress) hooks.progress(1000 * ++done / n);
  });
  const bool around_rest = e.controller && sliding_velocity(e) == 0;
  if (around_rest) find_cycles(e, out, hooks);
  if (out.cycles.empty())
    out.reason = around_rest ? "harmonic balance has no solution within the amplitudes and frequencies"
                             : "harmonic balance is defined around rest; a servo with a constant reference is required";
  return out;
}

}  // namespace bristle::analysis
