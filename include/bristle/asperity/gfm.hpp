#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../contact.hpp"
#include "../random.hpp"
#include "aligned.hpp"
#include "distribution.hpp"

/// The generic friction model at the level of asperities.
///   stretch   xi = u - p, tip p on a land of the counter profile; 0 when free                       (1)
///   force     F = sum kt xi / N                                                                     (2)
///   stick     p constant while |xi| < Y; slip: xi = +-Y; Y = c mu(age), c = kn max(0, h - d)/kt      (3)
///   adhesion  mu = mu_inf - (mu_inf - mu0) exp(-age/tau), or mu_log + b_log ln(1 + age/tau_log)     (4)
///   impact    W_imp += m v^2/2 when an asperity meets a land; age starts at 0                       (5)
///   break     when the tip reaches the land's end: W_def += kt xi^2/2, the tip jumps to u           (6)
///   work      int F du = W_adh + W_def + change of E,  W_adh = int kt |xi| |dp|                      (7)
/// At constant velocity u - Y is convex in time, so that the end of a step determines (3): xi = clamp(u - p, +-Y).
/// Asperities that reach an edge are treated event by event, exactly for steps of any length.
/// Forces and energies are per asperity. The profile is quenched: reversed motion meets the same lands.
namespace bristle {

/// Growth of local adhesion with the time of contact.
enum class Adhesion { exponential, logarithmic };
constexpr std::array<const char*, 2> choices(Adhesion) { return {"exponential", "logarithmic"}; }

/// Parameters with a distribution of their own, [friction.distribution]; absent: drawn as the fields below say. `land` and
/// `gap` together replace the keys of the wavelength, each alone the part of it that they describe.
struct GfmDistribution {
  /// The laws of distribution.
  using Distribution = asperity::Distribution;
  // h: heights, in place of h_max; land: lengths of lands; gap: lengths of gaps
  std::optional<Distribution> h{}, kt{}, kn{}, mass{}, land{}, gap{};
  /// The quantities that may have a law of their own.
  static constexpr auto list() {
    using D = GfmDistribution;
    return std::array<asperity::Drawn<D>, 6>{{{"h", &D::h, any_real, {"h_max"}},
                                              {"kt", &D::kt, positive, {"kt"}},
                                              {"kn", &D::kn, positive, {"kn"}},
                                              {"mass", &D::mass, nonnegative, {"mass"}},
                                              {"land", &D::land, positive, {}},
                                              {"gap", &D::gap, positive, {}}}};
  }
  /// Keys that two distributions replace together.
  static constexpr std::array<const char*, 3> of_land_and_gap{"wavelength", "topography", "wavelength_spread"};
  friend bool operator==(const GfmDistribution&, const GfmDistribution&) = default;
};

/// Parameters of the population of 2008.
struct GfmParams {
  int asperities{4000};
  std::int64_t seed{1};
  double kt{16}, kn{1}, mass{0.03}, h_max{2}, separation{0}, wavelength{1}, topography{1}, wavelength_spread{0.75};
  Adhesion adhesion{Adhesion::exponential};
  double mu0{0.2}, mu_inf{1}, tau{1}, mu_log{0.4}, b_log{0.06}, tau_log{1e-3}, age0{0};
  bool impact{true};
  double normal_load{0}, scale{1};
  GfmDistribution distribution{};  // laws in place of ranges

  static constexpr auto fields() {
    using P = GfmParams;
    return Fields{
        Field{&P::asperities, "asperities", "1", "number of asperities", Range{1, 2e7}, role::optional | role::fixed},
        Field{&P::seed, "seed", "1", "seed of the population, the same on every machine", Range{0, 0x1p53},
              role::optional | role::fixed},
        Field{&P::kt, "kt", "N/m", "tangential stiffness, distributed as kt U(0.5, 1.5)", positive, role::optional},
        Field{&P::kn, "kn", "N/m", "normal stiffness, distributed as kn U(0.5, 1.5)", positive, role::optional},
        Field{&P::mass, "mass", "kg", "mass of an asperity, distributed as mass U(0.5, 1.5)", nonnegative,
              role::optional},
        Field{&P::h_max, "h_max", "m", "largest height; heights are h_max U(0, 1)", positive, role::optional},
        Field{&P::separation, "separation", "m", "separation of the surfaces: lower asperities do not touch", any_real,
              role::optional},
        Field{&P::wavelength, "wavelength", "m", "mean wavelength of the counter profile", positive, role::optional},
        Field{&P::topography, "topography", "1", "mean gap over mean land", Range{1e-6, 1e6}, role::optional},
        Field{&P::wavelength_spread, "wavelength_spread", "1",
              "relative spread of lands and gaps: mean (1 + spread U(-1, 1))", Range{0, 1}, role::optional},
        Field{&P::adhesion, "adhesion", "", "growth of local adhesion with the age of a contact", any_real,
              role::optional | role::fixed},
        Field{&P::mu0, "mu0", "1", "adhesion of a new contact, exponential law", nonnegative, role::optional},
        Field{&P::mu_inf, "mu_inf", "1", "adhesion of an old contact, exponential law", nonnegative, role::optional},
        Field{&P::tau, "tau", "s", "time constant of growth, exponential law", positive, role::optional},
        Field{&P::mu_log, "mu_log", "1", "adhesion of a new contact, logarithmic law", nonnegative, role::optional},
        Field{&P::b_log, "b_log", "1", "growth per e-fold of age, logarithmic law", nonnegative, role::optional},
        Field{&P::tau_log, "tau_log", "s", "age at which growth begins, logarithmic law", positive, role::optional},
        Field{&P::age0, "age0", "s", "age of the initial contacts", nonnegative, role::optional | role::fixed},
        Field{&P::impact, "impact", "", "whether F contains the force of impacts", any_real,
              role::optional | role::fixed},
        Field{&P::normal_load, "normal_load", "N",
              "load per asperity, which determines the separation; 0: given separation", nonnegative,
              role::optional | role::fixed},
        Field{&P::scale, "scale", "1", "factor of the force", positive, role::optional}};
  }
  static constexpr auto relations() { return std::array{relation::above<&GfmParams::mu_inf, &GfmParams::mu0>}; }
};

namespace asperity {

/// One step at constant velocity: displacement at its end, duration, and load over normal_load.
struct Step {
  double u, dt;
  double r{1};
};

/// Sums over a population at the end of a step, per asperity. Works are those of the step.
struct Record {
  double F{};                        // sum of kt xi, without impact
  double W_adh{}, W_def{}, W_imp{};  // lost in slip, break, impact
  double E{};                        // elastic energy
  double Fn{};                       // normal load of the contacts
  double contact{}, slip{};          // fraction of asperities in contact, fraction in slip
  /// Adds another part of a step.
  Record& operator+=(const Record& o);
  /// Multiplies forces and energies.
  Record& operator*=(double s);
};

/// State of an asperity.
enum class Phase { free, stick, slip };
/// One asperity, for snapshots.
struct Asperity {
  Phase phase;
  double force, load;         // kt xi, kn zeta
  double tip, age;            // age: s, of a contact; infinite if it no longer matters
  double land_from, land_to;  // of the land it touches, or the gap it is in
};

struct Kernel;  // NOLINT(bugprone-forward-declaration-namespace): bristle::kernel has one of its own
struct Move;
struct Visit;
struct Inside;  // access for the same steps on a GPU

}  // namespace asperity

/// A population with its state.
class Gfm {
 public:
  /// The parameters.
  using Params = GfmParams;
  static const Card card;
  /// Properties that the model claims.
  static constexpr Properties has{.stiction = true,
                                  .presliding = true,
                                  .memory = true,
                                  .stribeck = true,
                                  .lag = true,
                                  .varying_breakaway = true,
                                  .odd = false,
                                  .random = true};

  /// Draws the population; without energies the force alone is computed, in less time.
  explicit Gfm(const GfmParams& p = {}, bool energies = true);

  /// Returns to the start.
  void reset();
  /// Many steps of a prescribed motion. Records are bitwise equal for any number of threads. Without `energies`
  /// W_adh, E and slip are not computed.
  void run(std::span<const asperity::Step> steps, std::span<asperity::Record> records, unsigned threads = 1);
  /// Moves the body by u within dt; r: ratio of the load to the nominal one.
  asperity::Record step(double u, double dt, double r = 1);
  /// F and W_imp of a step without taking it.
  asperity::Record trial(double u, double dt, double r = 1) const;
  /// The present record; works are 0.
  asperity::Record now() const;
  /// Changes the separation; asperities stretched too far slip at once. Returns the works.
  asperity::Record separate(double d);
  double separation() const { return d_; }
  double u() const { return u_; }
  /// Time since the start.
  double time() const { return reference_ + t_.value(); }
  std::size_t size() const { return n_; }
  /// The state of every asperity.
  std::vector<asperity::Asperity> snapshot() const;
  /// All that changes, as one list of numbers.
  std::vector<std::string> state_names() const;
  /// All states as numbers; set_state takes them back.
  std::vector<double> state() const;
  /// False, and nothing changes, for a list that is no state of this population.
  bool set_state(std::span<const double> values);
  /// Instruction set of the hot loop.
  static const char* instruction_set();
  /// Chooses an instruction set; "" for the best. For tests and benchmarks; false if not available.
  static bool use_instruction_set(std::string_view name);

  /// Typical magnitudes, for tolerances.
  Scales<double> scales() const;
  double period() const { return period_; }             // mean length of a land and a gap
  double highest() const { return highest_; }           // height
  double mean_kt() const { return mean_kt_; }           // of the distribution
  double topography() const { return gaps_per_land_; }  // mean gap over mean land

  const GfmParams p;  // the parameters, as checked at the start

 private:
  friend struct asperity::Inside;
  static constexpr std::size_t leaf = 256;  // asperities that make many steps together
  /// A sum with its rounding error.
  struct Clock {
    double sum{}, rest{};
    double value() const { return sum + rest; }
    void add(double x);
  };
  struct Land {
    double from, to;
    std::int64_t j;
  };
  /// Sums over the contacts of a leaf.
  struct alignas(64) Tally {
    double load;  // sum of kn zeta
    std::int64_t contacts;
  };
  using Visit = asperity::Visit;
  struct Lands;

  void draw();
  double land_length(std::size_t i, std::int64_t j) const;
  double gap_length(std::size_t i, std::int64_t j) const;
  Visit landed(std::size_t i, const Land& left, bool forward, double u) const;
  void write(std::size_t i, const Visit& v, double g);
  double fresh(double t) const;  // g of a contact that begins at t after the reference time
  double adhesion_of(double g) const;
  double longest_reference() const;
  void rebase(std::size_t k, double t);
  asperity::Move move_to(double u, double dt) const;
  asperity::Move next_move(double u, double dt);
  void run_moves(std::span<const asperity::Move> moves, std::span<asperity::Record* const> to, unsigned threads,
                 std::vector<asperity::Record>& parts);
  void run_leaf(std::size_t k, const asperity::Move& m, asperity::Record& out, Tally& tally);
  using Hits = std::array<std::uint16_t, leaf>;
  std::size_t sweep(std::size_t k, const asperity::Move& m, bool energies, double* tips, asperity::Record& out,
                    Hits& hits) const;
  Visit visit(std::size_t i, double g, const asperity::Move& m, bool energies, asperity::Record& out) const;
  asperity::Record follow_load(double r);
  asperity::Record standing(std::size_t k, double u) const;
  void sum_loads();
  bool exponential() const { return p.adhesion == Adhesion::exponential; }
  std::size_t leaves() const { return padded_ / leaf; }

  std::size_t n_, padded_;
  bool energies_;
  std::uint64_t land_key_{}, gap_key_{};
  std::optional<asperity::Sampler> land_, gap_;
  double period_{}, mean_kt_{}, mean_kn_{}, gaps_per_land_{};
  double lowest_{}, highest_{};  // heights
  double d_{}, u_{};
  double reference_{};                                // reference time of g_
  Clock t_;                                           // since the reference time
  asperity::Aligned<double> kt_, kn_, h_, m_, full_;  // constants; full_ is c of (3)
  asperity::Aligned<double> p_, c_, low_, high_;      // tip; c or 0 when free; positions of the edges
  asperity::Aligned<double> g_;  // exponential: exp((t_enter - t_ref)/tau), 0 when free; logarithmic: t_enter - t_ref
  asperity::Aligned<std::int64_t> j_;  // land, or the land before the gap
  asperity::Aligned<char> on_;         // above a land
  std::vector<Tally> tallies_;         // of each leaf
};

}  // namespace bristle
