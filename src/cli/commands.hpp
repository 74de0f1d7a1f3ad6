#pragma once
#include <string>
#include <vector>

/// The subcommands. Each returns the exit status: 0 done, 1 the run failed, 2 the input is wrong, 130 stopped by Ctrl-C.
namespace bristle::cli {

int models(const std::string& name, bool json);

struct SimulateOptions {
  std::string file{};
  std::vector<std::string> changes{};                           // KEY=VALUE
  std::string csv{}, events{}, plot{}, report{}, population{};  // files to write; empty: none
  bool json = false, quiet = false;
};
int simulate(const SimulateOptions& options);

struct PapersOptions {
  std::string selection{};  // PAPER or PAPER/FIGURE; empty: all
  std::string from{};       // folder of the papers; empty: those of Bristle
  std::string out = "papers-out";
  bool quick = false;  // without the slow ones
  bool list = false, json = false;
};
int papers(const PapersOptions& options);

struct CharacterizeOptions {
  std::vector<std::string> files{};
  std::vector<std::string> changes{};  // KEY=VALUE, in every file
  std::string out{};                   // folder; empty: the table on the screen
  bool same = false;                   // experiments of the sizes of the first file for all
  bool json = false;
};
int characterize(const CharacterizeOptions& options);

}  // namespace bristle::cli
