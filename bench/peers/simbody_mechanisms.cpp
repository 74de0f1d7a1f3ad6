/// A slider-crank and a double pendulum in Simbody, with the bristles as states of a custom force.
#include <Simbody.h>

#include <memory>

#include "mechanisms.hpp"

namespace {

using namespace SimTK;

struct Contact {
  MobilizedBody body;
  peers::Lugre law;
  double radius;  // 1 for a slider
};

class Friction : public Force::Custom::Implementation {
 public:
  Friction(const GeneralForceSubsystem& forces, std::vector<Contact> contacts, double torque)
      : forces_(forces), contacts_(std::move(contacts)), torque_(torque) {}
  void calcForce(const State& s, Vector_<SpatialVec>&, Vector_<Vec3>&, Vector& mobility) const override {
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Contact& c = contacts_[i];
      const double v = c.radius * c.body.getOneU(s, 0);
      c.body.applyOneMobilityForce(s, 0, -c.radius * c.law.force(v, z(s, i)), mobility);
    }
    if (torque_ != 0)
      contacts_[0].body.applyOneMobilityForce(s, 0, torque_ * std::sin(2 * Pi * peers::torque_frequency * s.getTime()),
                                              mobility);
  }
  Real calcPotentialEnergy(const State&) const override { return 0; }
  void realizeTopology(State& s) const override {
    first_ = forces_.allocateZ(s, Vector(static_cast<int>(contacts_.size()), Real(0)));
  }
  void realizeAcceleration(const State& s) const override {
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Contact& c = contacts_[i];
      forces_.updZDot(s)[first_ + static_cast<int>(i)] = c.law.rate(c.radius * c.body.getOneU(s, 0), z(s, i));
    }
  }

 private:
  double z(const State& s, std::size_t i) const { return forces_.getZ(s)[first_ + static_cast<int>(i)]; }
  const GeneralForceSubsystem& forces_;
  std::vector<Contact> contacts_;
  double torque_;
  mutable ZIndex first_;
};

Body::Rigid bar(double mass, double inertia) {
  return Body::Rigid(MassProperties(mass, Vec3(0), Inertia(inertia, inertia, inertia)));
}

std::unique_ptr<Integrator> integrator(const std::string& method, const System& system) {
  if (method == "cpodes") return std::make_unique<CPodesIntegrator>(system, CPodes::BDF);
  if (method == "merson") return std::make_unique<RungeKuttaMersonIntegrator>(system);
  return std::make_unique<RungeKuttaFeldbergIntegrator>(system);
}

/// Problem: NAME/METHOD, NAME:soft/METHOD.
long run(const std::string& problem, double accuracy, std::vector<double>& rows) {
  const std::size_t slash = problem.find('/');
  const bool crank = problem.rfind("slider_crank", 0) == 0;
  const peers::Numbers numbers = peers::numbers_of(problem);
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  matter.setShowDefaultGeometry(false);
  Force::Gravity(forces, matter, Vec3(0, -9.81, 0));
  std::vector<MobilizedBody> shown;
  std::vector<Contact> contacts;
  const double a = crank ? 0.1 : 0.25, b = 0.25;
  MobilizedBody::Pin first(matter.updGround(), Transform(), crank ? bar(1, 1e-2 / 12) : bar(1, 0.0625 / 12),
                           Transform(Vec3(-a / 2, 0, 0)));
  MobilizedBody::Pin second(first, Transform(Vec3(a / 2, 0, 0)), crank ? bar(1, 0.0625 / 12) : bar(0.8, 0.05 / 12),
                            Transform(Vec3(-b / 2, 0, 0)));
  contacts = {{first, numbers.law, peers::bearing_radius}, {second, numbers.law, peers::bearing_radius}};
  if (crank) {
    MobilizedBody::Slider slider(matter.updGround(), Transform(), bar(0.5, 1e-3), Transform());
    Constraint::PointInPlane(slider, UnitVec3(1, 0, 0), 0, second, Vec3(b / 2, 0, 0));
    Constraint::PointInPlane(matter.updGround(), UnitVec3(0, 1, 0), 0, second, Vec3(b / 2, 0, 0));
    contacts.push_back({slider, numbers.law, 1});
  }
  Force::Custom(forces, new Friction(forces, contacts, crank ? numbers.torque : 0));  // the system owns it
  State state = system.realizeTopology();
  system.realizeModel(state);
  if (crank) {
    const double theta = Pi / 4, phi = -std::asin(a * std::sin(theta) / b);
    first.setOneQ(state, 0, theta);
    second.setOneQ(state, 0, phi - theta);
    contacts[2].body.setOneQ(state, 0, a * std::cos(theta) + b * std::cos(phi));
    first.setOneU(state, 0, 20);
    const double phi1 = -a * 20 * std::cos(theta) / (b * std::cos(phi));
    second.setOneU(state, 0, phi1 - 20);
    contacts[2].body.setOneU(state, 0, -a * 20 * std::sin(theta) - b * phi1 * std::sin(phi));
  }
  for (int i = 0; i < state.getNZ(); ++i) state.updZWeights()[i] = 1e4;
  const auto method = integrator(problem.substr(slash + 1), system);
  method->setAccuracy(accuracy);
  method->setConstraintTolerance(std::min(1e-4, accuracy));
  TimeStepper stepper(system, *method);
  stepper.initialize(state);
  const int n = static_cast<int>(std::lround(peers::duration / peers::output_step));
  for (int row = 0; row <= n; ++row) {
    stepper.stepTo(row * peers::output_step);
    const State& s = method->getState();
    const double q = first.getOneQ(s, 0), u = first.getOneU(s, 0);
    rows.insert(rows.end(), {q, u, q + second.getOneQ(s, 0), u + second.getOneU(s, 0)});
  }
  return method->getNumStepsTaken();
}

}  // namespace

int main(int argc, char** argv) { return peers::serve(argc, argv, run); }
