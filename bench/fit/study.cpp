/// How far fits can be trusted, on recordings whose truth is known. Prints tables for docs/trust.md.
///   fit_study coverage SEEDS    how often the 95 % intervals hold the truth, for every model and parameter
///   fit_study confusion SEEDS   which model is recommended for which truth
///   fit_study effects SEEDS     how often effects are found in recordings that have none
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

#include "support/synthetic.hpp"

namespace {

using namespace bristle;
using identify::Options;

std::vector<std::string> fitted_models() {
  std::vector<std::string> names;
  for (const ModelInfo& info : model_infos()) {
    if (!info.has.random) names.push_back(info.name);
  }
  return names;
}

/// All jobs on all cores, one thread each: what they compute does not depend on that.
template <class F> void each(int jobs, F&& job) {
  std::atomic<int> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned k = 0; k < std::max(1U, std::thread::hardware_concurrency()); ++k) {
    threads.emplace_back([&] {
      for (int i = next++; i < jobs; i = next++) job(i);
    });
  }
}

/// To the end, however busy the machine is: what a stopped run says is no result.
identify::Ranking complete(const identify::Recording& recording, Options options) {
  options.seconds = 1e6;
  options.threads = 1;
  identify::Ranking ranking = identify::identify({recording}, options);
  if (ranking.stopped) {
    std::fprintf(stderr, "fit_study: stopped\n");
    std::exit(1);
  }
  return ranking;
}

void coverage(int seeds) {
  const std::vector<std::string> models = fitted_models();
  // All recordings of all models at once: model, kind of noise, seed.
  const auto runs = static_cast<int>(models.size()) * 2 * seeds;
  std::vector<std::vector<identify::Estimate>> found(static_cast<std::size_t>(runs));
  each(runs, [&](int run) {
    const std::string& model = models[static_cast<std::size_t>(run / (2 * seeds))];
    const int noise = run / seeds % 2, seed = run % seeds + 1;
    const synthetic::Truth truth = synthetic::truth_of(model, 5, 2e-3);
    Options options;
    options.models = {model};
    options.fixed = truth.fixed;
    options.elements = {4};
    options.starts = 2;
    const auto ranking =
        complete(truth.recording({0.01, noise == 0 ? 0.0 : 0.8, static_cast<std::uint64_t>(seed)}), options);
    if (!ranking.fits.empty()) found[static_cast<std::size_t>(run)] = ranking.fits.front().friction;
  });
  std::printf("| model | white noise | correlated noise | parameters below 85 %% in either |\n|---|---|---|---|\n");
  double all[2] = {0, 0}, inside[2] = {0, 0};
  auto run = found.begin();
  for (const std::string& model : models) {
    const synthetic::Truth truth = synthetic::truth_of(model, 5, 2e-3);
    std::map<std::string, int> hits[2];
    double model_all[2] = {0, 0}, model_inside[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
      for (int seed = 1; seed <= seeds; ++seed, ++run) {
        for (const auto& e : *run) {
          const double value = truth.value(e.name);
          const double rounding = 1e-9 * std::abs(value);  // one truth stands at a limit of the search
          const bool holds = e.low <= value + rounding && value <= e.high + rounding;
          hits[k][e.name] += holds ? 1 : 0;
          model_inside[k] += holds ? 1 : 0;
          model_all[k] += 1;
        }
      }
      all[k] += model_all[k];
      inside[k] += model_inside[k];
    }
    std::string low;
    for (const auto& [name, hit] : hits[0]) {
      const double white = 100.0 * hit / seeds, correlated = 100.0 * hits[1][name] / seeds;
      if (std::min(white, correlated) >= 85) continue;
      char text[100];
      std::snprintf(text, sizeof text, "%s%s %.0f %%, %.0f %%", low.empty() ? "" : "; ", name.c_str(), white,
                    correlated);
      low += text;
    }
    std::printf("| `%s` | %.1f %% | %.1f %% | %s |\n", model.c_str(), 100 * model_inside[0] / model_all[0],
                100 * model_inside[1] / model_all[1], low.c_str());
    std::fflush(stdout);
  }
  std::printf("| all | %.1f %% | %.1f %% | |\n", 100 * inside[0] / all[0], 100 * inside[1] / all[1]);
}

void confusion(int seeds) {
  const std::vector<std::string> models = fitted_models();
  struct Outcome {
    std::string recommended;
    double own = 0, other = 0;  // relative error held out
  };
  std::vector<Outcome> outcomes(models.size() * static_cast<std::size_t>(seeds));
  each(static_cast<int>(outcomes.size()), [&](int run) {
    const std::string& model = models[static_cast<std::size_t>(run / seeds)];
    const synthetic::Truth truth = synthetic::truth_of(model, 5, 2e-3);
    Options options;
    for (const Entry& e : truth.fixed) {
      if (model == "rate_state" && (e.key == "V0" || e.key == "normal_load")) options.fixed.push_back(e);
    }
    options.elements = {1, 2, 4};
    options.starts = 2;
    options.profiles = false;
    const auto ranking = complete(truth.recording({0.01, 0, static_cast<std::uint64_t>(run % seeds + 1)}), options);
    Outcome& out = outcomes[static_cast<std::size_t>(run)];
    out.recommended = ranking.recommended;
    for (const auto& fit : ranking.fits) {  // best first
      const bool own = find_variant(fit.model).model->name == model;
      if (own && out.own == 0) out.own = fit.held_out_relative;
      if (!own && out.other == 0) out.other = fit.held_out_relative;
    }
  });
  std::printf(
      "| truth | recommended | relative error of the truth's own fit | of the best other model |\n|---|---|---|---|\n");
  auto outcome = outcomes.begin();
  for (const std::string& model : models) {
    std::map<std::string, int> chosen;
    double own = 0, other = 0;
    for (int seed = 1; seed <= seeds; ++seed, ++outcome) {
      ++chosen[outcome->recommended];
      own += outcome->own / seeds;
      other += outcome->other / seeds;
    }
    std::string text;
    for (const auto& [name, count] : chosen)
      text += (text.empty() ? "`" : ", `") + name + "` " + std::to_string(count) + " of " + std::to_string(seeds);
    std::printf("| `%s` | %s | %.2f %% | %.2f %% |\n", model.c_str(), text.c_str(), own, other);
  }
}

void effects(int seeds) {
  const std::vector<std::string> models = fitted_models();
  struct Kind {
    const char* name;
    double level, memory;
  };
  const Kind kinds[]{
      {"white, 1 %", 0.01, 0}, {"white, 5 %", 0.05, 0}, {"correlated, 1 %", 0.01, 0.8}, {"correlated, 5 %", 0.05, 0.8}};
  const auto count = static_cast<int>(std::size(kinds));
  std::vector<std::string> found(models.size() * static_cast<std::size_t>(count * seeds));
  each(static_cast<int>(found.size()), [&](int run) {
    const std::string& model = models[static_cast<std::size_t>(run / (count * seeds))];
    const Kind& kind = kinds[run / seeds % count];
    const auto seed = static_cast<std::uint64_t>(run % seeds + 1);
    synthetic::Truth truth = synthetic::truth_of(model, 5, 2e-3);
    truth.motion.frequency *= 0.8 + 0.4 * uniform(seed, 300, 0);
    Options options;
    options.models = {model};
    for (const char* other : {"coulomb", "stribeck", "lugre"}) {
      if (model != other) options.models.emplace_back(other);
    }
    options.effects = {"auto"};
    options.elements = {4};
    options.starts = 2;
    options.profiles = false;
    for (const Entry& e : truth.fixed) {
      if (model == "rate_state" && (e.key == "V0" || e.key == "normal_load")) options.fixed.push_back(e);
    }
    const auto ranking = complete(truth.recording({kind.level, kind.memory, seed}), options);
    for (const auto& fit : ranking.fits) {
      if (fit.model != ranking.recommended) continue;
      for (const Entry& e : fit.effects)
        found[static_cast<std::size_t>(run)] += (found[static_cast<std::size_t>(run)].empty() ? "" : " ") + e.key;
    }
  });
  std::printf("| truth |");
  for (const Kind& kind : kinds) std::printf(" %s |", kind.name);
  std::printf(" found |\n|---|---|---|---|---|---|\n");
  int all = 0;
  std::vector<int> per_kind(static_cast<std::size_t>(count));
  auto one = found.begin();
  for (const std::string& model : models) {
    std::printf("| `%s` |", model.c_str());
    std::map<std::string, int> names;
    for (int k = 0; k < count; ++k) {
      int hits = 0;
      for (int seed = 0; seed < seeds; ++seed, ++one) {
        if (one->empty()) continue;
        ++hits;
        ++names[one->substr(0, one->find(' '))];
      }
      per_kind[static_cast<std::size_t>(k)] += hits;
      all += hits;
      std::printf(" %d of %d |", hits, seeds);
    }
    std::string text;
    for (const auto& [name, times] : names) text += (text.empty() ? "`" : ", `") + name + "` " + std::to_string(times);
    std::printf(" %s |\n", text.c_str());
  }
  std::printf("| all |");
  for (const int hits : per_kind) std::printf(" %.1f %% |", 100.0 * hits / static_cast<double>(models.size()) / seeds);
  std::printf(" %.1f %% |\n", 100.0 * all / static_cast<double>(found.size()));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int seeds = argc > 2 ? std::atoi(argv[2]) : 20;
  if (what == "coverage") {
    coverage(seeds);
  } else if (what == "confusion") {
    confusion(seeds);
  } else if (what == "effects") {
    effects(seeds);
  } else {
    std::fprintf(stderr, "usage: fit_study coverage|confusion|effects [SEEDS]\n");
    return 2;
  }
}
