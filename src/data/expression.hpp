#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/units.hpp"

/// Arithmetic over columns, as a user writes it: "-torque_Nm", "load * vin_V", "(F1 + F2) / 2", "pos [mm]".
namespace bristle::identify {

class Expression {
 public:
  /// Columns whose header has a unit enter in SI. A unit in brackets at the end is that of the result.
  /// What is wrong is said in one line, without the expression itself.
  struct Parsed;
  static Parsed parse(std::string_view text, const Trace& trace, const std::vector<Header>& headers);

  /// `every`: of so many rows of the file the trace holds one; the word `row` counts those of the file from 0.
  std::vector<double> evaluate(const Trace& trace, std::size_t every = 1) const;
  /// Of the result, as far as that can be told: that of the one column in it, if numbers do no more than scale it.
  const Unit& unit() const { return unit_; }
  /// The factor of that one column, else 0.
  double scale() const { return scale_; }
  const std::vector<std::size_t>& columns() const { return columns_; }

  enum class Code { number, column, row, add, subtract, multiply, divide, power, negate, function };
  struct Step {
    Code code;
    double number = 0;  // or the factor and offset of a column
    double offset = 0;
    std::size_t column = 0;  // or which function
  };

 private:
  std::vector<Step> steps_{};  // the operands before what is done with them
  std::vector<std::size_t> columns_{};
  Unit unit_{};
  double scale_ = 0;
  Unit result_{};  // given in brackets

  friend class ExpressionParser;
};

struct Expression::Parsed {
  Expression expression{};
  std::string problem{};  // empty: fine
};

}  // namespace bristle::identify
