#pragma once
#include <concepts>

#include "couple.hpp"

/// Any contact behind one type that owns nothing, for solvers of many contacts.
namespace bristle {

/// A contact with its state: pointers, and functions of its type. Empty: no friction here.
class ContactRef {
 public:
  /// Force and slope at a trial velocity.
  using Response = detail::Response;
  /// Velocity at which force and momentum balance.
  using Root = detail::Root;
  /// A trial step: the motion at its start, what the contact would have to hold at rest, how long it takes.
  struct Trial {
    const Motion<double>& u;
    double need, dt;  // need: right side of the balance, N
  };
  /// A search for the balance mass_dt w + F(w) = need downhill from `origin`, with `start` as the first guess.
  struct Search {
    // mass_dt: mass over the step, kg/s; start: velocity at which the search begins; origin: velocity of the kink
    double mass_dt, start, origin{};
  };
  /// The functions of one type of contact.
  struct Functions {
    bool set_valued;  // whether the force at rest is a set
    /// Largest force, N.
    double (*size)(const ContactRef&);
    /// Force at velocity 0.
    Response (*stop)(const ContactRef&, const Trial&);
    /// Force and slope at the velocity w.
    Response (*respond)(const ContactRef&, const Trial&, double w);
    /// Velocity where the balance holds.
    Root (*root)(const ContactRef&, const Trial&, const Search&, double F_origin);
    /// Takes the step at the velocity w and returns the force.
    double (*advance)(const ContactRef&, const Trial&, double w);
  };

  ContactRef() = default;
  template <Contact C>
    requires std::same_as<typename C::Scalar, double>
  ContactRef(const C& c, typename C::State& s, typename C::Mode& q)
      : contact(&c), state(&s), mode(&q), functions_(&functions_of<C>) {}
  /// For a contact that is no value type.
  ContactRef(void* c, const Functions& f) : contact(c), state(c), functions_(&f) {}

  /// Whether there is a contact.
  explicit operator bool() const { return functions_ != nullptr; }
  /// Whether a body can stand still over a range of forces.
  bool set_valued() const { return functions_ && functions_->set_valued; }
  /// Natural size of its forces, which says what rounding does to them.
  double size() const { return functions_ ? functions_->size(*this) : 0; }
  /// Trial steps, at rest and at velocity w: the state stays.
  Response stop(const Trial& t) const { return functions_ ? functions_->stop(*this, t) : Response{}; }
  /// Force and slope at the velocity w; the state is left as it is.
  Response respond(const Trial& t, double w) const {
    return functions_ ? functions_->respond(*this, t, w) : Response{};
  }
  /// F_origin: the force of a trial step at the origin of the search.
  Root root(const Trial& t, const Search& s, double F_origin) const {
    if (functions_) return functions_->root(*this, t, s, F_origin);
    return {t.need / s.mass_dt, 0, Root::balance};
  }
  /// Takes the step at velocity w and returns the force.
  double advance(const Trial& t, double w) const { return functions_ ? functions_->advance(*this, t, w) : 0; }

  /// The search for any `respond(w)`.
  template <class Respond> static Root search(Respond&& respond, const Trial& t, const Search& s, double F_origin) {
    auto shifted = [&](double w) { return respond(s.origin + w); };
    Root root = detail::find_root(shifted, F_origin, s.start - s.origin, s.mass_dt, t.need - s.mass_dt * s.origin);
    root.w += s.origin;
    return root;
  }

  const void* contact = nullptr;
  // state: its state; mode: its mode
  void *state = nullptr, *mode = nullptr;

 private:
  /// So that the search is compiled once for all contacts.
  struct AnyRespond {
    const void* bound;
    Response (*call)(const void*, double);
    Response operator()(double w) const { return call(bound, w); }
  };
  template <class C> struct Of {
    using S = typename C::State;
    using Q = typename C::Mode;
    static const C& c(const ContactRef& r) { return *static_cast<const C*>(r.contact); }
    static S& s(const ContactRef& r) { return *static_cast<S*>(r.state); }
    static Q& q(const ContactRef& r) { return *static_cast<Q*>(r.mode); }
    /// In dual numbers, for the slope.
    struct Bound {
      using D = Dual<double>;
      using DC = rebound<C, D>;
      DC c;
      typename DC::State s;
      const Q& q;
      Motion<D> u;
      double need, dt;
      Bound(const ContactRef& r, const Trial& t)
          : c(rebind<D>(Of::c(r))),
            s(convert<typename DC::State>(Of::s(r))),
            q(Of::q(r)),
            u(rebind<D>(t.u)),
            need(t.need),
            dt(t.dt) {}
      static Response at(const void* self, double w) {
        const Bound& b = *static_cast<const Bound*>(self);
        const detail::Trial<DC, D> trial(b.c, b.s, b.q, b.u, b.need, D::variable(w), b.dt);
        if constexpr (SetValued<DC>) return {trial.F.a, trial.F.d[0], b.c.holds(trial.q)};
        return {trial.F.a, trial.F.d[0]};
      }
    };

    static double size(const ContactRef& r) {
      if constexpr (requires { c(r).scales(); }) return c(r).scales().force;
      if constexpr (requires { c(r).inner.scales(); }) return c(r).inner.scales().force;
      return 0;
    }
    static detail::Trial<C, double> at(const ContactRef& r, const Trial& t, double w) {
      return {c(r), s(r), q(r), t.u, t.need, w, t.dt};
    }
    static Response stop(const ContactRef& r, const Trial& t) {
      const auto trial = at(r, t, 0);
      if constexpr (SetValued<C>) return {trial.F, 0, c(r).holds(trial.q) && std::isfinite(trial.F)};
      return {trial.F, 0, false};
    }
    static Response respond(const ContactRef& r, const Trial& t, double w) {
      const Bound bound(r, t);
      return Bound::at(&bound, w);
    }
    static Root root(const ContactRef& r, const Trial& t, const Search& s, double F_origin) {
      const Bound bound(r, t);
      return search(AnyRespond{&bound, Bound::at}, t, s, F_origin);
    }
    static double advance(const ContactRef& r, const Trial& t, double w) {
      const auto trial = at(r, t, w);
      s(r) = trial.s;
      q(r) = trial.q;
      return trial.F;
    }
  };
  template <class C>
  static constexpr Functions functions_of{SetValued<C>,   Of<C>::size, Of<C>::stop,
                                          Of<C>::respond, Of<C>::root, Of<C>::advance};
  const Functions* functions_ = nullptr;
};

/// `couple` for a reference.
inline Coupled<double> couple(const ContactRef& c, const Motion<double>& u, double mass, double dt) {
  const double mass_dt = mass / dt, need = u.F_app + mass_dt * u.v;
  const ContactRef::Trial t{u, need, dt};
  const ContactRef::Response stop = c.stop(t);
  const detail::Root root = stop.holds ? detail::Root{0, 0, detail::Root::hold} : c.root(t, {mass_dt, u.v}, stop.F);
  const double F = c.advance(t, root.w);
  return {root.w, root.kind == detail::Root::balance ? F : need - mass_dt * root.w, root.slope,
          root.kind == detail::Root::hold};
}

}  // namespace bristle
