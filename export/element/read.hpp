#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "element.hpp"

/// Elements from text.
namespace bristle::element {

/// A key as in the canonical text of a friction block, without "friction.", and its value: a number, a word, or numbers
/// between brackets or blanks.
using Keys = std::vector<std::pair<std::string, std::string>>;

struct Made {
  std::unique_ptr<Element> element{};                     // empty after an error
  std::string error{};                                    // one line
  std::vector<std::pair<std::string, double>> initial{};  // states that begin elsewhere than at rest
  std::vector<std::string> negative{};                    // parameters with other values for negative motion
};

/// All keys are checked; the first problem is reported.
Made build(std::string_view model, const Keys& keys);
/// The lines "key = value" of a text; `what` names it in messages.
std::string split(std::string_view text, const char* what, Keys& out);
/// The canonical text of a friction block.
Made read(std::string_view canonical);

/// The number if the whole text is one; never depends on the locale.
bool parse(std::string_view text, double& x);
std::string text_of(double x);
/// "Fc = -1 N must be > 0".
std::string complaint(const std::string& name, const char* unit, const Range& range, bool whole, double x);

}  // namespace bristle::element
