#pragma once
#include <vector>

#include "bristle/asperity/generic2010.hpp"

namespace bristle::asperity {

/// Where the work done on a population of 2010 goes: friction + normal = stored + kinetic + plastic + damper + adhesion.
struct Ledger {
  double friction{}, normal{};  // work of the tangential motion, and of the load or of the prescribed depth
  double stored{}, kinetic{};   // changes of the energy of springs and contacts, and of that of all moving masses
  double plastic{}, damper{};   // lost in springs that yield, and in dampers
  double adhesion{};            // taken by adhesion; the normal law gives part of it back when a contact closes
  double missing() const { return friction + normal - stored - kinetic - plastic - damper - adhesion; }
  double error() const;  // missing, over the largest term
  Ledger& operator*=(double s);
};

/// Kept of a block until the next step.
struct Moving {
  static constexpr std::size_t size = Block<double>::size;
  double u[size], v[size], dT[size], dN[size];
};
/// Of one step: works, forces of all springs, their energy with that of the contacts, kinetic energy before and after.
struct LedgerSums {
  double plastic{}, damper{}, adhesion{}, ST{}, SN{}, stored{}, before{}, after{};
};

/// Accounts for the steps of a population, from its state at the beginning, which is near rest. It only looks: the forces stay
/// the same to the bit. The sums are in the order of the asperities, whatever the number of threads. Velocities are half
/// a step before and after the forces; products take their mean, which is how a leapfrog exchanges energy.
class Bookkeeper {
 public:
  explicit Bookkeeper(const Generic2010<double>& g);
  /// After a step with the tangential velocity U and the normal velocity V; load: of a free normal motion.
  void add(const Generic2010<double>& g, double U, double V, double load);
  /// The works up to the last step.
  Ledger works() const;

 private:
  void keep(const Generic2010<double>& g);

  std::vector<Moving> before_;
  bool free_;
  double stored_, kinetic_;  // at the beginning
  double V_, W_, F_, Fn_, DT_{}, DN_{},
      load_{};  // of the last step: normal velocity before and after it, forces, of dampers
  bool begun_{};
  LedgerSums last_{};
  Ledger sum_{};
};

}  // namespace bristle::asperity
