/// Six LuGre parameters from a recording that tools/bench-fit has written. CPU times as JSON on stdout.
///   fit_bench FILE          rows of v and F behind a line with n and dt, then the start: Fc Fs vs sigma0 sigma1 kv
///   fit_bench FILE ranking  all models instead
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "bristle/identify.hpp"
#include "identify/fused.hpp"
#include "identify/guess.hpp"
#include "identify/solve.hpp"

namespace {

using namespace bristle;
using namespace bristle::identify;

double cpu() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

constexpr std::array<std::string_view, 6> free_parameters{"Fc", "Fs", "vs", "sigma0", "sigma1", "kv"};

struct Task {
  Recording recording;
  std::vector<double> start = std::vector<double>(free_parameters.size());
};
bool read(const char* path, Task& task) {
  std::FILE* file = std::fopen(path, "r");
  if (!file) return false;
  long n = 0;
  double dt = 0, x = 0, v = 0, F = 0;
  bool good = std::fscanf(file, "%ld %lf", &n, &dt) == 2;
  for (double& e : task.start) good = good && std::fscanf(file, "%lf", &e) == 1;
  Recording& r = task.recording;
  for (long i = 0; good && i < n; ++i) {
    good = std::fscanf(file, "%lf %lf", &v, &F) == 2;
    x += v * dt;
    r.t.push_back(static_cast<double>(i + 1) * dt);
    r.v.push_back(v);
    r.x.push_back(x);
    r.F.push_back(F);
  }
  std::fclose(file);
  r.name = path;
  return good;
}

/// From the start alone to the minimum, in the same six logarithms that SciPy is given.
void fit(const Task& task, bool short_way) {
  const Series data = joined({task.recording}, 5);
  const auto model = evaluator("lugre", {});
  std::vector<Guess> guesses;
  std::vector<bool> held;
  std::size_t k = 0;
  for (const Scalar& s : model->scalars()) {
    const bool constant = std::ranges::find(free_parameters, s.name) == free_parameters.end();
    const double value = constant ? model->values()[guesses.size()] : task.start.at(k++);
    guesses.push_back({value, 1e-6 * value, 1e6 * value});
    held.push_back(constant);
  }
  const Space space = make_space("lugre", model->scalars(), 0, guesses, held);
  std::vector<double> p;
  for (const Guess& g : guesses) p.push_back(g.value);
  const Control control(1e9);
  double best = 1e9, cost = 0;
  std::size_t evaluations = 0;
  std::vector<double> q;
  for (int run = 0; run < 7; ++run) {
    const double begin = cpu();
    Objective o{data, *model, space, control, 1, 0, -1, short_way};
    const Solution s = descend(o, space.coordinates_at(p), 100, 1e-8);
    best = std::min(best, cpu() - begin);
    cost = s.cost;
    q = s.q;
    evaluations = o.evaluations;
  }
  std::vector<double> found(space.parameters());
  space.parameters_at(q.data(), found.data(), nullptr);
  std::printf(
      "{\"ms\": %.4f, \"cost\": %.12g, \"evaluations\": %zu, \"p\": [%.10g, %.10g, %.10g, %.10g, %.10g, %.10g]}\n",
      1e3 * best, cost, evaluations, found[0], found[1], found[2], found[4], found[5], found[7]);
}

void ranking(const Task& task) {
  const double begin = cpu();
  const auto wall = std::chrono::steady_clock::now();
  Options options;
  options.seconds = 1e6;  // to the end, also on a busy machine
  const Ranking r = identify::identify({task.recording}, options);
  if (r.stopped) std::exit(1);  // half a ranking has no time
  std::printf("{\"cpu_s\": %.3f, \"wall_s\": %.3f, \"models\": %zu, \"recommended\": \"%s\"}\n", cpu() - begin,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count(), r.fits.size(),
              r.recommended.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Task task;
  if (argc < 2 || !read(argv[1], task)) {
    std::fprintf(stderr, "usage: fit_bench FILE [ranking]\n");
    return 2;
  }
  if (argc > 2 && std::string(argv[2]) == "ranking") {
    ranking(task);
  } else {
    fit(task, false);
    fit(task, true);
  }
}
