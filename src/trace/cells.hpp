#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Cells of a line of a text file and their numbers.
namespace bristle::csv {

using Cells = std::vector<std::string_view>;

/// The cells of a line without blanks and quotes around them; a separator in quotes belongs to its cell.
void split(std::string_view line, char separator, Cells& cells);

/// A number, a time of day in seconds, or NaN for an empty cell, NA or null; a decimal comma is accepted.
std::optional<double> cell_number(std::string_view cell);
bool is_missing(std::string_view cell);

/// A number with too many digits for a double, such as ns since 1970: exact in steps of its last digit.
struct Exact {
  std::int64_t digits = 0;
  int decimals = 0;

  /// Empty unless the text is a positive number of at least ten digits before the mark, without an exponent; decimals
  /// < 0: as many as fit.
  static std::optional<Exact> parse(std::string_view text, int decimals = -1);
  /// The difference to another text, which is rounded only once.
  std::optional<double> to(std::string_view text) const;
};

/// The decimal mark of a file: 1,234 and 1.234 may also be thousands.
class DecimalMarks {
 public:
  void see(std::string_view cell, std::size_t line);
  bool commas() const { return comma_ || grouped_comma_.line > 0; }
  /// Empty if the numbers have one meaning only.
  std::string problem() const;
  std::size_t line() const { return (grouped_comma_.line > 0 ? grouped_comma_ : grouped_point_).line; }

 private:
  struct Place {
    std::string cell{};
    std::size_t line = 0;
  };
  bool comma_ = false, point_ = false;  // as a decimal mark, beyond doubt
  Place grouped_comma_{}, grouped_point_{};
};

/// UTF-8 as it is; other text is read as Latin-1.
std::string utf8(std::string_view text);

/// Converts the pieces of a UTF-16 file to UTF-8 and removes byte order marks; other text is unchanged.
class Decoder {
 public:
  std::string_view operator()(std::string_view piece);

 private:
  enum class Form { unknown, bytes, little, big };
  void unit(unsigned value);

  Form form_ = Form::unknown;
  std::string out_{};
  unsigned high_ = 0;  // first half of a pair of units
  int half_ = -1;      // first byte of a unit
};

}  // namespace bristle::csv
