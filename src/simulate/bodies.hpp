#pragma once
#include <array>
#include <cstddef>

#include "bristle/models.hpp"

/// One Rosenbrock step of one contact under a rolling disk or along a given motion, in plain numbers: what
/// kernels/bodies.cpp, compiled once per instruction set, works on. Nothing here may leave a shared inline function
/// behind, see src/batch/kernels.cpp.
namespace bristle::bodies {

inline constexpr std::size_t most_stages = 8, room = 8, most_rows = 16, works = 3;

/// States as a World orders them: of the contact; of a disk x, slip distance, rolling velocity, slip velocity; of a motion
/// given by its velocity x; then the works.
struct Step {
  // The body and its contact.
  const void *contact{}, *state{}, *mode{};  // M<double>, its State for what only events change, its Mode
  double inverse_mass{}, inverse_slip_mass{}, inverse_roll_mass{}, slip_part{}, stiffness{}, damping{}, rest_length{};
  alignas(64) std::array<double, room> atol{}, largest{};  // tolerances, see Tolerances
  double rtol{};
  double slope_v{};  // slip velocity at which derivatives are taken, see World::slope_velocity

  // Where the step begins, and the drive at the stages: position and velocity of the spring's end, or the velocity that is
  // given; force on the body.
  alignas(64) std::array<double, room> y{};
  double h{};
  std::array<double, most_stages> end{}, end_v{}, external{};
  double end_a{}, external_rate{};  // at the beginning

  // Known after `prepare`.
  alignas(64) std::array<double, room> f{};
  double z_z{}, z_v{}, F_z{}, F_v{}, F{};

  // Known after `attempt`.
  alignas(64) std::array<std::array<double, room>, most_stages> u{};
  alignas(64) std::array<double, room> y1{};
  double diagonal{}, pivot{}, smallest{};
  double norm{};  // of the error; not a number if something is not
  // and after `bend`: y(theta) = (1-theta) y + theta (y1 + (1-theta)(c0 + theta (c1 ...)))
  alignas(64) std::array<std::array<double, room>, 3> dense{};
};

/// At places theta of the last attempt: states, and friction force.
struct Rows {
  std::size_t n{};
  alignas(64) std::array<double, most_rows> theta{}, v{}, F{};  // v: given for a given motion
  alignas(64) std::array<std::array<double, most_rows>, room> y{};
};

struct Kernel {
  const char* name{};  // of the method; none if there is no kernel for the model
  int order{};
  std::size_t stages{};
  const double* alpha{};        // times of the stages
  void (*prepare)(Step&) = {};  // rates and derivatives at the beginning
  void (*attempt)(Step&) = {};
  void (*bend)(Step&) = {};
  void (*rows)(const Step&, Rows&) = {};
};
/// For a model whose options are the usual ones, see Options (stribeck.hpp), and for any.
struct Kernels {
  Kernel disk[2], by_velocity[2], by_position[2];
};
using Table = std::array<Kernels, Models::size>;
const Table& bodies_baseline();
const Table& bodies_avx2();

}  // namespace bristle::bodies
