#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "identify/space.hpp"

/// Starting points from the data.
namespace bristle::identify {

/// A model in one of its shapes: number of elements, choices.
struct Shape {
  std::string model;
  Table given{};                     // what is not fitted because it is no real number, or was given by the user
  std::size_t elements = 0;          // of arrays
  bool compliant = false;            // rate_state behind the spring of a machine
  bool trending = false;             // with a force proportional to displacement
  Table effects{};                   // around it, with starting values
  std::vector<std::string> known{};  // of these, those that are not fitted
  std::vector<std::string> freed{};  // optional parameters that are fitted
};
/// Laws of a coefficient assume this one at the first speed if the normal load is unknown.
inline constexpr double typical_coefficient = 0.6;

std::vector<Shape> shapes_of(const std::string& model, const Series& s, const Features& f, const Options& options);

/// The model in that shape, as the data see it.
std::unique_ptr<Evaluator> evaluator_of(const Shape& shape, const Series& s);

struct StartingPoint {
  std::vector<Guess> guesses{};  // of all parameters, then of the body
  std::vector<bool> held{};      // not fitted
  std::vector<Belief> beliefs{};
  std::vector<double> other{};  // another starting point, if there is one: values of all parameters
};
/// The priors of the options about these parameters, model then body.
std::vector<Belief> beliefs_of(const Options& options, const std::vector<Scalar>& scalars,
                               const std::vector<BodyScalar>& body);
StartingPoint start_of(const Shape& shape, const Evaluator& w, const Series& s, const Features& f,
                       const Options& options);

/// Moves starting values that must exceed others above them: one of both may be fixed.
void separate(const std::string& model, const std::vector<Scalar>& scalars, StartingPoint& start);

/// Points around the start, the first one being the start itself: the same for the same seed.
std::vector<std::vector<double>> scattered(const Space& space, const std::vector<Guess>& guesses, std::size_t count,
                                           std::uint64_t seed);

}  // namespace bristle::identify
