/// MuJoCo engine plugin "bristle.friction": friction of a joint by one implicit step of all such joints of a kinematic tree
/// together. It is an actuator plugin because passive ones run before bias and actuator forces are known.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bristle/couple_all.hpp"
#include "element/read.hpp"

namespace {

using namespace bristle;

/// A joint with its contact, and for the first joint of a tree the memory of the solver.
struct Joint {
  std::unique_ptr<element::Element> contact;
  Slots state;
  std::vector<double> initial;
  int actuator = -1, output = -1, joint = -1, dof = -1;
  double gear = 1, temperature = 20, F = 0, load = 0;
  double v = 0, rounding = 0;   // the velocity that the solver found, and the rounding error of it in MuJoCo
  bool first = false;           // of its tree
  std::vector<Joint*> of_tree;  // with this one
  std::vector<ContactRef> contacts;
  std::vector<Motion<double>> u;
  std::vector<double> inverse;
  std::unique_ptr<CoupleAll> solver;
};
Joint& joint_of(const mjData* d, int instance) { return *reinterpret_cast<Joint*>(d->plugin_data[instance]); }

/// Names of all parameters of all models, which MuJoCo accepts as config keys.
const std::vector<std::string>& attributes() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out{"model", "temperature"};
    auto add = [&](const std::string& name) {
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    };
    const auto effects = element::make("lugre")->effects();
    for (const char* model : element::names()) {
      const auto made = element::make(model);
      for (const char* key : made->keys()) {
        add(key);
        add(std::string("negative.") + key);
      }
      for (const Slot& s : made->state()) {
        if (s.index <= 1) add(std::string("initial.") + s.field);
      }
    }
    for (const auto& p : effects) add(std::string("effects.") + p.slot.field);
    for (const char* array : {"curve_x", "curve_F", "curve_gain", "curve_load"}) add(std::string("effects.") + array);
    return out;
  }();
  return all;
}

element::Made read(const mjModel* m, int instance) {
  std::string model;
  element::Keys keys;
  for (const std::string& name : attributes()) {
    const char* value = mj_getPluginConfig(m, instance, name.c_str());
    if (!value || !*value) continue;
    if (name == "model") {
      model = value;
    } else if (name != "temperature") {
      keys.emplace_back(name, value);
    }
  }
  return element::build(model, keys);
}

/// The element in its initial state.
void begin(element::Made& made) {
  for (const auto& [name, x] : made.initial) {
    for (const Slot& s : made.element->state()) {
      if (s.name() == name) s.set(s.at, s.index, x);
    }
  }
}

int refuse(const std::string& text) {
  mju_warning("bristle.friction: %s", text.c_str());
  return -1;
}

int nstate(const mjModel* m, int instance) {
  const element::Made made = read(m, instance);
  return made.element ? static_cast<int>(made.element->state().size()) : 0;
}

/// The joints of a tree, found by its first one when all exist.
void gather(const mjModel* m, const mjData* d, int instance, Joint& k) {
  k.of_tree.clear();
  k.first = true;
  for (int i = 0; i < m->nplugin; ++i) {
    if (m->plugin[i] != m->plugin[instance] || !d->plugin_data[i]) continue;
    Joint& other = joint_of(d, i);
    if (m->dof_treeid[other.dof] != m->dof_treeid[k.dof]) continue;
    if (i < instance) k.first = false;
    k.of_tree.push_back(&other);
  }
  const std::size_t n = k.of_tree.size();
  if (!k.first || k.contacts.size() == n) return;
  k.contacts.resize(n);
  for (std::size_t i = 0; i < n; ++i) k.contacts[i] = k.of_tree[i]->contact->ref();
  k.u.resize(n);
  k.inverse.resize(n * n);
  k.solver = std::make_unique<CoupleAll>(n);
}

int init(const mjModel* m, mjData* d, int instance) {
  d->plugin_data[instance] = 0;
  try {
    element::Made made = read(m, instance);
    if (!made.element) return refuse(made.error);
    auto k = std::make_unique<Joint>();
    begin(made);
    k->contact = std::move(made.element);
    k->state = k->contact->state();
    for (const Slot& s : k->state) k->initial.push_back(s.value());
    for (int i = 0; i < m->nactuator; ++i) {
      if (m->actuator_plugin[i] != instance) continue;
      if (k->actuator >= 0) return refuse("an instance belongs to one actuator; each joint requires its own");
      k->actuator = i;
    }
    if (k->actuator < 0) return refuse("an instance requires an actuator");
    const int type = m->actuator_trntype[k->actuator];
    k->joint = m->actuator_trnid[2 * k->actuator];
    if ((type != mjTRN_JOINT && type != mjTRN_JOINTINPARENT) ||
        (m->jnt_type[k->joint] != mjJNT_HINGE && m->jnt_type[k->joint] != mjJNT_SLIDE))
      return refuse("the actuator must act on a hinge or slide joint");
    k->output = m->actuator_outadr[k->actuator];
    k->dof = m->jnt_dofadr[k->joint];
    k->gear = m->actuator_gear[6 * k->output];
    if (k->gear == 0) return refuse("gear = 0 of the actuator must not be 0");
    if (m->actuator_forcelimited[k->actuator])
      return refuse("forcerange of the actuator would limit friction; none is accepted");
    if (m->jnt_actfrclimited[k->joint])
      return refuse("actuatorfrcrange of the joint would limit friction; forcerange of the motor is accepted");
    for (int i = 0; i < m->nactuator; ++i) {
      const int other = m->actuator_plugin[i];
      if (other >= 0 && other != instance && m->plugin[other] == m->plugin[instance] &&
          m->actuator_trnid[2 * i] == k->joint)
        return refuse("two actuators give friction to the same joint; one is accepted");
    }
    const char* temperature = mj_getPluginConfig(m, instance, "temperature");
    if (temperature && *temperature &&
        (!element::parse(temperature, k->temperature) || !(std::abs(k->temperature) <= 5000)))
      return refuse(std::string("temperature = ") + temperature + " must be a number of degC");
    d->plugin_data[instance] = reinterpret_cast<uintptr_t>(k.release());
    return 0;
  } catch (const std::exception& e) { return refuse(e.what()); }
}
void destroy(mjData* d, int instance) {
  delete reinterpret_cast<Joint*>(d->plugin_data[instance]);
  d->plugin_data[instance] = 0;
}
void reset(const mjModel* m, mjtNum* state, void* data, int instance) {
  const auto* k = static_cast<const Joint*>(data);
  if (k) {
    std::copy(k->initial.begin(), k->initial.end(), state);
    return;
  }
  element::Made made = read(m, instance);
  if (!made.element) return;
  begin(made);
  for (const Slot& s : made.element->state()) *state++ = s.value();
}
/// All that a plugin remembers lies in plugin_state; its memory is made by `init`.
void copy(mjData*, const mjModel*, const mjData*, int) {}

void load_state(const mjModel* m, const mjData* d, int instance, Joint& k) {
  const mjtNum* s = d->plugin_state + m->plugin_stateadr[instance];
  for (const Slot& slot : k.state) slot.set(slot.at, slot.index, *s++);
}

Motion<double> motion_of(const mjModel* m, const mjData* d, const Joint& k) {
  return {.x = d->qpos[m->jnt_qposadr[k.joint]], .v = d->qvel[k.dof], .t = d->time, .temperature = k.temperature};
}

/// Generalised force of everything that is known before constraints, except friction of this plugin; `motors`: those of
/// actuators alone.
void applied(const mjModel* m, mjData* d, int slot, mjtNum* f, mjtNum* motors) {
  const auto nv = static_cast<int>(m->nv);
  std::fill_n(motors, nv, 0.0);
  for (int a = 0; a < m->nactuator; ++a) {
    const int plugin = m->actuator_plugin[a];
    if (plugin >= 0 && m->plugin[plugin] == slot) continue;
    for (int o = m->actuator_outadr[a]; o < m->actuator_outadr[a] + m->actuator_outnum[a]; ++o) {
      mjtNum force = d->actuator_force[o];
      if (m->actuator_forcelimited[a])
        force = std::clamp(force, m->actuator_forcerange[2 * a], m->actuator_forcerange[2 * a + 1]);
      for (int i = 0; i < d->moment_rownnz[o]; ++i)
        motors[d->moment_colind[d->moment_rowadr[o] + i]] += d->actuator_moment[d->moment_rowadr[o] + i] * force;
    }
  }
  for (int i = 0; i < nv; ++i) f[i] = d->qfrc_passive[i] - d->qfrc_bias[i] + d->qfrc_applied[i] + motors[i];
  for (int j = 0; j < m->njnt; ++j) {
    if (m->jnt_actgravcomp[j]) f[m->jnt_dofadr[j]] += d->qfrc_gravcomp[m->jnt_dofadr[j]];
  }
  for (int b = 1; b < m->nbody; ++b) {
    const mjtNum* x = d->xfrc_applied + 6 * b;
    if (std::any_of(x, x + 6, [](mjtNum e) { return e != 0; })) mj_applyFT(m, d, x, x + 3, d->xipos + 3 * b, b, f);
  }
}

/// The friction of all joints of a tree, with v+ = v + h M^-1 (f - F).
void solve(const mjModel* m, mjData* d, int instance, Joint& k) {
  const std::size_t n = k.of_tree.size(), nv = static_cast<std::size_t>(m->nv);
  const double h = m->opt.timestep;
  mj_markStack(d);
  mjtNum* f = mj_stackAllocNum(d, nv);
  mjtNum* motors = mj_stackAllocNum(d, nv);
  mjtNum* a = mj_stackAllocNum(d, nv);
  mjtNum* rows = mj_stackAllocNum(d, n * nv);
  applied(m, d, m->plugin[instance], f, motors);
  mj_solveM(m, d, a, f, 1);
  std::fill_n(rows, n * nv, 0.0);
  for (std::size_t i = 0; i < n; ++i) rows[i * nv + static_cast<std::size_t>(k.of_tree[i]->dof)] = 1;
  mj_solveM(m, d, rows, rows, static_cast<int>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j)
      k.inverse[i * n + j] = rows[i * nv + static_cast<std::size_t>(k.of_tree[j]->dof)];
  }
  // The solver asks for forces on the joints that give these accelerations: effective inertia times acceleration. The
  // effective inertia is the inverse of `inverse`.
  std::vector<double>& L = k.inverse;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) L[i * n + j] = L[j * n + i] = (L[i * n + j] + L[j * n + i]) / 2;
  }
  mjtNum* chol = mj_stackAllocNum(d, n * n);
  mjtNum* rhs = mj_stackAllocNum(d, n);
  std::copy(L.begin(), L.end(), chol);
  mju_cholFactor(chol, static_cast<int>(n), 0);
  for (std::size_t i = 0; i < n; ++i) rhs[i] = a[k.of_tree[i]->dof];
  mjtNum* force = mj_stackAllocNum(d, n);
  mju_cholSolve(force, chol, rhs, static_cast<int>(n));
  for (std::size_t i = 0; i < n; ++i) {
    const Joint& one = *k.of_tree[i];
    k.u[i] = motion_of(m, d, one);
    k.u[i].F_app = force[i];
    k.u[i].load = motors[one.dof];
  }
  if (k.solver->step(k.contacts, InverseMassMatrix{k.inverse}, k.u, h)) {
    for (std::size_t i = 0; i < n; ++i) {
      Joint& one = *k.of_tree[i];
      one.F = k.solver->result()[i].F;
      one.v = k.solver->result()[i].v;
      one.load = k.u[i].load;
      double size = std::abs(k.u[i].v) + h * std::abs(a[one.dof]);
      for (std::size_t j = 0; j < n; ++j) size += h * std::abs(L[i * n + j] * k.solver->result()[j].F);
      one.rounding = 1e-12 * size;
    }
  } else {
    for (std::size_t i = 0; i < n; ++i)
      k.of_tree[i]->F = std::numeric_limits<double>::quiet_NaN();  // MuJoCo reports it
  }
  mj_freeStack(d);
}

void compute(const mjModel* m, mjData* d, int instance, int) {
  Joint& k = joint_of(d, instance);
  gather(m, d, instance, k);
  if (k.first) {
    for (int i = 0; i < m->nplugin; ++i) {
      if (m->plugin[i] == m->plugin[instance] && d->plugin_data[i] &&
          m->dof_treeid[joint_of(d, i).dof] == m->dof_treeid[k.dof])
        load_state(m, d, i, joint_of(d, i));
    }
    solve(m, d, instance, k);
  }
  d->actuator_force[k.output] = -k.F / k.gear;
}

/// The state follows the velocity that MuJoCo reached, constraints included.
void advance(const mjModel* m, mjData* d, int instance) {
  Joint& k = joint_of(d, instance);
  load_state(m, d, instance, k);
  Motion<double> u = motion_of(m, d, k);
  u.F_app = -d->actuator_force[k.output] * k.gear;
  u.load = k.load;
  // Rounding at rest would give the velocity another sign in each step, where the elements of a law stick.
  if (std::abs(u.v - k.v) <= k.rounding) u.v = k.v;
  k.contact->step(u, m->opt.timestep);
  mjtNum* s = d->plugin_state + m->plugin_stateadr[instance];
  for (const Slot& slot : k.state) *s++ = slot.value();
}

}  // namespace

mjPLUGIN_LIB_INIT(bristle_friction) {
  if (mj_version() != mjVERSION_HEADER) {
    mju_warning("bristle.friction is built for MuJoCo %d, not for %d; it is not registered", mjVERSION_HEADER,
                mj_version());
    return;
  }
  static std::vector<const char*> names;
  for (const std::string& name : attributes()) names.push_back(name.c_str());
  mjpPlugin p;
  mjp_defaultPlugin(&p);
  p.name = "bristle.friction";
  p.nattribute = static_cast<int>(names.size());
  p.attributes = names.data();
  p.capabilityflags |= mjPLUGIN_ACTUATOR;
  p.nstate = nstate;
  p.init = init;
  p.destroy = destroy;
  p.copy = copy;
  p.reset = reset;
  p.compute = compute;
  p.advance = advance;
  mjp_registerPlugin(&p);
}
