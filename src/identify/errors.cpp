#include "identify/errors.hpp"

#include <cmath>

#include "identify/series.hpp"

namespace bristle::identify {

Errors ErrorSum::add(const Recording& r, const std::vector<double>& predicted, const std::vector<bool>& counts) {
  ErrorSum own;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (!counts[i]) continue;
    const double y = r.target()[i], error = y - predicted[i];
    for (ErrorSum* s : {this, &own}) {
      if (s->rows_++ == 0) s->first_ = y;
      s->squares_ += error * error;
      s->absolute_ += std::abs(error);
      s->size_ += y * y;
      s->sum_ += y - s->first_;
      s->spread_ += (y - s->first_) * (y - s->first_);
    }
  }
  return own.errors();
}

Errors ErrorSum::errors() const {
  if (rows_ == 0) return {};
  const auto n = static_cast<double>(rows_);
  const double variance = spread_ - sum_ * sum_ / n;
  return {.rows = rows_,
          .rmse = std::sqrt(squares_ / n),
          .relative = size_ > 0 ? 100 * std::sqrt(squares_ / size_) : 0,
          .mean_abs = absolute_ / n,
          .r_squared = variance > 0 ? 1 - squares_ / variance : std::nan("")};
}

Score score(const Fit& fit, const std::vector<Recording>& recordings, const Rig* rig) {
  Score out;
  ErrorSum all;
  for (const Recording& r : recordings) {
    check_together(recordings.front(), r);
    out.predicted.push_back(predict(fit, r, rig));
    out.each.push_back(all.add(r, out.predicted.back(), std::vector<bool>(r.size(), true)));
  }
  out.all = all.errors();
  return out;
}

}  // namespace bristle::identify
