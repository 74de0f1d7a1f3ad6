#include "cli/studies.hpp"

#include <CLI/CLI.hpp>

namespace bristle::cli {
namespace {

using Texts = std::vector<std::string>;

void add_changes(CLI::App& out, Texts& changes, Texts& measures) {
  out.add_option("--set", changes, "change a value of the scenario in all runs: friction.Fc=1.2")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  out.add_option("--measure", measures, "a number of every run, besides [measure] of the file: peak=max(F)")
      ->type_name("NAME=EXPR")
      ->allow_extra_args(false);
}

CLI::App* add_compare(CLI::App& app, CompareOptions& o) {
  auto* out = app.add_subcommand(
      "compare", "Run scenarios side by side: curves over each other, measures and differences from the first run.\n"
                 "Example: bristle compare pid.toml pd.toml --report compare.html\n"
                 "Example: bristle compare servo.toml --set-each controller.kp=1000,3000,9000 --plot kp.svg");
  out->add_option("FILE", o.files, "the scenarios, TOML files")->required();
  out->add_option("--set-each", o.set_each, "a run for each value: friction.model=lugre,dahl; may be repeated")
      ->type_name("KEY=A,B,C")
      ->allow_extra_args(false);
  add_changes(*out, o.changes, o.measures);
  out->add_option("--plot", o.plot, "draw the quantities, one panel each: OUT.svg, OUT.png or OUT.pdf")
      ->type_name("OUT");
  add_look(*out, o.look);
  out->add_option("--report", o.report, "write a page: OUT.html")->type_name("OUT");
  out->add_option("--csv", o.csv, "folder to write to: DIR/measures.csv, and the trace of every run")->type_name("DIR");
  out->add_flag("--json", o.json, "machine-readable output");
  return out;
}

CLI::App* add_sweep(CLI::App& app, SweepOptions& o) {
  auto* out = app.add_subcommand(
      "sweep",
      "Run a scenario on a grid or a sample of values, on all cores; finished runs survive a kill.\n"
      "Example: bristle sweep servo.toml --vary controller.kp=100:1e4:50:log --vary controller.kd=10:200:40 \\\n"
      "           --measure 'over=overshoot(x)' -o map\n"
      "Example: bristle sweep servo.toml --vary controller.kp=100:1e4:log --sample sobol:1000 -o sample\n"
      "Example: bristle sweep --merge shard1 shard2 -o all");
  out->add_option("FILE", o.file, "the scenario, a TOML file; its [sweep] holds unless --vary is given");
  out->add_option("--vary", o.vary,
                  "a key, the ends and the number of its values: KEY=FROM:TO:POINTS, with :log in equal ratios")
      ->type_name("RANGE")
      ->allow_extra_args(false);
  out->add_option("--sample", o.sample, "N runs of a Sobol sequence instead of a grid: sobol:1000")
      ->type_name("sobol:N");
  add_changes(*out, o.changes, o.measures);
  out->add_option("-o", o.out, "new folder to write to: DIR/table.csv, index.html and figures")
      ->type_name("DIR")
      ->capture_default_str();
  out->add_flag("--resume", o.resume, "continue in a folder with finished chunks of the same sweep");
  out->add_option("--shard", o.shard, "run part I of N only, for job arrays: 1/4")->type_name("I/N");
  out->add_option("--merge", o.merge, "join the folders of all shards of a sweep; no FILE")->type_name("DIR...");
  out->add_option("--device", o.device, "cpu, gpu, or auto: a GPU if there is one; that of [solver] unless given")
      ->type_name("NAME");
  out->add_option("--threads", o.threads, "number of threads; 0: all cores")->type_name("N")->capture_default_str();
  auto* json = out->add_flag("--json", o.json, "machine-readable summary");
  out->add_flag("--quiet", o.quiet, "print errors only")->excludes(json);
  return out;
}

CLI::App* add_optimize(CLI::App& app, OptimizeOptions& o) {
  auto* out = app.add_subcommand(
      "optimize",
      "Find the values of some keys that minimise a measure of the run.\n"
      "Example: bristle optimize servo.toml --vary controller.kp=100:1e4:log --vary controller.kd=10:200 \\\n"
      "           --minimize 'iae(x)' -o best");
  out->add_option("FILE", o.file, "the scenario, a TOML file")->required();
  out->add_option("--vary", o.vary, "a key and the ends of its range: KEY=FROM:TO, with :log in equal ratios")
      ->type_name("RANGE")
      ->allow_extra_args(false);
  auto* least = out->add_option("--minimize", o.minimize, "name of a measure, or an expression such as iae(x)")
                    ->type_name("MEASURE");
  out->add_option("--maximize", o.maximize, "the opposite")->type_name("MEASURE")->excludes(least);
  add_changes(*out, o.changes, o.measures);
  out->add_option("-o", o.out, "folder to write to: DIR/index.html, history.csv, history.svg")->type_name("DIR");
  out->add_option("--evaluations", o.evaluations, "largest number of runs")->type_name("N")->capture_default_str();
  out->add_option("--seed", o.seed, "seed of the search")->type_name("N")->capture_default_str();
  out->add_option("--threads", o.threads, "number of threads; 0: all cores")->type_name("N")->capture_default_str();
  out->add_flag("--json", o.json, "machine-readable output");
  return out;
}

CLI::App* add_analyze(CLI::App& app, AnalyzeOptions& o) {
  auto* out = app.add_subcommand(
      "analyze",
      "Stability of steady sliding, limit cycles and describing functions of a slider or servo, and maps of them.\n"
      "Example: bristle analyze examples/analyze/rate_state_slider.toml -o out\n"
      "Example: bristle analyze slider.toml --what limit_cycle --vary drive.velocity=0.01:1:30:log -o branch\n"
      "Example: bristle analyze servo.toml --vary controller.ki=100:1e4:20:log --vary friction.Fs=1:2:20 -o map");
  out->add_option("FILE", o.file, "the scenario, a TOML file with a slider")->required();
  out->add_option("--what", o.what,
                  "parts, separated by commas: stability, limit_cycle, describing; default: all that apply")
      ->type_name("PARTS");
  out->add_option(
         "--vary", o.vary,
         "a key, the ends and the number of its values: KEY=FROM:TO:POINTS, with :log in equal ratios; one key "
         "continues the limit cycle, two make maps")
      ->type_name("RANGE")
      ->allow_extra_args(false);
  out->add_option("--set", o.changes, "change a value of the scenario: friction.Fc=1.2")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  out->add_option(
         "-o", o.out,
         "folder to write to: DIR/index.html, stability.csv, limit_cycle.csv, describing.csv, map.csv, figures")
      ->type_name("DIR")
      ->capture_default_str();
  out->add_flag("--resume", o.resume, "continue a map in a folder with finished chunks");
  out->add_option("--threads", o.threads, "number of threads; 0: all cores")->type_name("N")->capture_default_str();
  out->add_flag("--json", o.json, "machine-readable output");
  return out;
}

}  // namespace

Studies::Studies(CLI::App& app)
    : compare_app_(add_compare(app, compare_)),
      sweep_app_(add_sweep(app, sweep_)),
      optimize_app_(add_optimize(app, optimize_)),
      analyze_app_(add_analyze(app, analyze_)),
      surface_app_(add_surface(app, surface_)) {}

std::optional<int> Studies::run() const {
  if (compare_app_->parsed()) return compare(compare_);
  if (sweep_app_->parsed()) return sweep(sweep_);
  if (optimize_app_->parsed()) return optimize(optimize_);
  if (analyze_app_->parsed()) return analyze(analyze_);
  if (surface_app_->parsed()) return surface_command(surface_);
  return {};
}

}  // namespace bristle::cli
