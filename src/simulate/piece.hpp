#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "bristle/simulate/drive.hpp"
#include "kernels/tones.hpp"

/// A drive between two corners, for fast evaluation.
namespace bristle {

class DrivePiece {
 public:
  explicit DrivePiece(const Drive& drive);
  DrivePiece(const DrivePiece&) = delete;
  DrivePiece& operator=(const DrivePiece&) = delete;
  /// The piece that contains the time `inside`, up to its end.
  void enter(double inside, double end);
  Signal at(double t) const {
    if (kind_ == Kind::line) return on_line(t);
    if (t != known_t_) {  // repeated calls at the same time
      known_t_ = t;
      known_ = find(t);
    }
    return known_;
  }
  /// Evaluates several times in advance.
  void foresee(const double* t, std::size_t n) const {
    if (kind_ == Kind::tones) evaluate(t, n);
  }
  static constexpr std::size_t foreseeable = 16;
  /// The straight part: the whole piece, or the line below the tones.
  struct Line {
    double value, rate, inside;
    Signal operator()(double t) const { return {value + rate * (t - inside), rate, 0}; }
  };
  Line line() const { return {line_.value, line_.rate, inside_}; }
  Signal on_line(double t) const { return line()(t); }
  bool straight() const { return kind_ == Kind::line; }
  /// Longest step that resolves every oscillation.
  double longest_step() const { return longest_step_; }
  /// The value or its rate, with its derivative and a bound of its second derivative; infinite if unknown.
  struct Curve {
    double value, rate, curvature;
  };
  Curve curve(double t, bool of_rate) const {
    const Signal s = at(t);
    return of_rate ? Curve{s.rate, s.rate2, largest_[3]} : Curve{s.value, s.rate, largest_[2]};
  }
  /// The first zero of this curve after t; infinity if there is none before `end` or it is unknown.
  double next_zero(double t, double end, bool of_rate) const;

 private:
  Signal find(double t) const;
  void evaluate(const double* t, std::size_t n) const;

  const Drive& drive_;
  enum class Kind { line, tones, any } kind_ = Kind::any;  // tones: on top of a line
  double inside_{}, longest_step_{inf};
  std::array<double, 4> largest_{inf, inf, inf, inf};  // of all tones together and their derivatives
  double largest_phase_{};                             // at t = 0
  Signal line_{};
  std::vector<double> amplitude_{}, omega_{}, phase_{};
  mutable std::array<double, foreseeable> foreseen_{};
  mutable std::array<Signal, foreseeable> then_{};
  mutable std::size_t foreseen_count_ = 0;
  mutable double known_t_ = -1;
  mutable Signal known_{};
};

}  // namespace bristle
