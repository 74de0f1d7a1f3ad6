#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "value.hpp"

/// From measured roughness to a population of asperities: filter, heights, spectral moments, summits, contact.
///
///   filter     weights exp(-pi (x/(a lambda))^2), a = sqrt(ln 2/pi), |x| <= lambda, normalised (ISO 16610-21)     (1)
///   moments    m0 = Sq^2, m2 = mean((z+ - z)/D)^2, m4 = mean((z+ - 2 z + z-)/D^2)^2, x and y averaged              (2)
///   summits    alpha = m0 m4/m2^2, eta = m4/(6 pi sqrt(3) m2), 1/R = (8/3) sqrt(m4/pi),
///              sigma_s^2 = (1 - 0.8968/alpha) m0, mean height 4 sqrt(m0/(pi alpha))                                (3)
///   load       p = (4/3) eta E sqrt(R) sigma_s^1.5 F_1.5(h),  F_n(h) = int_h^inf (s - h)^n phi(s) ds, h = d/sigma_s  (4)
///   area       A/A_n = pi eta R sigma_s F_1; contacts eta F_0; Persson erf(sqrt(2) p/(E sqrt(2 m2)))               (5)
///   plasticity psi = (E/H) sqrt(sigma_s/R)                                                                         (6)
/// Limits: (3) and (5) hold for isotropic Gaussian surfaces; (4) for elastic summits that do not affect each other.
/// References: Nayak 1971; McCool 1986; Greenwood and Williamson 1966; Persson 2001; Mindlin 1949.
namespace bristle::surface {

/// The work was stopped by `Work::stop`.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("stopped") {}
};

/// Results are the same bits for any number of threads.
struct Work {
  std::function<void(double)> progress{};  // share done, 0 to 1; called from one thread at a time
  const std::atomic<bool>* stop = nullptr;
  unsigned threads = 0;  // 0: all cores
};

/// Heights on a regular grid: z[j nx + i] at x0 + i dx, j dy. A profile has ny = 1. NaN: not measured.
struct Heights {
  std::size_t nx{}, ny{};   // nx: points along x; ny: points along y, 1 for a profile
  double dx{}, dy{}, x0{};  // m
  std::vector<double> z{};  // m

  /// Whether there is one line of points.
  bool is_profile() const { return ny == 1; }
  /// Length along x, m.
  double length_x() const { return static_cast<double>(nx) * dx; }
  /// Length along y, m.
  double length_y() const { return static_cast<double>(ny) * dy; }
};

/// Heights, or the problems of the file.
struct ReadResult {
  Heights heights{};  // empty if there are problems
  Problems problems{};
  std::vector<std::string> notes{};
};
/// Reads a profile (CSV with the columns x and z, or z), a map (CSV matrix whose rows are along x) or SDF as text. Units
/// of the header are converted; without units, lengths are in m. `spacing`: of files without positions; 0: not given.
ReadResult read_heights(const std::string& path, std::array<double, 2> spacing = {}, const Work& work = {});
/// Reads heights from text.
ReadResult parse_heights(std::string_view text, const std::string& path, std::array<double, 2> spacing = {},
                         const Work& work = {});

/// The form that is removed before the analysis.
enum class Level { none, mean, plane, quadratic };
constexpr std::array<const char*, 4> choices(Level) { return {"none", "mean", "plane", "quadratic"}; }
/// Source of the statistics of summits.
enum class Summits { nayak, counted };
constexpr std::array<const char*, 2> choices(Summits) { return {"nayak", "counted"}; }

/// Options of an analysis.
struct Settings {
  Level level = Level::mean;                                       // the form that is removed
  double cutoff = 0, shortest = 0;                                 // m, LC and LS; 0: no filter
  Summits summits = Summits::nayak;                                // source of the statistics of summits
  std::optional<double> E{}, hardness{}, shear{}, area{}, mass{};  // Pa, Pa, Pa, m^2, kg
  double poisson = 0.3, density = 7800;                            // 1, kg/m^3
  std::optional<double> load{}, separation{};                      // N; 1, over sigma_s
};

/// Spectral moments.
struct Moments {
  double m0{}, m2{}, m4{};  // m^2, 1, 1/m^2
};

/// A local maximum, larger than its 8 neighbours (2 in a profile).
struct Summit {
  double x{}, y{}, height{}, radius{};  // m
};

/// Statistics of summits. sigma_s is empty if the moments give no real value.
struct SummitStatistics {
  double eta{}, curvature{}, mean{};  // 1/m^2, 1/m, m above the mean plane
  std::optional<double> sigma_s{};    // m
  /// Mean radius of summits, m.
  double R() const { return 1 / curvature; }
};

/// Roughness after levels and filters.
struct Roughness {
  Heights heights{};  // what remains of them
  bool is_profile{};  // whether the heights are one line
  // Sa: mean deviation, m; Sq: root mean square deviation, m; Ssk: skewness; Sku: kurtosis; Sp: highest peak, m;
  // Sv: deepest valley, m; Sdq: root mean square slope
  double Sa{}, Sq{}, Ssk{}, Sku{}, Sp{}, Sv{}, Sdq{};
  Moments x{}, y{}, all{};                         // y is empty for a profile
  double alpha{};                                  // bandwidth parameter of Nayak
  SummitStatistics nayak{}, counted{};             // counted: maps only
  std::vector<Summit> summits{};                   // inner local maxima
  std::vector<double> spectrum_q{}, spectrum_C{};  // rad/m, m^3: mean spectrum along x, its integral is m0
  double bias_m2 = 1, bias_m4 = 1;                 // of (2) for a wave of the length `shortest`
  double missing{};                                // share of points that were not measured
  double wavelength() const;                       // 2 pi sqrt(m0/m2)
  std::vector<std::string> warnings{};             // remarks on the data
};
/// Throws BadSurface for input outside the accepted range.
struct BadSurface : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Parameters of roughness and statistics of summits.
Roughness roughness(Heights heights, const Settings& settings, const Work& work = {});

/// F_n of (4) for the Gaussian distribution.
double gaussian_moment(double n, double h);

/// Contact with a smooth plane at the separation h sigma_s; pressure is empty without E.
struct Contact {
  double h{}, separation{};          // separation: separation of the mean planes, m
  std::optional<double> pressure{};  // nominal pressure, Pa
  // contacts: number per area, 1/m^2; area_gw: part of the area in contact, Greenwood and Williamson;
  // area_persson: part of the area in contact, Persson
  double contacts{}, area_gw{}, area_persson{};
};

/// A population of Hertz summits as linear asperities of equal mean load and stiffness.
struct GfmPopulation {
  // kn: mean normal stiffness, N/m; kt: mean tangential stiffness, N/m; mass: mean mass, kg;
  // wavelength: mean wavelength of the counter profile, m; scale: number of summits on the nominal area;
  // separation: separation of the mean planes, m; sd: standard deviation of the heights of summits, m
  double kn{}, kt{}, mass{}, wavelength{}, scale{}, separation{}, sd{};
  std::optional<double> mu_inf{};  // saturated adhesion; empty: not derived
  int asperities{};                // number of asperities
};
/// Parameters of generic2010.
struct Generic2010Population {
  // omega_N: unit of angular frequency, 1/s; scale_force: unit of force, N; lambda: unit of length, m;
  // wTe: elastic frequency, tangential; wTp: yielding frequency, tangential; rN: yield force, normal; rT: yield force, tangential;
  // wP: contact frequency; L_sd: deviation of lengths; A: height of the profile; R: its radius; Fadh: adhesion; load: load;
  // m: mass over the main mass
  double omega_N{}, scale_force{}, lambda{}, wTe{}, wTp{}, rN{}, rT{}, wP{}, L_sd{}, A{}, R{}, Fadh{}, load{}, m{};
  int asperities{};  // number of asperities
};

/// Contact and populations of a surface.
struct Analysis {
  Settings settings{};                 // options of the analysis
  std::string file{}, counter_file{};  // counter_file: file of the counter surface, empty: rigid and flat
  Roughness roughness{};               // the surface
  std::optional<Roughness> counter{};  // the counter surface
  SummitStatistics used{};             // those of settings.summits
  std::vector<double> heights{};       // of counted summits in units of sigma_s, sorted; empty: Gaussian
  std::vector<Contact> contacts{};     // for a range of h
  std::optional<Contact> at{};         // at the given load or separation
  // area: nominal area of contact, m^2; load: normal load, N; psi: plasticity index
  std::optional<double> area{}, load{}, psi{};
  std::optional<GfmPopulation> gfm{};                  // parameters of gfm
  std::optional<Generic2010Population> generic2010{};  // parameters of generic2010
  std::string no_gfm{}, no_generic2010{};              // reasons
  std::vector<std::string> warnings{}, notes{};        // warnings: remarks
};
/// Problems of settings by themselves, with the names of the options of the command.
Problems check(const Settings& settings);
/// Throws BadSurface.
Analysis analyze(Roughness own, std::optional<Roughness> counter, const Settings& settings);

/// A number of the result; empty: not defined.
struct Named {
  std::string name, unit, meaning;
  std::optional<double> value{};  // its value; empty: not defined
};
/// All numbers with names and units.
std::vector<Named> values_of(const Analysis& analysis);

/// These numbers as CSV.
std::string surface_csv(const Analysis& analysis);
/// Contact against load as CSV.
std::string contact_csv(const Analysis& analysis);
/// Summits as CSV.
std::string summits_csv(const Analysis& analysis);
/// Friction files. Require analysis.gfm, analysis.generic2010.
std::string gfm_toml(const Analysis& analysis);
/// The friction block of generic2010.
std::string generic2010_toml(const Analysis& analysis);

}  // namespace bristle::surface
