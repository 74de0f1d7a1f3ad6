#include "bristle/mechanism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "scenario/shared/section.hpp"

/// kind = "multibody": [[body]], [[joint]], [[spring]], [[actuator]], [[controller]].
namespace bristle::scenario {
namespace {

const std::vector<std::string> joint_kinds{"revolute", "prismatic", "fixed", "rolling", "point"};  // as JointKind
const std::vector<std::string> effects_of_actuators{"force", "motion"};

Key pair(const std::string& name, const std::string& meaning, const std::string& unit = "m") {
  return {name, form::numbers, meaning, unit, any_real, {2, 2}};
}
Key name_key(const std::string& of, const std::string& column) {
  return Key{"name", form::text, fmt::format("name of the {}: columns NAME.{}", of, column)}.needed();
}
Key bodies_key() {
  return Key{"bodies", form::texts, "names of the two bodies; \"ground\" is the fixed world"}.needed();
}

/// The tables of a section that may occur several times.
std::vector<Section> tables_of(const Node& root, const std::string& key, Reading& reading) {
  const Node* node = root.find(key);
  std::vector<Section> out;
  if (!node) return out;
  const auto* list = node->as<Node::List>();
  if (list && std::all_of(list->begin(), list->end(), [](const Node& n) { return n.as<Node::Object>(); })) {
    for (const Node& n : *list) out.push_back({n, "[[" + key + "]]"});
  } else {
    reading.wrong(node->where, fmt::format("{} must be a section [[{}]]", key, key));
  }
  return out;
}

bool read_point(const Node& node, const std::string& name, const std::string& section, Point2& out, Reading& reading) {
  const auto* a = node.as<Node::Numbers>();
  if (a && a->size() == 2 && any_real.contains((*a)[0]) && any_real.contains((*a)[1])) {
    out = {(*a)[0], (*a)[1]};
    return true;
  }
  reading.wrong(node.where, fmt::format("{} = {} in {} must be two numbers of at most 1e30: {} = [x, y]", name,
                                        text_of(node), section, name));
  return false;
}
/// False if the key is absent or wrong.
bool read_point(const Section& s, const std::string& key, bool required, Point2& out, Reading& reading) {
  if (const Node* n = s.node.find(key)) return read_point(*n, key, s.name, out, reading);
  if (required)
    reading.wrong(s.node.where, fmt::format("missing key '{}' in {}; required: {} = [x, y]", key, s.name, key));
  return false;
}

class MechanismReader {
 public:
  MechanismReader(const Node& root, Experiment& e, Mechanism& m, std::vector<std::string>& notes, Reading& reading)
      : root_(root), e_(e), m_(m), notes_(notes), reading_(reading) {}

  void run() {
    bodies_ = tables_of(root_, "body", reading_);
    joints_ = tables_of(root_, "joint", reading_);
    springs_ = tables_of(root_, "spring", reading_);
    actuators_ = tables_of(root_, "actuator", reading_);
    controllers_ = tables_of(root_, "controller", reading_);
    for (const Section& s : bodies_) body(s);
    for (const Section& s : joints_) joint(s);
    for (const Section& s : springs_) spring(s);
    for (const Section& s : actuators_) actuator(s);
    for (const Section& s : controllers_) controller(s);
  }
  /// Problems of the whole, at their lines. Those of keys that could not be read are skipped.
  void check() {
    std::set<std::string> reported;
    for (const Problem& p : reading_.problems) reported.insert(p.where);
    for (const MechanismProblem& p : m_.problems(e_)) {
      const std::vector<Section>* of = p.of == MechanismProblem::body         ? &bodies_
                                       : p.of == MechanismProblem::joint      ? &joints_
                                       : p.of == MechanismProblem::spring     ? &springs_
                                       : p.of == MechanismProblem::actuator   ? &actuators_
                                       : p.of == MechanismProblem::controller ? &controllers_
                                                                              : nullptr;
      if (!of) {
        const Node* solver = root_.find("solver");
        reading_.wrong(p.key == "method" && solver ? Section{*solver, ""}.where("method") : root_.where, p.text);
      } else if (const Section& s = (*of)[p.index];
                 !wrong_here_.contains(s.node.where) || p.key == "friction" ||
                 (s.has(p.key) ? !reported.contains(s.where(p.key)) : p.key == "radius")) {
        reading_.wrong(s.where(p.key), p.text);
      }
    }
  }

 private:
  /// Marks an element as wrong if a problem was reported while it was read.
  struct Mark {
    MechanismReader& r;
    const Section& s;
    std::size_t before = r.reading_.problems.size();
    ~Mark() {
      if (r.reading_.problems.size() > before) r.wrong_here_.insert(s.node.where);
    }
    Mark(MechanismReader& reader, const Section& section) : r(reader), s(section) {}
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;
  };

  std::string name_of(const Section& s) {
    if (!s.has("name")) {
      reading_.wrong(s.node.where, fmt::format("missing key 'name' in {}", s.name));
      return "";
    }
    return s.text("name", reading_).value_or("");
  }
  void body(const Section& s) {
    MechanismBody& b = m_.bodies.emplace_back();
    const Mark mark(*this, s);
    read_section(s, "a body", views(b),
                 {name_key("body", "x"), pair("position", "centre of mass at t = 0").needed(),
                  pair("velocity", "of the centre of mass at t = 0; from the constraints unless given", "m/s")},
                 reading_);
    b.rate_given = s.has("rate");
    b.name = name_of(s);
    read_point(s, "position", true, b.position, reading_);
    b.velocity_given = read_point(s, "velocity", false, b.velocity, reading_);
  }
  /// Index of a body, ground, or -2 after a problem.
  int body_of(const std::string& name, const Node& at, const std::string& section) {
    if (name == "ground") return ground;
    for (std::size_t i = 0; i < m_.bodies.size(); ++i) {
      if (m_.bodies[i].name == name) return static_cast<int>(i);
    }
    std::vector<std::string> names{"ground"};
    for (const MechanismBody& b : m_.bodies) {
      if (!b.name.empty() && std::ranges::find(names, b.name) == names.end()) names.push_back(b.name);
    }
    reading_.wrong(at.where, fmt::format("unknown body '{}' in {}{}", name, section, hint(name, names)));
    return -2;
  }
  void two_bodies(const Section& s, int& first, int& second) {
    const auto names = s.texts("bodies", reading_);
    if (!s.has("bodies")) {
      reading_.wrong(s.node.where,
                     fmt::format(R"(missing key 'bodies' in {}; required: bodies = ["first", "second"])", s.name));
    } else if (names.size() != 2) {
      reading_.wrong(s.where("bodies"),
                     fmt::format(R"(bodies in {} must be two names: bodies = ["first", "second"])", s.name));
    } else {
      first = body_of(names[0], *s.node.find("bodies"), s.name);
      second = body_of(names[1], *s.node.find("bodies"), s.name);
    }
  }
  void joint(const Section& s) {
    MechanismJoint& j = m_.joints.emplace_back();
    const Mark mark(*this, s);
    const auto kind = choice(s, "kind", joint_kinds, true, reading_);
    j.kind = static_cast<JointKind>(kind.value_or(0));
    std::vector<FieldView> fields = views(j);
    const bool slides = j.kind == JointKind::prismatic || j.kind == JointKind::rolling || j.kind == JointKind::point;
    std::vector<Key> also{
        name_key("joint", "F"), Key{"kind", form::word, "motion that the joint leaves free"}, bodies_key(),
        pair("at", "point of the joint at t = 0").needed(),
        Key{"friction", form::table, "friction law of the joint, with the keys of [friction]"}.as("joint.friction")};
    if (slides || !kind) also.push_back(pair("axis", "direction of sliding at t = 0, fixed in the first body", "1"));
    if (slides && kind) also.back().required = true;
    std::erase_if(fields, [&](const FieldView& f) {
      return kind && ((f.name == "length" && j.kind != JointKind::prismatic) ||
                      (f.name == "radius" && j.kind != JointKind::revolute && j.kind != JointKind::rolling));
    });
    read_section(s, kind ? "a " + joint_kinds[*kind] + " joint" : "a joint", fields, also, reading_);
    j.name = name_of(s);
    two_bodies(s, j.first, j.second);
    read_point(s, "at", true, j.at, reading_);
    if (slides && kind) read_point(s, "axis", true, j.axis, reading_);
    if (const Node* block = s.node.find("friction")) {
      if (!block->as<Node::Object>()) {
        reading_.wrong(block->where, "friction in [[joint]] must be a section [joint.friction]");
        return;
      }
      j.contact = static_cast<int>(e_.contacts.size());
      JointFriction read = read_joint_friction(*block, notes_, reading_);
      j.normal_load = read.normal_load;
      e_.contacts.push_back({j.name, std::move(read.contact)});
    }
  }
  int joint_of(const Section& s) {
    const auto name = s.text("joint", reading_);
    if (!name) return -2;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < m_.joints.size(); ++i) {
      if (m_.joints[i].name == *name) return static_cast<int>(i);
      if (!m_.joints[i].name.empty() && std::ranges::find(names, m_.joints[i].name) == names.end())
        names.push_back(m_.joints[i].name);
    }
    reading_.wrong(s.where("joint"), fmt::format("unknown joint '{}' in {}{}", *name, s.name, hint(*name, names)));
    return -2;
  }
  void spring(const Section& s) {
    MechanismSpring& k = m_.springs.emplace_back();
    const Mark mark(*this, s);
    const bool on_joint = s.has("joint");
    std::vector<FieldView> fields = views(k);
    std::erase_if(fields, [&](const FieldView& f) { return f.name == (on_joint ? "rest_length" : "rest"); });
    Key joint{"joint", form::text, "joint on whose coordinate the spring acts"}, bodies = bodies_key();
    Key at = Key{"at", form::points, "its ends at t = 0, one point per body", "m", any_real, {2, 2}}.needed();
    bodies.instead = at.instead = {"joint"};
    std::vector<Key> also{std::move(joint)};
    if (!on_joint) also.insert(also.end(), {std::move(bodies), std::move(at)});
    read_section(s, on_joint ? "a spring on a joint" : "a spring between bodies", fields, also, reading_);
    if (on_joint) {
      k.joint = joint_of(s);
      return;
    }
    two_bodies(s, k.first, k.second);
    const Node* ends = s.node.find("at");
    const auto* list = ends ? ends->as<Node::List>() : nullptr;
    if (!list || list->size() != 2) {
      reading_.wrong(s.where("at"),
                     fmt::format("at in {} must be two points, one per body: at = [[x, y], [x, y]]", s.name));
    } else {
      read_point((*list)[0], "at[1]", s.name, k.from, reading_);
      read_point((*list)[1], "at[2]", s.name, k.to, reading_);
    }
  }
  void actuator(const Section& s) {
    MechanismActuator& a = m_.actuators.emplace_back();
    const Mark mark(*this, s);
    if (s.has("joint") == s.has("body")) {
      reading_.wrong(s.node.where, fmt::format("{} requires either joint or body", s.name));
      return;
    }
    Key joint{"joint", form::text, "joint on which it acts"}, body{"body", form::text, "body on which it acts"};
    joint.required = body.required = true;
    joint.instead = {"body"};
    body.instead = {"joint"};
    std::vector<Key> also{
        Key{"kind", form::word, "shape of the function of time"},
        Key{"acts", form::word, "the quantity that is given: required on a joint; on a body a force"}};
    bool turns = false;
    if (s.has("joint")) {
      a.joint = joint_of(s);
      turns = a.joint >= 0 && m_.joints[static_cast<std::size_t>(a.joint)].kind == JointKind::revolute;
      const auto what = choice(s, "acts", effects_of_actuators, false, reading_);
      if (!s.has("acts"))
        reading_.wrong(s.node.where, fmt::format(R"(missing key 'acts' in {}; accepted: "force", "motion")", s.name));
      a.motion = what == 1U;
      also.push_back(std::move(joint));
    } else {
      const auto name = s.text("body", reading_);
      a.body = name ? body_of(*name, *s.node.find("body"), s.name) : -2;
      if (a.body == ground) reading_.wrong(s.where("body"), "an actuator acts on a body, not on ground");
      if (s.has("acts") && s.text("acts", reading_) != "force")
        reading_.wrong(s.where("acts"), "an actuator on a body acts as a \"force\"; a motion requires a joint");
      read_point(s, "at", true, a.at, reading_);
      read_point(s, "direction", true, a.direction, reading_);
      if (const Node* kind = s.node.find("kind"); kind && kind->as<std::string>() && *kind->as<std::string>() == "step")
        reading_.wrong(kind->where,
                       fmt::format("kind = \"step\" in {} on a body: at is a point there, not a time; kind = "
                                   "\"sum\" with the step in terms is accepted",
                                   s.name));
      also.insert(also.end(), {std::move(body), pair("at", "point of the body at t = 0 where the force acts"),
                               pair("direction", "of the force, fixed in the world", "1")});
    }
    const char* unit = a.motion ? (turns ? "rad" : "m") : turns ? "N m" : "N";
    read_actuator(s, unit, !a.motion, also, a.drive, reading_);
    a.drive.of = a.motion ? DriveOf::position : DriveOf::force;
    if (a.drive.terms.empty()) a.drive.terms.push_back({Constant{}});
  }

  void controller(const Section& s) {
    MechanismController& c = m_.controllers.emplace_back();
    const Mark mark(*this, s);
    if (!s.has("joint")) {
      reading_.wrong(s.node.where, fmt::format("missing key 'joint' in {}; required: the name of a joint", s.name));
    } else {
      c.joint = joint_of(s);
    }
    const MechanismJoint* j = c.joint >= 0 ? &m_.joints[static_cast<std::size_t>(c.joint)] : nullptr;
    std::span<const NamedContact> own;
    if (j && j->contact >= 0) own = {&e_.contacts[static_cast<std::size_t>(j->contact)], 1};
    ServoRead read = read_servo(s, j && j->kind == JointKind::revolute ? "rad" : "m", own, reading_);
    c.params = read.params;
    check_compensation(s, c.params, 0, reading_);
    c.reference = std::move(read.reference);
    c.feedforward = std::move(read.feedforward);
    if (c.reference.terms.empty()) c.reference.terms.push_back({Constant{}});
  }

  const Node& root_;
  Experiment& e_;
  Mechanism& m_;
  std::vector<std::string>& notes_;
  Reading& reading_;
  std::vector<Section> bodies_{}, joints_{}, springs_{}, actuators_{}, controllers_{};
  std::set<std::string> wrong_here_{};
};

}  // namespace

void read_mechanism(const Node& root, Experiment& e, double duration, std::vector<std::string>& notes,
                    Reading& reading) {
  auto m = std::make_shared<Mechanism>();
  if (const auto system = subsection(root, "system", reading)) {
    read_point(*system, "gravity", false, m->gravity, reading);
    std::vector<FieldView> fields = views(e.body);
    std::erase_if(fields, [](const FieldView& f) { return f.name != "temperature"; });
    read_section(*system, "a mechanism", fields,
                 {Key{"kind", form::word, "the moving body"},
                  pair("gravity", "acceleration of gravity", "m/s^2").or_else("[0, -9.81]")},
                 reading);
  }
  for (const char* section : {"friction", "load", "drive"}) {
    if (const Node* n = root.find(section))
      reading.wrong(n->where,
                    fmt::format("section [{}] is not accepted with kind = \"multibody\"; [[joint]], [joint.friction], "
                                "[[spring]], [[actuator]] and [[controller]] are accepted",
                                section));
  }
  MechanismReader reader(root, e, *m, notes, reading);
  reader.run();
  if (!(duration < inf)) e.solver.duration = 1;  // its own problem is reported elsewhere
  reader.check();
  e.own = std::move(m);
}

}  // namespace bristle::scenario
