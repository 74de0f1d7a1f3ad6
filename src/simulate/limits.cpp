#include "limits.hpp"

#include <string_view>

/// Rows and limits of a run in one sequence.
namespace bristle {
namespace {

/// Values of one column in order of time: rows first by their time, pairs of limits in between.
class Order {
 public:
  explicit Order(const Run& run) {
    const Column *rows = run.trace.find("t"), *limits = run.limits.find("t");
    if (rows) rows_ = &rows->values;
    if (limits) limits_ = &limits->values;
  }
  std::vector<double> merge(const std::vector<double>& row, const std::vector<double>& limit) const {
    if (!limits_ || limits_->empty()) return row;
    std::vector<double> out;
    out.reserve(row.size() + limit.size());
    std::size_t k = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double t = (*rows_)[i];
      while (k < limit.size() && (*limits_)[k] <= t) out.push_back(limit[k++]);
      if (k == 0 || (*limits_)[k - 1] != t) out.push_back(row[i]);
    }
    out.insert(out.end(), limit.begin() + static_cast<std::ptrdiff_t>(k), limit.end());
    return out;
  }

 private:
  const std::vector<double>*rows_ = nullptr, *limits_ = nullptr;
};

}  // namespace

Trace with_limits(const Run& run) {
  if (run.limits.rows() == 0) return run.trace;
  Trace out = run.trace;
  const Order order(run);
  for (std::size_t i = 0; i < out.columns.size(); ++i)
    out.columns[i].values = order.merge(run.trace.columns[i].values, run.limits.columns[i].values);
  return out;
}

std::optional<Column> column_of(const Run& run, std::string_view name) {
  std::optional<Column> out = column_of(run.trace, name);
  if (!out || run.limits.rows() == 0) return out;
  if (const auto limits = column_of(run.limits, name)) out->values = Order(run).merge(out->values, limits->values);
  return out;
}

}  // namespace bristle
