#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bristle/gallery.hpp"
#include "gallery/table.hpp"
#include "scenario/shared/bounds.hpp"

/// Checks of several runs, and means over cycles.
namespace bristle::gallery {
namespace {

using namespace scenario;
using Of = CrossCheck::Of;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct Points {
  std::vector<double> x, y;
};

Points points(const FigureFile& file, const CrossCheck& c, const CrossCheck::Curve& curve,
              const std::vector<VariantResult>& results) {
  Points out;
  for (const std::vector<double>& row : numbers(file, file.tables[curve.table], results)) {
    const double x = row[curve.x], y = row[curve.y];
    if (std::isnan(x) && std::isnan(y)) continue;  // a row of another curve
    out.x.push_back(c.xlog ? std::log(x) : x);
    out.y.push_back(c.ylog ? std::log(y) : y);
  }
  return out;
}

double deviation(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  double sum = 0, squares = 0;  // squares: of the distances from the mean
  for (const double x : values) sum += x;
  for (const double x : values) squares += (x - sum / n) * (x - sum / n);
  return std::sqrt(squares / (n - 1));
}

double range(const std::vector<double>& y) {
  const auto [low, high] = std::ranges::minmax(y);
  return high - low;
}

/// Interpolation by cubics through the points, with slopes from their neighbours; NaN outside.
double at(const Points& p, double x) {
  const std::size_t n = p.x.size();
  const auto chord = [&](std::size_t i, std::size_t k) { return (p.y[k] - p.y[i]) / (p.x[k] - p.x[i]); };
  const auto slope = [&](std::size_t i) { return chord(i > 0 ? i - 1 : i, std::min(i + 1, n - 1)); };
  for (std::size_t i = 1; i < n; ++i) {
    const double from = p.x[i - 1], h = p.x[i] - from, u = (x - from) / h;
    if (!(u >= 0 && u <= 1)) continue;
    const double a = p.y[i - 1], b = p.y[i];
    return a + u * u * (3 - 2 * u) * (b - a) + h * u * (1 - u) * ((1 - u) * slope(i - 1) - u * slope(i));
  }
  return unknown;
}

/// C y(x) = y'(D x): the curve is stretched along ln x and scaled to the other one.
struct Match {
  double stretch = unknown, factor = unknown, mismatch = unknown;
};
Match match(Points p, Points other) {
  for (Points* q : {&p, &other}) {
    for (double& x : q->x) x = std::log(x);
  }
  const auto at_shift = [&](double shift) {
    Match out{.stretch = std::exp(shift)};
    double yy = 0, yo = 0, count = 0, sum = 0;
    std::vector<std::pair<double, double>> pairs;
    for (std::size_t i = 0; i < p.x.size(); ++i) {
      const double o = at(other, p.x[i] + shift);
      if (!std::isfinite(o) || !std::isfinite(p.y[i])) return out;  // every point counts
      yy += p.y[i] * p.y[i];
      yo += p.y[i] * o;
      pairs.emplace_back(p.y[i], o);
    }
    out.factor = yo / yy;
    for (const auto& [y, o] : pairs) sum += (out.factor * y - o) * (out.factor * y - o), ++count;
    std::vector<double> values;
    for (const auto& pair : pairs) values.push_back(pair.second);
    out.mismatch = std::sqrt(sum / count) / range(values);
    return out;
  };
  Match best;
  if (p.x.size() < 3 || other.x.size() < 3) return best;
  const auto [low, high] = std::ranges::minmax(other.x);
  const auto [from, to] = std::ranges::minmax(p.x);
  double center = (low - from + high - to) / 2, half = std::abs((high - to) - (low - from)) / 2;
  for (int pass = 0; pass < 12; ++pass, half /= 5) {
    const double middle = center;
    for (int k = -10; k <= 10; ++k) {
      const double shift = middle + half * k / 10;
      const Match m = at_shift(shift);
      if (m.mismatch < best.mismatch || (std::isnan(best.mismatch) && !std::isnan(m.mismatch))) {
        best = m;
        center = shift;
      }
    }
  }
  return best;
}

/// Root mean square difference of a column of two runs at the same times, over the range of the first.
double distance(const std::string& column, const Run& a, const Run& b, std::string& why) {
  const auto ya = column_of(a.trace, column), yb = column_of(b.trace, column);
  const Column *ta = a.trace.find("t"), *tb = b.trace.find("t");
  if (!ya || !yb || !ta || !tb || ta->values != tb->values) {
    why = !ya || !yb ? fmt::format("a run has no column {}", column) : "the runs have rows at different times";
    return unknown;
  }
  double sum = 0;
  for (std::size_t i = 0; i < ya->values.size(); ++i) {
    const double d = ya->values[i] - yb->values[i];
    sum += d * d;
  }
  return std::sqrt(sum / static_cast<double>(ya->values.size())) / range(ya->values);
}

double row_value(const FigureFile& file, const CrossCheck& c, std::size_t variant,
                 const std::vector<VariantResult>& results) {
  const TableSpec& table = file.tables[c.curve.table];
  const auto row = std::ranges::find(table.variants, variant);
  if (row == table.variants.end()) return unknown;
  return numbers(file, table, results)[static_cast<std::size_t>(row - table.variants.begin())][c.curve.y];
}

double value_of(const FigureFile& file, const CrossCheck& c, const std::vector<VariantResult>& results,
                std::string& why) {
  if (c.of == Of::distance) return distance(c.column, results[c.variants[0]].run, results[c.variants[1]].run, why);
  if (of_variants(c.of)) {
    const double a = row_value(file, c, c.variants[0], results), b = row_value(file, c, c.variants[1], results);
    return c.of == Of::ratio ? a / b : a - b;
  }
  const Points p = points(file, c, c.curve, results);
  if (matches(c.of)) {
    const Match m = match(p, points(file, c, c.to, results));
    return c.of == Of::stretch ? m.stretch : c.of == Of::factor ? m.factor : m.mismatch;
  }
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < p.x.size(); ++i) xx += p.x[i] * p.x[i], xy += p.x[i] * p.y[i];
  if (c.of == Of::proportion) return xy / xx;
  const Line line = least_squares(p.x, p.y);
  if (c.of == Of::slope) return line.slope;
  double sum = 0;
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    const double d = p.y[i] - line.level - line.slope * p.x[i];
    sum += d * d;
  }
  return std::sqrt(sum / static_cast<double>(p.x.size())) / range(p.y);
}

/// The variants that a check concerns.
std::vector<std::size_t> concerned(const FigureFile& file, const CrossCheck& c) {
  if (!c.variants.empty()) return c.variants;
  std::vector<std::size_t> out = file.tables[c.curve.table].variants;
  if (matches(c.of)) {
    const auto& more = file.tables[c.to.table].variants;
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

/// The quantity of each repetition alone: its standard deviation.
double deviation_of(const FigureFile& file, const CrossCheck& c, const std::vector<VariantResult>& results,
                    std::string& why) {
  std::vector<double> values;
  for (std::size_t k = 0;; ++k) {
    std::vector<VariantResult> single(results.size());
    for (const std::size_t i : concerned(file, c)) {
      if (k > results[i].again.size()) return deviation(values);
      single[i].run = k == 0 ? results[i].run : results[i].again[k - 1];
    }
    values.push_back(value_of(file, c, single, why));
  }
}

}  // namespace

Line least_squares(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const double a : x) sx += a;
  for (const double a : y) sy += a;
  for (std::size_t i = 0; i < x.size(); ++i) {  // about the mean: large x lose no digits
    sxx += (x[i] - sx / n) * (x[i] - sx / n);
    sxy += (x[i] - sx / n) * (y[i] - sy / n);
  }
  const double slope = sxx > 0 ? sxy / sxx : unknown;
  return {sy / n - slope * sx / n, slope};
}

void check_across(const FigureFile& file, std::vector<VariantResult>& results) {
  for (const CrossCheck& c : file.checks) {
    const std::vector<std::size_t> of = concerned(file, c);
    std::string why;
    const bool failed = std::ranges::any_of(of, [&](std::size_t i) { return !results[i].failure.empty(); });
    double value = unknown;
    if (failed) {
      why = "a run failed";
    } else {
      value = value_of(file, c, results, why);
    }
    if (why.empty() && !std::isfinite(value)) why = "the values do not determine it";
    auto& checks = results[*std::ranges::max_element(of)].checks;
    checks.push_back(compared(c.quantity, {value, 0}, 1, why));
    if (!c.scatter) continue;
    const double scatter = why.empty() ? deviation_of(file, c, results, why) : unknown;
    checks.push_back(compared(*c.scatter, {scatter, 0}, 1, why));
  }
}

Run mean_cycle(const FigureSpec& spec, std::size_t cycles, const VariantResult& result) {
  const Trace& trace = result.run.trace;
  const Column* t = trace.find("t");
  const std::size_t rows = trace.rows();
  if (t == nullptr || rows == 0) return {.trace = trace, .summary = result.run.summary};
  // Rounded down, so that `cycles` windows fit into the rows.
  const auto window = static_cast<std::size_t>(spec.last * static_cast<double>(rows - 1) + 1e-6);
  Run out;
  out.summary = result.run.summary;
  std::vector<const Run*> runs{&result.run};
  for (const Run& r : result.again) {  // a repetition with other rows has no mean with these
    const Column* times = r.trace.find("t");
    if (times && times->values == t->values && r.trace.columns.size() == trace.columns.size()) runs.push_back(&r);
  }
  for (std::size_t i = 0; i < trace.columns.size(); ++i) {
    Column& c = out.trace.columns.emplace_back(trace.columns[i]);
    c.values.assign(window + 1, 0.0);
    for (std::size_t k = 0; k <= window; ++k) {
      if (&trace.columns[i] == t) {
        c.values[k] = t->values[rows - 1 - window + k];
        continue;
      }
      for (const Run* r : runs) {
        for (std::size_t m = 0; m < cycles; ++m)
          c.values[k] += r->trace.columns[i].values[rows - 1 - (m + 1) * window + k];
      }
      c.values[k] /= static_cast<double>(cycles * runs.size());
    }
  }
  return out;
}

}  // namespace bristle::gallery
