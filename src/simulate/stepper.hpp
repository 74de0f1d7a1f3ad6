#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/tableau.hpp"
#include "system.hpp"

/// One-step methods with an error estimate and dense output.
namespace bristle {

struct StepCounts {
  std::int64_t evaluations{}, jacobians{};
};

/// A norm of 1 is the tolerance: atol + rtol times the size of a state, limited by `largest`.
struct Tolerances {
  double rtol{};
  std::vector<double> atol{}, largest{};
};

/// W: a System or a Chain.
template <class W> class StepperOf {
 public:
  explicit StepperOf(const W& system) : system_(system), point_(system.size()), row_(system.columns().size()) {}
  virtual ~StepperOf() = default;
  virtual const char* name() const = 0;
  virtual int order() const = 0;
  /// Factor on the tolerances that gives all methods about the same error at the same setting.
  virtual double caution() const { return 1; }
  /// Sets the start of attempts.
  void from(double t, const double* y) {
    t_ = t;
    prepare(y);
  }
  /// Attempts a step; the result is in `end()`, its estimated error in `error()` and `norm()`. False if the step is too
  /// long to resolve an instability, which implicit methods would damp.
  bool attempt(double h) {
    h_ = h;
    return advance();
  }
  double length() const { return h_; }  // of the last attempt
  virtual void allow(const Tolerances& t) = 0;
  /// Largest error of the last attempt over its tolerance; NaN if any value is NaN.
  virtual double norm() const = 0;
  /// Whether oscillations of the body may grow, so that steps must resolve them.
  virtual bool restless() const = 0;
  virtual const double* begin_rates() const = 0;
  virtual const double* end() const = 0;
  virtual const double* error() const = 0;  // of every state and work
  /// Bound of the difference between a state and its linear interpolation over the last attempt; infinite if unknown.
  virtual double curvature(std::size_t) const { return inf; }
  /// The solution at t + theta h of the last attempt.
  virtual void dense(double theta, double* y) const = 0;
  /// At least these states of the solution, at their indices in y.
  virtual void dense_of(States /*only*/, double theta, double* y) const { dense(theta, y); }
  /// Rows of the trace at n times within the last attempt, column by column.
  virtual void rows(const double* t, std::size_t n, double* const* to) const {
    for (std::size_t k = 0; k < n; ++k) {
      if constexpr (std::is_same_v<W, System>) {
        if (k % DrivePiece::foreseeable == 0) system_.foresee(t + k, std::min(n - k, DrivePiece::foreseeable));
      }
      const double theta = (t[k] - t_) / h_;
      if constexpr (std::is_same_v<W, System>) {
        dense(theta, point_.data());
      } else {
        for (const std::size_t body : system_.shown()) dense_of(system_.states_of(body), theta, point_.data());
      }
      system_.row(t[k], point_.data(), row_.data());
      for (std::size_t i = 0; i < row_.size(); ++i) to[i][k] = row_[i];
    }
  }
  /// Net and applied forces at places theta of the last attempt, momentum by momentum, place by place.
  virtual void forces(const double* theta, std::size_t n, double* net, double* applied) const {
    const std::size_t momenta = system_.momenta();
    rates_.resize(system_.size());
    for (std::size_t k = 0; k < n; ++k, net += momenta, applied += momenta) {
      const double t = t_ + theta[k] * h_;
      dense(theta[k], point_.data());
      system_.rates(t, point_.data(), rates_.data());
      system_.net_forces(rates_.data(), net);
      system_.applied_forces(t, point_.data(), applied);
    }
  }
  /// Length of the last attempt over the settling time of the slip velocity; 0 if unknown.
  virtual double stiffness() const { return 0; }
  /// Rate of a state on the dense output.
  virtual double dense_rate(std::size_t /*state*/, double /*theta*/) const { return 0; }
  /// Writes the remaining columns of rows.
  virtual void flush() const {}
  /// Work of the drive over the last attempt, for a prescribed motion.
  virtual double work() const {
    double sum = 0;
    if constexpr (W::may_be_prescribed) {
      sum = lobatto.weights[0] * begin_rates()[system_.size() - 1];
      for (std::size_t i = 1; i < lobatto.nodes.size(); ++i) {
        const double* y = end();
        if (lobatto.nodes[i] < 1) dense(lobatto.nodes[i], point_.data()), y = point_.data();
        sum += lobatto.weights[i] * system_.power(t_ + lobatto.nodes[i] * h_, y);
      }
    }
    return sum * h_;
  }
  const StepCounts& counts() const { return counts_; }

 protected:
  /// Times of the stages, and of the quadrature of the work of a prescribed motion.
  void foresee_step(const double* alpha, std::size_t stages) const {
    std::array<double, DrivePiece::foreseeable> times{};
    std::size_t n = 0;
    for (std::size_t s = 1; s < stages && alpha[s - 1] != 1; ++s) times[n++] = t_ + alpha[s] * h_;
    if (system_.prescribed()) {
      for (std::size_t i = 1; i + 1 < lobatto.nodes.size(); ++i) times[n++] = t_ + lobatto.nodes[i] * h_;
    }
    system_.foresee(times.data(), n);
  }
  virtual void prepare(const double* y) = 0;
  virtual bool advance() = 0;
  const W& system_;
  double t_{}, h_{};
  StepCounts counts_{};

 private:
  mutable std::vector<double> point_, row_, rates_{};
};

using Stepper = StepperOf<System>;

/// A column of fixed size for small systems, padded with zeros.
template <std::size_t most> class Padded {
 public:
  Padded() = default;
  explicit Padded(std::size_t /*size*/) {}
  static constexpr std::size_t size() { return most; }
  double* data() { return a_.data(); }
  const double* data() const { return a_.data(); }
  double& operator[](std::size_t i) { return a_[i]; }
  const double& operator[](std::size_t i) const { return a_[i]; }
  void assign(const double* from, const double* to) { std::copy(from, to, a_.begin()); }

 private:
  alignas(64) std::array<double, most> a_{};
};

/// Base of steppers for systems of any size, with columns in vectors, or for small ones.
template <class W, class Column = std::vector<double>> class GeneralStepperOf : public StepperOf<W> {
 public:
  explicit GeneralStepperOf(const W& system)
      : StepperOf<W>(system), y_(system.size()), y1_(system.size()), f_(system.size()), error_(system.size()) {}
  const double* begin_rates() const override { return f_.data(); }
  const double* end() const override { return y1_.data(); }
  const double* error() const override { return error_.data(); }
  void allow(const Tolerances& t) override {
    tolerances_ = t;
    tolerances_.atol.resize(y_.size(), 1);
    tolerances_.largest.resize(y_.size(), inf);
  }
  double norm() const override {
    double worst = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const double size = std::min(std::max(std::abs(y_[i]), std::abs(y1_[i])), tolerances_.largest[i]);
      const double e = std::abs(error_[i]) / (tolerances_.atol[i] + tolerances_.rtol * size);
      if (!(e <= worst)) worst = e;
      if (!std::isfinite(y1_[i])) worst = inf;
    }
    return worst;
  }

 protected:
  void rates(double t, const Column& y, Column& f) {
    ++this->counts_.evaluations;
    this->system_.rates(t, y.data(), f.data());
  }
  Column y_, y1_, f_, error_;
  Tolerances tolerances_{};
};

std::unique_ptr<Stepper> make_rodas5p(const System& system);
std::unique_ptr<Stepper> make_rodas4(const System& system);
std::unique_ptr<Stepper> make_dopri5(const System& system);

class Chain;
std::unique_ptr<StepperOf<Chain>> make_dopri5(const Chain& chain);

}  // namespace bristle
