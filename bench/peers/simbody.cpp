/// Simbody as a careful user calls it: a sliding body, spring and contact in one custom force whose bristle is a state of
/// the system, weights that tell the integrator how small velocities and bristles are, events for dry friction.
#include <Simbody.h>

#include <memory>
#include <stdexcept>

#include "equations.hpp"
#include "worker.hpp"

namespace {

using peers::Equations;
using SimTK::Real;
using SimTK::State;

class PulledContact : public SimTK::Force::Custom::Implementation {
 public:
  PulledContact(Equations& equations, const SimTK::GeneralForceSubsystem& forces, const SimTK::MobilizedBody& body)
      : e_(equations), forces_(forces), body_(body) {}
  void calcForce(const State& state, SimTK::Vector_<SimTK::SpatialVec>&, SimTK::Vector_<SimTK::Vec3>&,
                 SimTK::Vector& mobility) const override {
    double dy[3];
    rates(state, dy);
    body_.applyOneMobilityForce(state, 0, e_.p.mass * dy[1], mobility);
  }
  Real calcPotentialEnergy(const State&) const override { return 0; }
  void realizeTopology(State& state) const override {
    if (e_.p.bristles()) z_ = forces_.allocateZ(state, SimTK::Vector(1, Real(0)));
  }
  void realizeAcceleration(const State& state) const override {
    if (!e_.p.bristles()) return;
    double dy[3];
    rates(state, dy);
    forces_.updZDot(state)[z_] = dy[2];
  }
  void states(const State& state, double* y) const {
    y[0] = body_.getOneQ(state, 0);
    y[1] = body_.getOneU(state, 0);
    if (e_.p.bristles()) y[2] = forces_.getZ(state)[z_];
  }

 private:
  void rates(const State& state, double* dy) const {
    double y[3];
    states(state, y);
    e_.rhs(state.getTime(), y, dy);
  }
  Equations& e_;
  const SimTK::GeneralForceSubsystem& forces_;
  const SimTK::MobilizedBody& body_;
  mutable SimTK::ZIndex z_;
};

class Switch : public SimTK::TriggeredEventHandler {
 public:
  Switch(Equations& equations, const SimTK::MobilizedBody& body)
      : TriggeredEventHandler(SimTK::Stage::Velocity), e_(equations), body_(body) {
    getTriggerInfo().setTriggerOnRisingSignTransition(false);
    getTriggerInfo().setTriggerOnFallingSignTransition(true);
  }
  Real getValue(const State& state) const override {
    const double y[2]{body_.getOneQ(state, 0), body_.getOneU(state, 0)};
    return e_.guard(state.getTime(), y);
  }
  void handleEvent(State& state, Real, bool&) const override {
    double y[2]{body_.getOneQ(state, 0), body_.getOneU(state, 0)};
    e_.switch_over(state.getTime(), y);
    body_.setOneU(state, 0, y[1]);
  }

 private:
  Equations& e_;
  const SimTK::MobilizedBody& body_;
};

std::unique_ptr<SimTK::Integrator> integrator(const std::string& method, const SimTK::System& system) {
  if (method == "cpodes") return std::make_unique<SimTK::CPodesIntegrator>(system, SimTK::CPodes::BDF);
  if (method == "merson") return std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system);
  if (method == "feldberg") return std::make_unique<SimTK::RungeKuttaFeldbergIntegrator>(system);
  throw std::runtime_error("no integrator " + method);
}

void run(const peers::Case& p, const peers::Asked& asked, peers::Solved& solved) {
  Equations equations(p);
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter(system);
  SimTK::GeneralForceSubsystem forces(system);
  matter.setShowDefaultGeometry(false);
  const SimTK::Body::Rigid block(SimTK::MassProperties(p.mass, SimTK::Vec3(0), SimTK::UnitInertia(1)));
  SimTK::MobilizedBody::Slider body(matter.updGround(), block);
  auto* contact = new PulledContact(equations, forces, body);  // the system owns it
  SimTK::Force::Custom(forces, contact);
  if (p.dry()) system.addEventHandler(new Switch(equations, body));
  State state = system.realizeTopology();
  system.realizeModel(state);
  const auto scales = equations.scales(asked.scaling);
  state.updUWeights()[0] = 1 / scales[1];
  if (p.bristles()) state.updZWeights()[0] = 1 / scales[2];

  const auto method = integrator(asked.method, system);
  method->setAccuracy(asked.rtol);
  method->setAllowInterpolation(true);
  SimTK::TimeStepper stepper(system, *method);
  stepper.initialize(state);
  double y[3];
  for (int row = 0; row < p.rows(); ++row) {
    stepper.stepTo(row * p.output_step);
    contact->states(method->getState(), y);
    solved.rows.push_back(y[0]);
    solved.rows.push_back(y[1]);
  }
  solved.steps += method->getNumStepsTaken();
}

}  // namespace

int main() {
  return peers::serve([](const peers::Asked& asked) {
    const peers::Case& p = asked.problems.front();
    if (p.disk() || p.blocks > 1 || p.motion || asked.problems.size() > 1) throw std::runtime_error("only one block");
    return [&asked](peers::Solved& solved) { run(asked.problems.front(), asked, solved); };
  });
}
