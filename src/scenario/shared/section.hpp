#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/document.hpp"
#include "bristle/registry/read.hpp"
#include "bristle/scenario.hpp"

namespace bristle::tribometer {
struct Settings;
}

/// Tools of the readers. Keys of parameter structs come from their field lists; only what no struct lists is named here.
namespace bristle::scenario {

/// A file being read.
struct Reading {
  std::filesystem::path folder{};  // relative file names start here
  Problems problems{};
  struct FileUnits {
    std::string where, file;  // where the file is named
    bool rotational;
  };
  std::vector<FileUnits> units{};  // as the friction files say that were read on the way

  void wrong(const std::string& where, std::string text) { problems.push_back({where, std::move(text)}); }
  void add(Problems more);
  std::string resolved(const std::string& file) const;
};

/// "did you mean 'x'?", or the alternatives.
std::string hint(const std::string& word, const std::vector<std::string>& known);

/// A table of the file with its name for messages, "[drive]".
struct Section {
  const Node& node;
  std::string name;

  bool has(const std::string& key) const { return node.find(key) != nullptr; }
  /// A word; empty if it is absent, or wrong and reported.
  std::optional<std::string> text(const std::string& key, Reading& reading) const;
  /// One or several words.
  std::vector<std::string> texts(const std::string& key, Reading& reading) const;
  /// Where to point for a key that may be absent.
  const std::string& where(const std::string& key) const;
};

/// Index of a word among the choices; empty if it is absent (`needed`: reported), or wrong and reported.
std::optional<std::size_t> choice(const Section& section, const std::string& key,
                                  const std::vector<std::string>& choices, bool required, Reading& reading);

/// Reads all keys of a section into the fields, except those that are `also` known and read elsewhere.
/// given[i] says whether fields[i] was; `owner` is who takes the keys, for messages.
struct Given {
  std::vector<bool> given;
  bool good;
};
Given read_section(const Section& section, const std::string& owner, std::vector<FieldView> fields,
                   const std::vector<std::string>& also, Reading& reading);

/// A table, or a reported problem.
std::optional<Section> subsection(const Node& parent, const std::string& key, Reading& reading);

template <class V> FieldView view(const std::string& name, const std::string& unit, V& v, Range range = any_real) {
  FieldView out{.name = name, .unit = unit, .range = range, .role = optional};
  bristle::detail::bind(out, v);
  return out;
}

/// The columns of the trace, as far as they are known when other parts of the file are wrong.
struct Columns {
  std::vector<std::string> names{}, arrays{};  // arrays: f for f1, f2...
  bool all = true;                             // false: there may be others
  std::vector<std::string> own{};              // of the first block of a chain that is not recorded as a whole
  std::vector<int> record{};                   // its recorded blocks
  int blocks{};                                // of it
  bool has(const std::string& name) const;
  /// Why there is no such column: "unknown column 'y', did you mean 'x'?", or it belongs to a block that is not recorded.
  /// `where` stands after the name.
  std::string objection(const std::string& name, const std::string& where = "") const;
};
/// `models` are those of the contacts, also of the ones that could not be made; "" for an unknown one.
Columns columns_of(const Experiment& experiment, const std::vector<std::string>& models, bool system_known);

// The sections. Each reports what is wrong and leaves what it could read.
std::vector<std::string> read_friction(const Node& root, Experiment& experiment, std::vector<std::string>& notes,
                                       Reading& reading);
bool read_system(const Node& root, Experiment& experiment, Reading& reading);
void read_controller(const Node& root, Experiment& experiment, bool system_known, Reading& reading);
void read_drives(const Node& root, Experiment& experiment, double duration, Reading& reading);
bool read_solver(const Node& root, Experiment& experiment, bool system_known, Reading& reading);
std::vector<FigureSpec> read_figures(const Node& root, const Columns& columns, Reading& reading);
/// `duration` is infinite if it is not known.
std::vector<Expectation> read_expectations(const Node& root, const Columns& columns, double duration, Reading& reading);
/// The same without bounds: a function such as max(F), and a window that may be empty.
Expectation read_quantity(const Member& quantity, const Columns& columns, double duration, Reading& reading);
/// Whether the motion is a rotation: as `units` says, else as the friction files do. To be read after them.
bool read_units(const Node& root, std::vector<std::string>& notes, Reading& reading);
/// A friction file: the block at top level, or its [friction].
std::unique_ptr<AnyContact> read_friction_file(const std::string& file, const std::string& where, Reading& reading);
/// A friction block, perhaps with `file`, in a section of another name.
std::unique_ptr<AnyContact> read_friction_block(const Node& block, const std::string& section, Reading& reading);

/// [tribometer], which only characterize heeds.
void read_tribometer(const Node& root, tribometer::Settings& settings, Reading& reading);

/// A scenario from its tree, with what is to be measured beside its expectations.
Loaded scenario_of(const Node& root, const std::string& text, const std::string& path,
                   const std::vector<Member>& quantities = {});
/// In the order of the file, then what has no line in it; each of readable length.
Problems tidied(Problems problems, const std::string& path);

}  // namespace bristle::scenario
