#pragma once
#include <cstddef>

/// Load and the effects that do not depend on the position, in vector code: compiled once per instruction set.
namespace bristle::batch {

struct Around {
  const double *r{}, *temperature{};  // one per sample; null: 1 and `warmth`
  double load_offset{}, load_exponent{1};
  double kv{};  // of the model: the load does not scale the viscous part
  double asymmetry{}, offset{}, temperature_coefficient{}, reference_temperature{20};
  double warmth{1};  // gain of the temperature where it is constant
};
/// F: on entry the forces of the model at load 1, on return those with load and effects.
void around_baseline(const Around& e, const double* v, double* F, std::size_t n);
void around_avx2(const Around& e, const double* v, double* F, std::size_t n);
void around_avx512(const Around& e, const double* v, double* F, std::size_t n);

}  // namespace bristle::batch
