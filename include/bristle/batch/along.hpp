#pragma once
#include <span>

#include "../registry/any.hpp"

/// Whole motions of one contact in one call, without a virtual call per sample.
namespace bristle {

/// A motion by samples. Sample i ends an interval of constant velocity v[i].
struct Samples {
  std::span<const double> dt;  // s; one value: of all intervals
  std::span<const double> v;   // m/s
  // As long as v, or empty.
  std::span<const double> x{}, r{}, temperature{};  // x: integral of v unless given; r: 1; temperature: 20
};

/// Where a motion is, in the terms of `Motion`.
struct Place {
  double x{}, path{}, t{};  // t: time
};

/// Throws BadInput for values that are not finite, dt <= 0, r < 0, and lists of other lengths.
void check(const Samples& samples);

/// Advances the contact along all samples; F[i] is the force at the end of interval i. At constant dt without further inputs
/// the vector code of batches is used: forces differ from those of `step` by rounding. Throws BadInput and changes nothing
/// for samples that `check` refuses.
void along(AnyContact& contact, const Samples& samples, Place& place, std::span<double> F);

/// Force of steady sliding at each velocity, with effects at x = 0. Throws BadInput for a population or a
/// load_offset or curve_load at x = 0, which have no closed form.
void steady(const AnyContact& contact, std::span<const double> v, std::span<double> F);

}  // namespace bristle
