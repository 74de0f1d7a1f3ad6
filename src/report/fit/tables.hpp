#pragma once
#include <span>
#include <string>

#include "bristle/report/fit.hpp"

/// Tables of a page about fits, in HTML.
namespace bristle::report {

/// Four digits; a dash if the number is not finite.
std::string digits(double x);
/// Percent with two decimals, small ones with two digits.
std::string percent(double x);
/// A CSV cell, in quotes where it contains a comma, a quote or a line break.
std::string csv_cell(const std::string& text);
/// Coloured text that may wrap.
std::string bad(const std::string& text);

std::string ranking_table(const Fitted& fitted);
/// Names of the estimates that the data do not determine.
std::string undetermined(const identify::Fit& fit);
std::string estimates_table(const identify::Fit& fit, const identify::Recording& r);
std::string correlation_table(const identify::Fit& fit);
std::string tests_table(const identify::Fit& fit);
/// Errors of a fit per recording: fitted rows, the rest of the recordings, the validation.
std::string errors_table(const Fitted& fitted, const identify::Fit& fit);

}  // namespace bristle::report
