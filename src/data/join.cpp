#include "data/join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include "base/number.hpp"
#include "data/assignment.hpp"
#include "data/roles.hpp"

namespace bristle::identify {
namespace {

using Series = std::vector<double>;

std::string name_of_file(const std::string& path) { return std::filesystem::path(path).filename().string(); }
std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

/// A column without a name has the name of its file; before it may be a time.
void name_columns(Trace& trace, const std::string& path) {
  const auto unnamed = [](const Column& c) { return c.name == std::to_string(c.place); };
  if (!std::ranges::all_of(trace.columns, unnamed) || trace.columns.size() > 2) return;
  trace.columns.back().name = stem(path);
  const Series& first = trace.columns.front().values;
  if (trace.columns.size() == 2 && std::ranges::is_sorted(first, std::less_equal<>())) trace.columns.front().name = "t";
}

/// The column of time and its times in s, relative to the column's origin.
struct Times {
  std::size_t column = 0;
  Unit unit{};
  Series t{};
};
std::optional<Times> times_of(const Trace& trace) {
  const std::vector<Header> headers = headers_of(trace);
  std::optional<Times> out;
  int most = 0;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const int points = time_points(headers[i]);
    if (points <= most) continue;
    most = points;
    out = Times{i, headers[i].unit, trace.columns[i].values};
  }
  if (out) {
    for (double& t : out->t) t *= out->unit.factor;
  }
  return out;
}

bool increases(const Series& t) {
  for (std::size_t i = 1; i < t.size(); ++i) {
    if (!(t[i] > t[i - 1])) return false;
  }
  return !t.empty() && std::isfinite(t.front());
}

/// Values at other times; missing outside of the range and inside gaps.
Series interpolated(const Series& t, const Series& y, const Series& at) {
  Series steps;
  for (std::size_t i = 1; i < t.size(); ++i) steps.push_back(t[i] - t[i - 1]);
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
  const double gap = 8 * steps[steps.size() / 2];
  Series out;
  out.reserve(at.size());
  for (const double s : at) {
    const auto after = static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), s) - t.begin());
    if (after < t.size() && t[after] == s) {
      out.push_back(y[after]);
    } else if (after == 0 || after == t.size() || t[after] - t[after - 1] > gap) {
      out.push_back(std::numeric_limits<double>::quiet_NaN());
    } else {
      const double share = (s - t[after - 1]) / (t[after] - t[after - 1]);
      out.push_back((1 - share) * y[after - 1] + share * y[after]);
    }
  }
  return out;
}

/// Friction jumps at reversals, where interpolation would smooth it: its file gives the times. A column without a word
/// of its own may have that of its file.
std::size_t file_of_force(const std::vector<TraceRead>& files, const std::vector<std::string>& paths) {
  std::size_t out = 0;
  int most = 0;
  for (std::size_t k = 0; k < files.size(); ++k) {
    if (!times_of(files[k].trace)) continue;
    int points = 0;
    for (const Header& h : headers_of(files[k].trace)) points = std::max(points, force_points(h));
    if (points == 0) points = force_points(header_of({stem(paths[k]), ""}));
    if (points > most) out = k;
    most = std::max(most, points);
  }
  return out;
}

TraceRead fail(const std::string& path, std::string text) { return {{}, {{path, std::move(text)}}}; }

}  // namespace

TraceRead join(std::vector<TraceRead> files, const std::vector<std::string>& paths) {
  for (std::size_t k = 0; k < files.size(); ++k) name_columns(files[k].trace, paths[k]);
  const std::size_t base = file_of_force(files, paths);
  const Trace& first = files[base].trace;
  const std::string first_file = name_of_file(paths[base]);
  const auto clock = times_of(first);
  const std::size_t rows = first.rows();
  if (clock && files.size() > 1 && !increases(clock->t))
    return fail(paths[base], fmt::format("{} does not increase; joined files require increasing times",
                                         first.columns[clock->column].name));
  TraceRead out;
  out.every = files[base].every;
  for (std::size_t k = 0; k < files.size(); ++k) {
    Trace& trace = files[k].trace;
    const std::string file = name_of_file(paths[k]);
    const auto times = clock && k != base ? times_of(trace) : std::nullopt;
    std::vector<Column> columns = trace.columns;
    if (times) {
      const std::string& name = trace.columns[times->column].name;
      if (!increases(times->t))
        return fail(paths[k], fmt::format("{} does not increase; joined files require increasing times", name));
      if (clock->unit.quantity != times->unit.quantity)
        return fail(paths[k], fmt::format("{} and {} of {} must both have a unit or none", name,
                                          first.columns[clock->column].name, first_file));
      Series at = clock->t;
      const double shift = first.columns[clock->column].origin * clock->unit.factor -
                           trace.columns[times->column].origin * times->unit.factor;
      for (double& t : at) t += shift;
      const bool same = at == times->t;
      if (times->t.size() < 2 || at.back() < times->t.front() || at.front() > times->t.back())
        return fail(paths[k],
                    fmt::format("its times do not overlap with those of {}; recordings of the same time are required",
                                first_file));
      for (Column& c : columns) {
        if (!same) c.values = interpolated(times->t, c.values, at);
      }
      columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(times->column));
      out.notes.push_back(same ? fmt::format("{} joined: same times", file)
                               : fmt::format("{} interpolated at the times of {}", file, first_file));
    } else if (k != base) {
      if (trace.rows() != rows || files[k].every != out.every)
        return fail(paths[k],
                    fmt::format("{} rows, but {} has {}; equal numbers of rows, or a time in each file, are required",
                                grouped(trace.rows() * files[k].every), first_file, grouped(rows * out.every)));
      out.notes.push_back(fmt::format("{} joined row by row", file));
    }
    for (Column& c : columns) {
      if (out.trace.find(c.name)) c.name = stem(paths[k]) + " " + c.name;
      c.place = 0;  // $2 counts the joined columns
      out.trace.columns.push_back(std::move(c));
    }
    for (const std::string& note : files[k].notes) out.notes.push_back(fmt::format("{}: {}", file, note));
  }
  return out;
}

TraceRead read_signals(const std::vector<std::string>& paths, const Reading& reading) {
  std::vector<TraceRead> files;
  for (const std::string& path : paths) {
    files.push_back(read_trace(path, reading.most_rows, {.skip = reading.skip, .relative = true}));
    if (!files.back().problems.empty() || paths.size() == 1) return std::move(files.back());
  }
  return join(std::move(files), paths);
}

}  // namespace bristle::identify
