#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "bristle/simulate.hpp"

namespace bristle {

/// Left and right limits of a run at its events and at corners of drive and load: pairs of rows with the same time. The
/// rows of a trace have one value at a jump.
class Limits {
 public:
  /// The memory of the limits is bounded by that of the rows, or 16 MB; where they belong to the trace, by the largest
  /// trace.
  Limits(const std::vector<Column>& columns, const SolverParams& solver, bool on)
      : trace{columns}, on_(on), required_(solver.event_rows), left_(columns.size()), right_(columns.size()) {
    const double row = static_cast<double>(sizeof(double) * columns.size()), rows = row_count(solver);
    most_ = required_ ? most_trace_bytes / row - rows : std::max(rows, 16e6 / row);
  }
  bool on() const { return on_; }

  /// Row before and after a change at t, by row(t, values); changes at one time, except for rounding, count as
  /// one. The limits of a change that is no event are kept if they differ.
  template <class Row> void before(double t, Row&& row) {
    if (!on_ || !(t > 0)) return;
    again_ = trace.rows() > 0 && t - trace.columns.front().values.back() <= 1e-12 * t;
    if (!again_) row(t, left_.data());
  }
  template <class Row> void after(double t, bool event, Row&& row) {
    if (!on_ || !(t > 0)) return;
    row(t, right_.data());
    if (again_) {
      for (std::size_t i = 1; i < right_.size(); ++i) trace.columns[i].values.back() = right_[i];
    } else if (event || differ()) {
      add(t);
    }
  }
  /// An event without a change.
  template <class Row> void at(double t, Row&& row) {
    before(t, row);
    if (on_ && t > 0 && !again_) {
      right_ = left_;
      add(t);
    }
  }
  /// Time from which limits are not kept for want of memory; infinite if all are.
  double full() const { return full_; }
  Trace trace;

 private:
  bool differ() const {
    for (std::size_t i = 1; i < left_.size(); ++i) {
      if (!(std::abs(right_[i] - left_[i]) <= 1e-9 * std::max(std::abs(left_[i]), std::abs(right_[i])))) return true;
    }
    return false;
  }
  void add(double t) {
    if (static_cast<double>(trace.rows() + 2) > most_) {
      if (required_)
        throw RunFailed("event_rows requires more than 2 GB at t = " + to_text(t) +
                        " s; event_rows = false or fewer recorded blocks are accepted");
      on_ = false;
      full_ = t;
      return;
    }
    for (std::size_t i = 0; i < left_.size(); ++i) {
      std::vector<double>& values = trace.columns[i].values;
      if (values.empty()) values.reserve(32);
      values.push_back(left_[i]);
      values.push_back(right_[i]);
    }
  }
  bool on_, required_, again_ = false;
  double most_{}, full_{inf};
  std::vector<double> left_, right_;
};

}  // namespace bristle
