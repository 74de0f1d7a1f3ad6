#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bristle/contact.hpp"
#include "bristle/value.hpp"
#include "identify/series.hpp"

/// Evaluation of a model along the measured motion, with derivatives.
namespace bristle::identify {

/// One real number among the parameters, arrays unrolled.
struct Scalar {
  std::string name, field, unit;  // k2, k, N/m
  int index = 0;                  // from 1 in arrays, else 0
  Range range{};
  unsigned role = 0;
  bool body = false;          // belongs to the machine, not to the friction
  Part part = Part::by_unit;  // in the friction law; none of effects and of the machine
};

/// Forces of n samples, the first with index `from`, and derivatives dF[i * columns + j] along the j-th direction.
struct Rows {
  std::size_t from = 0, n = 0, columns = 0;
  const double *F = nullptr, *dF = nullptr;
};
using Sink = std::function<bool(const Rows&)>;  // false: stop

/// Parameters and their derivatives along each direction: slopes[i * directions + j] = d p_i/d q_j.
struct Point {
  const double *p = nullptr, *slopes = nullptr;
  std::size_t directions = 0;  // 0: forces alone
};

class Evaluator {
 public:
  Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  virtual ~Evaluator() = default;
  virtual std::string_view name() const = 0;
  virtual const std::vector<Scalar>& scalars() const = 0;
  virtual std::vector<double> values() const = 0;  // initial values, from `evaluator`
  /// Parameter block with these numbers, and block of the effects.
  virtual Table table(const double* p) const = 0;
  virtual Table effects(const double* /*p*/) const { return {}; }
  /// Evaluates all segments in blocks: memory does not grow with the recording.
  virtual void evaluate(const Series& s, const Point& at, const Sink& sink) const = 0;
  virtual Scales<double> scales(const double* p) const = 0;
  virtual double steady(const double* p, double v) const = 0;
  /// The evaluator before re-sampling of its forces.
  virtual const Evaluator& whole() const { return *this; }
};

/// `given`: values that are not real numbers (lengths of arrays, choices). Throws BadInput for unknown keys.
/// Numbers of `effects` are scalars too, after those of the model.
std::unique_ptr<Evaluator> evaluator(std::string_view model, const Table& given, const Table& effects = {});

/// The evaluator for the data: with re-sampled data it follows the whole motion and re-samples its forces.
std::unique_ptr<Evaluator> seen_by(const Series& s, std::unique_ptr<Evaluator> model);

/// A law behind the spring of a machine, when the load point was measured: the last scalar is the stiffness between it and
/// the contact. One law has this form, with equations of its own.
bool may_be_compliant(std::string_view model);
std::unique_ptr<Evaluator> compliant_evaluator(std::string_view model, const Table& given);
inline constexpr std::string_view machine_stiffness = "machine_stiffness";

/// A model with an additional force proportional to displacement; the last scalar is its slope `trend`.
std::unique_ptr<Evaluator> trending_evaluator(std::unique_ptr<Evaluator> inner);
inline constexpr std::string_view trend = "trend";

/// Prefix of the parameters of negative motion, [friction.negative].
inline constexpr std::string_view of_negative = "negative.";
inline std::string_view without_direction(std::string_view field) {
  if (field.starts_with(of_negative)) field.remove_prefix(of_negative.size());
  return field;
}

/// Whether a scalar belongs to the machine or the specimen, not to the friction law.
inline bool is_beside(std::string_view scalar) { return scalar == machine_stiffness || scalar == trend; }

}  // namespace bristle::identify
