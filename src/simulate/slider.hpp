#pragma once
#include <array>
#include <cstddef>

#include "bristle/models.hpp"

/// One Rosenbrock step of one contact on a slider, in plain numbers: what kernels/slider.cpp, compiled once per
/// instruction set, works on. Nothing here may leave a shared inline function behind, see src/batch/kernels.cpp.
namespace bristle::slider {

inline constexpr std::size_t most_stages = 8, room = 8;  // states of the contact (3 at most), x, v and three works
inline constexpr std::size_t works = 3, most_states = room - 2 - works;

struct Step {
  // The body and its contact.
  const void *contact{}, *state{}, *mode{};  // M<double>, its State for what only events change, its Mode
  double mass{1}, stiffness{}, damping{}, rest_length{};
  alignas(64) std::array<double, room> atol{}, largest{};  // tolerances, see Tolerances
  double rtol{};
  bool holds{};
  double slope_v{};  // slip velocity at which derivatives are taken, see World::slope_velocity

  // Where the step begins, and the drive at the stages: position and velocity of the spring's end, force on the body. Of a
  // straight drive the first stage is enough.
  bool straight{};
  alignas(64) std::array<double, room> y{};
  double h{};
  std::array<double, most_stages> end{}, end_v{}, external{};
  double end_a{}, external_rate{};  // at the beginning

  // Known after `prepare`.
  alignas(64) std::array<double, room> f{};
  std::array<double, most_states> z_v{}, F_z{};
  std::array<std::array<double, most_states>, most_states> z_z{};
  double F{}, F_v{};

  // Known after `attempt`.
  alignas(64) std::array<std::array<double, room>, most_stages> u{};
  alignas(64) std::array<double, room> y1{};
  double diagonal{}, pivot{}, smallest{}, friction_pivot{};
  double norm{};  // of the error; not a number if something is not
  // and after `bend`: y(theta) = (1-theta) y + theta (y1 + (1-theta)(c0 + theta (c1 ...)))
  alignas(64) std::array<std::array<double, room>, 3> dense{};
};

struct Kernel {
  const char* name;  // of the method; none if there is no kernel for the model
  int order;
  bool implicit;
  std::size_t stages;
  const double* alpha;     // times of the stages
  void (*prepare)(Step&);  // rates and derivatives at the beginning
  void (*attempt)(Step&);
  void (*bend)(Step&);
  /// Contact states, x and v at times t of the step that begins at t0, column by column.
  void (*rows)(const Step&, double t0, const double* t, std::size_t n, double* const* to);
  /// The friction force in rows of such columns.
  void (*forces)(const Step&, const double* const* columns, std::size_t n, double* F);
};
/// Contacts with states are stiff, dry laws between events are not, smooth laws of the velocity may be near rest.
struct Pair {
  Kernel implicit, explicit_pair;
};
struct Kernels {
  Pair usual, general;  // see Options (stribeck.hpp)
};
using Table = std::array<Kernels, Models::size>;

/// Numbers of bodies side by side: row i has the i-th number of every lane.
template <std::size_t rows> struct alignas(64) Beside {
  std::array<std::array<double, 8>, rows> row{};
};
using Constants = Beside<48>;  // what does not change while a body is in its lane
using Begun = Beside<40>;      // what is known where the steps begin
/// The same for `width` bodies at once, for models that never branch on values and with the usual options. Rates come back
/// from `prepare`, slopes do not; `attempt` includes `bend`, but leaves out the errors of the single states.
struct LaneKernel {
  std::size_t width;                        // 0: none for this model
  void (*enter)(Step* const*, Constants&);  // when a lane has got another body
  void (*prepare)(Step* const*, const Constants&, Begun&);
  void (*attempt)(Step* const*, const Constants&, const Begun&);
};
using LaneTable = std::array<LaneKernel, Models::size>;

const Table& kernels_baseline();
const Table& kernels_avx2();
const LaneTable& lanes_avx2();
const LaneTable& lanes_avx512();
/// The best for this processor.
const Table& kernels();
const LaneTable* lanes();  // none if it has no vectors worth the trouble

}  // namespace bristle::slider
