#include "export/canonical.hpp"

#include <algorithm>

#include "bristle/registry/describe.hpp"

namespace bristle::exports {
namespace {

/// Whether a line "effects.KEY = VALUE" states a default.
bool is_neutral(std::string_view line) {
  constexpr std::string_view prefix = "effects.";
  if (!line.starts_with(prefix)) return false;
  line.remove_prefix(prefix.size());
  return std::ranges::any_of(effect_infos(),
                             [&](const FieldInfo& f) { return line == f.name + " = " + f.value.text(); });
}

/// A line "KEY = VALUE" with 0 for -0, which is the same number.
std::string without_minus_zero(std::string line) {
  for (std::size_t at = line.find('='); (at = line.find("-0", at)) != std::string::npos; ++at) {
    const bool begins = line[at - 1] == ' ' || line[at - 1] == '[';
    const bool ends = at + 2 == line.size() || line[at + 2] == ',' || line[at + 2] == ']';
    if (begins && ends) line.erase(at, 1);
  }
  return line;
}

}  // namespace

std::string canonical_text(const AnyContact& contact) {
  const std::unique_ptr<AnyContact> fresh = contact.clone();
  fresh->reset();
  const std::string all = serialise(*fresh);
  std::string out;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at);
    const std::string line = without_minus_zero(all.substr(at, end - at));
    if (!is_neutral(line)) out.append(line).append("\n");
    at = end == std::string::npos ? all.size() : end + 1;
  }
  return out;
}

}  // namespace bristle::exports
