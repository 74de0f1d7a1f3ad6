#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "bristle/data.hpp"

/// Recordings by hand, for the tests of what is read from measurements.
namespace bristle::identify {

using Series = std::vector<double>;
using Columns = std::vector<std::pair<std::string, std::string>>;
inline constexpr double pi = std::numbers::pi;

inline bool has(const std::string& text, const std::string& piece) { return text.find(piece) != std::string::npos; }
/// The finding that holds these words, or nullptr.
inline const Finding* find(const Read& read, const std::string& words) {
  for (const Finding& f : read.findings) {
    if (has(f.text, words)) return &f;
  }
  return nullptr;
}
inline std::string all(const Read& read) {
  std::string out;
  for (const Problem& p : read.problems) out += p.line() + "\n";
  for (const Finding& f : read.findings) out += (f.warning ? "! " : "- ") + f.text + "\n";
  return out;
}
inline bool warns(const Read& read, const std::string& words) {
  const Finding* f = find(read, words);
  return f && f->warning;
}

/// t, x and F of reciprocating sliding, with a little noise so that no two samples are equal.
struct Bench {
  double rate = 1000, seconds = 4, frequency = 1, amplitude = 0.01, noise = 1e-7;
  Trace trace() const {
    Trace out{{{"t_s", ""}, {"x_m", ""}, {"friction_N", ""}}};
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    for (int i = 0; i < static_cast<int>(rate * seconds); ++i) {
      const double t = i / rate, w = 2 * pi * frequency, v = amplitude * w * std::cos(w * t);
      out.columns[0].values.push_back(t);
      out.columns[1].values.push_back(amplitude * std::sin(w * t) + noise * normal(random));
      out.columns[2].values.push_back((v > 0 ? 2 : -2) + 5 * v + 0.01 * normal(random));
    }
    return out;
  }
};
inline Read reading_of(const Trace& trace, const Columns& columns = {}) {
  return make_recording(trace, {.columns = columns}, "d.csv");
}
inline void erase_rows(Trace& trace, std::size_t from, std::size_t until) {
  for (Column& c : trace.columns)
    c.values.erase(c.values.begin() + static_cast<std::ptrdiff_t>(from),
                   c.values.begin() + static_cast<std::ptrdiff_t>(until));
}

/// The line with the roles of columns with these names, or the first problem.
inline std::string roles(const std::vector<std::string>& names, const Columns& given = {}) {
  Trace t;
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (const std::string& n : names) {
    Column& c = t.columns.emplace_back(Column{n, ""});
    for (int i = 0; i < 60; ++i) c.values.push_back(t.columns.size() == 1 ? i : normal(random));
  }
  const Read read = reading_of(t, given);
  return read.problems.empty() ? find(read, " = ")->text : read.problems[0].text;
}

inline double largest_error(const Series& a, const Series& b, std::size_t margin) {
  double out = 0;
  for (std::size_t i = margin; i + margin < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
  return out;
}

}  // namespace bristle::identify
