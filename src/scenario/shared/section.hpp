#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/document.hpp"
#include "bristle/registry/read.hpp"
#include "bristle/scenario.hpp"
#include "bristle/scenario/reference.hpp"

namespace bristle::tribometer {
struct Settings;
}

/// Functions for the readers of sections. Keys of parameter structs come from their field lists.
namespace bristle::scenario {

struct Section;

/// The lists of keys that the readers of a file accept, in the order of reading.
struct Description {
  struct Keys {
    const Node* node;
    std::string section;
    std::vector<Key> keys;
    bool open;
  };
  struct Choice {
    const Node* node;
    std::string section, key;
    std::vector<std::string> words;
    bool required;
  };
  std::vector<Keys> keys{};
  std::vector<Choice> choices{};
};

/// A file being read.
struct Reading {
  std::filesystem::path folder{};  // base of relative file names
  Problems problems{};
  /// A file with a friction block.
  struct FrictionSource {
    std::string where{}, file{};  // place of the reference to the file
    std::string title{};
    std::optional<bool> rotational{};  // `units`
    FittedPart fitted{};
    std::vector<MeasuredRanges::Of> measured{};
  };
  std::vector<FrictionSource> sources{};  // friction files
  FrictionSource own{};                   // [fitted] and [measured] of this file
  bool slider = false;                    // [fitted] acts on the body
  std::vector<std::string> files{};       // files that were read
  std::vector<std::string> notes{};       // remarks on correct input
  std::vector<std::string> taken{};       // values taken from [fitted]: "mass = 1.2 kg of fit/lugre.toml"
  Description* description = nullptr;     // receives the lists of keys

  void wrong(const std::string& where, std::string text) { problems.push_back({where, std::move(text)}); }
  void add(Problems more);
  /// The keys of a section for the reference; read_section describes those that it reads. `open`: any key is accepted.
  void describe(const Section& section, const std::vector<FieldView>& fields, const std::vector<Key>& also = {},
                bool open = false) const;
  /// The path of a file that is read.
  std::string resolved(const std::string& file);
};

bool contains(const std::vector<std::string>& words, const std::string& word);
std::vector<std::string> names_of(const std::vector<Key>& keys);
/// ", did you mean 'x'?" or "; accepted: x, y".
std::string hint(const std::string& word, const std::vector<std::string>& known);

/// A table of the file and its name for messages, "[drive]".
struct Section {
  const Node& node;
  std::string name;

  bool has(const std::string& key) const { return node.find(key) != nullptr; }
  /// A text; empty if it is absent, or wrong (and reported).
  std::optional<std::string> text(const std::string& key, Reading& reading) const;
  /// One or several texts.
  std::vector<std::string> texts(const std::string& key, Reading& reading) const;
  /// The place of a key; the place of the section if the key is absent.
  const std::string& where(const std::string& key) const;
};

/// Index of a text among the choices; empty if it is absent (reported if `required`) or wrong (reported).
std::optional<std::size_t> choice(const Section& section, const std::string& key,
                                  const std::vector<std::string>& choices, bool required, Reading& reading);

/// Reads all keys of a section into the fields, except the keys in `also`, which are read elsewhere.
/// given[i]: fields[i] was present; `owner`: the reader of the keys in messages, "a figure".
struct Given {
  std::vector<bool> given;
  bool good;
};
Given read_section(const Section& section, const std::string& owner, std::vector<FieldView> fields,
                   const std::vector<Key>& also, Reading& reading);

/// A subsection; empty if absent or not a table (reported).
std::optional<Section> subsection(const Node& parent, const std::string& key, Reading& reading);

template <class V>
FieldView view(const std::string& name, const std::string& unit, V& v, Range range = any_real,
               const std::string& text = "") {
  FieldView out{.name = name, .unit = unit, .text = text, .range = range, .role = role::optional};
  bristle::detail::bind(out, v);
  return out;
}

/// Known columns of the trace, also if other parts of the file are wrong.
struct Columns {
  std::vector<std::string> names{}, arrays{};  // arrays: f for f1, f2...
  bool all = true;                             // false: there may be others
  std::vector<std::string> own{};              // columns of the first block of a chain with `record`
  std::vector<int> record{};                   // recorded blocks of the chain
  int blocks{};                                // number of blocks of the chain
  bool has(const std::string& name) const;
  /// The reason why a column does not exist: "unknown column 'y', did you mean 'x'?"; empty if it exists.
  /// `where` follows the name.
  std::string objection(const std::string& name, const std::string& where = "") const;
};
/// `models`: models of the contacts, also of wrong ones; "" for an unknown model.
Columns columns_of(const Experiment& experiment, const std::vector<std::string>& models, bool system_known);

/// Sections and keys of a scenario file.
extern const std::vector<std::string> known_sections;
/// The same, described.
extern const std::vector<Key> top_keys;
/// Keys next to a friction block at top level.
extern const std::vector<std::string> head_keys;
/// Schema, title, units, [fitted] and [measured] of a file.
Reading::FrictionSource read_source(const Node& root, const std::string& where, const std::string& file,
                                    Reading& reading);
/// Values of `over` replace those of `under`.
FittedPart combined(FittedPart under, FittedPart over);
/// Gives a slider the mass and gravity of [fitted] where [system] does not set them.
void take_fitted(const Section& system, BodyParams& body, std::vector<FieldView>& fields, Reading& reading);
/// [measured] of the friction files and of this file.
std::vector<MeasuredRanges> measured_in(const Reading& reading);
/// The tree of a file with a friction block, with changes; a block at top level becomes a section [friction]. Empty if
/// the file cannot be parsed.
std::optional<Node> friction_root(const std::string& text, const std::string& path,
                                  const std::vector<std::string>& changes, Reading& reading);

// Readers of the sections. Each reports problems and keeps all correct values.
std::vector<std::string> read_friction(const Node& root, Experiment& experiment, std::vector<std::string>& notes,
                                       Reading& reading);
bool read_system(const Node& root, Experiment& experiment, Reading& reading);
/// Problems of mass and start.
void check_body(const Section& section, const std::string& kind, const Experiment& experiment, Reading& reading);
/// kind = "chain", with `fields` of the body: presets, [system.potential] and [system.spread].
void read_chain(const Section& section, std::vector<FieldView> fields, Experiment& experiment, Reading& reading);
/// Whether a chain may do without [friction]: on a potential.
bool may_lack_friction(const Node& root);
/// False if anything about it is wrong.
bool read_controller(const Node& root, Experiment& experiment, bool system_known, Reading& reading);
/// Drive and load; `servo_known`: whether the controller is right.
void read_drives(const Node& root, Experiment& experiment, double duration, bool servo_known, Reading& reading);
bool read_solver(const Node& root, Experiment& experiment, bool system_known, Reading& reading);
std::vector<FigureSpec> read_figures(const Node& root, const Columns& columns, Reading& reading);
/// `duration` is infinite if it is not known.
std::vector<Expectation> read_expectations(const Node& root, const Columns& columns, double duration, Reading& reading);
/// Reads a quantity without bounds: a function such as max(F) and an optional window.
Expectation read_quantity(const Member& quantity, const Columns& columns, double duration, Reading& reading);
/// Reads [measure], and measures NAME=EXPR that follow it.
std::vector<Measure> read_measures(const Node& root, const std::vector<std::string>& more, const Columns& columns,
                                   double duration, Reading& reading);
/// Reads [sweep].
SweepSpec read_sweep(const Node& root, Reading& reading);
/// Whether the motion is a rotation: `units` decides, otherwise the friction files, which must be read before.
bool read_units(const Node& root, std::vector<std::string>& notes, Reading& reading);
/// Reads a friction file with the block at top level or in [friction].
std::unique_ptr<AnyContact> read_friction_file(const std::string& file, const std::string& where, Reading& reading);
/// Reads a friction block, optionally with `file`, in a section with another name.
std::unique_ptr<AnyContact> read_friction_block(const Node& block, const std::string& section, Reading& reading);

/// The friction block of a joint, with its nominal load (0: none).
struct JointFriction {
  std::unique_ptr<AnyContact> contact{};
  double normal_load{};
};
JointFriction read_joint_friction(const Node& block, std::vector<std::string>& notes, Reading& reading);
/// The function of time of an actuator, with the keys of a drive; keys in `also` are read elsewhere.
void read_actuator(const Section& section, const std::string& unit, bool force, const std::vector<Key>& also,
                   Drive& drive, Reading& reading);
/// A servo with the keys of [controller]. `unit`: of its position; `contacts`: models for feedforward = "model".
struct ServoRead {
  ControllerParams params{};
  Drive reference{};
  std::unique_ptr<AnyContact> feedforward{};
};
ServoRead read_servo(const Section& section, const std::string& unit, std::span<const NamedContact> contacts,
                     Reading& reading);
/// A friction model of a servo under `key`: a word, a file or a block, which messages call `block`.
std::unique_ptr<AnyContact> read_servo_model(const Section& section, const std::string& key, const std::string& block,
                                             std::span<const NamedContact> contacts, Reading& reading);
/// `compensation` of a servo; and its conditions, with the inertia of the body (0: not known).
void read_compensation(const Section& controller, ControllerParams& c, std::span<const NamedContact> contacts,
                       Reading& reading);
void check_compensation(const Section& controller, const ControllerParams& c, double inertia, Reading& reading);
/// kind = "multibody": the mechanism of the experiment with its contacts.
void read_mechanism(const Node& root, Experiment& experiment, double duration, std::vector<std::string>& notes,
                    Reading& reading);

/// Reads [tribometer], which only characterize uses.
void read_tribometer(const Node& root, tribometer::Settings& settings, Reading& reading);

/// `device` in [solver], cpu unless given.
std::string device_in(const Node& root);

/// The tree of a scenario file with changes KEY=VALUE.
Node scenario_root(const std::string& text, const std::string& path, const std::vector<std::string>& changes,
                   Problems& problems);
/// A scenario from its tree, with additional quantities and measures.
Loaded scenario_of(const Node& root, const std::string& text, const std::string& path,
                   const std::vector<Member>& quantities = {}, const std::vector<std::string>& measures = {},
                   Description* description = nullptr);
/// Sorts by line, problems without a line last, and shortens long messages.
Problems tidied(Problems problems, const std::string& path);

}  // namespace bristle::scenario
