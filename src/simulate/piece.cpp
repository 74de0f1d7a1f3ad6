#include "piece.hpp"

#include <algorithm>
#include <cmath>

#include "base/processor.hpp"

namespace bristle {
DrivePiece::DrivePiece(const Drive& drive) : drive_(drive) {
  for (std::vector<double>* list : {&amplitude_, &omega_, &phase_}) list->reserve(drive.terms.size() + Tones::group);
}

void DrivePiece::enter(double inside, double end) {
  inside_ = inside;
  known_t_ = -1;
  foreseen_count_ = 0;
  longest_step_ = drive_.longest_step(inside);
  line_ = {};
  for (std::vector<double>* list : {&amplitude_, &omega_, &phase_}) list->clear();
  bool simple = !(drive_.soft_start > inside);
  largest_ = {};
  largest_phase_ = 0;
  for (const Term& term : drive_.terms) {
    const auto* sine = std::get_if<Sine>(&term.shape);
    simple = simple && (sine ? !(term.soft_start > inside) : term.straight(inside));
    if (sine) {
      const double omega = two_pi * sine->frequency;
      amplitude_.push_back(sine->amplitude);
      omega_.push_back(omega);
      phase_.push_back(sine->phase);
      line_.value += sine->offset;
      double size = std::abs(sine->amplitude);
      for (double& derivative : largest_) {
        derivative += size;
        size *= omega;
      }
      largest_phase_ = std::max(largest_phase_, std::abs(sine->phase));
      simple = simple && omega * end + std::abs(sine->phase) < Tones::largest_phase;
    } else if (simple) {
      line_ = line_ + term.at(inside, inside);
    }
  }
  kind_ = !simple ? Kind::any : omega_.empty() ? Kind::line : Kind::tones;
  if (!simple) largest_.fill(inf);
  while (omega_.size() % Tones::group != 0) {
    for (std::vector<double>* list : {&amplitude_, &omega_, &phase_}) list->push_back(0);
  }
}

double DrivePiece::next_zero(double t, double end, bool of_rate) const {
  Curve c = curve(t, of_rate);
  if (!(c.curvature < inf)) return inf;
  if (c.curvature == 0 && c.rate == 0) return inf;
  const double size = largest_[of_rate ? 1 : 0], speed = largest_[of_rate ? 2 : 1];
  const auto nothing = [&] {  // below the rounding errors of times and phases
    const double noise =
        (4 + largest_phase_) * size + t * (speed + std::abs(c.rate)) + std::abs(of_rate ? line_.rate : line_.value);
    return std::abs(c.value) <= 4 * epsilon<double> * noise;
  };
  if (nothing()) {  // at a zero: half the shortest time to the next one
    const double longest = longest_step_ < inf ? longest_step_ : end - t;
    t += c.curvature > 0 ? std::max(std::abs(c.rate) / c.curvature, 1e-6 * longest) : inf;
    if (t < end) c = curve(t, of_rate);
  }
  for (int n = 0; n < 1000 && t < end; ++n) {
    if (nothing()) return t;
    // The parabola with the largest curvature towards zero is a lower bound of the time.
    const double slope = c.value > 0 ? c.rate : -c.rate;
    const double root = std::sqrt(slope * slope + 2 * c.curvature * std::abs(c.value));
    const double next = t + 2 * std::abs(c.value) / (root - slope);
    if (!(next > t)) return t;
    t = next;
    if (t < end) c = curve(t, of_rate);
  }
  return inf;
}

Signal DrivePiece::find(double t) const {
  if (kind_ == Kind::any) return drive_.at(t, inside_);
  const auto* const begin = foreseen_.begin();
  const auto* found = std::find(begin, begin + foreseen_count_, t);
  if (found == begin + foreseen_count_) {
    evaluate(&t, 1);
    found = begin;
  }
  return then_[static_cast<std::size_t>(found - begin)];
}

void DrivePiece::evaluate(const double* t, std::size_t n) const {
  static const auto sum = best_kernel(&tones_baseline, BRISTLE_IF_AVX2(&tones_avx2));
  foreseen_count_ = n;
  std::copy_n(t, n, foreseen_.begin());
  sum({amplitude_.data(), omega_.data(), phase_.data(), omega_.size()}, t, n, then_.data());
  for (std::size_t i = 0; i < n; ++i) then_[i] = then_[i] + on_line(t[i]);
}

}  // namespace bristle
