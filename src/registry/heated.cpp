#include "registry/shared/heated.hpp"

#include <algorithm>
#include <cmath>

#include "bristle/registry/sections.hpp"
#include "bristle/registry/view.hpp"
#include "registry/shared/slots.hpp"

namespace bristle {
namespace {

std::vector<Variable> shown(const Heat& heat, const Heat::Nodes& n) {
  std::vector<Variable> out{{"T", "degC", n.T}};
  if (heat.flash()) out.push_back({"T_flash", "degC", n.T_flash});
  return out;
}

constexpr Range degrees{-273.15, 1e6};

}  // namespace

void HeatedContact::warm(double before, double after, double dt) {
  if (measured_) return;
  if (dt != over_.dt) over_ = heat_.over(dt);
  nodes_ = heat_.after(nodes_, heat_.share * before, heat_.share * after, over_);
}

/// The force at the end, which heats, and the temperature there are solved together: second order in dt, and stable for any dt.
/// In short steps the temperature that the last power leaves is already right; the heat is always that of the force returned.
double HeatedContact::do_step(const Motion<double>& u, double dt) {
  if (measured_) return inner_->step(heated(u), dt);
  constexpr double same_force = 1e-6;          // relative, far below the error of a step with constant velocity
  const double by_effects = effects_ ? 1 : 0;  // their temperature_coefficient, 1/K: at most
  const bool goes_on = last_.F < inf && std::abs(u.v - last_.v) <= 0.1 * std::abs(u.v);
  const double per_force = heat_.share * u.v, now = heat_.acting(nodes_),
               before = (goes_on ? last_.F : inner_->force(heated(u))) * per_force;
  if (dt != over_.dt) over_ = heat_.over(dt);
  const Heat::Nodes kept = heat_.after(nodes_, before, before, over_);  // if the power stays
  double T = heat_.acting(kept), last = T, last_miss = 0;
  if (!(std::abs(T - now) < 1)) T = last = now;  // a long step
  Motion<double> warm = u;
  auto at = [&](double temperature) -> const Motion<double>& {
    warm.temperature = temperature;
    warm.dry = heat_.dry_factor(temperature, near_dry_);
    warm.viscosity = heat_.viscous_factor(temperature, near_viscous_);
    if (!effects_) warm.r = u.r * warm.dry;
    return warm;
  };
  double F = inner_->step(at(T), dt);
  for (int n = 0; n < 100; ++n) {  // secant on T - (temperature that the heat at T leaves)
    nodes_ = kept;
    heat_.add(nodes_, F * per_force - before, over_);
    const double miss = T - heat_.acting(nodes_);
    if (!(std::abs(miss) > 1e-8 && std::abs(miss) * (heat_.sensitivity(T) + by_effects) > same_force)) break;
    const double rise = n > 0 && T != last ? (miss - last_miss) / (T - last) : 1;
    last = T;
    last_miss = miss;
    T -= rise > 0.1 ? miss / rise : miss / (n % 2 == 0 ? 1 : 8);
    F = inner_->force(at(T));
  }
  last_ = {F, u.v};
  return F;
}

/// At the temperature of the beginning; the work of the step then heats.
Coupled<double> HeatedContact::do_couple(const Motion<double>& u, double mass, double dt) {
  const Coupled<double> out = inner_->couple(heated(u), mass, dt);
  warm(out.F * out.v, out.F * out.v, dt);
  return out;
}

/// The same for solvers of many contacts: trials at the temperature of the beginning.
struct HeatedContact::Reference {
  static HeatedContact& self(const ContactRef& r) { return *static_cast<HeatedContact*>(r.state); }
  static double size(const ContactRef& r) { return self(r).inner_->ref().size(); }
  static ContactRef::Response stop(const ContactRef& r, const ContactRef::Trial& t) {
    const Motion<double> u = self(r).heated(t.u);
    return self(r).inner_->ref().stop({u, t.need, t.dt});
  }
  static ContactRef::Response respond(const ContactRef& r, const ContactRef::Trial& t, double w) {
    const Motion<double> u = self(r).heated(t.u);
    return self(r).inner_->ref().respond({u, t.need, t.dt}, w);
  }
  static detail::Root root(const ContactRef& r, const ContactRef::Trial& t, const ContactRef::Search& s, double F) {
    const Motion<double> u = self(r).heated(t.u);
    return self(r).inner_->ref().root({u, t.need, t.dt}, s, F);
  }
  static double advance(const ContactRef& r, const ContactRef::Trial& t, double w) {
    const Motion<double> u = self(r).heated(t.u);
    const double F = self(r).inner_->ref().advance({u, t.need, t.dt}, w);
    self(r).warm(F * w, F * w, t.dt);
    return F;
  }
  template <bool set_valued>
  static constexpr ContactRef::Functions functions{set_valued, size, stop, respond, root, advance};
};

ContactRef HeatedContact::ref() {
  if (inner_->ref().set_valued()) return {this, Reference::functions<true>};
  return {this, Reference::functions<false>};
}

void HeatedContact::reset() {
  inner_->reset();
  nodes_ = start_;
  last_ = {inf, 0};
}

std::vector<Variable> HeatedContact::parameters() const {
  std::vector<Variable> out = inner_->parameters();
  Heat h = heat_;
  for (const FieldView& f : views(h)) {
    if (f.kind == Kind::real) out.push_back({std::string(of_heat) + f.name, f.unit, *f.get().as<double>()});
  }
  return out;
}
Table HeatedContact::settings() const {
  Table out = inner_->settings();
  Heat h = heat_;
  for (const FieldView& f : views(h)) out.push_back({std::string(of_heat) + f.name, f.get()});
  return out;
}
Table HeatedContact::initial() const {
  Table out = inner_->initial();
  for (const Variable& v : shown(heat_, start_)) out.push_back({v.name, v.value});
  return out;
}
std::vector<Variable> HeatedContact::states() const { return joined(inner_->states(), shown(heat_, nodes_)); }
std::vector<std::string> HeatedContact::state_names() const {
  std::vector<std::string> own;
  for (const Variable& v : shown(heat_, nodes_)) own.push_back(v.name);
  own.insert(own.end(), {"F_last", "v_last"});
  return joined(inner_->state_names(), own);
}
std::vector<double> HeatedContact::state() const {
  std::vector<double> own;
  for (const Variable& v : shown(heat_, nodes_)) own.push_back(v.value);
  own.insert(own.end(), {last_.F, last_.v});
  return joined(inner_->state(), own);
}
std::string HeatedContact::do_set_state(std::span<const double> values) {
  const std::size_t own = heat_.flash() ? 2 : 1, n = inner_->state().size();
  std::string count = check_count(values.size(), n + own + 2);
  if (!count.empty()) return count;
  const double F = values[n + own], v = values[n + own + 1];
  if (!(std::abs(F) <= limit::most || F == inf) || !(std::abs(v) <= limit::most))
    return "F_last and v_last must be numbers";
  for (const double T : values.subspan(n, own)) {
    if (!degrees.contains(T)) return "T = " + to_text(T) + " must be " + describe(degrees, T);
  }
  try {
    inner_->set_state(values.first(n));
  } catch (const BadInput& e) { return e.what(); }
  nodes_.T = values[n];
  nodes_.T_flash = heat_.flash() ? values[n + 1] : 0;
  last_ = {F, v};
  return "";
}
void HeatedContact::take_parameters(const AnyContact& from) {
  const auto& other = static_cast<const HeatedContact&>(from);
  const bool at_start = nodes_.T == start_.T && nodes_.T_flash == start_.T_flash;
  const std::vector<double> state = inner_->state();
  inner_ = other.inner_->clone();
  if (inner_->state().size() == state.size()) inner_->set_state(state);
  heat_ = other.heat_;
  over_ = {};
  near_dry_ = near_viscous_ = {};
  start_ = other.start_;
  effects_ = other.effects_;
  last_ = {inf, 0};
  if (at_start) nodes_ = start_;
}

}  // namespace bristle
