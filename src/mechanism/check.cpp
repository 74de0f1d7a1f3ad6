#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/mechanism.hpp"
#include "registry/shared/heated.hpp"
#include "simulate/shared/flow.hpp"

namespace bristle {
namespace {

class Check {
 public:
  Check(const Mechanism& m, const Experiment& e) : m_(m), e_(e) {}

  std::vector<MechanismProblem> run() {
    if (m_.bodies.empty()) add(MechanismProblem::whole, 0, "", "no body; at least one [[body]] is required");
    for (std::size_t i = 0; i < m_.bodies.size(); ++i) body(i);
    for (std::size_t i = 0; i < m_.joints.size(); ++i) joint(i);
    for (std::size_t i = 0; i < m_.springs.size(); ++i) spring(i);
    for (std::size_t i = 0; i < m_.actuators.size(); ++i) actuator(i);
    for (std::size_t i = 0; i < m_.controllers.size(); ++i) controller(i);
    if (e_.method == Method::cvode || e_.method == Method::explicit_pair)
      add(MechanismProblem::whole, 0, "method", "a mechanism accepts the methods auto, rodas and fixed");
    return std::move(out_);
  }

 private:
  void add(MechanismProblem::Of of, std::size_t i, const std::string& key, std::string text) {
    out_.push_back({of, i, key, std::move(text)});
  }
  /// Names are parts of columns and must be unique.
  std::string name_problem(const std::string& name, std::size_t bodies, std::size_t joints) const {
    const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (name.empty() || name.size() > 64 || name.find_first_not_of(letters) != std::string::npos)
      return fmt::format("name = \"{}\" must consist of letters, digits, _ and -", name);
    if (name == "ground") return "name = \"ground\" is the name of the fixed frame; another name is required";
    bool twice = false;
    for (std::size_t i = 0; i < bodies; ++i) twice = twice || m_.bodies[i].name == name;
    for (std::size_t i = 0; i < joints; ++i) twice = twice || m_.joints[i].name == name;
    return twice ? fmt::format("name = \"{}\" is given twice; names of bodies and joints must differ", name) : "";
  }
  void body(std::size_t i) {
    const MechanismBody& b = m_.bodies[i];
    if (std::string why = name_problem(b.name, i, 0); !why.empty()) add(MechanismProblem::body, i, "name", why);
    if (!(b.mass > 0)) add(MechanismProblem::body, i, "mass", "mass must be > 0");
    if (!(b.inertia > 0)) add(MechanismProblem::body, i, "inertia", "inertia must be > 0");
    const int id = static_cast<int>(i);
    if (std::none_of(m_.joints.begin(), m_.joints.end(),
                     [&](const MechanismJoint& j) { return j.first == id || j.second == id; }))
      add(MechanismProblem::body, i, "name",
          fmt::format("body {} has no joint; each body requires at least one", b.name));
  }
  bool known(int body) const { return body >= ground && body < static_cast<int>(m_.bodies.size()); }
  void joint(std::size_t i) {
    const MechanismJoint& j = m_.joints[i];
    auto wrong = [&](const char* key, std::string text) { add(MechanismProblem::joint, i, key, std::move(text)); };
    if (std::string why = name_problem(j.name, m_.bodies.size(), i); !why.empty()) wrong("name", why);
    const bool placed = known(j.first) && known(j.second);
    if (!placed) wrong("bodies", "bodies must be ground or bodies of the mechanism");
    if (placed && j.first == j.second)
      wrong("bodies", fmt::format("joint {} connects a body with itself; two different bodies are required", j.name));
    if (!(std::hypot(j.axis[0], j.axis[1]) > 0)) wrong("axis", "axis = [0, 0] must not vanish");
    const bool friction = j.contact >= 0;
    if (j.kind == JointKind::revolute && friction && !(j.radius > 0))
      wrong("radius",
            fmt::format("friction in the revolute joint {} requires radius (m), the radius of the bearing", j.name));
    if (j.kind == JointKind::fixed && friction)
      wrong("friction",
            fmt::format("the fixed joint {} does not move; friction is accepted in the other kinds", j.name));
    if (j.kind == JointKind::rolling) {
      if (!(j.radius > 0)) {
        wrong("radius", fmt::format("the rolling joint {} requires radius (m), the radius of the disk", j.name));
      } else if (placed && j.second == ground) {
        wrong("bodies", fmt::format("the second body of the rolling joint {} is the disk, not ground", j.name));
      } else if (placed && std::hypot(j.axis[0], j.axis[1]) > 0) {
        const MechanismBody& disk = m_.bodies[static_cast<std::size_t>(j.second)];
        const double away =
            std::abs(j.axis[0] * (disk.position[1] - j.at[1]) - j.axis[1] * (disk.position[0] - j.at[0])) /
            std::hypot(j.axis[0], j.axis[1]);
        if (std::abs(away - j.radius) > 0.01 * j.radius)
          wrong("radius",
                fmt::format("radius = {} m of the rolling joint {} must be the distance of the centre of {} from "
                            "the line, {:.6g} m",
                            to_text(j.radius), j.name, disk.name, away));
      }
    }
    if (friction) contact(i);
  }
  void contact(std::size_t i) {
    const MechanismJoint& j = m_.joints[i];
    const auto at = static_cast<std::size_t>(j.contact);
    const AnyContact* c = at < e_.contacts.size() ? e_.contacts[at].contact.get() : nullptr;
    if (!c) return;
    auto wrong = [&](std::string text) { add(MechanismProblem::joint, i, "friction", std::move(text)); };
    if (c->model() != "viscous" && !(j.normal_load > 0))
      wrong(fmt::format("friction of joint {} requires normal_load (N), the load at which {} has its parameters",
                        j.name, c->model()));
    if (is_heated(*c) || c->model() == "rolling")
      return wrong(fmt::format("{} of joint {} requires a single body: kind prescribed, slider or roller",
                               is_heated(*c) ? "[friction.heat]" : "model rolling", j.name));
    const bool population = c->model() == "gfm" || c->model() == "generic2010";
    if (population && e_.method != Method::fixed)
      return wrong(fmt::format("{} in joint {} is a population of asperities, which requires method = \"fixed\"",
                               c->model(), j.name));
    if (!population && make_flow(*c)->traits().feels_load)
      wrong(fmt::format("load_drive and load_backdrive of joint {} require a single body; other effects are accepted",
                        j.name));
  }
  void spring(std::size_t i) {
    const MechanismSpring& s = m_.springs[i];
    auto wrong = [&](const char* key, std::string text) { add(MechanismProblem::spring, i, key, std::move(text)); };
    if (s.joint >= 0) {
      if (static_cast<std::size_t>(s.joint) < m_.joints.size() &&
          m_.joints[static_cast<std::size_t>(s.joint)].kind == JointKind::fixed)
        wrong("joint", "a fixed joint has no coordinate for a spring");
      return;
    }
    if (!known(s.first) || !known(s.second)) return wrong("bodies", "bodies must be ground or bodies of the mechanism");
    if (s.first == s.second) wrong("bodies", "a spring connects two different bodies");
    if (s.rest_length > 0 && s.from == s.to)
      wrong("at", "the ends of a spring with rest_length > 0 must not coincide: its direction is undefined");
  }
  void actuator(std::size_t i) {
    const MechanismActuator& a = m_.actuators[i];
    auto wrong = [&](const char* key, std::string text) { add(MechanismProblem::actuator, i, key, std::move(text)); };
    if (a.joint < 0) {
      if (a.body < 0 || a.body >= static_cast<int>(m_.bodies.size())) return;
      if (!(std::hypot(a.direction[0], a.direction[1]) > 0)) wrong("direction", "direction = [0, 0] must not vanish");
      return;
    }
    const MechanismJoint& j = m_.joints[static_cast<std::size_t>(a.joint)];
    if (j.kind == JointKind::fixed)
      wrong("joint", fmt::format("the fixed joint {} has no coordinate for an actuator", j.name));
    if (!a.motion) return;
    if (j.kind == JointKind::rolling && j.contact < 0)
      wrong("joint", fmt::format("the joint {} rolls without slip; a prescribed slip contradicts it", j.name));
    for (std::size_t k = 0; k < i; ++k) {
      if (m_.actuators[k].motion && m_.actuators[k].joint == a.joint)
        wrong("joint", fmt::format("the motion of joint {} is prescribed twice", j.name));
    }
    if (a.drive.terms.empty()) return;
    if (const auto jump = a.drive.first_jump(e_.solver.duration))
      return wrong("kind",
                   fmt::format("the prescribed motion of joint {} jumps at t = {} s; a ramp or a table is accepted",
                               j.name, to_text(*jump)));
    double size = 0;
    for (int k = 0; k <= 100; ++k) size = std::max(size, std::abs(a.drive.at(e_.solver.duration * k / 100).value));
    if (const double first = a.drive.at(0).value; std::abs(first) > 1e-12 * size)
      wrong("kind", fmt::format("the prescribed motion of joint {} begins at {}, must begin at 0: s = 0 at the start",
                                j.name, to_text(first)));
  }

  void controller(std::size_t i) {
    const MechanismController& c = m_.controllers[i];
    auto wrong = [&](const std::string& key, std::string text) {
      add(MechanismProblem::controller, i, key, std::move(text));
    };
    if (c.joint < 0 || c.joint >= static_cast<int>(m_.joints.size()))
      return wrong("joint", "the controller requires a joint of the mechanism");
    const MechanismJoint& j = m_.joints[static_cast<std::size_t>(c.joint)];
    if (j.kind == JointKind::fixed)
      wrong("joint", fmt::format("the fixed joint {} has no coordinate for a controller", j.name));
    if (j.kind == JointKind::rolling && j.contact < 0)
      wrong("joint", fmt::format("the joint {} rolls without slip; its coordinate does not move", j.name));
    for (std::size_t k = 0; k < i; ++k) {
      if (m_.controllers[k].joint == c.joint)
        wrong("joint", fmt::format("the joint {} has two controllers; one is accepted", j.name));
    }
    for (const MechanismActuator& a : m_.actuators) {
      if (a.motion && a.joint == c.joint)
        wrong("joint",
              fmt::format("the motion of joint {} is prescribed; a controller requires a joint that is free", j.name));
    }
    if (const auto objection = objection_to_servo(c.params)) wrong(objection->key, objection->text);
    if (const auto objection = objection_to_compensation(c.params, 0)) wrong("compensation", objection->text);
    if (!c.params.sampled() && (c.feedforward || c.params.encoder_step > 0))
      wrong(c.feedforward ? "feedforward" : "encoder_step",
            fmt::format("{} requires sample_time (s)", c.feedforward ? "feedforward" : "encoder_step"));
    if (c.reference.terms.empty()) return;
    const auto jump = c.reference.first_jump(e_.solver.duration);
    if (jump && c.params.differentiates() && e_.method != Method::fixed)
      wrong("reference",
            fmt::format(
                "the reference of joint {} jumps at t = {} s: its derivative is a Dirac impulse; sample_time, {}, "
                "a ramp, a table or a smooth motion is accepted",
                j.name, to_text(*jump),
                c.params.cascade() ? "velocity_feedforward = 0" : "derivative_filter or derivative_weight = 0"));
    const double samples = c.params.sampled() ? e_.solver.duration / c.params.sample_time : 0;
    const double most = std::max(Drive::most_corners, e_.solver.max_steps);
    if (!(samples <= most))
      wrong("sample_time", fmt::format("sample_time = {} s gives {:.3g} samples within the run; at most {:.0e} are "
                                       "accepted, or max_steps if that is more",
                                       to_text(c.params.sample_time), samples, Drive::most_corners));
  }

  const Mechanism& m_;
  const Experiment& e_;
  std::vector<MechanismProblem> out_{};
};

}  // namespace

std::vector<MechanismProblem> Mechanism::problems(const Experiment& e) const { return Check(*this, e).run(); }

std::string Mechanism::objection(const Experiment& e) const {
  const auto all = problems(e);
  return all.empty() ? "" : all.front().text;
}

}  // namespace bristle
