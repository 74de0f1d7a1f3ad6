/// Files of the page: named texts in memory that a scenario refers to. No disk exists here.
#include "core/files.hpp"

#include <map>
#include <ostream>

#include "bristle/output.hpp"

namespace bristle {
namespace {

std::map<std::string, std::string>& texts() {
  static std::map<std::string, std::string> all;
  return all;
}

/// The name without folders: a scenario may write "data/run.csv", a dropped file has no folder.
std::string bare(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

const std::string& text_of(const std::string& path) {
  const auto found = texts().find(bare(path));
  if (found == texts().end())
    throw FileError(path + ": cannot be read: the page has no file of this name; open it in Experiment");
  return found->second;
}

[[noreturn]] void refuse(const std::string& path) {
  throw FileError(path + ": cannot be written: the page writes no files");
}

}  // namespace

namespace studio {
void keep_text(const std::string& name, std::string text) { texts()[bare(name)] = std::move(text); }
void drop_texts() { texts().clear(); }
bool has_text(const std::string& name) { return texts().contains(bare(name)); }
}  // namespace studio

std::string read_file(const std::string& path, std::size_t most) {
  const std::string& text = text_of(path);
  if (text.size() > most)
    throw FileError(path + ": is too long; at most " + std::to_string(most >> 20) + " MiB are accepted");
  return text;
}
void read_pieces(const std::string& path, const std::function<bool(std::string_view)>& take) {
  const std::string_view text = text_of(path);
  constexpr std::size_t piece = std::size_t{1} << 16;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    if (!take(text.substr(at, piece))) return;
  }
}

OutputFile::OutputFile(std::string path, const Writer&) : path_(std::move(path)) { refuse(path_); }
OutputFile::~OutputFile() = default;
void OutputFile::keep() {}
void OutputFile::check(const std::string& path) { refuse(path); }
void write_file(const std::string& path, const Writer&) { refuse(path); }

}  // namespace bristle
