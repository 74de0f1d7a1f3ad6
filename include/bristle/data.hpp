#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trace.hpp"
#include "value.hpp"

/// Measured data, from a file to what the fits see.
namespace bristle::identify {

struct Reduction;

/// One recording, cleaned, in SI units. Every series has the length of the recording or is empty where it is unknown.
struct Recording {
  std::string name{};
  std::vector<double> t{};                // s, strictly increasing within a stretch; empty: steady points
  std::vector<double> x{}, v{}, a{};      // m or rad, and their rates; what was not measured comes from a smoother
  std::vector<double> F{};                // measured friction, N or N m, with the sign of the velocity it opposes
  std::vector<double> u{};                // or: the actuator's force, which also moves inertia, offset and gravity
  std::vector<double> N{}, T{};           // normal load, temperature
  std::vector<double> ref{};              // position that a controller was told to follow, m or rad
  std::vector<double> on{};               // 1 where the actuator acts, 0 where it is released; empty: always
  std::vector<double> load{};             // force or torque that a drive transmits, in the sense of v
  std::vector<double> sigma{};            // standard deviation of each F or u, where the data tell it
  std::vector<std::size_t> stretches{0};  // where a stretch without gaps begins; states start anew there
  bool rotational = false;
  bool coefficient = false;                      // F is a friction coefficient (role mu): dimensionless
  std::shared_ptr<const Reduction> reduction{};  // where rows are means of those of a longer recording (Reading::rate)
  bool motion = false;                           // x is what a fit has to explain, by simulation, not a force

  bool steady() const { return t.empty(); }
  const std::vector<double>& target() const { return motion ? x : u.empty() ? F : u; }
  std::size_t size() const { return target().size(); }
};

/// What a user may say about the data.
struct Reading {
  // Role (t, x, v, F, mu, u, N, T, sigma, ref, on, load) and expression over columns: {"F", "-torque_Nm"}; "none" leaves a role empty.
  std::vector<std::pair<std::string, std::string>> columns{};
  double bandwidth = 0;  // Hz of the differentiator; 0: chosen from the data
  double rate = 0;  // Hz at which forces are compared, filtered before; 0: as measured. Models follow the whole motion
  bool motion = false;                // for a fit by simulation: x is needed, a force is not
  std::size_t most_rows = 2'000'000;  // longer recordings are thinned, and it is said
};

/// What was found on the way, one line each: "12 rows repeat their time and were left out".
struct Finding {
  bool warning = false;  // false: worth knowing
  std::string text{};
};

struct Read {
  Recording recording{};  // empty if there are problems
  std::vector<Finding> findings{};
  double bandwidth = 0;  // Hz that was used to differentiate; 0: nothing was differentiated
  Problems problems{};
};
/// CSV or MAT, by content.
Read read_recording(const std::string& path, const Reading& reading = {});
/// The same from columns that are already in memory; `path` is used for messages.
Read make_recording(const Trace& trace, const Reading& reading, const std::string& path);

}  // namespace bristle::identify
