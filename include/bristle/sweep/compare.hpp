#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "../scenario.hpp"

/// Runs side by side.
namespace bristle::sweep {

/// One run of a comparison.
struct Compared {
  std::string name{};
  Scenario scenario{};
  Run run{};
  std::string failure{};  // reason of a failed run
};

/// Difference of a column from that of the first run, over the time that both have.
struct Difference {
  std::string column{}, unit{};  // column: the column
  double largest{}, rms{};       // of |y - y_first|
  double relative{};             // largest, over the range of the column in the first run; NaN if that is constant
};

/// Runs, or the problems of their files.
struct ComparedRead {
  std::vector<Compared> runs{};
  Problems problems{};
};
/// One run for each file and each combination of values KEY=A,B,C. Nothing is simulated.
ComparedRead read_compared(const std::vector<std::string>& files, const std::vector<std::string>& set_each,
                           const Changes& changes);
/// Simulates all runs on all cores. Throws Stopped.
void simulate(std::vector<Compared>& runs, const std::atomic<bool>* stop = nullptr);

/// Columns that all successful runs have with one unit, without the time.
std::vector<std::string> common_columns(const std::vector<Compared>& runs);
/// Differences between two runs, per column.
std::vector<Difference> differences(const Compared& first, const Compared& other,
                                    const std::vector<std::string>& columns);

}  // namespace bristle::sweep
