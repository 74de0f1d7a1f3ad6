#include <algorithm>
#include <cctype>

#include "base/number.hpp"
#include "bristle/export.hpp"

namespace bristle::exports {
namespace {

/// "k1" is k1, "negative.Fc" has its section in front.
bool is_name(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

}  // namespace

std::vector<FitRemark> fit_remarks(std::string_view text) {
  std::vector<FitRemark> out;
  std::string section;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (line.starts_with('[')) section = line.substr(0, line.find(']') + 1);
    const std::size_t hash = line.find('#');
    if (hash == std::string_view::npos || !section.starts_with("[f")) continue;  // friction..., fitted
    std::string_view name = trimmed(line.substr(0, line.find('='))), comment = trimmed(line.substr(hash + 1));
    if (hash == 0) {  // an element of the array above: "# k1: N/m, 95 %: 1 to 2"
      const std::size_t colon = comment.find(": ");
      if (colon == std::string_view::npos) continue;
      name = trimmed(comment.substr(0, colon));
      comment.remove_prefix(colon + 2);
    }
    if (!is_name(name)) continue;
    FitRemark r{.name = std::string(name)};
    if (section == "[friction.negative]") r.name.insert(0, "negative.");
    if (section.starts_with("[fitted")) r.name.insert(0, "fitted.");
    constexpr std::string_view level = "95 %: ";
    const bool limited = comment.ends_with(", at a limit");
    if (limited) comment.remove_suffix(std::string_view(", at a limit").size());
    r.at_limit = limited;
    r.identifiable = comment.find("not identifiable") == std::string_view::npos;
    if (const std::size_t from = comment.find(level); from != std::string_view::npos)
      r.interval = comment.substr(from + level.size());
    if (!r.interval.empty() || !r.identifiable || r.at_limit) out.push_back(std::move(r));
  }
  return out;
}

}  // namespace bristle::exports
