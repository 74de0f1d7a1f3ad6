#include "identify/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bristle/registry/any.hpp"
#include "data/shared/motion.hpp"
#include "identify/steps.hpp"

namespace bristle::identify {
namespace {

void check(const Recording& r) {
  const std::size_t n = r.size();
  auto require = [&](const std::vector<double>& series, const char* name, bool needed) {
    if (series.empty() ? needed : series.size() != n)
      throw BadInput(fmt::format("{}: {} has {} values, must have {}", r.name, name, series.size(), n));
    for (const double e : series) {
      if (!std::isfinite(e)) throw BadInput(fmt::format("{}: {} contains a value that is not a number", r.name, name));
    }
  };
  if (n == 0) throw BadInput(fmt::format("{}: no rows; at least one is required", r.name));
  if (!r.F.empty() && !r.u.empty() && !r.motion)
    throw BadInput(fmt::format("{}: has both F and u, must have one", r.name));
  require(r.v, "v", true);
  require(r.target(), r.motion ? "x" : r.u.empty() ? "F" : "u", true);
  require(r.x, "x", false);
  require(r.u, "u", false);
  require(r.ref, "ref", false);
  require(r.on, "on", false);
  require(r.N, "N", false);
  require(r.T, "T", false);
  require(r.sigma, "sigma", false);
  require(r.load, "load", false);
  require(r.t, "t", false);
  require(r.a, "a", !r.u.empty() && !r.steady());
  for (const Term& term : r.terms) require(term.values, term.name.c_str(), true);
}

/// Position, or the travelled distance if no position was measured.
std::vector<double> positions(const Recording& r) {
  if (!r.x.empty()) return r.x;
  std::vector<double> x(r.size());
  for (std::size_t i = 1; i < x.size() && !r.steady(); ++i)
    x[i] = x[i - 1] + 0.5 * (r.v[i] + r.v[i - 1]) * (r.t[i] - r.t[i - 1]);
  return x;
}

/// Whether the velocity changes at once from row i - 1 to row i, compared with its changes before and after.
bool jumps(const Recording& r, std::size_t from, std::size_t i, std::size_t to) {
  if (r.x.empty() || i < from + 2 || i + 1 >= to) return false;
  const double change = std::abs(r.v[i] - r.v[i - 1]);
  return change > 10 * std::max(std::abs(r.v[i - 1] - r.v[i - 2]), std::abs(r.v[i + 1] - r.v[i]));
}

void append(Series& s, const Recording& r, std::size_t from, std::size_t to, const std::vector<double>& x, double load,
            double sigma, std::size_t recording) {
  s.stretches.push_back({s.size(), s.size() + (to - from), r.steady(), recording});
  for (std::size_t i = from; i < to; ++i) {
    double dt = 0, held = r.v[i];
    if (!r.steady()) {
      if (i > from) {
        dt = r.t[i] - r.t[i - 1];
        if (!(dt > 0)) throw BadInput(fmt::format("{}: t must increase, row {}", r.name, i + 1));
        // The displacement shows where inside the step the velocity changes; without it the mean is accurate to dt^2.
        const double mean = r.x.empty() ? 0.5 * (r.v[i] + r.v[i - 1]) : (x[i] - x[i - 1]) / dt;
        held = std::clamp(mean, std::min(r.v[i], r.v[i - 1]), std::max(r.v[i], r.v[i - 1]));
        if (std::abs(held - r.v[i]) <= 1e-7 * std::abs(r.v[i])) held = r.v[i];
        if (jumps(r, from, i, to)) {
          s.jumps.push_back(s.size());
          if (held != r.v[i] && held != r.v[i - 1]) {
            s.before_jump.resize(s.size() + 1);
            s.before_jump.back() = dt * (r.v[i] - held) / (r.v[i] - r.v[i - 1]);
          }
        } else if (!s.inverse || !divide(s, r, i, mean)) {
          cut_at_turn(s, r.v[i - 1], r.v[i], held, dt, r.a_noise);
        }
      } else {
        dt = 1e-9 * (to - from > 1 ? r.t[i + 1] - r.t[i] : 1.0);  // a short step that sets the direction
      }
    }
    s.dt.push_back(dt);
    s.step_v.push_back(held);
    s.v.push_back(r.v[i]);
    s.x.push_back(x[i]);
    s.a.push_back(r.a.empty() ? 0.0 : r.a[i]);
    s.r.push_back(load > 0 && !r.N.empty() && !r.coefficient ? r.N[i] / load : 1.0);
    s.T.push_back(r.T.empty() ? 20.0 : r.T[i]);
    s.load.push_back(r.load.empty() ? 0.0 : r.load[i]);
    s.y.push_back(r.target()[i]);
    for (std::size_t k = 0; k < s.terms.size(); ++k) s.terms[k].values.push_back(r.terms[k].values[i]);
    s.weight.push_back(r.sigma.empty() || !(r.sigma[i] > 0) ? 1.0 : sigma / r.sigma[i]);
  }
}

/// Median of the measured load: unloading for a short time does not count.
double nominal_load(const std::vector<Recording>& recordings) {
  std::vector<double> all;
  for (const Recording& r : recordings) all.insert(all.end(), r.N.begin(), r.N.end());
  if (all.empty()) return 0;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  return *middle;
}

/// The standard deviation that corresponds to the mean weight.
double usual_sigma(const std::vector<Recording>& recordings) {
  double sum = 0;
  std::size_t n = 0;
  for (const Recording& r : recordings) {
    for (const double e : r.sigma) {
      if (!(e > 0)) continue;
      sum += 1 / (e * e);
      ++n;
    }
  }
  return n == 0 ? 1 : std::sqrt(static_cast<double>(n) / sum);
}

std::shared_ptr<const Fine> fine_of(const std::vector<Recording>& recordings, int blocks) {
  if (std::ranges::none_of(recordings, [](const Recording& r) { return r.reduction != nullptr; })) return {};
  static constexpr double alone = 1;
  auto out = std::make_shared<Fine>();
  std::vector<Recording> whole;
  std::size_t at = 0;
  for (const Recording& r : recordings) {
    whole.push_back(r.reduction ? r.reduction->whole : r);
    if (r.reduction) {
      for (const Reduction::Row& row : r.reduction->rows)
        out->rows.push_back({at + row.first, row.count, &r.reduction->weights[row.weights]});
      out->sources.push_back(r.reduction);
    } else {
      for (std::size_t i = 0; i < r.size(); ++i) out->rows.push_back({at + i, 1, &alone});
    }
    at += whole.back().size();
  }
  out->whole = joined(whole, blocks);
  return out;
}

}  // namespace

void check_together(const Recording& first, const Recording& r) {
  check(r);
  if (r.motion != first.motion)
    throw BadInput(
        fmt::format("{}: has another kind of target than {}; all recordings must have the same", r.name, first.name));
  if (r.u.empty() != first.u.empty() && !r.motion)
    throw BadInput(fmt::format("{}: has {}, but {} has {}; all recordings must have the same", r.name,
                               r.u.empty() ? "F" : "u", first.name, r.u.empty() ? "u" : "F"));
  if (!std::ranges::equal(r.terms, first.terms, {}, &Term::name, &Term::name))
    throw BadInput(fmt::format("{}: has other terms than {}; all recordings must have the same", r.name, first.name));
  if (r.rotational != first.rotational || r.coefficient != first.coefficient)
    throw BadInput(fmt::format("{}: has other units than {}; all recordings must have the same", r.name, first.name));
}

Series joined(const std::vector<Recording>& recordings, int blocks, std::optional<double> normal_load) {
  if (recordings.empty()) throw BadInput("identify requires a recording");
  Series s;
  for (const Recording& r : recordings) check_together(recordings.front(), r);
  s.motion = recordings.front().motion;
  s.inverse = !s.motion && !recordings.front().u.empty();
  s.coefficient = recordings.front().coefficient;
  s.rotational = recordings.front().rotational;
  s.normal_load = normal_load ? *normal_load : nominal_load(recordings);
  for (const Term& term : recordings.front().terms) s.terms.push_back({term.name, {}});
  const double sigma = usual_sigma(recordings);
  for (std::size_t j = 0; j < recordings.size(); ++j) {
    const Recording& r = recordings[j];
    s.x_step = std::max(s.x_step, r.x_step);
    if (!r.reduction) s.a_noise = std::hypot(s.a_noise, r.a_noise * std::sqrt(static_cast<double>(r.size())));
    const std::vector<double> x = positions(r);
    for (std::size_t k = 0; k < r.stretches.size(); ++k) {
      const std::size_t from = r.stretches[k], to = k + 1 < r.stretches.size() ? r.stretches[k + 1] : r.size();
      if (to > from && to <= r.size()) append(s, r, from, to, x, s.normal_load, sigma, j);
    }
  }
  if (!s.before_jump.empty()) s.before_jump.resize(s.size());
  for (auto* e : {&s.turn_dt, &s.turn_v}) e->resize(e->empty() ? 0 : s.size());
  if (!s.bend.empty()) s.bend.resize(s.size());
  s.held = s.step_v == s.v;
  s.loaded = std::ranges::any_of(s.r, [](double e) { return e != 1; });
  s.used = s.size();
  s.a_noise /= std::sqrt(static_cast<double>(std::max<std::size_t>(s.size(), 1)));  // rms over the rows
  cut_into_blocks(s, blocks);
  s.fine = fine_of(recordings, blocks);
  return s;
}

void cut_into_blocks(Series& s, int folds, std::size_t per_fold) {
  s.block.assign(s.size(), 0);
  s.blocks = folds;
  const std::size_t parts = per_fold * static_cast<std::size_t>(folds);
  for (const Stretch& stretch : s.stretches) {
    const std::size_t n = stretch.to - stretch.from;
    if (stretch.steady) {
      std::vector<std::size_t> order(n);
      std::iota(order.begin(), order.end(), stretch.from);
      std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(s.v[i], i); });
      for (std::size_t k = 0; k < n; ++k) s.block[order[k]] = static_cast<int>(k % static_cast<std::size_t>(folds));
    } else {
      for (std::size_t k = 0; k < n; ++k)
        s.block[stretch.from + k] = static_cast<int>((k * parts / n) % static_cast<std::size_t>(folds));
    }
  }
}

void transmit(Series& s, const Features& f) {
  if (!s.inverse || std::ranges::any_of(s.load, [](double e) { return e != 0; })) return;
  for (std::size_t i = 0; i < s.size(); ++i) s.load[i] = f.body_force(s.x[i], s.a[i]);
  if (!s.fine) return;
  auto fine = std::make_shared<Fine>(*s.fine);
  transmit(fine->whole, f);
  s.fine = std::move(fine);
}

namespace {

/// `ends`: one past the last sample of every step. The sample at a jump of the velocity is a step of its own.
Series in_longer_steps(const Series& s, std::size_t stride, std::vector<std::size_t>& ends) {
  Series out;
  out.blocks = s.blocks;
  out.inverse = s.inverse;
  out.loaded = s.loaded;
  out.coefficient = s.coefficient;
  out.rotational = s.rotational;
  out.normal_load = s.normal_load;
  out.x_step = s.x_step;
  out.a_noise = s.a_noise;
  for (const Term& term : s.terms) out.terms.push_back({term.name, {}});
  out.share = s.share;
  // Many changes are those of a coarse sensor.
  const std::vector<std::size_t> jumps = 100 * s.jumps.size() > s.size() ? std::vector<std::size_t>{} : s.jumps;
  for (const Stretch& stretch : s.stretches) {
    const std::size_t begin = out.size();
    const std::size_t step = stretch.steady ? 1 : stride;
    auto end_of = [&](std::size_t from) {
      const std::size_t to = std::min(from + step, stretch.to);
      const auto jump = std::ranges::lower_bound(jumps, from);
      return jump == jumps.end() || *jump >= to ? to : std::max(*jump, from + 1);
    };
    for (std::size_t from = stretch.from, to = from + 1; from < stretch.to; from = to, to = end_of(from)) {
      double time = 0, way = 0;
      for (std::size_t i = from; i < to; ++i) {
        time += s.dt[i];
        way += s.dt[i] * s.step_v[i];
      }
      const std::size_t last = to - 1;
      if (to - from == 1 && !s.before_jump.empty() && s.before_jump[last] > 0) {
        out.before_jump.resize(out.size() + 1);
        out.before_jump.back() = s.before_jump[last];
      }
      if (std::ranges::binary_search(jumps, last)) out.jumps.push_back(out.size());
      ends.push_back(to);
      out.dt.push_back(time);
      out.step_v.push_back(stretch.steady || !(time > 0) ? s.step_v[last] : way / time);
      out.v.push_back(s.v[last]);
      out.x.push_back(s.x[last]);
      out.a.push_back(s.a[last]);
      out.r.push_back(s.r[last]);
      out.T.push_back(s.T[last]);
      out.load.push_back(s.load[last]);
      out.y.push_back(s.y[last]);
      for (std::size_t k = 0; k < s.terms.size(); ++k) out.terms[k].values.push_back(s.terms[k].values[last]);
      out.weight.push_back(s.weight[last]);
      out.block.push_back(s.block[last]);
      if (s.weight[last] > 0) ++out.used;
    }
    out.stretches.push_back({begin, out.size(), stretch.steady, stretch.recording});
  }
  if (!out.before_jump.empty()) out.before_jump.resize(out.size());
  out.held = out.step_v == out.v;
  return out;
}

/// The force at the end of a step represents the step.
std::shared_ptr<const Fine> in_longer_steps(const Fine& fine, std::size_t stride) {
  auto out = std::make_shared<Fine>();
  std::vector<std::size_t> ends;
  out->whole = in_longer_steps(fine.whole, stride, ends);
  std::vector<std::size_t> begins;  // indices of weights, which still grow
  for (const Fine::Row& row : fine.rows) {
    const std::size_t end = row.first + row.count;
    auto k = static_cast<std::size_t>(std::ranges::upper_bound(ends, row.first) - ends.begin());
    out->rows.push_back({.first = k});
    begins.push_back(out->weights.size());
    for (std::size_t i = row.first; i < end; ++k) {
      double sum = 0;
      for (; i < end && i < ends[k]; ++i) sum += row.weights[i - row.first];
      out->weights.push_back(sum);
      ++out->rows.back().count;
    }
  }
  for (std::size_t k = 0; k < begins.size(); ++k) out->rows[k].weights = &out->weights[begins[k]];
  return out;
}

}  // namespace

Series thinned(const Series& s, std::size_t most) {
  const std::size_t rows = s.fine ? s.fine->whole.size() : s.size(), stride = (rows + most - 1) / most;
  if (stride < 2 || s.steady() || s.motion) return s;  // fewer samples do not speed up a simulation
  if (s.fine) {
    // Many samples remain per period of the filter.
    const std::size_t each = s.fine->whole.size() / std::max<std::size_t>(s.size(), 1);
    Series out = s;
    if (each / 10 > 1) out.fine = in_longer_steps(*s.fine, std::min(stride, each / 10));
    return out;
  }
  std::vector<std::size_t> ends;
  return in_longer_steps(s, stride, ends);
}

}  // namespace bristle::identify
