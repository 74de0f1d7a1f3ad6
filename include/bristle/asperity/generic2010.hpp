#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../contact.hpp"
#include "../random.hpp"
#include "distribution.hpp"

/// The elastic-plastic asperity model of 2010: point masses on two-element Maxwell-slip springs and dampers, between a main
/// mass and a counter profile. Dimensionless: time 1/w_N, length lambda, asperity forces over m_i w_N^2 lambda, forces on the
/// main mass over M w_N^2 lambda. With eT = X_t + dX - X, eN = Y_t - L - Y:
///   X'' = wTe^2 eT + wTp^2 dT + cT (X_t' - X') + wP^2 delta n_x + f_x                       (1)
///   Y'' = wNe^2 eN + wNp^2 dN + cN (Y_t' - Y') + wP^2 delta n_y + f_y                       (2)
///   d   = clip(d + change of e, +-r/w_p^2),  c = 2 zeta sqrt(w_e^2 + w_p^2)                 (3)
///   delta = max(0, -g), g: distance to the counter profile along its normal n              (4)
///   adhesion f: tangential, |f| <= Fadh along the profile while g < 0, set-valued at rest;
///               or normal, -Fadh n while g < ha                                            (5)
///   F   = sum m [wTe^2 eT + wTp^2 dT + cT (X_t' - X')],  Fn analogous, upwards              (6)
///   Y_t'' = Fn - load                                                                      (7)
/// Integrator: leapfrog with exact damping and the adhesion as Moreau's impulse, one evaluation per step.
/// Limits: explicit in the main mass (dt sum m c < 1); dt = 1e-3 adds energy to undamped systems; velocities above 8
/// require dt/2.
namespace bristle {

/// Direction of adhesion: along the profile, or towards it.
enum class AdhesionLaw { tangential, normal };
constexpr std::array<const char*, 2> choices(AdhesionLaw) { return {"tangential", "normal"}; }
/// Shape of the counter profile.
enum class Profile { circular, triangular, trapezoidal, sinusoidal };
constexpr std::array<const char*, 4> choices(Profile) {
  return {"circular", "triangular", "trapezoidal", "sinusoidal"};
}
/// The prescribed quantity of the normal direction.
enum class NormalControl { load, depth };
constexpr std::array<const char*, 2> choices(NormalControl) { return {"load", "depth"}; }
/// Leapfrog with Moreau's impulses, or Adams-Bashforth-Moulton.
enum class Integrator { moreau, abm };
constexpr std::array<const char*, 2> choices(Integrator) { return {"moreau", "abm"}; }

/// Parameters with a distribution of their own, [friction.distribution]; absent: uniform in the range of their key, L Gaussian.
struct Generic2010Distribution {
  /// The laws of distribution.
  using Distribution = asperity::Distribution;
  // L: lengths of the asperities, in place of L_sd
  std::optional<Distribution> wTe{}, wTp{}, rT{}, wNe{}, wNp{}, rN{}, dX{}, Fadh{}, R{}, wP{}, m{}, L{};
  /// The quantities that may have a law of their own.
  static constexpr auto list() {
    using D = Generic2010Distribution;
    return std::array<asperity::Drawn<D>, 12>{{{"wTe", &D::wTe, nonnegative, {"wTe"}},
                                               {"wTp", &D::wTp, positive, {"wTp"}},
                                               {"rT", &D::rT, nonnegative, {"rT"}},
                                               {"wNe", &D::wNe, nonnegative, {"wNe"}},
                                               {"wNp", &D::wNp, positive, {"wNp"}},
                                               {"rN", &D::rN, nonnegative, {"rN"}},
                                               {"dX", &D::dX, any_real, {"dX"}},
                                               {"Fadh", &D::Fadh, nonnegative, {"Fadh"}},
                                               {"R", &D::R, positive, {"R"}},
                                               {"wP", &D::wP, nonnegative, {"wP"}},
                                               {"m", &D::m, nonnegative, {"m"}},
                                               {"L", &D::L, any_real, {"L_sd"}}}};
  }
  friend bool operator==(const Generic2010Distribution&, const Generic2010Distribution&) = default;
};

/// Parameters of the point masses over a profile.
struct Generic2010Params {
  using Pair = Vec<double, 2>;  // Pair: the ends of a uniform distribution
  int asperities{2000};
  std::int64_t seed{1};
  // wTp: frequency of the yielding spring, tangential; rT: force at which it yields; wNe: elastic frequency, normal;
  // wNp: frequency of the yielding spring, normal; rN: force at which it yields; dX: place; Fadh: adhesion;
  // wP: frequency of the contact; m: mass over the main mass
  Pair wTe{25, 75}, wTp{50, 150}, rT{0, 20}, wNe{10, 30}, wNp{20, 60}, rN{0, 30}, dX{-0.25, 0.25}, Fadh{0, 200},
      R{0.02, 0.1}, wP{0, 1000}, m{0, 0.08 / asperities};
  double L_sd{0.11}, A{4e-3}, zeta_T{0.5}, zeta_N{1}, zeta_N_tail{1000}, tail_share{0.35}, ha{4e-3};
  AdhesionLaw adhesion{AdhesionLaw::tangential};
  Profile profile{Profile::circular};
  double load{5}, dt{5e-4}, settle{60};
  NormalControl control{NormalControl::load};
  double depth{0.6};
  Integrator integrator{Integrator::moreau};
  double slip_velocity{0.01};
  double scale_force{1}, scale_length{1}, scale_time{1};
  Generic2010Distribution distribution{};  // laws in place of ranges

  static constexpr auto fields() {
    using P = Generic2010Params;
    constexpr unsigned set = role::optional | role::fixed;
    return Fields{
        Field{&P::asperities, "asperities", "1", "number of asperities", Range{1, 2e7}, set},
        Field{&P::seed, "seed", "1", "seed of the population, the same on every machine", Range{0, 0x1p53}, set},
        Field{&P::wTe, "wTe", "1", "range of the tangential frequency of the elastic spring", nonnegative, set},
        Field{&P::wTp, "wTp", "1", "tangential frequency of the spring that yields", positive, set},
        Field{&P::rT, "rT", "1", "tangential yield force", nonnegative, set},
        Field{&P::wNe, "wNe", "1", "normal frequency of the elastic spring", nonnegative, set},
        Field{&P::wNp, "wNp", "1", "normal frequency of the spring that yields", positive, set},
        Field{&P::rN, "rN", "1", "normal yield force", nonnegative, set},
        Field{&P::dX, "dX", "1", "position along the main mass", any_real, set},
        Field{&P::Fadh, "Fadh", "1", "force of adhesion", nonnegative, set},
        Field{&P::R, "R", "1", "radius of the arcs of the counter profile", positive, set},
        Field{&P::wP, "wP", "1", "frequency of the contact with the profile", nonnegative, set},
        Field{&P::m, "m", "1", "mass of an asperity over the main mass", nonnegative, set},
        Field{&P::L_sd, "L_sd", "1", "standard deviation of the Gaussian lengths", nonnegative, set},
        Field{&P::A, "A", "1", "height of the profile", positive, set},
        Field{&P::zeta_T, "zeta_T", "1", "tangential damping ratio", nonnegative, set},
        Field{&P::zeta_N, "zeta_N", "1", "normal damping ratio of most asperities", nonnegative, set},
        Field{&P::zeta_N_tail, "zeta_N_tail", "1", "upper end of the log-uniform normal damping ratio of the others",
              nonnegative, set},
        Field{&P::tail_share, "tail_share", "1", "fraction of the others", Range{0, 1}, set},
        Field{&P::ha, "ha", "1", "reach of the normal adhesion", nonnegative, set},
        Field{&P::adhesion, "adhesion", "", "direction of the adhesion", any_real, set},
        Field{&P::profile, "profile", "", "shape of the counter profile", any_real, set},
        Field{&P::load, "load", "1", "normal load", nonnegative, set},
        Field{&P::dt, "dt", "1", "longest time step", positive, set},
        Field{&P::settle, "settle", "1", "time before t = 0 in which the load increases; 0: full load at t = 0",
              nonnegative, set},
        Field{&P::control, "control", "",
              "factor of the load ratio: the load of a free normal motion, or a prescribed depth", any_real, set},
        Field{&P::depth, "depth", "1", "indentation of the main mass, control = \"depth\"", nonnegative, set},
        Field{&P::integrator, "integrator", "", "leapfrog-Moreau, or Adams-Bashforth-Moulton for comparison", any_real,
              set},
        Field{&P::slip_velocity, "slip_velocity", "1", "abm: adhesion is smoothed by tanh(v/slip_velocity)", positive,
              set},
        Field{&P::scale_force, "scale_force", "N", "unit of force, M w_N^2 lambda", positive, set},
        Field{&P::scale_length, "scale_length", "m", "unit of length, lambda", positive, set},
        Field{&P::scale_time, "scale_time", "s", "unit of time, 1/w_N", positive, set}};
  }
  /// Whether both ends are given, the lower one first.
  static constexpr bool ordered(const Pair& r) { return r.n == 2 && r[0] <= r[1]; }
  static constexpr bool resolves(double dt, const Pair& a, const Pair& b, const Pair& c) {
    if (!ordered(a) || !ordered(b) || !ordered(c)) return true;  // reported already
    return dt * dt * (a[1] * a[1] + b[1] * b[1] + c[1] * c[1]) < 4;
  }
  static constexpr auto relations() {
    using P = Generic2010Params;
    return std::array{
        relation::interval<&P::wTe>, relation::interval<&P::wTp>, relation::interval<&P::rT>,
        relation::interval<&P::wNe>, relation::interval<&P::wNp>, relation::interval<&P::rN>,
        relation::interval<&P::dX>, relation::interval<&P::Fadh>, relation::interval<&P::R>, relation::interval<&P::wP>,
        relation::interval<&P::m>,
        Relation<P>{[](const P& p) { return (p.distribution.R ? p.distribution.R->lowest() : p.R[0]) > p.A; },
                    {"R", "A"},
                    "R > A"},
        Relation<P>{[](const P& p) { return p.tail_share == 0 || (p.zeta_N > 0 && p.zeta_N <= p.zeta_N_tail); },
                    {"zeta_N", "zeta_N_tail", "tail_share"},
                    "0 < zeta_N <= zeta_N_tail, or tail_share = 0"},
        // Leapfrog: two steps per oscillation of the fastest asperity. Without ends of the ranges, `fastest` tells.
        Relation<P>{[](const P& p) {
                      const auto& d = p.distribution;
                      return d.wP || d.wTe || d.wTp || resolves(p.dt, p.wP, p.wTe, p.wTp);
                    },
                    {"dt", "wP", "wTe", "wTp"},
                    "dt^2 (wP^2 + wTe^2 + wTp^2) < 4"},
        Relation<P>{[](const P& p) {
                      const auto& d = p.distribution;
                      return d.wP || d.wNe || d.wNp || resolves(p.dt, p.wP, p.wNe, p.wNp);
                    },
                    {"dt", "wP", "wNe", "wNp"},
                    "dt^2 (wP^2 + wNe^2 + wNp^2) < 4"},
        Relation<P>{[](const P& p) { return p.settle <= 1e8 * p.dt; }, {"settle", "dt"}, "settle <= 1e8 dt"}};
  }
};

namespace asperity {

/// A group of asperities, small enough for memory to be read in one stream. State: eT, eN, dT, dN as in the equations;
/// position rx from the crest of its arc and height Y of the mass; velocities u, v half a step later. Then the arc and
/// constants: squares of frequencies, limits r/w_p^2, damping over a step E = exp(-c dt) and G = (1 - E)/c, mass.
template <class T> struct alignas(64) Block {
  static constexpr std::size_t size = 16, leaf = 16;  // leaf: blocks that are summed together
  // eT: stretch of the elastic spring, tangential; eN: the same, normal;
  // dT: stretch of the yielding spring, tangential; dN: the same, normal;
  // rx: position relative to the crest of the arc; Y: height
  T eT[size]{}, eN[size]{}, dT[size]{}, dN[size]{}, rx[size]{}, Y[size]{}, u[size]{}, v[size]{};
  T R[size]{}, h[size]{};  // h: half of the chord of the arc
  // kTe: elastic stiffness per mass, tangential; kTp: the same of the yielding spring; lT: its largest stretch; kNe: elastic
  // stiffness per mass, normal; kNp: the same of the yielding spring; lN: its largest stretch; ET: velocity that damping leaves
  // in a step; GT: its mean over the step; EN: as ET, normal; GN: as GT, normal; kP: contact stiffness per mass; Fadh: adhesion
  // per mass; m: mass over the main mass
  T kTe[size]{}, kTp[size]{}, lT[size]{}, kNe[size]{}, kNp[size]{}, lN[size]{}, ET[size]{}, GT[size]{}, EN[size]{},
      GN[size]{}, kP[size]{}, Fadh[size]{}, m[size]{};
  std::int32_t arc[size]{};  // number of the arc below
};

/// Forces on the main mass at the end of a step.
struct Response {
  double F{};         // friction, resists
  double Fn{};        // normal force of the asperities, upwards
  double contacts{};  // number of asperities in contact
};

/// One asperity, for snapshots.
struct PointMass {
  bool touches, sticks;  // touches: whether the mass presses into the profile; sticks: whether adhesion holds it
  double force, load;    // on the main mass, of the springs
  double x, y, gap;      // from the main mass, above the base of the profile, to the profile
  double crest, half;    // of its arc: place as x, and half of its width
};

class Crew;     // threads that wait for work
struct Inside;  // access for the same steps on a GPU

}  // namespace asperity

/// A population with its state and the normal motion of its main mass; T is double or float.
template <class T = double> class Generic2010 {
 public:
  /// The parameters.
  using Params = Generic2010Params;
  /// Force and slope that a coupling sees.
  using Response = asperity::Response;
  static const Card card;
  /// Properties that the model claims.
  static constexpr Properties has{.stiction = true,
                                  .presliding = true,
                                  .memory = true,
                                  .stribeck = true,
                                  .lag = true,
                                  .varying_breakaway = true,
                                  .odd = false,
                                  .random = true,
                                  .exact_step = false};

  /// dt = 0: that of the parameters.
  explicit Generic2010(const Generic2010Params& p = {}, double dt = 0);

  /// Springs relaxed, the longest asperity on a crest.
  void reset();
  /// The load increases during half of `time`, with a damping of 2 on the normal motion for three quarters of it.
  /// `tick` is called regularly and may throw.
  void settle(double time, const std::function<void()>& tick = {});
  /// One step dt of the main mass with tangential velocity U, then the force there. A free main mass is
  ///   U += dt (pull - step(U, load).F)
  Response step(double U, double load);
  /// One step with prescribed normal position, Y at the end of the step.
  Response step_to(double U, double Y);

  const Response& last() const { return last_; }  // of the last step
  double dt() const { return dt_; }
  /// Normal position of the main mass.
  double Y() const { return Y_; }
  /// Its normal velocity.
  double V() const { return V_; }
  double start() const { return start_; }  // Y at reset
  /// Time since the start.
  double time() const { return static_cast<double>(steps_) * dt_; }
  std::size_t size() const { return n_; }
  /// Kinetic energy of all masses and of the normal motion of the main mass; velocities are half a step after
  /// positions.
  double kinetic() const;
  double potential() const;  // springs and contacts; meaningful without adhesion
  double momentum() const;   // tangential, of the asperities
  /// The largest wP^2 + we^2 + wp^2 of an asperity, tangential or normal; dt^2 times this must be less than 4.
  double fastest() const;
  /// The larger dt sum m c of both directions; the main mass is stable below about 1.
  double stiffness_of_dampers() const;
  /// The state of every asperity.
  std::vector<asperity::PointMass> snapshot() const;
  /// All that changes, as one list of numbers.
  std::vector<std::string> state_names() const;
  /// All states as numbers; set_state takes them back.
  std::vector<double> state() const;
  /// False, and nothing changes, for a list that is no state of this population.
  bool set_state(std::span<const double> values);

  /// Results are bitwise equal for any number of threads.
  void use_threads(unsigned n);
  /// Instruction set of the hot loop.
  static const char* instruction_set();
  /// Chooses an instruction set; "" for the best. For tests and benchmarks; false if not available.
  static bool use_instruction_set(std::string_view name);

  const Generic2010Params p;  // the parameters, as checked at the start

 private:
  friend struct asperity::Inside;
  static constexpr std::size_t arcs = 8192;  // one periodic profile, with a position for each asperity
  struct Profiles {
    std::array<T, arcs> R, h;
    std::array<double, arcs + 1> begin;
  };
  Response sweep(double U, double V);
  Response push(double U, double load, double damping);
  Response advance_abm(double U, double load, double damping, bool free);
  void damp();

  std::size_t n_;
  double dt_, Y_{}, V_{}, start_{};
  std::int64_t steps_{};
  Response last_{};
  std::shared_ptr<const Profiles> profile_;
  std::vector<asperity::Block<T>> blocks_;
  std::vector<double> shift_, L_, cT_, cN_;
  std::vector<double> history_;  // of abm
  unsigned threads_{1};
  std::shared_ptr<asperity::Crew> crew_;
};

extern template class Generic2010<double>;
extern template class Generic2010<float>;

}  // namespace bristle
