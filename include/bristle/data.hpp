#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trace.hpp"
#include "value.hpp"

/// Recordings: roles of columns, units, cleaning, differentiation.
namespace bristle::identify {

struct Reduction;

/// A force in proportion to a series, whose factor is fitted: see Reading::terms.
struct Term {
  std::string name{};
  std::vector<double> values{};
};

/// One cleaned recording in SI units. Every series has the length of the recording, or is empty if unknown.
struct Recording {
  std::string name{};
  std::vector<double> t{};                // s, strictly increasing within a segment; empty: steady points
  std::vector<double> x{}, v{}, a{};      // m or rad, and derivatives; missing ones come from a smoother
  std::vector<double> F{};                // measured friction, N or N m, with the sign of the velocity
  std::vector<double> u{};                // or actuator force, which also balances inertia, offset and gravity
  std::vector<double> N{}, T{};           // normal load, temperature
  std::vector<double> ref{};              // reference position of a controller, m or rad
  std::vector<double> on{};               // 1 while the actuator acts, 0 while it is released; empty: always 1
  std::vector<double> load{};             // force or torque transmitted by the drive, positive along v
  std::vector<double> sigma{};            // standard deviation of each F or u, if known
  std::vector<Term> terms{};              // of the user, besides friction
  std::vector<std::size_t> stretches{0};  // first rows of segments without gaps; states restart there
  bool rotational = false;
  bool coefficient = false;                      // F is a friction coefficient (role mu): dimensionless
  std::shared_ptr<const Reduction> reduction{};  // set if the recording was re-sampled (Reading::rate)
  bool motion = false;                           // a fit by simulation: the target is x, not a force
  double x_step = 0;                             // resolution of the measured position; 0: unknown
  double a_noise = 0;                            // standard deviation of the noise in a; 0: unknown
  // The motion that every second row alone shows, each row from those before and after the next one; of recordings with u:
  // sparse_x: position; sparse_v: velocity; sparse_a: acceleration
  std::vector<double> sparse_x{}, sparse_v{}, sparse_a{};
  std::vector<std::size_t> line{};  // place of each row in its file: line, or row of a binary file

  /// Whether these are steady points, without time.
  bool steady() const { return t.empty(); }
  /// The column that a fit reproduces.
  const std::vector<double>& target() const { return motion ? x : u.empty() ? F : u; }
  std::size_t size() const { return target().size(); }
};

/// Options for reading a recording.
struct Reading {
  // Role (t, x, v, F, mu, u, N, T, sigma, ref, on, load) and expression over columns: {"F", "-torque_Nm"}; "none": no
  // column.
  std::vector<std::pair<std::string, std::string>> columns{};
  double bandwidth = 0;               // Hz of the differentiator; 0: chosen from the data
  double rate = 0;                    // Hz of re-sampled forces; 0: as measured. Models follow the whole motion
  bool motion = false;                // for a fit by simulation: x is required, a force is not
  std::size_t most_rows = 2'000'000;  // longer recordings are thinned, with a finding
  std::size_t skip = 0;               // lines at the start of a text file to ignore
  // Name and expression of terms that are fitted linearly besides friction: {"spring", "sin(q1 + q2)"}.
  std::vector<std::pair<std::string, std::string>> terms{};  // parts of the expressions of columns
};

/// A remark in one line: "12 rows with repeated time skipped".
struct Finding {
  bool warning = false;  // false: information
  std::string text{};
};

/// Recordings, or the problems of their files.
struct Read {
  Recording recording{};            // empty if there are problems
  std::vector<Finding> findings{};  // remarks on the data
  double bandwidth = 0;             // Hz of the differentiator; 0: not used
  Problems problems{};
};
/// Reads CSV, JSON or MAT, depending on the content.
Read read_recording(const std::string& path, const Reading& reading = {});
/// One recording from several files with some of the signals each: side by side if they have equally many rows, or
/// interpolated at the times of the first file if each has a time. A single column without a name has the name of its
/// file.
Read read_joined(const std::vector<std::string>& paths, const Reading& reading = {});
/// A recording from columns in memory; `path` is used for messages.
Read make_recording(const Trace& trace, const Reading& reading, const std::string& path);

}  // namespace bristle::identify
