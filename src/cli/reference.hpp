#pragma once
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bristle::cli {

/// The commands that explain: help, init, check, examples, schema, completion.
class ReferenceCommands {
 public:
  explicit ReferenceCommands(CLI::App& app);
  /// The exit status if one of them is given.
  std::optional<int> run() const;

 private:
  CLI::App& app_;
  CLI::App *help_, *init_, *check_, *examples_, *schema_, *completion_;
  std::string topic_{}, kind_ = "slider", out_{}, shell_{}, name_{}, folder_{};
  std::vector<std::string> files_{};
  bool man_ = false, markdown_ = false, names_ = false;
};

// Texts from the declarations of the commands.
std::string man_page(const CLI::App& app);
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);

}  // namespace bristle::cli
