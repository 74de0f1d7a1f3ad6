#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/look.hpp"

namespace CLI {
class App;
}

/// Commands for many runs: compare, sweep, optimize, analyze; and surface. Each returns the exit status.
namespace bristle::cli {

struct CompareOptions {
  std::vector<std::string> files{};
  std::vector<std::string> set_each{}, changes{}, measures{};  // KEY=A,B,C; KEY=VALUE; NAME=EXPR
  std::string plot{}, report{}, csv{};                         // files, and a folder; empty: none
  PlotLook look{};                                             // of --plot
  bool json = false;
};
int compare(const CompareOptions& options);

struct SweepOptions {
  std::string file{};
  std::vector<std::string> vary{}, changes{}, measures{};
  std::vector<std::string> merge{};                            // folders of shards
  std::string sample{}, shard{}, out = "sweep-out", device{};  // device: empty: that of the file
  unsigned threads = 0;
  bool resume = false, quiet = false, json = false;
};
int sweep(const SweepOptions& options);

struct OptimizeOptions {
  std::string file{}, minimize{}, maximize{};
  std::vector<std::string> vary{}, changes{}, measures{};
  std::string out{};  // folder; empty: prints the result
  int evaluations = 300;
  std::uint64_t seed = 1;
  unsigned threads = 0;
  bool json = false;
};
int optimize(const OptimizeOptions& options);

struct AnalyzeOptions {
  std::string file{}, what{};
  std::vector<std::string> vary{}, changes{};
  std::string out = "analyze-out";
  unsigned threads = 0;
  bool resume = false, json = false;
};
int analyze(const AnalyzeOptions& options);

struct SurfaceOptions {
  std::string file{}, counter{}, spacing{}, level = "mean", summits = "nayak";
  std::optional<double> cutoff{}, shortest{}, E{}, hardness{}, shear{}, area{}, mass{}, load{}, separation{};
  double poisson = 0.3, density = 7800;
  std::string out{};  // folder; empty: prints the numbers
  unsigned threads = 0;
  bool json = false;
};
int surface_command(const SurfaceOptions& options);
CLI::App* add_surface(CLI::App& app, SurfaceOptions& options);

/// Declares the commands; run() executes the one on the command line.
class Studies {
 public:
  explicit Studies(CLI::App& app);
  /// Empty if the command line has none of these commands.
  std::optional<int> run() const;

 private:
  CompareOptions compare_{};
  SweepOptions sweep_{};
  OptimizeOptions optimize_{};
  AnalyzeOptions analyze_{};
  SurfaceOptions surface_{};
  CLI::App *compare_app_, *sweep_app_, *optimize_app_, *analyze_app_, *surface_app_;
};

}  // namespace bristle::cli
