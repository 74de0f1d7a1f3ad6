#include "bristle/export.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "bristle/output.hpp"
#include "cli/failure.hpp"
#include "cli/screen.hpp"
#include "cli/share.hpp"
#include "commands.hpp"

namespace bristle::cli {
namespace {

namespace fs = std::filesystem;
using exports::Exported;

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : ", ") + w;
  return out;
}

/// The files together, or none; without a name the only text goes to standard output.
void put(const Exported& made, const std::string& out) {
  if (out.empty()) {
    print("{}", made.files.front().bytes);
    return;
  }
  std::vector<OutputFile> files;
  for (const exports::File& f : made.files) {
    const std::string path = f.name.empty() ? out : (fs::path(out).parent_path() / f.name).string();
    files.emplace_back(path, [&](std::ostream& o) { o << f.bytes; });
  }
  keep(files);
}

}  // namespace

int export_block(const ExportOptions& options) {
  const exports::Kind* kind = exports::find_kind(options.kind);
  const auto names = exports::kind_names();
  if (!kind) {
    const std::string near = nearest(options.kind, names);
    complain(fmt::format("unknown kind '{}'{}; accepted: {}", options.kind,
                         near.empty() ? "" : ", did you mean '" + near + "'?", listed(names)));
    return wrong_input;
  }
  exports::BlockRead read = exports::load_block(options.file, options.changes);
  for (const Problem& p : read.problems) complain(p.line());
  if (!read.block) return wrong_input;
  if (is_same_file(options.out, options.file)) {
    complain(options.out + ": is the friction file; the output requires its own file");
    return wrong_input;
  }
  try {
    if (!options.out.empty()) OutputFile::check(options.out);
    const Exported made = exports::write(*kind, *read.block,
                                         {.out = options.out,
                                          .version = options.version,
                                          .kind = options.fmu_kind,
                                          .joint = options.joint,
                                          .range = options.range,
                                          .resources = share_folder("resources")});
    for (const Problem& p : made.problems) complain(p.line());
    if (!made.problems.empty()) return wrong_input;
    for (const std::string& note : made.notes) complain(note);
    put(made, options.out);
    return done;
  } catch (...) { return status_of_exception(options.out); }
}

}  // namespace bristle::cli
