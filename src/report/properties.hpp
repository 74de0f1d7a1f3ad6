#pragma once
#include <span>
#include <string>

#include "bristle/report.hpp"

/// The measured properties of contacts in the page of `bristle characterize`.
namespace bristle::report {

using Contacts = std::span<const Characterized>;
inline constexpr std::size_t side_by_side = 5;  // more contacts are rows instead of columns

std::string property_digits(double x);
std::string properties_html(Contacts contacts, bool numbers);
std::string rules_table(Contacts contacts);
/// Problems first; a long list of explanations is folded.
std::string remarks(Contacts contacts);

}  // namespace bristle::report
