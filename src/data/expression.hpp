#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/shared/units.hpp"

/// Arithmetic over columns: "-torque_Nm", "load * vin_V", "(F1 + F2) / 2", "pos [mm]".
namespace bristle::identify {

class Expression {
 public:
  /// Columns with a unit in the header enter in SI. A unit in brackets at the end is the unit of the result.
  /// A problem is one line without the expression itself.
  struct Parsed;
  static Parsed parse(std::string_view text, const Trace& trace, const std::vector<Header>& headers);
  static Expression of_column(std::size_t column, const Trace& trace, const std::vector<Header>& headers);

  /// `every`: the trace contains one of `every` rows of the file; `row` is the index of a row in the file.
  std::vector<double> evaluate(const Trace& trace, std::size_t every = 1) const;
  /// Times, and if they are dates, times since the first row: sums of columns are then evaluated relative to their first
  /// values, so that no digits are lost.
  std::vector<double> evaluate_from_first(const Trace& trace, std::size_t every, bool& date) const;
  /// Unit of the result if it is known: that of the column if the expression only scales one column.
  const Unit& unit() const { return unit_; }
  /// The factor of the column if the expression only scales one, otherwise 0.
  double scale() const { return scale_; }
  /// Whether the unit is given in brackets after the expression.
  bool own_unit() const { return own_unit_; }
  const std::vector<std::size_t>& columns() const { return columns_; }

  enum class Code { number, column, row, add, subtract, multiply, divide, power, negate, function };
  struct Step {
    Code code;
    double number = 0;  // a constant, or factor and offset of a column
    double offset = 0;
    std::size_t column = 0;  // index of the column or of the function
  };

 private:
  template <class Values> std::vector<double> each_row(std::size_t rows, const Values& value) const;

  std::vector<Step> steps_{};  // reverse Polish notation
  std::vector<std::size_t> columns_{};
  Unit unit_{};
  double scale_ = 0;
  Unit result_{};  // unit in brackets
  bool own_unit_ = false;

  friend class ExpressionParser;
};

/// The number of a column in its file, from 1; $2 is the second column.
std::size_t column_number(const Trace& trace, std::size_t column);

struct Expression::Parsed {
  Expression expression{};
  std::string problem{};  // empty: no problem
};

}  // namespace bristle::identify
