#include "bristle/simulate/drive.hpp"

#include <algorithm>
#include <cmath>

#include "profiles.hpp"

namespace bristle {
namespace {

Signal wave(double amplitude, double phase, double omega, double omega_rate) {
  const double s = std::sin(phase), c = std::cos(phase);
  return {amplitude * s, amplitude * c * omega, amplitude * (c * omega_rate - s * omega * omega)};
}

/// Index of a straight piece of a triangle, which crosses zero at n/(2 f).
double triangle_piece(const Triangle& k, double t) { return std::floor(2 * k.frequency * t + 0.5); }

std::size_t points_after(const Points& k, double t) {
  return static_cast<std::size_t>(std::upper_bound(k.t.begin(), k.t.end(), t) - k.t.begin());
}

struct At {
  double t, inside;
  Signal operator()(const Constant& k) const { return {k.value, 0, 0}; }
  Signal operator()(const StepAt& k) const { return {inside >= k.at ? k.size : 0, 0, 0}; }
  Signal operator()(const Ramp& k) const { return {k.start + k.velocity * t, k.velocity, 0}; }
  Signal operator()(const Sine& k) const {
    const double omega = two_pi * k.frequency;
    return Signal{k.offset, 0, 0} + wave(k.amplitude, omega * t + k.phase, omega, 0);
  }
  Signal operator()(const Chirp& k) const {
    const double T = k.sweep_time, slope = (k.f1 - k.f0) / T;
    if (inside < T)
      return wave(k.amplitude, two_pi * (k.f0 * t + slope * t * t / 2), two_pi * (k.f0 + slope * t), two_pi * slope);
    return wave(k.amplitude, two_pi * ((k.f0 + k.f1) / 2 * T + k.f1 * (t - T)), two_pi * k.f1, 0);
  }
  Signal operator()(const Triangle& k) const {
    const double n = triangle_piece(k, inside), way = std::fmod(n, 2) == 0 ? 4 : -4;
    const double slope = way * k.amplitude * k.frequency;
    return {slope * (t - n / (2 * k.frequency)), slope, 0};
  }
  Signal operator()(const Points& k) const {
    const std::size_t i = points_after(k, inside);
    if (i == 0) return {k.value.front(), 0, 0};
    if (i == k.t.size()) return {k.value.back(), 0, 0};
    const double slope = (k.value[i] - k.value[i - 1]) / (k.t[i] - k.t[i - 1]);
    return {k.value[i - 1] + slope * (t - k.t[i - 1]), slope, 0};
  }
  Signal operator()(const Stretched auto& k) const { return stretch_of(k, inside, t).at(t); }
};

struct NextCorner {
  double t;
  double operator()(const Constant&) const { return inf; }
  double operator()(const StepAt& k) const { return after(k.at); }
  double operator()(const Ramp&) const { return inf; }
  double operator()(const Sine&) const { return inf; }
  double operator()(const Chirp& k) const { return after(k.sweep_time); }
  double operator()(const Triangle& k) const {
    double n = triangle_piece(k, t);
    while (!((n + 0.5) / (2 * k.frequency) > t)) n += std::max(1.0, std::abs(n) * epsilon<double>);
    return (n + 0.5) / (2 * k.frequency);
  }
  double operator()(const Points& k) const {
    const std::size_t i = points_after(k, t);
    return i < k.t.size() ? k.t[i] : inf;
  }
  double operator()(const Stretched auto& k) const { return stretch_of(k, t, t).end; }
  double after(double corner) const { return corner > t ? corner : inf; }
};

struct LongestStep {
  static constexpr double per_period = 8;
  double t;
  double operator()(const Sine& k) const { return 1 / (per_period * k.frequency); }
  double operator()(const Chirp& k) const { return 1 / (per_period * std::max({k.f0, k.f1, limit::least})); }
  double operator()(const Stretched auto& k) const {
    const Stretch s = stretch_of(k, t, t);
    return s.straight() ? inf : (s.end - s.begin) / per_period;
  }
  template <class Other> double operator()(const Other&) const { return inf; }
};

struct Straight {
  double inside;
  bool operator()(const Sine&) const { return false; }
  bool operator()(const Chirp&) const { return false; }
  bool operator()(const Stretched auto& k) const { return stretch_of(k, inside, inside).straight(); }
  template <class Other> bool operator()(const Other&) const { return true; }
};

/// The next time at which the shape itself may jump.
struct NextJump {
  double t;
  double operator()(const StepAt& k) const { return k.at > t ? k.at : inf; }
  double operator()(const Staircase& k) const { return k.size != 0 ? stretch_of(k, t, t).end : inf; }
  double operator()(const Prbs& k) const { return stretch_of(k, t, t).end; }
  template <class Other> double operator()(const Other&) const { return inf; }
};

struct CornersUntil {
  double end;
  double operator()(const Triangle& k) const { return 2 * k.frequency * end; }
  double operator()(const Staircase& k) const { return std::min(end / k.hold, static_cast<double>(k.count)); }
  double operator()(const Prbs& k) const { return k.amplitude != 0 ? end / k.bit_time : 0; }
  template <class Other> double operator()(const Other&) const { return 0; }
};

Signal soft(double duration, double t) {
  const double omega = two_pi / (2 * duration);  // sin^2(pi t/2T) = (1 - cos(omega t))/2
  return {(1 - std::cos(omega * t)) / 2, omega * std::sin(omega * t) / 2, omega * omega * std::cos(omega * t) / 2};
}
double soft_step(double duration, double t) { return duration > t ? duration / 8 : inf; }

}  // namespace

Signal Term::at(double t, double inside) const {
  const Signal signal = std::visit(At{t, inside}, shape);
  return inside < soft_start ? soft(soft_start, t) * signal : signal;
}

Signal Drive::at(double t, double inside) const {
  Signal sum{};
  for (const Term& term : terms) sum = sum + term.at(t, inside);
  return inside < soft_start ? soft(soft_start, t) * sum : sum;
}

bool Term::straight(double inside) const { return !(soft_start > inside) && std::visit(Straight{inside}, shape); }

bool Drive::straight(double inside) const {
  return !(soft_start > inside) &&
         std::all_of(terms.begin(), terms.end(), [&](const Term& term) { return term.straight(inside); });
}

double Drive::next_corner(double t) const {
  double next = soft_start > t ? soft_start : inf;
  for (const Term& term : terms) {
    next = std::min(next, std::visit(NextCorner{t}, term.shape));
    if (term.soft_start > t) next = std::min(next, term.soft_start);
  }
  return next;
}

double Drive::longest_step(double t) const {
  double h = soft_step(soft_start, t);
  for (const Term& term : terms)
    h = std::min({h, soft_step(term.soft_start, t), std::visit(LongestStep{t}, term.shape)});
  return h;
}

std::optional<double> Drive::first_jump(double end) const {
  double t = 0;
  for (int n = 0; n < 10000; ++n) {
    double next = inf;
    for (const Term& term : terms) next = std::min(next, std::visit(NextJump{t}, term.shape));
    if (!(next <= end) || next == inf) return {};
    t = next;
    double sum = 0, size = 0;  // simultaneous steps may cancel
    const double before = std::nextafter(t, 0.0);
    for (const Term& term : terms) {
      if (std::visit(NextJump{before}, term.shape) != t) continue;
      const double jump = term.at(t, t).value - term.at(t, before).value;
      sum += jump;
      size += std::abs(jump);
    }
    if (std::abs(sum) > 1e-12 * size) return t;
  }
  return {};
}

double Drive::corners_until(double end) const {
  double sum = 0;
  for (const Term& term : terms) sum += std::visit(CornersUntil{end}, term.shape);
  return sum;
}

}  // namespace bristle
