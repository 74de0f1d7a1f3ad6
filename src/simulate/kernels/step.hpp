#pragma once
#include <array>
#include <cstddef>

#include "bristle/models.hpp"
#include "spring.hpp"

/// One step of one contact under one body, in plain numbers: the kernels, compiled once per instruction set, work on it.
/// Nothing here may leave a shared inline function behind, see src/batch/kernels.cpp.
namespace bristle::kernel {

inline constexpr std::size_t most_stages = 8, works = 3;
inline constexpr std::size_t room = 8, most_states = 3;  // of all components; of the contact

/// States as a System orders them: those of the contact; of a slider x, v; of a disk x, slip distance, rolling velocity,
/// slip velocity; of a motion given by its velocity x. Then the works.
enum class Body { slider, disk, by_velocity, by_position };
inline constexpr std::size_t bodies = 4;

struct Step {
  // The body and its contact.
  const void *contact{}, *state{}, *mode{};  // M<double>, its State for what only events change, its Mode
  const void* effects{};                     // Effects<double>, or none
  Spring<double> spring{};
  double inverse_mass{1}, inverse_slip_mass{1}, inverse_roll_mass{1}, slip_part{1}, temperature{20};
  alignas(64) std::array<double, room> atol{}, largest{};  // tolerances, see Tolerances
  double rtol{};
  bool holds{};
  double slope_v{};  // slip velocity at which derivatives are taken, see System::slope_velocity

  // Where the step begins, and the drive at the stages. Of a straight drive the first stage is enough.
  bool straight{};
  alignas(64) std::array<double, room> y{};
  double h{};
  std::array<double, most_stages> end{}, end_v{}, external{}, load{};
  double end_a{}, external_rate{}, load_rate{};  // at the beginning

  // Known after `prepare`: rates, and derivatives of the contact.
  alignas(64) std::array<double, room> f{};
  std::array<double, most_states> z_v{}, F_z{}, z_t{};
  std::array<std::array<double, most_states>, most_states> z_z{};
  double F{}, F_v{}, F_x{}, F_t{};

  // Known after `attempt`.
  alignas(64) std::array<std::array<double, room>, most_stages> u{};
  alignas(64) std::array<double, room> y1{};
  double diagonal{}, pivot{}, smallest{};
  double friction{};  // part of the pivot
  double swing{};     // negative where oscillations may grow
  double norm{};      // of the error; not a number if something is not
  // and after `curvature`: y(theta) = (1-theta) y + theta (y1 + (1-theta)(c0 + theta (c1 ...)))
  alignas(64) std::array<std::array<double, room>, 3> dense{};
  // Only from kernels of several sliders at once: the terms of the momentum balance of a straight drive, see MomentumSum;
  // of others the dense output and friction at its nodes.
  struct Balance {
    double net, pushed;  // means of the net force without its part at the beginning, and of |load|
    double load,
        misfit;  // the largest |load|, and the largest difference of net force and acceleration of the dense output
  };
  Balance balance{};
  struct Node {
    double x, v, F;
  };
  std::array<Node, 3> nodes{};
};

struct Method {
  const char* name{};  // none if there is no kernel for the model
  int order{};
  bool implicit{};
  std::size_t stages{};
  const double* alpha{};  // times of the stages
};
struct Kernel : Method {
  bool general{};               // reads place and load of the contact, effects and gravity
  void (*prepare)(Step&) = {};  // rates and derivatives at the beginning
  void (*attempt)(Step&) = {};
  void (*curvature)(Step&) = {};
  /// All states at theta = (t - t0) per_h of the step, column by column.
  void (*rows)(const Step&, double t0, double per_h, const double* t, std::size_t n, double* const* to) = {};
  /// The friction force in rows of columns: contact states, place and velocity of the contact, load ratio.
  void (*forces)(const Step&, const double* const* columns, std::size_t n, double* F) = {};
};
/// Contacts with states are stiff, dry laws between events are not, smooth laws of the velocity may be near rest.
struct Pair {
  Kernel implicit{}, explicit_pair{};
};
/// For the usual options (see stribeck.hpp) at the nominal load, without effects and gravity; and for all.
struct Choice {
  Pair usual{}, general{};
};
using ByModel = std::array<Choice, Models::size>;  // one body in the table of an instruction set

inline constexpr std::size_t most_lanes = 8;
/// Numbers of bodies side by side: row i has the i-th number of every lane.
template <std::size_t rows> struct alignas(64) Beside {
  std::array<std::array<double, most_lanes>, rows> row{};
};
using Constants = Beside<48>;  // what does not change while a body is in its lane
using Begun = Beside<40>;      // what is known where the steps begin
/// The same for `width` sliders at once, for models that never branch on values and with the usual options. Rates come
/// back from `prepare`, slopes do not; `attempt` includes `curvature` and the nodes, but not the errors of the single states.
struct LaneKernel {
  std::size_t width;                        // 0: none for this model
  void (*enter)(Step* const*, Constants&);  // when a lane has got another body
  void (*prepare)(Step* const*, const Constants&, Begun&);
  void (*attempt)(Step* const*, const Constants&, const Begun&);
};
using LaneTable = std::array<LaneKernel, Models::size>;

const ByModel& slider_baseline();
const ByModel& slider_avx2();
const ByModel& disk_baseline();
const ByModel& disk_avx2();
const ByModel& by_velocity_baseline();
const ByModel& by_velocity_avx2();
const ByModel& by_position_baseline();
const ByModel& by_position_avx2();
const LaneTable& lanes_avx2();
const LaneTable& lanes_avx512();

}  // namespace bristle::kernel
