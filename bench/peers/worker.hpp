#pragma once
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "problems.hpp"

/// One process per solver reads its problems line by line, so that the solvers can alternate:
///   PROBLEM METHOD RTOL SCALING SECONDS FILE|-
/// It repeats the solution for SECONDS of CPU time, answers with the median time of a run in one line of JSON, and writes the
/// rows of the last run (doubles) to the file.
namespace peers {

struct Asked {
  std::vector<Case> problems;  // one, or those of an ensemble
  std::string method;
  double rtol;
  std::string scaling;  // of the absolute tolerances, see scales()
};
struct Solved {
  std::vector<double> rows{};  // x, v of every block, row by row; or F of a given motion
  long steps = 0;
};

inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// "stick_slip"; "ensemble/7" one member; "ensemble:1000" the first thousand.
inline std::vector<Case> find(const std::string& name) {
  if (name.rfind("ensemble/", 0) == 0) return {ensemble_member(std::stoi(name.substr(9)))};
  std::vector<Case> found;
  if (name.rfind("ensemble:", 0) == 0) {
    for (int i = 0; i < std::stoi(name.substr(9)); ++i) found.push_back(ensemble_member(i));
  } else {
    for (const Case& p : problems()) {
      if (p.name == name) found.push_back(p);
    }
  }
  if (found.empty()) throw std::runtime_error("no problem " + name);
  return found;
}

/// `solve` takes an Asked and prepares: it returns a function without arguments that does one run.
template <class Prepare> int serve(Prepare&& prepare) {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string problem, file;
    Asked asked;
    double seconds = 0;
    words >> problem >> asked.method >> asked.rtol >> asked.scaling >> seconds >> file;
    try {
      asked.problems = find(problem);
      auto run = prepare(asked);
      std::vector<double> times;
      Solved solved;
      for (const double begin = cpu_seconds(); times.empty() || cpu_seconds() - begin < seconds;) {
        solved = {};
        const double start = cpu_seconds();
        run(solved);
        times.push_back(cpu_seconds() - start);
      }
      std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
      if (file != "-") {
        std::ofstream(file, std::ios::binary)
            .write(reinterpret_cast<const char*>(solved.rows.data()),
                   static_cast<std::streamsize>(solved.rows.size() * sizeof(double)));
      }
      std::printf("{\"ms\": %.6g, \"runs\": %zu, \"steps\": %ld}\n", 1e3 * times[times.size() / 2], times.size(),
                  solved.steps);
    } catch (const std::exception& e) {
      std::string why = e.what();
      std::replace_if(why.begin(), why.end(), [](char c) { return c == '"' || c == '\\' || c < ' '; }, ' ');
      std::printf("{\"failed\": \"%s\"}\n", why.c_str());
    }
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace peers
