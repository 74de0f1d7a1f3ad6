#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../scenario.hpp"

namespace bristle {

struct FamilyRead;

/// A scenario file with numbers that change from run to run at some keys. The file is parsed once.
class ScenarioFamily {
 public:
  /// The keys are those of --set; `where` precedes messages about a key, "--vary drive.velocity".
  struct Key {
    std::string path{}, where{};
  };
  /// An independent copy, as for another thread.
  ScenarioFamily(const ScenarioFamily& other);
  ScenarioFamily& operator=(const ScenarioFamily&) = delete;
  /// Takes over.
  ScenarioFamily(ScenarioFamily&& other) noexcept;
  ~ScenarioFamily();

  /// The scenario with these values of the keys. Each thread requires a copy of the family.
  Loaded whole(std::span<const double> values);
  /// The same without figures, expectations and text, which a sweep does not use.
  Loaded at(std::span<const double> values);

  const std::string& path() const;
  const std::string& text() const;
  /// [sweep] of the file, with its problems.
  SweepSpec sweep(Problems& problems) const;
  /// `device` in [solver]: cpu unless given.
  std::string device() const;
  /// Replaces the keys.
  void vary(std::vector<Key> keys);

 private:
  friend FamilyRead read_family(const std::string& text, const std::string& path, const Changes& changes);
  struct Tree;
  explicit ScenarioFamily(std::unique_ptr<Tree> tree);
  std::unique_ptr<Tree> tree_;
};

/// A family of scenarios, or the problems of its file.
struct FamilyRead {
  std::optional<ScenarioFamily> family{};  // empty if the file cannot be parsed
  Problems problems{};
};
/// Reads a file whose values are changed later.
FamilyRead load_family(const std::string& path, const Changes& changes = {});
/// The same from text; `path` is used for messages and to resolve relative file names.
FamilyRead read_family(const std::string& text, const std::string& path, const Changes& changes = {});

/// Whether a measure or expectation of the scenario requires rows of the trace; events and probes suffice otherwise.
bool needs_rows(const Scenario& scenario);

}  // namespace bristle
