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
  std::size_t nx{}, ny{};
  double dx{}, dy{}, x0{};  // m
  std::vector<double> z{};  // m

  bool is_profile() const { return ny == 1; }
  double length_x() const { return static_cast<double>(nx) * dx; }
  double length_y() const { return static_cast<double>(ny) * dy; }
};

struct ReadResult {
  Heights heights{};  // empty if there are problems
  Problems problems{};
  std::vector<std::string> notes{};
};
/// Reads a profile (CSV with the columns x and z, or z), a map (CSV matrix whose rows are along x) or SDF as text. Units
/// of the header are converted; without units, lengths are in m. `spacing`: of files without positions; 0: not given.
ReadResult read_heights(const std::string& path, std::array<double, 2> spacing = {}, const Work& work = {});
ReadResult parse_heights(std::string_view text, const std::string& path, std::array<double, 2> spacing = {},
                         const Work& work = {});

enum class Level { none, mean, plane, quadratic };
constexpr std::array<const char*, 4> choices(Level) { return {"none", "mean", "plane", "quadratic"}; }
enum class Summits { nayak, counted };
constexpr std::array<const char*, 2> choices(Summits) { return {"nayak", "counted"}; }

struct Settings {
  Level level = Level::mean;
  double cutoff = 0, shortest = 0;  // m, LC and LS; 0: no filter
  Summits summits = Summits::nayak;
  std::optional<double> E{}, hardness{}, shear{}, area{}, mass{};  // Pa, Pa, Pa, m^2, kg
  double poisson = 0.3, density = 7800;                            // 1, kg/m^3
  std::optional<double> load{}, separation{};                      // N; 1, over sigma_s
};

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
  double R() const { return 1 / curvature; }
};

/// Roughness after levels and filters.
struct Roughness {
  Heights heights{};  // what remains of them
  bool is_profile{};
  double Sa{}, Sq{}, Ssk{}, Sku{}, Sp{}, Sv{}, Sdq{};
  Moments x{}, y{}, all{};  // y is empty for a profile
  double alpha{};
  SummitStatistics nayak{}, counted{};             // counted: maps only
  std::vector<Summit> summits{};                   // inner local maxima
  std::vector<double> spectrum_q{}, spectrum_C{};  // rad/m, m^3: mean spectrum along x, its integral is m0
  double bias_m2 = 1, bias_m4 = 1;                 // of (2) for a wave of the length `shortest`
  double missing{};                                // share of points that were not measured
  double wavelength() const;                       // 2 pi sqrt(m0/m2)
  std::vector<std::string> warnings{};
};
/// Throws BadSurface for input outside the accepted range.
struct BadSurface : std::runtime_error {
  using std::runtime_error::runtime_error;
};
Roughness roughness(Heights heights, const Settings& settings, const Work& work = {});

/// F_n of (4) for the Gaussian distribution.
double gaussian_moment(double n, double h);

/// Contact with a smooth plane at the separation h sigma_s; pressure is empty without E.
struct Contact {
  double h{}, separation{};
  std::optional<double> pressure{};
  double contacts{}, area_gw{}, area_persson{};
};

/// A population of Hertz summits as linear asperities of equal mean load and stiffness.
struct GfmPopulation {
  double kn{}, kt{}, mass{}, wavelength{}, scale{}, separation{}, sd{};
  std::optional<double> mu_inf{};
  int asperities{};
};
struct Generic2010Population {
  double omega_N{}, scale_force{}, lambda{}, wTe{}, wTp{}, rN{}, rT{}, wP{}, L_sd{}, A{}, R{}, Fadh{}, load{}, m{};
  int asperities{};
};

/// Contact and populations of a surface.
struct Analysis {
  Settings settings{};
  std::string file{}, counter_file{};
  Roughness roughness{};
  std::optional<Roughness> counter{};
  SummitStatistics used{};          // those of settings.summits
  std::vector<double> heights{};    // of counted summits in units of sigma_s, sorted; empty: Gaussian
  std::vector<Contact> contacts{};  // for a range of h
  std::optional<Contact> at{};      // at the given load or separation
  std::optional<double> area{}, load{}, psi{};
  std::optional<GfmPopulation> gfm{};
  std::optional<Generic2010Population> generic2010{};
  std::string no_gfm{}, no_generic2010{};  // reasons
  std::vector<std::string> warnings{}, notes{};
};
/// Problems of settings by themselves, with the names of the options of the command.
Problems check(const Settings& settings);
/// Throws BadSurface.
Analysis analyze(Roughness own, std::optional<Roughness> counter, const Settings& settings);

/// A number of the result; empty: not defined.
struct Named {
  std::string name, unit, meaning;
  std::optional<double> value{};
};
std::vector<Named> values_of(const Analysis& analysis);

std::string surface_csv(const Analysis& analysis);
std::string contact_csv(const Analysis& analysis);
std::string summits_csv(const Analysis& analysis);
/// Friction files. Require analysis.gfm, analysis.generic2010.
std::string gfm_toml(const Analysis& analysis);
std::string generic2010_toml(const Analysis& analysis);

}  // namespace bristle::surface
