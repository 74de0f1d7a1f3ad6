#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/certificate.hpp"
#include "scenario.hpp"

/// A friction block in the language of another program: C for a controller, Modelica, MJCF, JSON...
namespace bristle::exports {

/// A remark of a fit on a parameter, in the comments of MODEL.toml.
struct FitRemark {
  std::string name{};      // "Fc", "k1", "negative.Fs", "fitted.mass"
  std::string interval{};  // of 95 %: "1.1 to 1.3", "> 1", "no limits"; "": none
  // identifiable: false: the data do not determine the parameter; at_limit: true: the estimate lies at a bound
  bool identifiable = true, at_limit = false;
};
/// Remarks on parameters in the comments of a fitted file.
std::vector<FitRemark> fit_remarks(std::string_view text);

/// A friction block with its source. `canonical` is the text of the block alone, without names, comments and neutral
/// effects: files with equal blocks have equal texts, and `deserialise` reads it. Exports carry its SHA-256.
struct Block {
  FrictionFile file{};
  std::string title{};  // of the file; "" if it has none
  bool rotational = false;
  std::string canonical{}, sha256{};  // canonical: the block as text in canonical order; sha256: hash of that text
  std::vector<FitRemark> remarks{};   // remarks of the fit

  const AnyContact& contact() const { return *file.contact; }
  std::string model() const { return std::string(contact().model()); }
};
/// A friction block, or its problems.
struct BlockRead {
  std::optional<Block> block{};  // empty if there are problems
  Problems problems{};
};
/// The block of a friction file, of MODEL.toml of identify, or of the [friction] section of a scenario.
BlockRead load_block(const std::string& path, const std::vector<std::string>& changes = {});
/// A block from a contact, for tests and bindings.
Block block_of(std::unique_ptr<AnyContact> contact, const std::string& name = "friction");

/// Values of the command line; empty or 0: not given.
struct Options {
  std::string out{};        // file to write; names in the output follow it
  int version = 0;          // of FMI: 2 or 3
  std::string kind{};       // of an FMU: friction or body
  std::string joint{};      // of a mechanism
  std::string range{};      // velocities FROM:TO of approximations, m/s
  std::string resources{};  // folder with the files that come with the command
};
/// A file to write.
struct File {
  std::string name{};   // "": the output itself; else a file next to it
  std::string bytes{};  // its content
};
/// Files, or the reasons why there are none.
struct Exported {
  std::vector<File> files{};         // the files, in the order of their names
  std::vector<std::string> notes{};  // remarks that are not errors
  Problems problems{};
};

/// An option that a kind reads; others are refused with a message.
enum Reads : unsigned { none = 0, version = 1, kind = 2, joint = 4, range = 8 };
/// A format, described once: the command, its help and the messages take it from here.
struct Kind {
  const char *name, *title, *ending;  // ending: of the file, ".h"
  bool text;                          // goes to standard output without -o
  unsigned reads;                     // options that this kind reads, as bits
  /// Writes the block.
  Exported (*write)(const Block& block, const Options& options);
};
/// All kinds, in the order of the help.
const std::vector<Kind>& kinds();
/// Their words.
std::vector<std::string> kind_names();
/// The kind of this name; nullptr if there is none.
const Kind* find_kind(std::string_view name);

/// Why a block cannot be exported by any kind: a population, or a random law; "" if it can.
std::string refusal(const Block& block);
/// Checks block and options, then writes.
Exported write(const Kind& kind, const Block& block, const Options& options);

/// The certificate of a block; `battery`: its properties, measured by tribometer::characterize.
/// Why no certificate can be written for a block; "" if one can.
std::string certify_refusal(const Block& block);
/// The data sheet of a block, from its characterization.
report::Certificate certify(const Block& block, tribometer::Characterization battery);
/// The data sheet as JSON.
std::string certificate_json(const report::Certificate& certificate);

}  // namespace bristle::exports
