#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "bristle/registry/describe.hpp"
#include "bristle/scenario/reference.hpp"
#include "bristle/version.hpp"
#include "cli/help.hpp"
#include "cli/reference.hpp"
#include "commands.hpp"

namespace bristle::cli {
namespace {

using Commands = std::vector<const CLI::App*>;
Commands commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

bool is_value(const CLI::Option& o) { return o.get_items_expected_max() > 0; }
/// "-o DIR", "--set KEY=VALUE"
std::string spelling(const CLI::Option& o) {
  if (o.get_positional()) return o.get_name(true);
  return o.get_name(false, true) + (is_value(o) ? " " + o.get_type_name() : "");
}
std::vector<std::string> names_of(const CLI::Option& o) {
  std::vector<std::string> out;
  for (const std::string& s : o.get_snames()) out.push_back("-" + s);
  for (const std::string& l : o.get_lnames()) out.push_back("--" + l);
  return out;
}

/// Text for roff: no line begins with a control character, hyphens stay hyphens.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string man_description(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const std::string example = "Example: ";
    out += line.starts_with(example) ? ".PP\n.EX\n" + roff(line.substr(example.size())) + "\n.EE\n" : roff(line) + "\n";
    at = end + 1;
  }
  return out;
}

/// Words that a value may be; empty: a file, a folder or any text.
struct Values {
  std::vector<std::string> words{};
  std::string files{};  // pattern of files; "/": folders
  bool comma = false;   // several words
  bool assign = false;  // KEY=
  bool examples = false;
};

std::vector<std::string> keys_to_set() {
  std::vector<std::string> out;
  for (const scenario::SectionInfo& s : scenario::sections()) {
    const bool list = s.heading.starts_with("[[") || s.path.ends_with(".terms");  // their keys need an index
    if (s.open || s.path.empty() || s.path.find('*') != std::string::npos || list) continue;
    for (const scenario::Key& k : s.all()) {
      if ((k.form & (scenario::form::table | scenario::form::tables)) == 0) out.push_back(s.path + "." + k.name + "=");
    }
  }
  return out;
}

Values values_of(const CLI::App& command, const CLI::Option& o) {
  const std::string& name = command.get_name();
  const std::string option = o.get_positional() ? o.get_name(true) : names_of(o).back();
  const std::string type = o.get_positional() ? option : o.get_type_name();
  if (option == "--set") return {.words = keys_to_set(), .assign = true};
  if (option == "--models") {
    Values out{.words = {"all"}, .comma = true};
    for (const ModelInfo& m : model_infos()) {
      for (const std::string& v : variant_names(m)) out.words.push_back(v);
    }
    return out;
  }
  if (name == "models") return {.words = model_names()};
  if (name == "help") {
    Values out{.words = help_topics()};
    for (const CLI::App* c : commands_of(*command.get_parent())) out.words.push_back(c->get_name());
    for (const std::string& m : model_names()) out.words.push_back(m);
    return out;
  }
  if (type == "KIND" && name == "init") return {.words = template_names()};
  if (type == "SHELL") return {.words = {"bash", "zsh"}};
  if (name == "examples" && type == "NAME") return {.examples = true};
  if (type == "DIR") return {.files = "/"};
  if (type == "FILE" || type == "MODEL") return {.files = "*.toml"};
  if (type == "DATA" || type == "OUT") return {.files = "*"};
  return {};
}

std::string bash_values(const Values& v) {
  if (v.examples)
    return "mapfile -t COMPREPLY < <(compgen -W \"$(\"${COMP_WORDS[0]}\" examples --names 2>/dev/null)\" -- \"$cur\")";
  if (v.files == "/") return "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")";
  if (v.files == "*.toml") return "_bristle_toml";
  if (!v.files.empty()) return "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")";
  if (v.words.empty()) return "";
  if (v.comma) return fmt::format("_bristle_list \"{}\"", fmt::join(v.words, " "));
  return fmt::format(R"({}mapfile -t COMPREPLY < <(compgen -W "{}" -- "$cur"))", v.assign ? "compopt -o nospace; " : "",
                     fmt::join(v.words, " "));
}

std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string zsh_values(const Values& v) {
  if (v.examples) return "{_values name ${(f)\"$(bristle examples --names 2>/dev/null)\"}}";
  if (v.files == "/") return "_files -/";
  if (v.files == "*.toml") return "_files -g \"*.toml\"";
  if (!v.files.empty()) return "_files";
  if (v.comma) return fmt::format("{{_values -s , names {}}}", fmt::join(v.words, " "));
  if (v.assign) return fmt::format("{{compadd -S \"\" -- {}}}", fmt::join(v.words, " "));
  return v.words.empty() ? " " : fmt::format("({})", fmt::join(v.words, " "));
}

}  // namespace

std::string man_page(const CLI::App& app) {
  std::string out =
      fmt::format(".TH BRISTLE 1 \"\" \"bristle {}\" \"User commands\"\n.SH NAME\nbristle \\- friction models, their "
                  "simulation and identification\n.SH SYNOPSIS\n.B bristle\n.I COMMAND\n[\n.I ARGUMENTS\n]\n.SH "
                  "DESCRIPTION\n{}",
                  BRISTLE_VERSION, man_description(app.get_description()));
  out += ".SH COMMANDS\n";
  for (const CLI::App* c : commands_of(app)) {
    out += fmt::format(".SS bristle {}", roff(c->get_name()));
    for (const CLI::Option* o : c->get_options()) {
      if (o->get_positional()) out += " " + roff(o->get_required() ? o->get_name(true) : "[" + o->get_name(true) + "]");
    }
    out += "\n" + man_description(c->get_description());
    for (const CLI::Option* o : c->get_options()) {
      out += fmt::format(".TP\n.B {}\n{}", roff(spelling(*o)), roff(o->get_description()));
      out += o->get_default_str().empty() ? "\n" : " (default: " + roff(o->get_default_str()) + ")\n";
    }
  }
  out +=
      ".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\nthe run failed, or an [expect] is violated\n.TP\n.B 2\nthe input is "
      "wrong\n.TP\n.B 130\nstopped by Ctrl\\-C\n"
      ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colours on a terminal\n.TP\n.B BRISTLE_EXAMPLES, BRISTLE_PAPERS\nfolders of the "
      "examples and of the papers\n"
      ".SH FILES\nScenario files are TOML:\n.B bristle help scenario\nexplains them,\n.B bristle help\nlists all topics.\n";
  return out;
}

std::string bash_completion(const CLI::App& app) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* c : commands_of(app)) {
    names.push_back(c->get_name());
    std::vector<std::string> options;
    std::string values, positional;
    for (const CLI::Option* o : c->get_options()) {
      if (o->get_positional()) {
        positional = bash_values(values_of(*c, *o));  // the last one may be repeated
        continue;
      }
      const std::vector<std::string> own = names_of(*o);
      options.insert(options.end(), own.begin(), own.end());
      if (is_value(*o))
        values += fmt::format("        {}) {}{}return ;;\n", fmt::join(own, " | "), bash_values(values_of(*c, *o)),
                              bash_values(values_of(*c, *o)).empty() ? "" : "; ");
    }
    cases += fmt::format(
        "    {})\n      case $prev in\n{}        *) ;;\n      esac\n      if [[ $cur == -* ]]; then\n        mapfile -t "
        "COMPREPLY < <(compgen -W \"{}\" -- \"$cur\")\n      else\n        {}\n      fi ;;\n",
        c->get_name(), values, fmt::join(options, " "), positional.empty() ? ":" : positional);
  }
  return fmt::format(R"(# bash completion of bristle, written by 'bristle completion bash'
_bristle_toml() {{
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen -f -X '!*.toml' -- "$cur"; compgen -d -- "$cur")
}}
_bristle_list() {{ # several words, separated by commas
  local done=""
  [[ $cur == *,* ]] && done=${{cur%,*}},
  compopt -o nospace
  mapfile -t COMPREPLY < <(compgen -P "$done" -W "$1" -- "${{cur##*,}}")
}}
_bristle() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "{} --help --version" -- "$cur")
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
}}
complete -F _bristle bristle
)",
                     fmt::join(names, " "), cases);
}

std::string zsh_completion(const CLI::App& app) {
  std::string commands, cases;
  for (const CLI::App* c : commands_of(app)) {
    commands += fmt::format("    '{}:{}'\n", c->get_name(), zsh_text(c->get_description()));
    cases += fmt::format("    {})\n      _arguments", c->get_name());
    for (const CLI::Option* o : c->get_options()) {
      const bool several = o->get_items_expected_max() > 1;
      const std::string value = is_value(*o) ? zsh_values(values_of(*c, *o)) : "";
      if (o->get_positional()) {
        cases += fmt::format(" \\\n        '{}:{}:{}'", several ? "*" : "", zsh_text(o->get_name(true)), value);
        continue;
      }
      for (const std::string& name : names_of(*o)) {
        cases += fmt::format(" \\\n        '{}{}[{}]{}'", is_value(*o) && several ? "*" : "", name,
                             zsh_text(o->get_description()),
                             value.empty() ? "" : ":" + zsh_text(o->get_type_name()) + ":" + value);
      }
    }
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef bristle
# zsh completion of bristle, written by 'bristle completion zsh'
_bristle() {{
  local -a commands
  commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
{}  esac
}}
_bristle "$@"
)",
                     commands, cases);
}

}  // namespace bristle::cli
