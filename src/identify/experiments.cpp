#include "identify/experiments.hpp"

#include <algorithm>
#include <deque>

#include "data/shared/motion.hpp"

namespace bristle::identify {

std::vector<Observation> experiments_of(const std::vector<Recording>& recordings) {
  std::vector<Track> tracks;
  std::deque<std::vector<double>> positions;  // integrated velocities
  for (const Recording& given : recordings) {
    const Recording& r = given.reduction ? given.reduction->whole : given;
    if (r.steady() || r.motion) continue;
    const std::vector<double>* x = &r.x;
    if (r.x.empty()) {
      std::vector<double>& sum = positions.emplace_back(r.size(), 0.0);
      for (std::size_t i = 1; i < sum.size(); ++i)
        sum[i] = sum[i - 1] + 0.5 * (r.v[i] + r.v[i - 1]) * (r.t[i] - r.t[i - 1]);
      x = &sum;
    }
    for (std::size_t k = 0; k < r.stretches.size(); ++k) {
      const std::size_t from = r.stretches[k], to = k + 1 < r.stretches.size() ? r.stretches[k + 1] : r.size();
      auto part = [&](const std::vector<double>& s) { return std::span(s).subspan(from, to - from); };
      if (to > from) tracks.push_back({&r, part(r.t), part(*x), part(r.v), part(r.target())});
    }
  }
  std::vector<Plateau> plateaus;
  for (const Track& k : tracks) {
    const std::vector<Plateau> own = plateaus_of(k);
    plateaus.insert(plateaus.end(), own.begin(), own.end());
  }
  std::vector<Observation> out;
  for (const auto& found :
       {constant_speeds(plateaus), velocity_steps(plateaus), force_ramps(tracks), small_loops(tracks)})
    out.insert(out.end(), found.begin(), found.end());
  return out;
}

void start_from(const std::vector<Observation>& experiments, Features& f) {
  for (const Observation& o : experiments) {
    if (o.name == "break-away friction") f.Fs = std::max(f.Fc, o.value);
    if (o.name == "stiffness") f.stiffness = o.value;
  }
}

void add_rate_state(Ranking& ranking) {
  const auto step = std::ranges::find(ranking.experiments, "velocity step", &Observation::experiment);
  if (step == ranking.experiments.end()) return;
  std::vector<Observation> found;
  for (const Fit& fit : ranking.fits) {
    if (!fit.model.starts_with("rate_state")) continue;
    const auto law = std::ranges::find(fit.parameters, "law", &Entry::key);
    const auto* name = law == fit.parameters.end() ? nullptr : law->value.as<std::string>();
    for (const Estimate& e : fit.friction) {
      const bool shown = e.name == "a" || e.name == "b" || e.name == "Dc";
      if (!shown || !name || !e.identifiable || e.at_bound || !(e.high > e.low)) continue;
      Observation o = *step;
      o.name = e.name;
      o.unit = e.unit;
      o.value = e.value;
      o.low = e.low;
      o.high = e.high;
      o.remark = *name + " law, from the fit of " + fit.model;
      found.push_back(std::move(o));
    }
  }
  ranking.experiments.insert(ranking.experiments.end(), found.begin(), found.end());
}

}  // namespace bristle::identify
