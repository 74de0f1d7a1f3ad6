#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "identify/evaluator.hpp"

/// The coordinates of a fit, free of constraints between them, and the parameters as functions of them.
namespace bristle::identify {

/// A starting value and the limits within which the data could tell something.
struct Guess {
  double value = 1, lo = 0, hi = 1;
  double spread = 1.2;          // how far off the value may be, as a logarithm
  double unit = 0;              // of a coordinate that is none; 0: the size of the value
  std::ptrdiff_t follows = -1;  // held at `factor` times this parameter
  double factor = 1;
};

/// How one parameter follows from the coordinates.
struct Rule {
  enum Kind { constant, own, equal, above, part, share, share_of } kind = constant;
  double value = 0;                  // constant; equal: factor
  std::size_t coordinate = 0;        // own, above, part, share: which
  std::size_t base = 0, over = 0;    // equal: value base · above: base + y · part: y base/over · share_of: share x base
  std::size_t first = 0, count = 0;  // of the shares: coordinates first to first + count - 2, the last exponent is 0
};

struct Coordinate {
  std::string name{};
  bool logarithmic = false;
  double unit = 1;        // of linear ones: q = y/unit
  double lo = 0, hi = 1;  // of q
};

/// Knowledge about a parameter besides the data: a normal distribution.
struct Belief {
  std::size_t parameter = 0;
  double mean = 0, sigma = 1;
};

struct Space {
  std::vector<Rule> rules{};  // one per parameter: the model's scalars, then the body's
  std::vector<Coordinate> coordinates{};
  std::vector<std::size_t> order{};  // of the parameters: each after those that it follows from
  std::vector<Belief> beliefs{};
  std::size_t parameters() const { return rules.size(); }
  std::size_t size() const { return coordinates.size(); }

  /// slopes: parameters x size, row by row; may be null.
  void parameters_at(const double* q, double* p, double* slopes) const;
  /// Coordinates of these parameters, moved within the limits.
  std::vector<double> coordinates_at(const std::vector<double>& p) const;
  /// The coordinate that a parameter is, alone: -1 if it is made of several.
  std::ptrdiff_t coordinate_of(std::size_t parameter) const;
  void clamp(std::vector<double>& q) const;
};

/// Elements side by side in the order in which they yield: any order describes the same contact.
void sort_elements(const std::vector<Scalar>& scalars, std::vector<double>& p);

struct BodyScalar {
  std::string name, unit;
  bool nonnegative = false;
};
/// Of recordings of an actuator's force, and the terms of the user.
std::vector<BodyScalar> body_of(const Series& s, Gravity gravity);

/// `guesses` for all parameters, model then body; `held[i]`: stays at its guess. The relations of the model hold everywhere.
Space make_space(std::string_view model, const std::vector<Scalar>& scalars, std::size_t body,
                 const std::vector<Guess>& guesses, const std::vector<bool>& held,
                 const std::vector<Belief>& beliefs = {});

}  // namespace bristle::identify
