#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <sstream>

#include "bristle/export.hpp"
#include "bristle/value.hpp"
#include "bristle/version.hpp"
#include "cli/reference.hpp"
#include "cli/screen.hpp"
#include "cli/studies.hpp"
#include "commands.hpp"

namespace {

/// The message in one line, with the nearest command for a misspelt one.
std::string one_line(const CLI::App& app, const CLI::ParseError& e, int argc, char** argv) {
  std::string text = e.what();
  if (argc > 1 && app.get_subcommands().empty() && argv[1][0] != '-') {
    std::vector<std::string> commands;
    for (const auto* c : app.get_subcommands([](const CLI::App*) { return true; })) commands.push_back(c->get_name());
    const std::string near = bristle::nearest(argv[1], commands);
    text = fmt::format("unknown command '{}'{}", argv[1],
                       near.empty() ? "; 'bristle --help' lists the commands" : ", did you mean '" + near + "'?");
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Puts options under a heading of --help.
void group(CLI::App& command, const char* heading, std::initializer_list<const char*> options) {
  for (const char* option : options) command.get_option(option)->group(heading);
}

/// Options for reading recordings.
void add_reading(CLI::App& out, bristle::cli::IdentifyOptions& fit) {
  out.add_option(
         "--column", fit.columns,
         "expression over columns for a role: F=-torque_Nm; roles: t, x, v, F (friction), mu, u (actuator), ref, on, N, T")
      ->type_name("ROLE=EXPR")
      ->allow_extra_args(false);
  out.add_option("--with", fit.terms,
                 "a force in proportion to an expression over columns, fitted besides friction: "
                 "'elbow=sin(q1+q2)'")
      ->type_name("NAME=EXPR")
      ->allow_extra_args(false);
  out.add_option("--skip", fit.skip, "lines to skip at the start of text files")->type_name("N");
  out.add_flag("--join", fit.join, "the files contain the signals of one recording: pos.txt torque.txt");
  out.add_option("--bandwidth", fit.bandwidth, "bandwidth of the differentiator; default: estimated from the noise")
      ->type_name("HZ");
  out.add_option("--rate", fit.rate, "re-sample the recordings at this rate before the fits")->type_name("HZ");
}

CLI::App* add_score(CLI::App& app, bristle::cli::ScoreOptions& score) {
  auto* out = app.add_subcommand("score", "Errors of a friction file on recordings; nothing is fitted.\n"
                                          "Example: bristle score out/lugre.toml run3.csv run4.csv --plot run.svg");
  out->add_option("MODEL", score.file, "TOML file with a [friction] block, such as MODEL.toml of identify")->required();
  out->add_option("DATA", score.data.files, "recordings, as for identify")->required();
  add_reading(*out, score.data);
  out->add_option("--set", score.changes, "change a value of the friction file: friction.Fc=1.2, fitted.mass=0.5")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  out->add_option("--scenario", score.data.scenario,
                  "simulate this scenario with u or ref of the recordings as input and compare the motion x")
      ->type_name("FILE");
  out->add_option("--plot", score.plot, "draw measured and predicted values: OUT.svg, OUT.png or OUT.pdf")
      ->type_name("OUT");
  bristle::cli::add_look(*out, score.look);
  out->add_option("--report", score.report, "write a page: OUT.html")->type_name("OUT");
  out->add_flag("--json", score.data.json, "machine-readable output");
  return out;
}

CLI::App* add_export(CLI::App& app, bristle::cli::ExportOptions& o) {
  auto* out = app.add_subcommand("export", "A friction block in the language of another program.\n"
                                           "Example: bristle export c out/lugre.toml -o friction.h");
  std::string kinds;
  for (const auto& k : bristle::exports::kinds())
    kinds += (kinds.empty() ? "" : "; ") + fmt::format("{}: {}", k.name, k.title);
  out->add_option("KIND", o.kind, kinds)->required();
  out->add_option("FILE", o.file,
                  "TOML file with a [friction] block: a scenario, a friction file, MODEL.toml of identify")
      ->required();
  out->add_option("-o", o.out, "file to write; text goes to standard output without it")->type_name("OUT");
  out->add_option("--version", o.version, "version of FMI: 2 or 3")->type_name("2|3");
  out->add_option("--kind", o.fmu_kind, "kind of the FMU: friction (v to F) or body (force to motion)")
      ->type_name("friction|body");
  out->add_option("--joint", o.joint, "name of the joint in the output")->type_name("NAME");
  out->add_option("--range", o.range, "speeds of the least squares of mjcf and urdf, m/s or rad/s: 0:0.5")
      ->type_name("FROM:TO");
  out->add_option("--set", o.changes, "change a value of the file: friction.Fc=1.2")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  return out;
}

CLI::App* add_certify(CLI::App& app, bristle::cli::CertifyOptions& o) {
  auto* out = app.add_subcommand(
      "certify", "Data sheet of a friction block: passivity, bounds, measured properties, cost, what a fit "
                 "left open.\n"
                 "Example: bristle certify out/lugre.toml -o joint1");
  out->add_option("FILE", o.file,
                  "TOML file with a [friction] block: a scenario, a friction file, MODEL.toml of identify")
      ->required();
  out->add_option("-o", o.out, "files to write: OUT.html and OUT.json")->type_name("OUT")->required();
  out->add_option("--set", o.changes, "change a value of the file: friction.Fc=1.2")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  return out;
}

CLI::App* add_studio(CLI::App& app, bristle::cli::StudioOptions& o) {
  auto* out = app.add_subcommand("studio", "The interactive page: friction in the browser, one file, nothing is sent.\n"
                                           "Example: bristle studio axis.toml -o axis.html");
  out->add_option("FILE", o.file, "scenario or friction file to begin with");
  out->add_option("-o", o.out, "page to write")->type_name("OUT")->capture_default_str();
  out->add_flag_callback("--no-open", [&o] { o.open = false; }, "write the page, do not open it");
  return out;
}

CLI::App* add_identify(CLI::App& app, bristle::cli::IdentifyOptions& fit) {
  auto* out = app.add_subcommand(
      "identify", "Fit friction models to measured data, rank them, report confidence intervals.\n"
                  "Example: bristle identify run1.csv run2.csv --models lugre,gms --column F=-torque_Nm -o out");
  out->add_option("DATA", fit.files,
                  "recordings: CSV, JSON or MAT files with time, motion and force, or points of steady sliding")
      ->required();
  out->add_option("--models", fit.models, "names separated by commas, or all")
      ->type_name("NAMES")
      ->capture_default_str();
  add_reading(*out, fit);
  out->add_option("--effects", fit.effects,
                  "effects to include in the fit: asymmetry, directions, ripple, curve..., none, or auto (default)")
      ->type_name("NAMES");
  out->add_option("--gravity", fit.gravity,
                  "gravity in the balance with u: none, constant, sine (of the angle) or auto")
      ->type_name("KIND")
      ->capture_default_str();
  out->add_option("-o", fit.out, "folder to write to: DIR/report.html, ranking.csv, MODEL.toml")->type_name("DIR");
  out->add_option("--elements", fit.elements, "numbers of elements to fit for models with elements: 1,2,4,8")
      ->type_name("N,N...");
  out->add_option("--fix", fit.fixed, "fix a parameter at a value: vs=0.01, law=slip")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  out->add_option("--prior", fit.priors,
                  "mean and standard deviation of a parameter, known besides the data: Fc=1+-0.2")
      ->type_name("NAME=MEAN+-SIGMA")
      ->allow_extra_args(false);
  out->add_option("--train", fit.train,
                  "fit this fraction of every recording, from its start, and predict the rest: 0.5")
      ->type_name("FRACTION");
  out->add_option("--group", fit.groups,
                  "recordings of different joints, each fitted alone: NAME=PATTERN of file names; may be repeated; or "
                  "auto: by the part of the name before the first _, - or blank")
      ->type_name("GROUP")
      ->allow_extra_args(false);
  out->add_option("--validate", fit.validate, "recording to predict without fitting it; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  out->add_option("--scenario", fit.scenario,
                  "simulate this scenario with u or ref of the recordings as input and fit the motion x")
      ->type_name("FILE");
  out->add_option("--free", fit.free,
                  "additional values to fit: optional parameters, and mass, gravity, kp... of a scenario")
      ->type_name("NAMES");
  out->add_option("--loss", fit.loss, "huber (robust to outliers) or squares")
      ->type_name("KIND")
      ->capture_default_str();
  out->add_option("--starts", fit.starts, "local fits per model")->type_name("N")->capture_default_str();
  out->add_option("--seconds", fit.seconds, "time limit for all models together")
      ->type_name("S")
      ->capture_default_str();
  out->add_option("--threads", fit.threads, "number of threads; 0: all cores")->type_name("N")->capture_default_str();
  out->add_option("--seed", fit.seed, "seed of the search")->type_name("N")->capture_default_str();
  out->add_option("--asperities", fit.asperities, "asperities of a fitted population, --models gfm")
      ->type_name("N")
      ->capture_default_str();
  out->add_option("--seeds", fit.seeds, "populations that are fitted, --models gfm: intervals contain their spread")
      ->type_name("K")
      ->capture_default_str();
  out->add_flag("--simplex", fit.simplex, "Nelder-Mead simplex instead of derivatives");
  out->add_flag("--json", fit.json, "machine-readable output");
  group(*out, "Recordings",
        {"--column", "--skip", "--join", "--bandwidth", "--rate", "--train", "--group", "--validate"});
  group(*out, "Models",
        {"--models", "--effects", "--gravity", "--with", "--elements", "--fix", "--prior", "--free", "--scenario"});
  group(*out, "Search",
        {"--loss", "--starts", "--seconds", "--threads", "--seed", "--simplex", "--asperities", "--seeds"});
  group(*out, "Output", {"-o", "--json"});
  return out;
}

int run(int argc, char** argv) {
  CLI::App app{"Bristle: friction models, their simulation and their identification from measurements.\n"
               "Example: bristle models lugre\n"
               "Example: bristle simulate stick_slip.toml --csv out.csv\n"
               "Example: bristle identify recording.csv -o out"};
  app.name("bristle");
  app.set_version_flag("--version", "bristle " BRISTLE_VERSION);
  app.require_subcommand(1);

  std::string name;
  bool json = false;
  auto* models =
      app.add_subcommand("models", "List the friction models, or show one: equations, parameters, properties.\n"
                                   "Example: bristle models gms --json");
  models->add_option("NAME", name, "name of a model; all models if absent");
  models->add_flag("--json", json, "machine-readable output");

  bristle::cli::SimulateOptions sim;
  auto* simulate = app.add_subcommand(
      "simulate", "Run a scenario, print a summary, check its [expect] section.\n"
                  "Example: bristle simulate stick_slip.toml --set drive.velocity=0.2 --csv out.csv");
  simulate->add_option("FILE", sim.file, "the scenario, a TOML file")->required();
  simulate
      ->add_option("--set", sim.changes, "change a value of the scenario: friction.Fc=1.2, drive.terms.0.amplitude=2")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  simulate->add_option("--measure", sim.measures, "print a number of the run: peak=max(F), cycle=period(x)")
      ->type_name("NAME=EXPR")
      ->allow_extra_args(false);
  simulate->add_option("--csv", sim.csv, "write the trace: t, x, v, F, F_app, drive, states; -: standard output")
      ->type_name("OUT");
  simulate->add_option("--events", sim.events, "write the events: t, event, body; -: standard output")
      ->type_name("OUT");
  simulate
      ->add_option("--catalogue", sim.catalogue,
                   "write the slip events of a chain: t, first, blocks, moment, duration; -: standard output")
      ->type_name("OUT");
  simulate->add_option("--plot", sim.plot, "draw the [[figure]] panels: OUT.svg, OUT.png or OUT.pdf")->type_name("OUT");
  bristle::cli::add_look(*simulate, sim.look);
  simulate->add_option("--report", sim.report, "write a page about the run: OUT.html")->type_name("OUT");
  simulate
      ->add_option(
          "--population", sim.population,
          "write the asperities at the end with their phases (gfm, generic2010): OUT.csv, OUT.svg, OUT.png or OUT.pdf")
      ->type_name("OUT");
  auto* sim_json = simulate->add_flag("--json", sim.json, "machine-readable summary");
  simulate->add_flag("--quiet", sim.quiet, "print errors only")->excludes(sim_json);

  bristle::cli::CharacterizeOptions tri;
  auto* characterize =
      app.add_subcommand("characterize", "Virtual tribometer: compare friction blocks in classical experiments.\n"
                                         "Example: bristle characterize lugre.toml gms.toml -o out");
  characterize->add_option("FILE", tri.files, "TOML files with a [friction] block, such as scenarios")->required();
  characterize->add_option("-o", tri.out, "folder to write to: DIR/index.html, properties.csv, plots and data")
      ->type_name("DIR");
  characterize->add_option("--set", tri.changes, "change a value in all files: friction.kv=0, tribometer.velocity=1e-3")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  auto* own =
      characterize->add_flag("--own", tri.own, "experiments of each file at its own scales, not at those of the first");
  characterize->add_flag("--same", tri.same, "same experiments for all files, scaled by the first file: the default")
      ->excludes(own);
  characterize->add_flag("--json", tri.json, "machine-readable output");

  bristle::cli::IdentifyOptions fit;
  auto* identify = add_identify(app, fit);
  bristle::cli::ScoreOptions compared;
  auto* score = add_score(app, compared);

  bristle::cli::ExportOptions exported;
  const auto* exporter = add_export(app, exported);

  bristle::cli::CertifyOptions certified;
  const auto* certifier = add_certify(app, certified);

  bristle::cli::StudioOptions shown;
  const auto* studio = add_studio(app, shown);

  const bristle::cli::Studies studies(app);

  bristle::cli::PapersOptions pap;
  auto* papers =
      app.add_subcommand("papers", "Regenerate published figures and tables, and report whether their checks hold.\n"
                                   "Example: bristle papers olsson1993/fig5 lugre1995 -o out");
  papers->add_option("PAPER", pap.selection, "papers, or figures of them: olsson1993/fig5; all if absent");
  papers->add_option("-o", pap.out, "folder to write to: DIR/index.html, DIR/PAPER/NAME.svg and .csv")
      ->type_name("DIR")
      ->capture_default_str();
  papers->add_option("--from", pap.from, "folder with other figure files")->type_name("DIR");
  papers->add_flag("--quick", pap.quick, "skip figures that take a minute or more");
  papers->add_flag("--list", pap.list, "list the figures, run nothing");
  papers->add_flag("--json", pap.json, "machine-readable output");

  const bristle::cli::ReferenceCommands reference(app);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    std::ostringstream text;  // --help, --version
    const int status = app.exit(e, text, text);
    bristle::cli::print_text(text.str());
    return status;
  } catch (const CLI::ParseError& e) {
    bristle::cli::print_error("bristle: {}\n", one_line(app, e, argc, argv));
    return bristle::cli::wrong_input;
  }
  bristle::cli::begin_command(app.get_subcommands().front()->get_name());
  if (const auto status = studies.run()) return *status;
  if (const auto status = reference.run()) return *status;
  if (simulate->parsed()) return bristle::cli::simulate(sim);
  if (characterize->parsed()) return bristle::cli::characterize(tri);
  if (identify->parsed()) return bristle::cli::identify(fit);
  if (score->parsed()) return bristle::cli::score(compared);
  if (exporter->parsed()) return bristle::cli::export_block(exported);
  if (certifier->parsed()) return bristle::cli::certify(certified);
  if (studio->parsed()) return bristle::cli::studio(shown);
  if (papers->parsed()) return bristle::cli::papers(pap);
  return bristle::cli::models(name, json);
}

}  // namespace

int main(int argc, char** argv) {
  bristle::cli::begin_output();
  int status = bristle::cli::failed;
  try {
    status = run(argc, argv);
  } catch (const std::exception& e) { bristle::cli::print_error("bristle: {}\n", e.what()); }
  return bristle::cli::end_output(status);
}
