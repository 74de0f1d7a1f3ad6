#include "bristle/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace bristle {

std::string to_text(double x) { return fmt::format("{}", x); }

std::string describe(const Range& range) {
  const bool open = range.hi >= limit::most;
  if (range.lo == limit::least && open) return "> 0";
  if (range.lo == 0 && open) return ">= 0";
  if (range.lo <= -limit::most && open) return "a finite number";
  if (open) return ">= " + to_text(range.lo);
  return fmt::format("{} to {}", range.lo == limit::least ? "above 0" : to_text(range.lo), to_text(range.hi));
}

std::string describe(const Range& range, double refused) {
  if (range.lo == limit::least && refused > 0 && refused < limit::least) return "at least " + to_text(limit::least);
  if (range.hi >= limit::most && refused > range.hi) return "at most " + to_text(range.hi);
  if (range.lo <= -limit::most && refused < range.lo) return "at least " + to_text(range.lo);
  return describe(range);
}

std::string Problem::line() const {
  std::string out = where.empty() ? text : where + ": " + text;
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return out;
}

std::string Value::text() const {
  if (const auto* x = as<double>()) return to_text(*x);
  if (const auto* x = as<bool>()) return *x ? "true" : "false";
  if (const auto* x = as<std::string>()) return '"' + *x + '"';
  std::string out = "[";
  for (const double x : *as<std::vector<double>>()) out += (out.size() > 1 ? ", " : "") + to_text(x);
  return out + "]";
}

namespace {
/// Number of edits from a to b; a swap of neighbours counts as one, a change of case as none.
std::size_t distance(std::string_view a, std::string_view b) {
  auto low = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> before, last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t differs = low(a[i - 1]) != low(b[j - 1]) ? 1 : 0;
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + differs});
      if (i > 1 && j > 1 && low(a[i - 1]) == low(b[j - 2]) && low(a[i - 2]) == low(b[j - 1])) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    before = last;
    last = now;
  }
  return last[b.size()];
}
}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least_edits = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& c : candidates) {
    if (const std::size_t d = distance(word.substr(0, 100), c); d < least_edits) {
      least_edits = d;
      best = c;
    }
  }
  return best;
}

}  // namespace bristle
