#pragma once
#include <string>
#include <string_view>
#include <vector>

/// Self-contained pages without other files; also well-formed XML. Scripts show values of figures and animate mechanisms; the
/// policy of every page forbids all that is not within it.
namespace bristle::report {

/// Escaped text; F_{s} and m^2 become sub- and superscripts.
std::string html(std::string_view text);

using Row = std::vector<std::string>;  // cells in HTML
/// The first row is the head. `align` has a letter per column: l, n (not wrapped), r (right, not wrapped).
std::string html_table(const std::vector<Row>& rows, std::string_view align);

/// "holds" or "violated", coloured.
std::string verdict(bool held);

std::string section(std::string_view heading, const std::string& body);
std::string folded(std::string_view heading, const std::string& body);

std::string page(std::string_view title, const std::string& body);

}  // namespace bristle::report
