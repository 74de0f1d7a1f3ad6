#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bristle/identify.hpp"

/// All recordings concatenated for the fits.
namespace bristle::identify {

/// Mean velocities of the equal parts of a step.
using Bend = std::array<double, 4>;

struct Stretch {
  std::size_t from = 0, to = 0;
  bool steady = false;  // points of the steady curve, without time
  std::size_t recording = 0;
};

struct Fine;

inline constexpr std::size_t most_terms = 16;  // of the user

struct Series {
  std::vector<Stretch> stretches{};
  std::vector<double> dt{};           // s; duration of `step_v` before the sample; of the first one: see initial.cpp
  std::vector<double> step_v{};       // velocity held over dt
  std::vector<std::size_t> jumps{};   // rows before which v changes at once
  std::vector<double> before_jump{};  // s; where this is inside dt: the part at the earlier v. Empty: nowhere
  std::vector<double> turn_dt{};      // s; where the motion turns inside dt: the part before the turn. Empty: nowhere
  std::vector<double> turn_v{};       // mean velocity of that part
  std::vector<std::uint32_t> bend{};  // 1 + place of a step in `bends`; 0: its velocity is held. Empty: everywhere
  std::vector<Bend> bends{};          // steps in which the velocity changes much, of recordings under force
  std::vector<double> v{}, x{}, a{}, r{}, T{};
  std::vector<double> load{};    // transmitted force; 0: unknown
  std::vector<double> y{};       // target: friction, actuator force or position
  std::vector<Term> terms{};     // of the user
  std::vector<double> weight{};  // 0: not used
  std::vector<int> block{};      // of the cross-validation, 0 to blocks - 1
  int blocks = 0;
  bool held = false;         // step_v is v everywhere
  bool inverse = false;      // y is the actuator's force
  bool motion = false;       // y is the position, to be simulated
  bool loaded = false;       // r is not 1
  bool coefficient = false;  // y is a friction coefficient
  bool rotational = false;
  double normal_load = 0;              // nominal if measured, else 0
  double x_step = 0;                   // resolution of the position
  double a_noise = 0;                  // standard deviation of the noise in a; 0: unknown
  std::size_t used = 0;                // samples with a weight
  std::vector<double> share{};         // of each recording: root of the information in a row, see weights.cpp
  std::shared_ptr<const Fine> fine{};  // set for re-sampled recordings

  std::size_t size() const { return y.size(); }
  bool turns(std::size_t i) const { return !turn_dt.empty() && turn_dt[i] > 0; }
  /// The parts of a step; null: there are none.
  const Bend* parts(std::size_t i) const { return bend.empty() || bend[i] == 0 ? nullptr : &bends[bend[i] - 1]; }
  /// Mean velocity from the turn to the sample.
  double back_v(std::size_t i) const { return (dt[i] * step_v[i] - turn_dt[i] * turn_v[i]) / (dt[i] - turn_dt[i]); }
  double share_of(const Stretch& stretch) const { return share.empty() ? 1 : share[stretch.recording]; }
  bool steady() const { return !stretches.empty() && std::ranges::all_of(stretches, &Stretch::steady); }
};

/// Recordings before re-sampling, with the weights of each sample.
struct Fine {
  struct Row {
    std::size_t first = 0, count = 0;
    const double* weights = nullptr;
  };
  Series whole{};
  std::vector<Row> rows{};
  std::vector<std::shared_ptr<const Reduction>> sources{};  // owners of the weights
  std::vector<double> weights{};                            // weights without another owner
};

/// Throws BadInput if a recording is invalid or does not match the first one.
void check_together(const Recording& first, const Recording& r);
/// Throws BadInput. `blocks`: number for cross-validation; `normal_load`: nominal load, default: measured median.
Series joined(const std::vector<Recording>& recordings, int blocks, std::optional<double> normal_load = {});

/// Features of the data for starting points and limits.
struct Features {
  double force = 1;                       // largest friction (99 % quantile)
  double Fc = 1, Fs = 1, vs = 1, kv = 0;  // from the curve of friction over speed
  double v_low = 1, v_high = 1;           // 1 % and 99 % quantiles of speed
  double reach = 1;                       // displacement after a reversal until most of the force has changed
  double stiffness = 1;                   // slope after a reversal
  double travel = 1;                      // range of positions
  double shortest = 1;                    // displacement within a sample in slow motion
  double dt = 1;                          // median interval
  double duration = 1;
  double y_rms = 1;
  std::size_t reversals = 0;
  bool sliding = true;                                               // a stroke exceeds `reach`
  double inertia = 0, offset = 0, gravity_sin = 0, gravity_cos = 0;  // of the rigid body
  double body_force(double x, double a) const;
  std::vector<double> terms{};                          // factors of the terms of the user
  double beside(const Series& s, std::size_t i) const;  // all forces of a sample besides friction
  std::vector<double> curve_x{},
      curve_f{};  // mean displacement and force from a reversal, halved (Masing): virgin curve
  std::vector<double> level_v{}, level_F{};  // friction over speed, medians of classes
};
Features features_of(const Series& s, Gravity gravity);
/// Force transmitted by an actuator: total without friction. Unchanged if it was measured.
void transmit(Series& s, const Features& f);
/// Gives every segment that starts under force a first step that leads to its state: at `speed`, or at its own.
void estimate_initial_states(Series& s, const Features& f, double speed = 0);

/// Assigns blocks for cross-validation: consecutive parts of time series, `per_fold` per fold; every k-th steady point.
void cut_into_blocks(Series& s, int folds, std::size_t per_fold = 2);

/// The same motion in fewer, longer steps with the mean velocity of each, which keeps the displacement. Returns the
/// series itself if it is short enough.
Series thinned(const Series& s, std::size_t most);

}  // namespace bristle::identify
