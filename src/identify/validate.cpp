#include "identify/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bristle/registry/any.hpp"
#include "data/shared/motion.hpp"
#include "identify/errors.hpp"
#include "identify/series.hpp"

namespace bristle::identify {
namespace {

/// Rows to fit: the first part in time, or steady points spread evenly over velocity.
std::vector<bool> rows_to_fit(const Recording& r, double train) {
  std::vector<bool> out(r.size(), true);
  if (train == 1) return out;
  if (r.steady()) {
    std::vector<std::size_t> order(r.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(r.v[i], i); });
    for (std::size_t k = 0; k < order.size(); ++k) {
      const auto share = [&](std::size_t count) { return std::floor(train * static_cast<double>(count) + 0.5); };
      out[order[k]] = share(k + 1) > share(k);
    }
  } else {
    const double until = r.t.front() + train * (r.t.back() - r.t.front());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = r.t[i] <= until;
  }
  return out;
}

Recording kept(const Recording& r, const std::vector<bool>& rows) {
  Recording out{.name = r.name,
                .rotational = r.rotational,
                .coefficient = r.coefficient,
                .motion = r.motion,
                .x_step = r.x_step,
                .a_noise = r.a_noise};
  for (const auto series : {&Recording::t, &Recording::x, &Recording::v, &Recording::a, &Recording::F, &Recording::u,
                            &Recording::N, &Recording::T, &Recording::sigma, &Recording::load, &Recording::ref,
                            &Recording::on, &Recording::sparse_x, &Recording::sparse_v, &Recording::sparse_a}) {
    for (std::size_t i = 0; i < (r.*series).size(); ++i) {
      if (rows[i]) (out.*series).push_back((r.*series)[i]);
    }
  }
  for (const Term& term : r.terms) {
    Term& own = out.terms.emplace_back(term.name);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i]) own.values.push_back(term.values[i]);
    }
  }
  for (std::size_t i = 0; i < r.line.size(); ++i) {
    if (rows[i]) out.line.push_back(r.line[i]);
  }
  if (r.reduction) {
    auto fewer = std::make_shared<Reduction>(*r.reduction);
    fewer->rows.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i]) fewer->rows.push_back(r.reduction->rows[i]);
    }
    out.reduction = std::move(fewer);
  }
  out.stretches.clear();
  for (const std::size_t begin : r.stretches) {
    const auto before =
        static_cast<std::size_t>(std::count(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(begin), true));
    if (before < out.size() && (out.stretches.empty() || before > out.stretches.back()))
      out.stretches.push_back(before);
  }
  return out;
}

}  // namespace

Ranking identify_and_validate(const std::vector<Recording>& recordings, const Options& options) {
  if (!(options.train > 0) || !(options.train <= 1))
    throw BadInput(fmt::format("train = {} must be > 0 and < 1", to_text(options.train)));
  if (recordings.empty()) throw BadInput("identify requires a recording");
  for (const auto* list : {&recordings, &options.validation}) {
    for (const Recording& r : *list) check_together(recordings.front(), r);
  }
  std::vector<std::vector<bool>> rows;
  std::vector<Recording> parts;
  for (const Recording& r : recordings) {
    rows.push_back(rows_to_fit(r, options.train));
    parts.push_back(kept(r, rows.back()));
    constexpr std::size_t fewest = 8;
    if (parts.back().size() < fewest || (options.train < 1 && parts.back().size() == r.size()))
      throw BadInput(fmt::format("{}: train = {} keeps {} of {} rows; must keep at least {} and leave at least one",
                                 r.name, to_text(options.train), parts.back().size(), r.size(), fewest));
  }
  Options plain = options;
  plain.train = 1;
  plain.validation.clear();
  Ranking ranking = identify(parts, plain);
  std::vector<std::vector<bool>> rest_rows;
  if (options.train < 1) {
    rest_rows = rows;
    for (std::vector<bool>& e : rest_rows) e.flip();
  }
  for (Fit& fit : ranking.fits) {
    ErrorSum rest;
    for (std::size_t k = 0; k < rest_rows.size(); ++k) {
      fit.predicted[k] = predict(fit, recordings[k], options.rig.get());
      fit.rest_each.push_back(rest.add(recordings[k], fit.predicted[k], rest_rows[k]));
    }
    fit.rest = rest.errors();
    if (options.validation.empty()) continue;
    Score others = score(fit, options.validation, options.rig.get());
    fit.validation_predicted = std::move(others.predicted);
    fit.validation_each = std::move(others.each);
    fit.validation = others.all;
  }
  for (std::size_t k = 0; k < ranking.outliers.size(); ++k) {  // rows of the whole recordings
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < rows[k].size(); ++i) {
      if (rows[k][i]) places.push_back(i);
    }
    for (std::size_t& row : ranking.outliers[k]) row = places[row];
  }
  if (options.train < 1) ranking.fitted_rows = std::move(rows);
  return ranking;
}

}  // namespace bristle::identify
