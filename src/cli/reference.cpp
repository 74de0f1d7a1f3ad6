#include "cli/reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "bristle/registry/describe.hpp"
#include "cli/help.hpp"
#include "cli/schema.hpp"
#include "cli/screen.hpp"
#include "commands.hpp"

namespace bristle::cli {
namespace {

std::vector<std::pair<std::string, std::string>> commands_with_texts(const CLI::App& app) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string text = c->get_description();
    out.emplace_back(c->get_name(), text.substr(0, text.find('\n')));
  }
  return out;
}

int help(const CLI::App& app, const std::string& topic) {
  const auto commands = commands_with_texts(app);
  if (topic.empty()) {
    print_topics(commands);
    return done;
  }
  const bool command = std::ranges::any_of(commands, [&](const auto& c) { return c.first == topic; });
  if (print_topic(topic)) {
    if (command) print("\n'bristle {} --help' explains the command.\n", topic);
    return done;
  }
  if (command) {
    print_text(app.get_subcommand(topic)->help("bristle"));
    return done;
  }
  if (find_model(topic)) return models(topic, false);
  std::vector<std::string> known = help_topics();
  for (const auto& c : commands) known.push_back(c.first);
  for (const std::string& m : model_names()) known.push_back(m);
  const std::string near = nearest(topic, known);
  print_error("bristle help: unknown topic '{}'{}\n", topic,
              near.empty() ? "; 'bristle help' lists the topics" : ", did you mean '" + near + "'?");
  return wrong_input;
}

}  // namespace

ReferenceCommands::ReferenceCommands(CLI::App& app) : app_(app) {
  init_ = app.add_subcommand("init", "Write a commented scenario to start from.\n"
                                     "Example: bristle init servo -o axis.toml");
  init_->add_option("KIND", kind_, "slider, servo, roller, rate_state, asperities or chain")->capture_default_str();
  init_->add_option("-o", out_, "file to write, which must not exist; standard output if absent")->type_name("FILE");

  check_ = app.add_subcommand("check", "Read scenarios, friction files or figure files without running them.\n"
                                       "Example: bristle check axis.toml");
  check_->add_option("FILE", files_, "TOML files")->required();

  examples_ = app.add_subcommand("examples", "List the examples, or copy one.\n"
                                             "Example: bristle examples stick_slip -o out");
  examples_->add_option("NAME", name_, "name of an example; all are listed if absent");
  examples_->add_option("-o", folder_, "folder to copy to")->type_name("DIR");
  examples_->add_flag("--names", names_, "print the names only");

  schema_ = app.add_subcommand("schema", "Print the JSON schema of scenario files, for editors.\n"
                                         "Example: bristle schema > bristle.schema.json");

  help_ = app.add_subcommand("help", "Explain a section of a scenario file, a command or a model.\n"
                                     "Example: bristle help drive");
  help_->add_option("TOPIC", topic_, "scenario, friction, drive...; the topics are listed if absent");
  auto* man = help_->add_flag("--man", man_, "print the manual page");
  help_->add_flag("--markdown", markdown_, "print the reference of scenario files as one document")->excludes(man);

  completion_ = app.add_subcommand("completion", "Print a script that completes commands in a shell.\n"
                                                 "Example: source <(bristle completion bash)");
  completion_->add_option("SHELL", shell_, "bash or zsh")->required();
}

std::optional<int> ReferenceCommands::run() const {
  if (init_->parsed()) return init(kind_, out_);
  if (check_->parsed()) return check_files(files_);
  if (examples_->parsed()) return examples({.name = name_, .out = folder_, .names = names_});
  if (schema_->parsed()) {
    print_text(json_text(scenario_schema()));
    return done;
  }
  if (completion_->parsed()) {
    if (shell_ != "bash" && shell_ != "zsh") {
      print_error("bristle completion: unknown shell '{}'; accepted: bash, zsh\n", shell_);
      return wrong_input;
    }
    print_text(shell_ == "bash" ? bash_completion(app_) : zsh_completion(app_));
    return done;
  }
  if (!help_->parsed()) return {};
  if (man_ || markdown_) {
    print_text(man_ ? man_page(app_) : reference_document());
    return done;
  }
  return help(app_, topic_);
}

}  // namespace bristle::cli
