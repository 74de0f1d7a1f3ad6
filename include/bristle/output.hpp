#pragma once
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Files in and out: written whole or not at all, and every failure one line.
namespace bristle {

/// what() is one line: "out.csv: cannot be written: No space left on device".
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Writer = std::function<void(std::ostream&)>;

/// A file that is written beside its place and takes it when kept, so that several can appear together or not at all.
/// What exists and is no regular file (a pipe, /dev/stdout) is written directly; a reader that leaves early is no failure.
class OutputFile {
 public:
  /// Throws FileError, or what the writer throws; then nothing is left behind.
  OutputFile(std::string path, const Writer& write);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  void keep();

  /// Throws FileError if the path cannot be written, as far as can be seen without touching it: worth knowing before
  /// the work is done.
  static void check(const std::string& path);
  /// The same for a file in a folder that need not exist yet.
  static void check_in(const std::string& folder, const std::string& file);

  /// Removes whatever has not been kept yet. For a signal handler that ends the program.
  static void discard_all() noexcept;

 private:
  friend void keep(std::vector<OutputFile>& files);
  std::string path_, place_{}, temporary_{};  // as given; behind links; empty when there is nothing to clean up
};

void write_file(const std::string& path, const Writer& write);

/// Keeps all of them. Several writers of one folder do this one after the other, so that no set of files is a mixture.
void keep(std::vector<OutputFile>& files);

/// The whole file. Throws FileError, also when it is longer than `most` bytes.
std::string read_file(const std::string& path, std::size_t most);
/// Piece by piece, until there is no more or `take` returns false. Throws FileError.
void read_pieces(const std::string& path, const std::function<bool(std::string_view)>& take);

}  // namespace bristle
