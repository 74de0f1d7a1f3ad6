#pragma once
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "../field.hpp"

/// Chains of blocks, from atoms to faults: neighbours, springs to a driver, a friction law or a periodic potential.
namespace bristle {

/// The drive acts on the first block, or each block has a spring to it (R. Burridge, L. Knopoff, Bull. Seismol. Soc. Am. 57
/// (1967)).
enum class Pulled { first, all };
constexpr std::array<const char*, 2> choices(Pulled) { return {"first", "all"}; }
/// Ends of a chain.
enum class Boundary { open, periodic, fixed_stress };
constexpr std::array<const char*, 3> choices(Boundary) { return {"open", "periodic", "fixed_stress"}; }

/// U(s) = -U0 sum_n fourier_n cos(2 pi n s/period); it resists with F = dU/ds.
struct PotentialParams {
  double U0{0}, period{1};
  std::vector<double> fourier{1};  // amplitudes of the harmonics
  /// Whether there is a potential.
  bool present() const { return U0 > 0; }
  static constexpr auto fields() {
    using P = PotentialParams;
    return Fields{Field{&P::U0, "U0", "J", "amplitude, half of the height from bottom to top", nonnegative},
                  Field{&P::period, "period", "m", "period", positive}};
  }
};

/// Uniform distributions around the values of equal blocks: x0 within half of `offset`, a parameter within half of its relative
/// width. A number depends on the seed, the block and the name alone.
struct SpreadParams {
  double offset{0};
  int seed{1};
  std::vector<std::pair<std::string, double>> widths{};  // of parameters
  static constexpr auto fields() {
    using S = SpreadParams;
    return Fields{Field{&S::offset, "offset", "m", "width of the distribution of positions at t = 0", nonnegative,
                        role::optional},
                  Field{&S::seed, "seed", "1", "of the distributions", Range{0, 2147483647}, role::optional}};
  }
};

/// Blocks in a row, each with its own contact. Positions count from relaxed couplings: block i stands at x_i + (i - 1) spacing
/// in the potential.
struct ChainParams {
  int blocks{3};
  double coupling{1}, coupling_damping{0};
  Pulled pulled{Pulled::first};
  Boundary boundary{Boundary::open};
  double stress{0}, spacing{0}, kT{0};
  int seed{1};
  PotentialParams potential{};  // potential of the substrate
  SpreadParams spread{};        // scatter of parameters
  static constexpr auto fields() {
    using C = ChainParams;
    return Fields{Field{&C::blocks, "blocks", "1", "number of blocks", Range{1, 1e5}, role::optional},
                  Field{&C::coupling, "coupling", "N/m", "spring between neighbours", nonnegative},
                  Field{&C::coupling_damping, "coupling_damping", "N s/m", "damper between neighbours", nonnegative,
                        role::optional},
                  Field{&C::pulled, "pulled", "1", "blocks that the drive acts on", any_real, role::optional},
                  Field{&C::boundary, "boundary", "1",
                        "ends of the chain: free, joined to a ring, or pulled outwards by a constant force", any_real,
                        role::optional},
                  Field{&C::stress, "stress", "N", "of fixed_stress: force that pulls the end blocks outwards",
                        any_real, role::optional},
                  Field{&C::spacing, "spacing", "m", "distance of neighbours with relaxed couplings, in the potential",
                        nonnegative, role::optional},
                  Field{&C::kT, "kT", "J", "thermal energy; requires method fixed", nonnegative, role::optional},
                  Field{&C::seed, "seed", "1", "of the thermal noise", Range{0, 2147483647}, role::optional}};
  }
  /// Whether the last block is coupled to the first one.
  bool ring() const { return boundary == Boundary::periodic; }
};

/// Adjacent blocks that move at the same time, from the first slip to the last stick.
struct SlipEvent {
  double t;           // of the first slip
  int first, blocks;  // the first block, and the number of blocks that moved
  double moment;      // sum of their displacements, m
  double duration;
};

}  // namespace bristle
