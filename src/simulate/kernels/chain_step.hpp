#pragma once
#include <array>
#include <cstddef>

#include "step.hpp"

/// One Rosenbrock step of a chain whose blocks lie in the lanes of vectors: what kernels/blocks.cpp works on. Nothing
/// here may leave a shared inline function behind, see src/batch/kernels.cpp.
namespace bristle::kernel {

/// Memory of somebody else. A number per block. With links: one more at each end.
using Blocks = double*;
/// Component i of block b at [i * stride + b].
using Columns = double*;

struct ChainStep {
  // The chain. Blocks from `blocks` to `stride` fill the last vector; they stay at rest.
  const void* contact{};  // M<double>
  std::size_t blocks{}, stride{};
  double mass{1}, coupling{}, coupling_damping{}, rest_length{}, rtol{};
  std::array<double, room> atol{}, largest{};
  Blocks has_left{}, has_right{};         // 1 or 0
  Blocks stiffness{}, damping{}, push{};  // of the drive on each; push: share of a force
  Blocks all_stiffness{}, all_damping{};  // with the links

  // Where the step begins, and the drive at the stages.
  Columns y{};
  Blocks slope_v{};  // see System::slope_velocity
  double h{};
  std::array<double, most_stages> end{}, end_v{}, external{};
  double end_a{}, external_rate{};  // at the beginning

  // Known after `prepare`.
  Columns f{};
  double* slopes{};

  // Known after `attempt`.
  Columns u{};  // those of a stage after those of the one before, `room` components each
  Columns y1{};
  double norm{};
  bool fits{}, restless{};
  // and after `curvature`.
  std::array<Columns, 3> dense{};

  // On the way.
  double* factors{};
  Columns stage{}, in_time{};
  Blocks pivot{}, lower{}, right{};
  Blocks x{}, v{}, right_x{}, u_v{}, v0{};  // with links
};

struct ChainKernel : Method {
  std::size_t width, slopes, factors;  // width: lanes; numbers per vector of blocks
  void (*prepare)(ChainStep&);
  void (*attempt)(ChainStep&);
  /// Of the blocks in some vectors: of all components, or of the velocities alone.
  void (*curvature)(ChainStep&, bool velocity, std::size_t from, std::size_t to);
  /// At some places theta of the step: states and friction force, as further components, of the blocks in some vectors.
  void (*rows)(const ChainStep&, const double* theta, std::size_t count, std::size_t from, std::size_t to, double* out);
};
using ChainTable = std::array<ChainKernel, Models::size>;
const ChainTable& chains_baseline();
const ChainTable& chains_avx2();

}  // namespace bristle::kernel
