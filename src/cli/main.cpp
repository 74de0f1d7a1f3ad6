#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>

#include "bristle/boundary/value.hpp"
#include "bristle/version.hpp"
#include "commands.hpp"

namespace {

/// One line, and for a misspelt command what was meant.
std::string one_line(const CLI::App& app, const CLI::ParseError& e, int argc, char** argv) {
  std::string text = e.what();
  if (argc > 1 && app.get_subcommands().empty() && argv[1][0] != '-') {
    std::vector<std::string> commands;
    for (const auto* c : app.get_subcommands([](const CLI::App*) { return true; })) commands.push_back(c->get_name());
    const std::string near = bristle::nearest(argv[1], commands);
    text = fmt::format("unknown command '{}', {}", argv[1],
                       near.empty() ? "'bristle --help' lists them" : "did you mean '" + near + "'?");
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

int run(int argc, char** argv) {
  CLI::App app{"Bristle: friction from an equation to a simulation, from a measurement to a model.\n"
               "Example: bristle models lugre"};
  app.name("bristle");
  app.set_version_flag("--version", "bristle " BRISTLE_VERSION);
  app.require_subcommand(1);

  std::string name;
  bool json = false;
  auto* models =
      app.add_subcommand("models", "List the friction models, or show one: equations, parameters, properties.\n"
                                   "Example: bristle models gms --json");
  models->add_option("NAME", name, "a model; all of them when absent");
  models->add_flag("--json", json, "machine-readable output");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help, --version
  } catch (const CLI::ParseError& e) {
    fmt::print(stderr, "bristle: {}\n", one_line(app, e, argc, argv));
    return 2;
  }
  return models->parsed() ? bristle::cli::models(name, json) : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bristle: {}\n", e.what());
    return 1;
  }
}
