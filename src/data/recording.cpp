#include "bristle/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "base/number.hpp"
#include "bristle/value.hpp"
#include "data/assignment.hpp"
#include "data/clean.hpp"
#include "data/join.hpp"
#include "data/roles.hpp"
#include "data/shared/motion.hpp"
#include "data/shared/resolution.hpp"

namespace bristle::identify {
namespace {

using Series = std::vector<double>;

/// Places of the rows of a trace in their file.
struct Origin {
  std::string path{};
  std::size_t every = 1, first_line = 0;
  std::string header{};  // which line holds the names

  std::size_t line(std::size_t row) const { return (first_line > 0 ? first_line : 1) + row * every; }
  Problem problem(std::size_t row) const {
    if (first_line > 0) return {fmt::format("{}:{}", path, first_line + row * every), ""};
    return {path, fmt::format("row {}: ", row * every + 1)};
  }
  std::string place(std::size_t row) const {
    const Problem p = problem(row);
    return p.text.empty() ? p.where : fmt::format("row {}", row * every + 1);
  }
};

/// Reports the cells with numbers too large for sums of squares. Infinite values count as missing.
void check_sizes(const Roles& roles, const Trace& trace, const Origin& origin, Problems& problems) {
  for (std::size_t k = 0; k < role_count; ++k) {
    if (!roles.of[k]) continue;
    const Series s = roles.of[k]->evaluate(trace, origin.every);
    const std::vector<std::size_t> used = roles.of[k]->columns();
    const auto is_wrong = [&](std::size_t i) {
      const auto too_large = [](double x) { return std::isfinite(x) && std::abs(x) > limit::most; };
      return too_large(s[i]) || (std::isinf(s[i]) && std::ranges::any_of(used, [&](std::size_t c) {
                                   return too_large(trace.columns[c].values[i]);
                                 }));
    };
    std::size_t first = 0, count = 0;
    for (std::size_t i = s.size(); i-- > 0;) {
      if (!is_wrong(i)) continue;
      first = i;
      ++count;
    }
    if (count == 0) continue;
    const bool plain = used.size() == 1 && std::abs(trace.columns[used[0]].values[first]) > limit::most;
    Problem p = origin.problem(first);
    p.text += fmt::format(
        "{} must be at most {} in size{}; an empty cell is accepted for a missing value",
        plain
            ? fmt::format("{} in column {}", to_text(trace.columns[used[0]].values[first]), trace.columns[used[0]].name)
            : fmt::format("{} = {} = {}", name_of(static_cast<Role>(k)), roles.text[k], to_text(s[first])),
        to_text(limit::most), count > 1 ? fmt::format(" ({} more exceed this)", rows(count - 1)) : "");
    problems.push_back(std::move(p));
  }
}

/// The terms of the user, with their problems.
std::vector<Term> terms_of(const Reading& reading, const Trace& trace, const std::vector<Header>& headers,
                           const Origin& origin, Problems& problems) {
  std::vector<Term> out;
  for (const auto& [name, text] : reading.terms) {
    const auto parsed = Expression::parse(text, trace, headers);
    if (!parsed.problem.empty()) {
      problems.push_back({origin.path, fmt::format("--with {}={}: {}", name, text, parsed.problem)});
    } else {
      out.push_back({name, parsed.expression.evaluate(trace, origin.every)});
    }
  }
  return out;
}

/// The first line of the errors tells which line is taken for the header and how to change that.
Read with_header(Read out, const std::string& header) {
  if (!header.empty() && !out.problems.empty() && !out.problems[0].where.starts_with("--"))
    out.problems[0].text +=
        fmt::format("; {}: --skip N skips lines, --column 'ROLE=$2' takes a column by its number", header);
  return out;
}

Read fail(Read out) {
  out.recording = {};
  return out;
}

Read make(const Trace& trace, const Reading& reading, const Origin& origin, Read out) {
  if (trace.rows() == 0) {
    out.problems.push_back({origin.path, "contains no rows of numbers; a table of numbers is required"});
    return out;
  }
  for (const auto& [name, value] : {std::pair{"bandwidth", reading.bandwidth}, {"rate", reading.rate}}) {
    if (!nonnegative.contains(value))
      out.problems.push_back(
          {"--" + std::string(name), fmt::format("{} Hz must be {}", to_text(value), describe(positive, value))});
  }
  const std::vector<Header> headers = headers_of(trace);
  const Roles roles = roles_of(trace, headers, reading.columns, origin.path, reading.motion);
  out.problems.insert(out.problems.end(), roles.problems.begin(), roles.problems.end());
  if (roles.problems.empty()) check_roles(roles, trace, headers, origin.path, reading.motion, out.problems);
  if (!out.problems.empty()) return with_header(std::move(out), roles.problems.empty() ? origin.header : "");
  if (out.problems.empty()) check_sizes(roles, trace, origin, out.problems);
  out.recording.terms = terms_of(reading, trace, headers, origin, out.problems);
  if (!out.problems.empty()) return out;
  Findings& findings = out.findings;
  say_roles(roles, trace, headers, findings);

  Recording& r = out.recording;
  r.name = std::filesystem::path(origin.path.substr(0, origin.path.find(" + "))).stem().string();
  r.rotational = is_rotational(roles, headers, findings);
  r.coefficient = roles[Role::mu].has_value();
  r.motion = reading.motion;
  const auto series = [&](Role role) { return roles[role] ? roles[role]->evaluate(trace, origin.every) : Series{}; };
  bool date = false;
  if (roles[Role::t]) r.t = roles[Role::t]->evaluate_from_first(trace, origin.every, date);
  if (date) findings.push_back({false, "t relative to the first row"});
  r.x = series(Role::x);
  r.x_step = resolution_of(r.x);
  r.v = series(Role::v);
  r.F = series(r.coefficient ? Role::mu : Role::F);
  r.u = series(Role::u);
  r.N = series(Role::N);
  r.T = series(Role::T);
  r.sigma = series(Role::sigma);
  r.ref = series(Role::ref);
  r.load = series(Role::load);
  r.on = series(Role::on);

  std::vector<std::size_t> row(trace.rows());
  std::iota(row.begin(), row.end(), std::size_t{0});
  drop_missing(r, row, findings);
  const std::size_t fewest = r.steady() ? 3 : 8;
  if (row.size() >= fewest && !r.steady())
    check_time(r, row, [&](std::size_t i) { return origin.problem(i); }, findings, out.problems);
  if (!out.problems.empty()) return fail(std::move(out));
  if (row.size() < fewest) {
    out.problems.push_back(
        {origin.path,
         fmt::format("{} with {}; at least {} are required", rows(row.size()),
                     r.steady() ? "numbers for v and F" : "distinct times and numbers for motion and force", fewest)});
    return fail(std::move(out));
  }
  if (std::any_of(r.sigma.begin(), r.sigma.end(), [](double s) { return s <= 0; })) {
    findings.push_back({true, "a standard deviation is not positive: equal weights for all points"});
    r.sigma.clear();
  }
  if (r.steady()) {
    findings.push_back({false, fmt::format("no time: {} of steady sliding", rows(row.size()))});
    r.x.clear();
    if (reading.rate > 0) findings.push_back({true, "--rate ignored: steady points have no time"});
  } else {
    if (!r.x.empty()) unwrap(r.x, r.rotational, roles.quantity(Role::x) == Quantity::angle, findings);
    drop_spikes(r, row, findings);
    find_stretches(r, row, findings);
    if (r.t.empty()) {
      out.problems.push_back(
          {origin.path, fmt::format("no segment of {} without a gap; longer segments are required", rows(fewest))});
      return fail(std::move(out));
    }
    find_clipping(r, findings);
    find_clipped_position(r.x, findings);
  }
  question_units(roles, r, findings);
  check_sense(r, origin.path, [&](std::size_t i) { return origin.place(row[i]); }, findings, out.problems);
  if (!out.problems.empty()) return fail(std::move(out));
  if (!r.steady()) {
    const Recording measured = r.u.empty() || r.motion ? Recording{} : r;
    out.bandwidth = complete_motion(r, reading.bandwidth, findings);
    if (!measured.u.empty() && out.bandwidth > 0) add_sparse_motion(measured, out.bandwidth, r);
    if (reading.rate > 0) reduce_rate(r, reading.rate, findings);
  }
  bool finite = true;
  each_series(r, [&](const Series& s) {
    finite = finite && std::all_of(s.begin(), s.end(), [](double x) { return std::isfinite(x); });
  });
  if (!finite) {
    out.problems.push_back({origin.path, "contains numbers too large or too close in time for a finite velocity"});
    return fail(std::move(out));
  }
  check_sliding(r, findings);
  if (!r.reduction) {  // re-sampled rows are none of the file
    for (const std::size_t i : row) r.line.push_back(origin.line(i));
  }
  return out;
}

}  // namespace

Read make_recording(const Trace& trace, const Reading& reading, const std::string& path) {
  return make(trace, reading, {.path = path}, {});
}

Read read_recording(const std::string& path, const Reading& reading) { return read_joined({path}, reading); }

Read read_joined(const std::vector<std::string>& paths, const Reading& reading) {
  TraceRead read = read_signals(paths, reading);
  Read out;
  out.problems = std::move(read.problems);
  for (std::string& note : read.notes)
    out.findings.push_back({read.every > 1 && note.find("one row in ") != std::string::npos, std::move(note)});
  if (!out.problems.empty()) return with_header(std::move(out), read.header);
  std::string name = fmt::to_string(fmt::join(paths, " + "));
  return make(read.trace, reading, {std::move(name), read.every, read.first_line, read.header}, std::move(out));
}

}  // namespace bristle::identify
