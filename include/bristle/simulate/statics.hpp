#pragma once
#include <vector>

#include "chain.hpp"

/// Chains of equal atoms in a periodic potential at rest: ground state, waves, forces and energies that move them. Friction and
/// heat have no part in these numbers.
namespace bristle {

/// A chain with the springs to its drive.
struct ChainSetup {
  ChainParams chain{};  // the chain
  double stiffness{};
};

/// States of rest of a chain.
class ChainStatics {
 public:
  /// `stiffness`: of the springs to a drive at 0, N/m. Throws BadInput where these numbers are not defined.
  explicit ChainStatics(const ChainParams& chain, double stiffness = 0);

  /// Displacements of the ground state, followed from a small amplitude of the potential.
  const std::vector<double>& ground() const { return x_; }
  /// Energy of the state of least energy, J.
  double ground_energy() const;
  /// Eigenvalues of the stiffness matrix in the ground state, increasing, N/m: m omega^2 of small waves. The first is the
  /// phonon gap.
  std::vector<double> waves() const;
  /// Largest force on each block at which the chain rests near its ground state, N. Throws BadInput with springs to a drive.
  double depinning() const;
  /// Energy of the lowest pass between the ground state and the next one, J: for one surplus or missing atom in a ring, the
  /// barrier of a kink. Throws BadInput with springs to a drive.
  double barrier() const;

 private:
  void require_free(const char* what) const;

  ChainParams chain_;
  double stiffness_;
  std::vector<double> x_{};
};

}  // namespace bristle
