#include "simulate/shared/flow.hpp"

#include <algorithm>
#include <cmath>

#include "bristle/effects.hpp"
#include "bristle/models.hpp"
#include "registry/shared/generic2010.hpp"
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
    out.F_r *= gain * r_slope;
    out.F_x = F.d[1];
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

  bool curved() const { return e_.curve_F.n > 0 || e_.curve_gain.n > 0; }

  std::unique_ptr<ContactFlow> inner_;
  Effects<double> e_;
  Effects<D> dual_;
  bool in_time_ = false;
};

/// Two flows of one model, one per direction of motion, with one memory.
class DirectedFlow final : public ContactFlow {
 public:
  DirectedFlow(std::unique_ptr<ContactFlow> positive, std::unique_ptr<ContactFlow> negative)
      : positive_(std::move(positive)), negative_(std::move(negative)) {
    traits_ = positive_->traits();
    const Traits& other = negative_->traits();
    traits_.hybrid = traits_.hybrid || other.hybrid;
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
  if (dynamic_cast<const BoxedPopulation*>(&any) || dynamic_cast<const BoxedGeneric2010*>(&any))
    return std::make_unique<StepsOnly>(any);
  visit_contact(any, [&](const auto& box) {
    const auto& c = box.contact;
    if constexpr (requires { c.inner; }) {
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
