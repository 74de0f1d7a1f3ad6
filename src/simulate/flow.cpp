#include "simulate/shared/flow.hpp"

#include <algorithm>
#include <cmath>

#include "bristle/effects.hpp"
#include "bristle/models.hpp"
#include "registry/shared/generic2010.hpp"
#include "registry/shared/heated.hpp"
#include "registry/shared/population.hpp"
#include "registry/shared/visit.hpp"
#include "typed_flow.hpp"

namespace bristle {
namespace {

using detail::finite;

/// Effects on a flow: the map of the force and its chain rule, without compiling every model twice.
class EffectFlow final : public ContactFlow {
 public:
  EffectFlow(std::unique_ptr<ContactFlow> inner, const Effects<double>& e)
      : inner_(std::move(inner)), e_(e), dual_(convert<Effects<D>>(e)) {
    traits_ = inner_->traits();
    traits_.scales.force += std::abs(e.offset) + e.cogging + 3 * e.noise;
    for (const double F : e.curve_F) traits_.scales.force = std::max(traits_.scales.force, std::abs(F));
    traits_.feels_x = e.ripple != 0 || e.cogging != 0 || curved();
    traits_.feels_load = e.transmits();
    traits_.pushes = e.offset != 0 || e.cogging != 0 || e.noise != 0 || e.curve_F.n > 0;
    in_time_ = e.noise != 0 && e.noise_length == inf;
    traits_.feels_path = e.noise != 0 && !in_time_;
    if (in_time_) traits_.longest_step = 1 / (16 * e.noise_frequency);
  }
  EffectFlow(const EffectFlow& o) : ContactFlow(o), inner_(o.inner_->clone()), e_(o.e_), dual_(o.dual_) {
    in_time_ = o.in_time_;
  }
  std::unique_ptr<ContactFlow> clone() const override { return std::make_unique<EffectFlow>(*this); }

  void begin(const double* z, const Motion<double>& u) override { inner_->begin(z, e_.in(u)); }
  double force(const double* z, const Motion<double>& u) const override {
    return e_.around(u, [&](const Motion<double>& m) { return inner_->force(z, m); });
  }
  double eval(const double* z, const Motion<double>& u, double* rate) const override {
    return e_.around(u, [&](const Motion<double>& m) { return inner_->eval(z, m, rate); });
  }
  void slopes(const double* z, const Motion<double>& u, Slopes& out) const override {
    inner_->slopes(z, e_.in(u), out);
    int sense = e_.sense(u);
    if (e_.transmits() && side(out.F) * sense < 0) inner_->slopes(z, e_.in(u, sense = -sense), out);
    Motion<D> m = rebind<D>(u);
    m.r = D::variable(u.r, 0);
    m.load = D::variable(u.load, 1);
    m.x = D::variable(u.x, 2);
    const D r = dual_.in(m, sense).r;
    const double r_slope = finite(r.d[0]);
    m = rebind<D>(u);
    m.x = D::variable(u.x, 1);
    m.path = D::variable(u.path, 2);
    const D F = dual_.out(m, D::variable(out.F, 0));
    if (in_time_) {  // Motion::t carries no derivative
      const double dt = 1e-5 / e_.noise_frequency;
      Motion<double> a = u, b = u;
      a.t -= dt;
      b.t += dt;
      out.F_t = (e_.random_force(b) - e_.random_force(a)) / (b.t - a.t);
    }
    const double gain = F.d[0];
    out.F = F.a;
    out.F_v *= gain;
    out.r_load = r_slope != 0 ? finite(r.d[1] / r_slope) : 0;  // F_r and rate_r are of the outer ratio
    out.r_x = r_slope != 0 ? finite(r.d[2] / r_slope) : 0;
    out.F_r *= gain * r_slope;
    out.F_x = F.d[1] + out.F_r * out.r_x;
    out.F_path = F.d[2];
    for (double& f : out.F_z) f *= gain;
    for (double& f : out.rate_r) f *= r_slope;
  }
  void guards(const double* z, const Motion<double>& u, int owner, std::vector<Guard>& out) const override {
    inner_->guards(z, at_event(u), owner, out);
  }
  void jump(double* z, const Motion<double>& u, int id) override { inner_->jump(z, at_event(u), id); }
  bool holds() const override { return inner_->holds(); }
  Inside inside() const override {
    Inside inside = inner_->inside();
    if (e_.transmits() || e_.noise != 0 || curved() || inside.model == Inside::unknown) return {};
    inside.effects = &e_;
    return inside;
  }
  std::size_t memory_size() const override { return inner_->memory_size(); }
  void begin_memory(void* at) const override { inner_->begin_memory(at); }
  void use_memory(void* at) override { inner_->use_memory(at); }

 private:
  using D = Dual<double, 3>;
  /// The load decides whether a set-valued law sticks or slips, not a vanishing velocity: guard and jump must agree.
  Motion<double> at_event(const Motion<double>& u) const { return traits_.set_valued ? e_.in_at_rest(u) : e_.in(u); }

  bool curved() const { return e_.curve_F.n > 0 || e_.curve_gain.n > 0 || e_.curve_load.n > 0; }

  std::unique_ptr<ContactFlow> inner_;
  Effects<double> e_;
  Effects<D> dual_;
  bool in_time_ = false;
};

/// The temperature around a flow: one or two states more. Rates of the model may depend on it through load and viscosity.
class HeatFlow final : public ContactFlow {
 public:
  HeatFlow(std::unique_ptr<ContactFlow> inner, const Heat& heat, const Heat::Nodes& start, bool effects)
      : inner_(std::move(inner)), heat_(heat), effects_(effects), n_(inner_->size()), part_(n_), warm_(n_), cold_(n_) {
    traits_ = inner_->traits();
    traits_.apart = false;
    traits_.states.push_back({"T", "degC", start.T});
    if (heat.flash()) traits_.states.push_back({"T_flash", "degC", start.T_flash});
    traits_.state_scale.resize(traits_.states.size(), 10);
    traits_.bound.resize(traits_.states.size(), inf);
  }
  HeatFlow(const HeatFlow& o)
      : ContactFlow(o),
        inner_(o.inner_->clone()),
        heat_(o.heat_),
        effects_(o.effects_),
        n_(o.n_),
        part_(o.part_),
        warm_(o.warm_),
        cold_(o.cold_) {}
  std::unique_ptr<ContactFlow> clone() const override { return std::make_unique<HeatFlow>(*this); }

  void begin(const double* z, const Motion<double>& u) override { inner_->begin(z, heated(z, u)); }
  double force(const double* z, const Motion<double>& u) const override { return inner_->force(z, heated(z, u)); }
  double eval(const double* z, const Motion<double>& u, double* rate) const override {
    const double F = inner_->eval(z, heated(z, u), rate);
    const Heat::Nodes r = heat_.rates(nodes(z), heat_.share * F * u.v);
    rate[n_] = r.T;
    if (heat_.flash()) rate[n_ + 1] = r.T_flash;
    return F;
  }
  void slopes(const double* z, const Motion<double>& u, Slopes& out) const override {
    const std::size_t all = size(), acting = heat_.flash() ? n_ + 1 : n_;
    const Motion<double> now = heated(z, u);
    inner_->slopes(z, now, part_);
    if (!effects_) {  // the model has seen r times the factor
      part_.F_r *= now.dry;
      for (double& r : part_.rate_r) r *= now.dry;
    }
    out.F = part_.F;
    out.F_v = part_.F_v;
    out.F_r = part_.F_r;
    out.F_x = part_.F_x;
    out.F_path = part_.F_path;
    out.F_t = part_.F_t;
    out.r_load = part_.r_load;
    out.r_x = part_.r_x;
    std::fill(out.rate_z.begin(), out.rate_z.end(), 0.0);
    std::fill(out.F_z.begin(), out.F_z.end(), 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      out.F_z[i] = part_.F_z[i];
      out.rate[i] = part_.rate[i];
      out.rate_v[i] = part_.rate_v[i];
      out.rate_r[i] = part_.rate_r[i];
      for (std::size_t j = 0; j < n_; ++j) out.rate_z[i * all + j] = part_.rate_z[i * n_ + j];
    }
    // The laws of temperature are smooth: central differences have an error of 1e-9.
    const double T = z[acting], dT = 1e-4 * (1 + 0.01 * std::abs(T));
    const double warm = inner_->eval(z, heated(u, T + dT), warm_.data()),
                 cold = inner_->eval(z, heated(u, T - dT), cold_.data());
    out.F_z[acting] = (warm - cold) / (2 * dT);
    for (std::size_t i = 0; i < n_; ++i) out.rate_z[i * all + acting] = (warm_[i] - cold_[i]) / (2 * dT);
    const double q = heat_.share;
    const Heat::Nodes r = heat_.rates(nodes(z), q * out.F * u.v);
    out.rate[n_] = r.T;
    if (heat_.flash()) out.rate[n_ + 1] = r.T_flash;
    const double C = heat_.flash() ? heat_.flash_capacity : heat_.capacity;
    out.rate_v[n_] = out.rate_r[n_] = 0;
    out.rate_v[acting] = q * (out.F + u.v * out.F_v) / C;
    out.rate_r[acting] = q * u.v * out.F_r / C;
    for (std::size_t j = 0; j < all; ++j) out.rate_z[acting * all + j] = q * u.v * out.F_z[j] / C;
    const double h = heat_.conductance, G = heat_.flash_conductance;
    out.rate_z[n_ * all + n_] -= (h + (heat_.flash() ? G : 0)) / heat_.capacity;
    if (heat_.flash()) {
      out.rate_z[n_ * all + n_ + 1] += G / heat_.capacity;
      out.rate_z[(n_ + 1) * all + n_] += G / C;
      out.rate_z[(n_ + 1) * all + n_ + 1] -= G / C;
    }
  }
  void guards(const double* z, const Motion<double>& u, int owner, std::vector<Guard>& out) const override {
    inner_->guards(z, heated(z, u), owner, out);
  }
  void jump(double* z, const Motion<double>& u, int id) override { inner_->jump(z, heated(z, u), id); }
  bool holds() const override { return inner_->holds(); }
  int direction() const override { return inner_->direction(); }
  std::size_t memory_size() const override { return inner_->memory_size(); }
  void begin_memory(void* at) const override { inner_->begin_memory(at); }
  void use_memory(void* at) override { inner_->use_memory(at); }

 private:
  Heat::Nodes nodes(const double* z) const { return {z[n_], heat_.flash() ? z[n_ + 1] : 0}; }
  Motion<double> heated(const double* z, const Motion<double>& u) const { return heated(u, heat_.acting(nodes(z))); }
  Motion<double> heated(const Motion<double>& u, double T) const {
    return HeatedContact::at_temperature(heat_, u, T, effects_);
  }

  std::unique_ptr<ContactFlow> inner_;
  Heat heat_;
  bool effects_;
  std::size_t n_;
  mutable Slopes part_;
  mutable std::vector<double> warm_, cold_;
};

/// Two flows of one model, one per direction of motion, with one memory.
class DirectedFlow final : public ContactFlow {
 public:
  DirectedFlow(std::unique_ptr<ContactFlow> positive, std::unique_ptr<ContactFlow> negative)
      : positive_(std::move(positive)), negative_(std::move(negative)) {
    traits_ = positive_->traits();
    const Traits& other = negative_->traits();
    traits_.hybrid = traits_.hybrid || other.hybrid;
    traits_.apart = traits_.apart && other.apart;
    traits_.kink_at_rest = !traits_.hybrid;
    traits_.cusp_at_rest = traits_.cusp_at_rest || other.cusp_at_rest;
    traits_.scales.force = std::max(traits_.scales.force, other.scales.force);
    for (std::size_t i = 0; i < size(); ++i) {
      traits_.state_scale[i] = std::max(traits_.state_scale[i], other.state_scale[i]);
      traits_.bound[i] = std::max(traits_.bound[i], other.bound[i]);
    }
    share();
  }
  DirectedFlow(const DirectedFlow& o)
      : ContactFlow(o), positive_(o.positive_->clone()), negative_(o.negative_->clone()) {
    share();
  }
  std::unique_ptr<ContactFlow> clone() const override { return std::make_unique<DirectedFlow>(*this); }

  void begin(const double* z, const Motion<double>& u) override {
    towards(u.v != 0 ? side(u.v) : side(u.F_app)).begin(z, u);
  }
  double force(const double* z, const Motion<double>& u) const override { return at(u).force(z, u); }
  double eval(const double* z, const Motion<double>& u, double* rate) const override { return at(u).eval(z, u, rate); }
  void slopes(const double* z, const Motion<double>& u, Slopes& out) const override { at(u).slopes(z, u, out); }
  void guards(const double* z, const Motion<double>& u, int owner, std::vector<Guard>& out) const override {
    at(u).guards(z, u, owner, out);
  }
  void jump(double* z, const Motion<double>& u, int id) override {
    (traits_.set_valued ? towards(side(u.F_app)) : at(u)).jump(z, u, id);
  }
  bool holds() const override { return positive_->holds(); }
  std::size_t memory_size() const override { return positive_->memory_size(); }
  void begin_memory(void* to) const override { positive_->begin_memory(to); }
  void use_memory(void* memory) override {
    positive_->use_memory(memory);
    negative_->use_memory(memory);
  }

 private:
  ContactFlow& towards(int direction) const { return direction < 0 ? *negative_ : *positive_; }
  ContactFlow& at(const Motion<double>& u) const {
    const int slips = holds() ? 0 : positive_->direction();
    return towards(slips != 0 ? slips : u.v != 0 ? side(u.v) : side(u.F_app));
  }
  void share() {
    memory_.resize(memory_size() / sizeof(std::max_align_t) + 1);
    begin_memory(memory_.data());
    use_memory(memory_.data());
  }
  std::unique_ptr<ContactFlow> positive_, negative_;
  std::vector<std::max_align_t> memory_;
};

/// A contact without state equation: it has states, but neither rates nor slopes.
class StepsOnly final : public ContactFlow {
 public:
  explicit StepsOnly(const AnyContact& any) {
    traits_.scales = any.scales();
    traits_.states = any.states();
    traits_.state_scale.assign(traits_.states.size(), 1);
    traits_.bound.assign(traits_.states.size(), inf);
  }
  std::unique_ptr<ContactFlow> clone() const override { return std::make_unique<StepsOnly>(*this); }
  void begin(const double*, const Motion<double>&) override {}
  double force(const double*, const Motion<double>&) const override { return 0; }
  double eval(const double*, const Motion<double>&, double*) const override { return 0; }
  void slopes(const double*, const Motion<double>&, Slopes&) const override {}
  void guards(const double*, const Motion<double>&, int, std::vector<Guard>&) const override {}
  void jump(double*, const Motion<double>&, int) override {}
  bool holds() const override { return false; }
};

}  // namespace

std::unique_ptr<ContactFlow> make_flow(const AnyContact& any) {
  std::unique_ptr<ContactFlow> flow;
  if (const auto* hot = dynamic_cast<const HeatedContact*>(&any))
    return std::make_unique<HeatFlow>(make_flow(hot->inner()), hot->heat(), hot->start(), hot->has_effects());
  if (dynamic_cast<const BoxedPopulation*>(&any) || dynamic_cast<const BoxedGeneric2010*>(&any))
    return std::make_unique<StepsOnly>(any);
  visit_contact(any, [&](const auto& box) {
    const auto& c = box.contact;
    if constexpr (!Flow<std::remove_cvref_t<decltype(model_of(c))>>) {
      flow = std::make_unique<StepsOnly>(any);
    } else if constexpr (requires { c.inner; }) {
      using Typed = TypedFlow<std::remove_cvref_t<decltype(model_of(c))>>;
      flow = std::make_unique<Typed>(c.inner.inner, box.start);
      if (is_directed(c))
        flow = std::make_unique<DirectedFlow>(std::move(flow), std::make_unique<Typed>(c.inner.negative, box.start));
      flow = std::make_unique<EffectFlow>(std::move(flow), c.p);
    } else {
      flow = std::make_unique<TypedFlow<std::remove_cvref_t<decltype(c)>>>(c, box.start);
    }
  });
  if (!flow)
    throw BadInput("a contact of " + std::string(any.model()) +
                   " from outside the registry cannot be simulated; make() is required");
  return flow;
}

}  // namespace bristle
