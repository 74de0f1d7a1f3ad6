#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "bristle/identify/joints.hpp"
#include "bristle/registry/describe.hpp"
#include "identify/least_squares.hpp"

/// The fitted numbers of the joints of a mechanism: their choice, their limits, and the experiment with given values.
namespace bristle::identify {

/// One fitted number: a parameter of the contact of a joint, and those that follow it.
struct Free {
  std::size_t contact;
  std::string joint, name, unit;
  double start;
  Range range;
  std::vector<std::pair<std::string, double>> also{};  // keys with their factors
};

/// A parameter in a relation: a constant, or a multiple of a fitted number.
struct Operand {
  double factor = 1;
  std::ptrdiff_t of = -1;
  double at(const std::vector<double>& x) const { return of < 0 ? factor : factor * x[static_cast<std::size_t>(of)]; }
  bool free() const { return of >= 0; }
  void set(std::vector<double>& x, double value) const { x[static_cast<std::size_t>(of)] = value / factor; }
};

/// A relation a >= b or a <= b/c of which the model refuses the other side. There, a is at the limit (b if a is known):
/// the cost is flat, not infinite, and a search does not stop in front of it.
struct Tie {
  bool above;
  double margin;  // relative
  Operand a{}, b{}, c{};

  const Operand& moved() const { return a.free() ? a : b; }
  double limit(const std::vector<double>& x) const {
    const double towards = above == a.free() ? 1 + margin : 1 - margin;
    if (!a.free()) return a.at(x) * c.at(x) * towards;
    return b.at(x) / c.at(x) * towards;
  }
  void keep(std::vector<double>& x) const {
    const double at = moved().at(x), bound = limit(x);
    if (above == a.free() ? at < bound : at > bound) moved().set(x, bound);
  }
  bool active(const std::vector<double>& x, std::size_t i) const {
    return moved().of == static_cast<std::ptrdiff_t>(i) && std::abs(moved().at(x) / limit(x) - 1) < 1e-6;
  }
};

/// Searches work on the logarithms q of the factors by which the numbers differ from those of the scenario.
class JointParameters {
 public:
  /// Throws BadInput for keys of the options that no joint has, and without a number to fit.
  JointParameters(const Rig& rig, const JointOptions& options);

  std::size_t size() const { return free_.size(); }
  const std::vector<Free>& all() const { return free_; }
  const Box& box() const { return box_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// The parameters at q that the model accepts.
  std::vector<double> values(const std::vector<double>& q) const;
  /// From where the cost is flat, back to the limit.
  void project(std::vector<double>& q) const;
  /// Throws BadInput for parameters that the model refuses.
  Experiment experiment(const std::vector<double>& q) const;
  bool at_limit(const std::vector<double>& q, std::size_t i) const;

 private:
  void apply_fixed();
  std::pair<std::size_t, std::string> place(const std::string& key, const char* option) const;
  void choose();
  Operand operand(std::size_t contact, const std::string& name) const;
  void relate();

  const Rig& rig_;
  const JointOptions& options_;
  Experiment base_;  // that of the scenario, with the values of --fix
  std::vector<Free> free_{};
  std::vector<Tie> ties_{};
  Box box_{};
  std::vector<std::string> notes_{};
};

}  // namespace bristle::identify
