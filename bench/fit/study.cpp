/// How far fits can be trusted, on recordings whose truth is known.
///   fit_study run TABLE FIRST LAST [TRUTH...]   one line per recording, for the seeds FIRST to LAST, in any order
///   fit_study table TABLE SEEDS                 the table for docs/trust.md from such lines on standard input
/// TABLE is coverage (how often the 95 % intervals contain the truth), confusion (which model is recommended for which
/// truth) or effects (how often effects are found in recordings that have none).
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>

#include "identify/choices.hpp"
#include "support/synthetic.hpp"

namespace {

using namespace bristle;
using identify::Options;

std::vector<std::string> fitted_models() {
  std::vector<std::string> names;
  for (const ModelInfo& info : model_infos()) {
    if (!info.has.random && info.level != "contact" && identify::unfitted(info.name).empty())
      names.push_back(info.name);
  }
  return names;
}

/// To the end, however busy the machine is: the result of a stopped run is none.
identify::Ranking complete(const identify::Recording& recording, Options options) {
  options.seconds = 1e6;
  options.threads = 1;
  options.starts = 2;
  identify::Ranking ranking = identify::identify({recording}, options);
  if (ranking.stopped) {
    std::fprintf(stderr, "fit_study: stopped\n");
    std::exit(1);
  }
  return ranking;
}

/// References of a law that no recording shows.
Table references(const synthetic::Truth& truth) {
  Table out;
  for (const Entry& e : truth.fixed) {
    if (truth.model == "rate_state" && (e.key == "V0" || e.key == "normal_load")) out.push_back(e);
  }
  return out;
}

struct Kind {
  const char* name;
  double level, memory;
};
struct Study {
  const char* name;
  std::vector<Kind> kinds;
  std::string (*job)(const synthetic::Truth&, const synthetic::Noise&);
  void (*table)(const std::vector<std::string>&, const Study&, int);
};

/// Results of one model: [kind][seed - 1].
using Lines = std::map<std::string, std::vector<std::vector<std::string>>>;
Lines lines;

double percent(double part, double all) { return all > 0 ? 100 * part / all : 0; }

std::string coverage(const synthetic::Truth& truth, const synthetic::Noise& noise) {
  Options options;
  options.models = {truth.model};
  options.fixed = truth.fixed;
  options.elements = {4};
  const auto ranking = complete(truth.recording(noise), options);
  std::string out;
  if (ranking.fits.empty()) return out;
  for (const auto& e : ranking.fits.front().friction) {
    const double value = truth.value(e.name);
    const double rounding = 1e-9 * std::abs(value);  // one truth is a limit of the search
    out += e.name + (e.low <= value + rounding && value <= e.high + rounding ? " 1 " : " 0 ");
  }
  return out;
}

void coverage_table(const std::vector<std::string>& models, const Study& study, int seeds) {
  std::printf("| model | white noise | correlated noise | parameters below 85 %% in either |\n|---|---|---|---|\n");
  double all[2] = {0, 0}, inside[2] = {0, 0};
  for (const std::string& model : models) {
    std::map<std::string, std::array<int, 2>> hits;
    double model_all[2] = {0, 0}, model_inside[2] = {0, 0};
    for (std::size_t k = 0; k < study.kinds.size(); ++k) {
      for (const std::string& line : lines[model][k]) {
        std::istringstream words(line);
        int in = 0;
        for (std::string name; words >> name >> in; ++model_all[k]) {
          hits[name][k] += in;
          model_inside[k] += in;
        }
      }
      all[k] += model_all[k];
      inside[k] += model_inside[k];
    }
    std::string low;
    for (const auto& [name, hit] : hits) {
      const double white = percent(hit[0], seeds), correlated = percent(hit[1], seeds);
      if (std::min(white, correlated) >= 85) continue;
      char text[100];
      std::snprintf(text, sizeof text, "%s%s %.0f %%, %.0f %%", low.empty() ? "" : "; ", name.c_str(), white,
                    correlated);
      low += text;
    }
    std::printf("| `%s` | %.1f %% | %.1f %% | %s |\n", model.c_str(), percent(model_inside[0], model_all[0]),
                percent(model_inside[1], model_all[1]), low.c_str());
  }
  std::printf("| all | %.1f %% | %.1f %% | |\n", percent(inside[0], all[0]), percent(inside[1], all[1]));
}

/// The recommended model and the relative held-out errors of the true model and of the best other one.
std::string confusion(const synthetic::Truth& truth, const synthetic::Noise& noise) {
  Options options;
  options.fixed = references(truth);
  options.elements = {1, 2, 4};
  options.profiles = false;
  const auto ranking = complete(truth.recording(noise), options);
  double own = 0, other = 0;
  for (const auto& fit : ranking.fits) {  // best first
    double& error = find_variant(fit.model).model->name == truth.model ? own : other;
    if (error == 0) error = fit.held_out_relative;
  }
  return (ranking.recommended.empty() ? "none" : ranking.recommended) + ' ' + std::to_string(own) + ' ' +
         std::to_string(other);
}

void confusion_table(const std::vector<std::string>& models, const Study&, int seeds) {
  std::printf(
      "| truth | recommended | relative error of the truth's own fit | of the best other model |\n|---|---|---|---|\n");
  for (const std::string& model : models) {
    std::map<std::string, int> chosen;
    double own = 0, other = 0;
    for (const std::string& line : lines[model][0]) {
      std::istringstream words(line);
      std::string name;
      double a = 0, b = 0;
      words >> name >> a >> b;
      ++chosen[name];
      own += a / seeds;
      other += b / seeds;
    }
    std::string text;
    for (const auto& [name, count] : chosen)
      text += (text.empty() ? "`" : ", `") + name + "` " + std::to_string(count) + " of " + std::to_string(seeds);
    std::printf("| `%s` | %s | %.2f %% | %.2f %% |\n", model.c_str(), text.c_str(), own, other);
  }
}

/// Effects of the recommended model.
std::string effects(const synthetic::Truth& given, const synthetic::Noise& noise) {
  synthetic::Truth truth = given;
  truth.motion.frequency *= 0.8 + 0.4 * uniform(noise.seed, 300, 0);
  Options options;
  options.models = {truth.model};
  for (const char* other : {"coulomb", "stribeck", "lugre"}) {
    if (truth.model != other) options.models.emplace_back(other);
  }
  options.effects = {"auto"};
  options.elements = {4};
  options.profiles = false;
  options.fixed = references(truth);
  const auto ranking = complete(truth.recording(noise), options);
  std::string out;
  for (const auto& fit : ranking.fits) {
    if (fit.model != ranking.recommended) continue;
    for (const Entry& e : fit.effects) out += e.key + ' ';
  }
  return out;
}

void effects_table(const std::vector<std::string>& models, const Study& study, int seeds) {
  std::printf("| truth |");
  for (const Kind& kind : study.kinds) std::printf(" %s |", kind.name);
  std::printf(" found |\n|---|---|---|---|---|---|\n");
  double all = 0;
  std::vector<double> per_kind(study.kinds.size());
  for (const std::string& model : models) {
    std::printf("| `%s` |", model.c_str());
    std::map<std::string, int> names;
    for (std::size_t k = 0; k < study.kinds.size(); ++k) {
      int hits = 0;
      for (const std::string& line : lines[model][k]) {
        if (line.empty()) continue;
        ++hits;
        ++names[line.substr(0, line.find(' '))];
      }
      per_kind[k] += hits;
      all += hits;
      std::printf(" %d of %d |", hits, seeds);
    }
    std::string text;
    for (const auto& [name, times] : names) text += (text.empty() ? "`" : ", `") + name + "` " + std::to_string(times);
    std::printf(" %s |\n", text.c_str());
  }
  std::printf("| all |");
  const auto each = static_cast<double>(models.size()) * seeds;
  for (const double hits : per_kind) std::printf(" %.1f %% |", percent(hits, each));
  std::printf(" %.1f %% |\n", percent(all, each * static_cast<double>(study.kinds.size())));
}

const Study studies[]{
    {"coverage", {{"white", 0.01, 0}, {"correlated", 0.01, 0.8}}, coverage, coverage_table},
    {"confusion", {{"white", 0.01, 0}}, confusion, confusion_table},
    {"effects",
     {{"white, 1 %", 0.01, 0}, {"white, 5 %", 0.05, 0}, {"correlated, 1 %", 0.01, 0.8}, {"correlated, 5 %", 0.05, 0.8}},
     effects,
     effects_table}};

/// All seeds of all models and kinds of noise on all cores, one thread each. Seeds are the outermost order: an interrupted
/// run leaves complete seeds.
void run(const Study& study, int first, int last, const std::vector<std::string>& truths) {
  const std::vector<std::string> models = truths.empty() ? fitted_models() : truths;
  const auto kinds = static_cast<int>(study.kinds.size()), per_seed = kinds * static_cast<int>(models.size());
  std::atomic<int> next = 0;
  std::mutex output;
  std::vector<std::jthread> threads;
  for (unsigned k = 0; k < std::max(1U, std::thread::hardware_concurrency()); ++k) {
    threads.emplace_back([&] {
      for (int i = next++; i < per_seed * (last - first + 1); i = next++) {
        const int seed = first + i / per_seed, kind = i % kinds;
        const std::string& model = models[static_cast<std::size_t>(i % per_seed / kinds)];
        const Kind& noise = study.kinds[static_cast<std::size_t>(kind)];
        const std::string result = study.job(synthetic::truth_of(model, 5, 2e-3),
                                             {noise.level, noise.memory, static_cast<std::uint64_t>(seed)});
        const std::lock_guard lock(output);
        std::printf("%s %s %d %d %s\n", study.name, model.c_str(), kind, seed, result.c_str());
        std::fflush(stdout);
      }
    });
  }
}

/// Status 1 if a line is missing.
int table(const Study& study, int seeds) {
  const std::vector<std::string> models = fitted_models();
  for (const std::string& model : models)
    lines[model].assign(study.kinds.size(), std::vector<std::string>(static_cast<std::size_t>(seeds)));
  std::size_t missing = models.size() * study.kinds.size() * static_cast<std::size_t>(seeds);
  std::set<std::tuple<std::string, std::size_t, std::size_t>> read;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string name, model, rest;
    std::size_t kind = 0, seed = 0;
    if (!(words >> name >> model >> kind >> seed) || name != study.name || !lines.contains(model)) continue;
    if (kind >= study.kinds.size() || seed < 1 || seed > static_cast<std::size_t>(seeds)) continue;
    std::getline(words >> std::ws, rest);
    lines[model][kind][seed - 1] = rest;
    if (read.emplace(model, kind, seed).second) --missing;
  }
  if (missing != 0) {
    std::fprintf(stderr, "fit_study: %s: %zu lines are missing for %d seeds\n", study.name, missing, seeds);
    return 1;
  }
  study.table(models, study, seeds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  for (const Study& study : studies) {
    if (argc < 4 || study.name != std::string(argv[2])) continue;
    if (what == "table") return table(study, std::atoi(argv[3]));
    if (what != "run" || argc < 5) continue;
    run(study, std::atoi(argv[3]), std::atoi(argv[4]), {argv + 5, argv + argc});
    return 0;
  }
  std::fprintf(
      stderr,
      "usage: fit_study run coverage|confusion|effects FIRST LAST [TRUTH...]\n       fit_study table coverage|confusion|effects SEEDS\n");
  return 2;
}
