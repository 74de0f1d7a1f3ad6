/// How far fits can be trusted, on recordings whose truth is known. Prints tables for docs/trust.md.
///   fit_study coverage SEEDS    how often the 95 % intervals hold the truth, for every model and parameter
///   fit_study confusion SEEDS   which model is recommended for which truth
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

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

/// To the end, however busy the machine is: what a stopped run says is no result.
identify::Ranking complete(const identify::Recording& recording, Options options) {
  options.seconds = 1e6;
  identify::Ranking ranking = identify::identify({recording}, options);
  if (ranking.stopped) {
    std::fprintf(stderr, "fit_study: stopped\n");
    std::exit(1);
  }
  return ranking;
}

void coverage(int seeds) {
  std::printf("| model | white noise | correlated noise | parameters below 85 %% in either |\n|---|---|---|---|\n");
  double all[2] = {0, 0}, inside[2] = {0, 0};
  for (const std::string& model : fitted_models()) {
    const synthetic::Truth truth = synthetic::truth_of(model, 5, 2e-3);
    std::map<std::string, int> hits[2];
    double model_all[2] = {0, 0}, model_inside[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
      for (int seed = 1; seed <= seeds; ++seed) {
        Options options;
        options.models = {model};
        options.fixed = truth.fixed;
        options.elements = {4};
        options.starts = 2;
        options.profiles = true;
        const auto ranking =
            complete(truth.recording({0.01, k == 0 ? 0.0 : 0.8, static_cast<std::uint64_t>(seed)}), options);
        if (ranking.fits.empty()) continue;
        for (const auto& e : ranking.fits.front().friction) {
          const double value = truth.value(e.name);
          const bool holds = e.low <= value && value <= e.high;
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
  std::printf(
      "| truth | recommended | relative error of the truth's own fit | of the best other model |\n|---|---|---|---|\n");
  for (const std::string& model : fitted_models()) {
    const synthetic::Truth truth = synthetic::truth_of(model, 5, 2e-3);
    std::map<std::string, int> chosen;
    double own = 0, other = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
      Options options;
      for (const Entry& e : truth.fixed) {
        if (e.key == "V0" || e.key == "normal_load") options.fixed.push_back(e);
      }
      if (model != "rate_state") options.fixed.clear();
      options.elements = {1, 2, 4};
      options.starts = 2;
      options.profiles = false;
      const auto ranking = complete(truth.recording({0.01, 0, static_cast<std::uint64_t>(seed)}), options);
      ++chosen[ranking.recommended];
      bool first = true;
      for (const auto& fit : ranking.fits) {
        if (fit.model == model) own += fit.held_out_relative / seeds;
        if (fit.model != model && first) other += fit.held_out_relative / seeds;
        if (fit.model != model) first = false;
      }
    }
    std::string text;
    for (const auto& [name, count] : chosen)
      text += (text.empty() ? "`" : ", `") + name + "` " + std::to_string(count) + " of " + std::to_string(seeds);
    std::printf("| `%s` | %s | %.2f %% | %.2f %% |\n", model.c_str(), text.c_str(), own, other);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int seeds = argc > 2 ? std::atoi(argv[2]) : 20;
  if (what == "coverage") {
    coverage(seeds);
  } else if (what == "confusion") {
    confusion(seeds);
  } else {
    std::fprintf(stderr, "usage: fit_study coverage|confusion [SEEDS]\n");
    return 2;
  }
}
