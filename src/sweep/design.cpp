#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.hpp"
#include "bristle/sweep.hpp"
#include "sweep/sobol.hpp"

namespace bristle::sweep {
namespace {
constexpr std::uint64_t most_runs = 1'000'000'000;

/// A key without the blanks and quotes that may be typed.
std::string plain(std::string key) {
  std::erase_if(key, [](char c) { return c == '"' || c == '\'' || c == ' ' || c == '\t'; });
  return key;
}
}  // namespace

std::uint64_t Design::size() const {
  if (sobol) return *sobol;
  std::uint64_t n = 1;
  for (const Varied& v : keys) {
    n *= v.points.value_or(1);
    if (n > most_runs) return most_runs + 1;
  }
  return n;
}

std::vector<double> Design::point(std::uint64_t i) const {
  std::vector<double> out(keys.size());
  for (std::size_t k = keys.size(); k-- > 0;) {
    const Varied& v = keys[k];
    if (sobol) {
      out[k] = v.at(sweep::sobol(i, k), sobol_whole);
    } else {
      const std::uint64_t n = v.points.value_or(1);
      out[k] = n > 1 ? v.at(static_cast<double>(i % n), static_cast<double>(n - 1)) : v.from;
      i /= n;
    }
  }
  return out;
}

Problems Design::problems() const {
  Problems out;
  if (keys.empty()) {
    out.push_back({"", "no key varies; --vary KEY=FROM:TO:POINTS, or [sweep] in the file, is required"});
    return out;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto same = [&](const Varied& v) { return plain(v.key) == plain(keys[i].key); };
    if (std::any_of(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(i), same))
      out.push_back({keys[i].where, fmt::format("{} is given twice; each key varies once", keys[i].key)});
    if (!sobol && !keys[i].points)
      out.push_back(
          {keys[i].where, fmt::format("the number of points is missing; {}={}:{}:POINTS, or a sample with "
                                      "--sample sobol:N, is accepted",
                                      keys[i].key, bristle::to_text(keys[i].from), bristle::to_text(keys[i].to))});
  }
  if (sobol && keys.size() > sobol_dimensions)
    out.push_back(
        {"", fmt::format("a Sobol sample of {} keys; at most {} are accepted", keys.size(), sobol_dimensions)});
  if (size() > most_runs)
    out.push_back({"", fmt::format("the grid has more than {:.0e} runs; fewer points are required",
                                   static_cast<double>(most_runs))});
  return out;
}

std::optional<Shard> parse_shard(const std::string& text, Problems& problems) {
  const std::size_t bar = text.find('/');
  const auto number = [](std::string_view part) -> std::optional<std::uint64_t> {
    const auto x = parse_number(trimmed(part));
    if (!x || !(*x >= 0 && *x <= 1e6) || *x != std::floor(*x)) return {};
    return static_cast<std::uint64_t>(*x);
  };
  const auto index = number(std::string_view(text).substr(0, bar));
  const auto count = bar == std::string::npos ? std::nullopt : number(std::string_view(text).substr(bar + 1));
  if (!index || !count || *index < 1 || *index > *count) {
    problems.push_back({"--shard " + text, "must be I/N with whole numbers 1 <= I <= N, such as 1/4"});
    return {};
  }
  return Shard{*index, *count};
}

}  // namespace bristle::sweep
