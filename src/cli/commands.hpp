#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "cli/look.hpp"

/// Subcommands; each returns the exit status.
namespace bristle::cli {

inline constexpr int done = 0, failed = 1, wrong_input = 2, stopped = 130;  // stopped: by Ctrl-C

/// Whether both names lead to one file that exists.
inline bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return !a.empty() && std::filesystem::equivalent(a, b, none);
}

int models(const std::string& name, bool json);

struct SimulateOptions {
  std::string file{};
  std::vector<std::string> changes{}, measures{};                            // KEY=VALUE, NAME=EXPR
  std::string csv{}, events{}, plot{}, report{}, population{}, catalogue{};  // files to write; empty: none
  PlotLook look{};                                                           // of --plot
  bool json = false, quiet = false;
};
int simulate(const SimulateOptions& options);

struct PapersOptions {
  std::vector<std::string> selection{};  // PAPER or PAPER/FIGURE; empty: all
  std::string from{};                    // folder of the papers; empty: those of Bristle
  std::string out = "papers-out";
  bool quick = false;  // skips the slow figures
  bool list = false, json = false;
};
int papers(const PapersOptions& options);

struct CharacterizeOptions {
  std::vector<std::string> files{};
  std::vector<std::string> changes{};  // KEY=VALUE, in every file
  std::string out{};                   // folder; empty: prints the table
  bool same = false;                   // the opposite of own, and the default
  bool own = false;                    // experiments at the scales of each contact, not at those of the first
  bool json = false;
};
int characterize(const CharacterizeOptions& options);

struct IdentifyOptions {
  std::vector<std::string> files{};
  std::string models = "all", effects{};  // names separated by commas; no effects given: auto, with a scenario none
  std::vector<std::string> columns{};     // ROLE=EXPRESSION
  std::string gravity = "auto", loss = "huber";
  std::string out{};               // folder; empty: prints the ranking
  std::string elements{};          // numbers separated by commas; empty: default numbers
  double bandwidth = 0, rate = 0;  // Hz; 0: bandwidth from the data, rate as measured
  int starts = 4, threads = 0;     // 0: all
  double seconds = 300;            // time limit for all models together
  std::uint64_t seed = 1;
  std::vector<std::string> fixed{};     // NAME=NUMBER
  double train = 1;                     // fraction of every recording that is fitted; the rest is predicted
  std::vector<std::string> validate{};  // files that are predicted
  std::string scenario{}, free{};       // file; names separated by commas
  bool simplex = false, json = false;
  std::vector<std::string> terms{}, priors{};  // NAME=EXPRESSION; NAME=MEAN+-SIGMA
  std::vector<std::string> groups{};           // NAME=PATTERN of files, or auto: each group is fitted alone
  std::size_t skip = 0;                        // lines at the start of text files to ignore
  int asperities = 4000, seeds = 5;            // of gfm
  bool join = false;                           // the files hold the signals of one recording
};
int identify(const IdentifyOptions& options);

struct ScoreOptions {
  std::string file{};                  // the friction file
  std::vector<std::string> changes{};  // KEY=VALUE
  std::string plot{}, report{};        // files to write; empty: none
  PlotLook look{};                     // of --plot
  IdentifyOptions data{};              // recordings and how to read them
};
int score(const ScoreOptions& options);

/// Reads files without running them.
int check_files(const std::vector<std::string>& files);

struct ExportOptions {
  std::string kind{}, file{};
  std::vector<std::string> changes{};  // KEY=VALUE
  std::string out{}, fmu_kind{}, joint{}, range{};
  int version = 0;
};
int export_block(const ExportOptions& options);

struct CertifyOptions {
  std::string file{}, out{};
  std::vector<std::string> changes{};  // KEY=VALUE
};
int certify(const CertifyOptions& options);

struct StudioOptions {
  std::string file{};  // scenario or friction file to begin with; empty: none
  std::string out = "bristle-studio.html";
  bool open = true;  // in the browser, where there is a display
};
int studio(const StudioOptions& options);

struct ExamplesOptions {
  std::string name{};  // empty: lists all
  std::string out{};   // folder to copy to; empty: the current one
  bool names = false;  // prints the names only
};
int examples(const ExamplesOptions& options);

/// Writes a scenario to start from; no file or "-": to standard output.
int init(const std::string& kind, const std::string& out);
std::vector<std::string> template_names();

}  // namespace bristle::cli
