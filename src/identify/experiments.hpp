#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "identify/series.hpp"

/// Experiments that recordings contain: constant speeds, force ramps, small loops, velocity steps.
namespace bristle::identify {

/// One segment of a recording without gaps.
struct Track {
  const Recording* recording = nullptr;
  std::span<const double> t{}, x{}, v{}, y{};  // y: measured force
  std::size_t size() const { return t.size(); }
};

/// Rows [from, to) of a track at constant speed.
struct Plateau {
  const Track* track = nullptr;
  std::size_t from = 0, to = 0;
  double v = 0;
};
std::vector<Plateau> plateaus_of(const Track& track);

/// A number with its standard error and the degrees of freedom of the latter.
struct Level {
  double value = 0, error = 0, freedom = 0, scatter = 0;
  std::size_t from = 0, to = 0;
};
/// Median force of rows, with the correlation of neighbours in its error.
Level level_of(const Track& track, std::size_t from, std::size_t to);
/// Level of the part of a plateau in which the force is steady; rows 0: none.
Level steady_level(const Plateau& plateau);

std::vector<Observation> constant_speeds(const std::vector<Plateau>& plateaus);
std::vector<Observation> velocity_steps(const std::vector<Plateau>& plateaus);
std::vector<Observation> force_ramps(const std::vector<Track>& tracks);
std::vector<Observation> small_loops(const std::vector<Track>& tracks);

/// Starting values from experiments: they show a number better than a recording of general motion.
void start_from(const std::vector<Observation>& experiments, Features& features);
/// Adds a, b and Dc of both evolution laws, from their fits, to recordings with velocity steps.
void add_rate_state(Ranking& ranking);

/// Friction seen in both directions: half the difference, free of a weight and of the zero of the sensor.
Observation half_difference(const Observation& plus, const Observation& minus);

double median(std::vector<double> x);
double standard_deviation(std::span<const double> x);

}  // namespace bristle::identify
