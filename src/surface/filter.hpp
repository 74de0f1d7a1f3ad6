#pragma once
#include "bristle/surface.hpp"

namespace bristle::surface {

/// Progress of several parts of the work on one scale, for any thread.
class Steps {
 public:
  Steps(const Work& work, double whole) : work_(work), whole_(whole) {}
  /// Reports `n` finished units; throws Interrupted.
  void done(double n);

 private:
  const Work& work_;
  double whole_;
  std::atomic<double> reached_ = 0;
  std::atomic<bool> busy_ = false;
};

/// Gaussian mean line or surface of the heights in place, eq. (1). At the ends the weights within the record are
/// normalised. `steps` receives nx ny per direction.
void smooth(Heights& heights, double cutoff, unsigned threads, Steps& steps);
/// Number of smoothing directions, for `Steps`.
inline double directions(const Heights& h) { return h.is_profile() ? 1 : 2; }

/// Subtracts the mean, plane or quadratic surface of least squares from measured heights.
void level(Heights& heights, Level kind, unsigned threads);

/// Interpolates NaN between its neighbours; returns a mark per point (1: measured), empty if all are measured.
std::vector<char> fill_missing(Heights& heights);

}  // namespace bristle::surface
