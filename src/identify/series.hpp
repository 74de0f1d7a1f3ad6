#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "bristle/identify.hpp"

/// All recordings in one row, as the fits see them.
namespace bristle::identify {

struct Stretch {
  std::size_t from = 0, to = 0;
  bool steady = false;  // points of the steady curve, without time
};

struct Fine;

struct Series {
  std::vector<Stretch> stretches{};
  std::vector<double> dt{};      // s; how long `step_v` was held before the sample
  std::vector<double> step_v{};  // velocity held over dt
  std::vector<double> v{}, x{}, a{}, r{}, T{};
  std::vector<double> load{};    // transmitted; 0: not known
  std::vector<double> y{};       // what was measured: friction, or the actuator's force
  std::vector<double> weight{};  // 0: left out (the state at the start of a recording is not known)
  std::vector<int> block{};      // of the cross-validation, 0 to blocks - 1
  int blocks = 0;
  bool held = false;         // step_v is v everywhere
  bool inverse = false;      // y is the actuator's force
  bool motion = false;       // y is the position, to be simulated
  bool loaded = false;       // r is not 1
  bool coefficient = false;  // y is a friction coefficient
  bool rotational = false;
  double normal_load = 0;              // nominal, where it was measured; else 0
  std::size_t used = 0;                // samples with a weight
  std::shared_ptr<const Fine> fine{};  // where samples are means of those of longer recordings

  std::size_t size() const { return y.size(); }
  bool steady() const { return !stretches.empty() && std::ranges::all_of(stretches, &Stretch::steady); }
};

/// The recordings before they were reduced, and which of their samples each sample is the mean of.
struct Fine {
  struct Row {
    std::size_t first = 0, count = 0;
    const double* weights = nullptr;
  };
  Series whole{};
  std::vector<Row> rows{};
  std::vector<std::shared_ptr<const Reduction>> sources{};  // own the weights
  std::vector<double> weights{};                            // or it does itself
};

/// Throws BadInput where a recording makes no sense, or does not go together with the first one.
void check_together(const Recording& first, const Recording& r);
/// Throws likewise. `blocks`: for cross-validation; `normal_load`: the nominal one, by default the mean of the measured.
Series joined(const std::vector<Recording>& recordings, int blocks, std::optional<double> normal_load = {});

/// What the data show before any model: starting points and limits come from it.
struct Features {
  double force = 1;                       // largest friction seen (99 % of samples below)
  double Fc = 1, Fs = 1, vs = 1, kv = 0;  // of the curve of friction over speed
  double v_low = 1, v_high = 1;           // range of speeds, without the smallest and largest hundredth
  double reach = 1;                       // travel after a reversal until most of the swing is done
  double stiffness = 1;                   // slope after a reversal
  double travel = 1;                      // range of positions
  double shortest = 1;                    // travel within a sample, typical of slow motion
  double dt = 1;                          // median interval
  double duration = 1;
  double y_rms = 1;
  std::size_t reversals = 0;
  bool sliding = true;                                               // some stroke is longer than the reach
  double inertia = 0, offset = 0, gravity_sin = 0, gravity_cos = 0;  // of the rigid body
  double body_force(double x, double a) const;
  std::vector<double> curve_x{},
      curve_f{};  // mean way from a reversal and the force gained, halved (Masing): virgin curve
};
Features features_of(const Series& s, Gravity gravity);
/// What an actuator transmits to a body: all that is not friction. Left as it is where it was measured.
void transmit(Series& s, const Features& f);
/// Leaves out the start of every stretch whose state is not known.
void leave_out_transients(Series& s, const Features& f);

/// Time series are cut into blocks in the order of time, so many per fold; of steady points every k-th.
void cut_into_blocks(Series& s, int folds, std::size_t per_fold = 2);

/// The same motion in fewer, longer steps: the velocity held over each is the mean, so that the way is kept. The series
/// itself if it is short enough.
Series thinned(const Series& s, std::size_t most);

}  // namespace bristle::identify
