#include "identify/order.hpp"

#include <algorithm>
#include <compare>
#include <numeric>

#include "data/shared/motion.hpp"
#include "identify/series.hpp"

namespace bristle::identify {
namespace {

/// A total order of doubles, also of values that a later check refuses.
std::strong_ordering compare(const std::vector<double>& a, const std::vector<double>& b) {
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end(),
                                                [](double x, double y) { return std::strong_order(x, y); });
}

std::strong_ordering compare(const Recording& a, const Recording& b) {
  if (const auto sizes = a.size() <=> b.size(); sizes != 0) return sizes;
  for (const auto series : {&Recording::t, &Recording::v, &Recording::x, &Recording::a, &Recording::F, &Recording::u,
                            &Recording::N, &Recording::T, &Recording::sigma, &Recording::load, &Recording::ref,
                            &Recording::on, &Recording::sparse_x, &Recording::sparse_v, &Recording::sparse_a}) {
    if (const auto numbers = compare(a.*series, b.*series); numbers != 0) return numbers;
  }
  if (const auto segments = a.stretches <=> b.stretches; segments != 0) return segments;
  return a.reduction && b.reduction ? compare(a.reduction->whole, b.reduction->whole)
                                    : (a.reduction != nullptr) <=> (b.reduction != nullptr);
}

}  // namespace

InOrder::InOrder(const std::vector<Recording>& given) : given_(given), places_(given.size()) {
  std::iota(places_.begin(), places_.end(), 0U);
  std::ranges::sort(places_, [&](std::size_t a, std::size_t b) {
    const auto order = compare(given[a], given[b]);
    return order < 0 || (order == 0 && a < b);
  });
  if (std::ranges::is_sorted(places_)) return;
  for (const std::size_t place : places_) sorted_.push_back(given[place]);
}

Ranking identify(const std::vector<Recording>& recordings, const Options& options) {
  for (const auto* list : {&recordings, &options.validation}) {  // messages name the first one given
    for (const Recording& r : *list) {
      if (!recordings.empty()) check_together(recordings.front(), r);
    }
  }
  const InOrder fitted(recordings), predicted(options.validation);
  Options sorted = options;
  sorted.validation = predicted.recordings();
  Ranking out = identify_in_order(fitted.recordings(), sorted);
  fitted.restore(out.fitted_rows);
  fitted.restore(out.outliers);
  for (Fit& fit : out.fits) {
    fitted.restore(fit.predicted);
    fitted.restore(fit.each);
    fitted.restore(fit.rest_each);
    predicted.restore(fit.validation_predicted);
    predicted.restore(fit.validation_each);
  }
  return out;
}

}  // namespace bristle::identify
