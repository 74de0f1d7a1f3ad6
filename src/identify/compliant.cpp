#include <algorithm>
#include <array>
#include <cmath>

#include "bristle/dual.hpp"
#include "bristle/models/rate_state.hpp"
#include "bristle/registry/describe.hpp"
#include "identify/evaluator.hpp"

/// Rate-and-state friction with a compliant machine: the measured motion is that of the load point.
///   dF/dt = K (V - v),   F = r N mu(theta, v)                                            (1)
/// V is constant in a step. F advances by two implicit stages (SDIRK of order 2, L-stable: no oscillation for a stiff
/// machine) at the theta of the middle of the step, which half a step with the old v predicts; then theta advances by
/// the whole step with the mean of v, which is V less the change of F/K in the step.
/// A stage solves F + h K v(F, theta) = known; the left side increases with F, so the root is unique.
namespace bristle::identify {
namespace {

constexpr std::size_t width = 8, block = 256;
using Slopes = Dual<double, width>;

template <class T> struct Slider {
  RateState<T> c;
  T K;
  typename RateState<T>::State s{};
  T F{}, v{};

  void restart(double r, double V) {
    s = c.rest();
    v = T(V);
    F = T(r) * c.p.normal_load * c.mu(s.theta, v);
  }
  /// To a sample. A jump of V inside the interval has its place, and a contact far from steady sliding takes short steps:
  /// several per e-fold of v or theta, so that a transient does not depend on the sampling.
  T arrive(const Series& data, std::size_t i) {
    const double before = data.before_jump.empty() ? 0 : data.before_jump[i];
    if (before > 0) move(data.v[i - 1], before, data.r[i]);
    move(before > 0 ? data.v[i] : data.step_v[i], data.dt[i] - before, data.r[i]);
    return F;
  }

 private:
  void move(double V, double time, double r) {
    constexpr double least = 0.1, most = 25;
    const double size = r * real_part(c.p.normal_load) * real_part(c.p.a);
    for (double left = time; left > 0;) {
      const double speed = std::abs(real_part(v)), theta = std::max(real_part(s.theta), 1e-30);
      // A contact much slower than V sticks, and its force grows in proportion to time.
      const double sticks = speed < std::abs(V) ? 0.5 * std::log(std::abs(V) / std::max(speed, 1e-300)) : 0;
      const double folds = real_part(K) * std::abs(V - real_part(v)) / size / std::max(least, sticks) +
                           std::abs(1 / theta - speed / real_part(c.p.Dc)) / least;
      const double h = folds > 0 ? std::max(time / most, 1 / folds) : left;
      advance(V, std::min(h, left), r);
      left -= h;
    }
  }
  void advance(double V, double dt, double r) {
    constexpr double gamma = 0.2928932188134524;  // 1 - 1/sqrt(2)
    NoMode none;
    const auto begin = s;
    c.step(s, none, {.v = v}, T(0.5 * dt));
    const T push = K * T(gamma * dt), before = F;
    const T first = stage(F + push * T(V), push, r);
    F = stage(F + (first - F) * T((1 - gamma) / gamma) + push * T(V), push, r);
    s = begin;
    c.step(s, none, {.v = T(V) - (F - before) / (K * T(dt))}, T(dt));
  }
  /// Solves F + push v(F) = C and sets v. With X = F/(r N a): A X + B sinh X = C.
  T stage(const T& C, const T& push, double r) {
    using std::exp;
    using std::log;
    const T A = T(r) * c.p.normal_load * c.p.a;
    const T ln_B =
        log(T(2) * c.p.V0 * push) - (c.p.mu0 + c.p.b * log(c.p.V0 * larger(s.theta, T(1e-30)) / c.p.Dc)) / c.p.a;
    const T X = root(A, ln_B, C);
    v = T(0.5) * (exp(ln_B + X) - exp(ln_B - X)) / push;
    return A * X;
  }
  static T root(const T& A, const T& ln_B, const T& C) {
    using std::exp;
    const double a = real_part(A), b = real_part(ln_B), size = std::abs(real_part(C));
    if (!(a > 0) || !std::isfinite(b) || !(size > 0)) return C / A;
    const double ratio = std::log(size) - b;  // of C/B
    double x = std::min(size / a, ratio > 20 ? ratio + 0.6931471805599453 : std::asinh(std::exp(ratio)));
    for (int i = 0; i < 50; ++i) {  // convex: Newton from the right converges monotonically
      const double up = 0.5 * std::exp(b + x), down = 0.5 * std::exp(b - x);
      const double step = (a * x + up - down - size) / (a + up + down);
      x -= step;
      if (std::abs(step) <= 1e-14 * (1 + x)) break;
    }
    const double sign = real_part(C) < 0 ? -1 : 1;
    const T X(sign * x), up = T(0.5) * exp(ln_B + X), down = T(0.5) * exp(ln_B - X);
    return X - (A * X + up - down - C) / (A + up + down);  // one step in the scalar with derivatives
  }
};

class Compliant final : public Evaluator {
 public:
  explicit Compliant(std::unique_ptr<Evaluator> rigid, StateLaw law) : rigid_(std::move(rigid)), law_(law) {
    scalars_ = rigid_->scalars();
    scalars_.push_back(
        {std::string(machine_stiffness), std::string(machine_stiffness), "N/m", 0, positive, role::needed, true});
  }
  std::string_view name() const override { return rigid_->name(); }
  const std::vector<Scalar>& scalars() const override { return scalars_; }
  std::vector<double> values() const override {
    std::vector<double> out = rigid_->values();
    out.push_back(1);
    return out;
  }
  Table table(const double* p) const override { return rigid_->table(p); }
  Scales<double> scales(const double* p) const override { return rigid_->scales(p); }
  double steady(const double* p, double v) const override { return rigid_->steady(p, v); }

  void evaluate(const Series& s, const Point& at, const Sink& sink) const override {
    const std::size_t n = at.directions, parts = (n + width - 1) / width;
    if (n == 0) {
      std::vector<Slider<double>> one{slider<double>(at, 0)};
      along(s, one, 1, sink);
    } else {
      std::vector<Slider<Slopes>> sliders;
      sliders.reserve(parts);
      for (std::size_t k = 0; k < parts; ++k) sliders.push_back(slider<Slopes>(at, k * width));
      along(s, sliders, n, sink);
    }
  }

 private:
  template <class T> Slider<T> slider(const Point& at, std::size_t first) const {
    Slider<T> out{};
    std::size_t k = 0;
    auto set = [&](T& e) {
      e = T(at.p[k]);
      if constexpr (!std::is_same_v<T, double>) {
        for (std::size_t j = first; j < std::min(first + width, at.directions); ++j)
          e.d[j - first] = at.slopes[k * at.directions + j];
      }
      ++k;
    };
    each_scalar(out.c.p, [&](const auto&, int, T& e) { set(e); });
    set(out.K);
    out.c.p.law = law_;
    return out;
  }
  template <class T>
  static void along(const Series& s, std::vector<Slider<T>>& sliders, std::size_t n, const Sink& sink) {
    std::vector<double> F(block), dF(block * n);
    for (const Stretch& stretch : s.stretches) {
      for (auto& e : sliders) e.restart(s.r[stretch.from], s.v[stretch.from]);
      for (std::size_t from = stretch.from; from < stretch.to; from += block) {
        const std::size_t count = std::min(block, stretch.to - from);
        for (std::size_t k = 0; k < sliders.size(); ++k) {
          for (std::size_t i = 0; i < count; ++i) {
            const std::size_t at = from + i;
            const T f = stretch.steady ? sliders[k].c.steady(T(s.v[at])) : sliders[k].arrive(s, at);
            F[i] = real_part(f);
            if constexpr (!std::is_same_v<T, double>) {
              for (std::size_t j = k * width; j < std::min((k + 1) * width, n); ++j) dF[i * n + j] = f.d[j - k * width];
            }
          }
        }
        if (!sink({from, count, n, F.data(), dF.data()})) return;
      }
    }
  }

  std::unique_ptr<Evaluator> rigid_;
  StateLaw law_;
  std::vector<Scalar> scalars_;
};

}  // namespace

bool may_be_compliant(std::string_view model) {
  const ModelInfo* info = find_variant(model).model;
  return info && info->name == RateState<>::card.name;
}

std::unique_ptr<Evaluator> compliant_evaluator(std::string_view model, const Table& given) {
  StateLaw law = StateLaw::ageing;
  for (const Entry& e : given) {
    const auto* word = e.value.as<std::string>();
    if (e.key == "law" && word && *word == "slip") law = StateLaw::slip;
  }
  return std::make_unique<Compliant>(evaluator(model, given), law);
}

}  // namespace bristle::identify
