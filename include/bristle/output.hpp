#pragma once
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Input and output files: written whole or not at all; each failure is one line.
namespace bristle {

/// what() is one line: "out.csv: cannot be written: No space left on device".
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Writes the content of a file.
using Writer = std::function<void(std::ostream&)>;

/// A file that is written under a temporary name and renamed by keep(), so that several files appear together or not at
/// all. Pipes and devices (/dev/stdout) are written directly; a closed pipe is no failure.
class OutputFile {
 public:
  /// Throws FileError, or the exception of the writer; then no file remains.
  OutputFile(std::string path, const Writer& write);
  ~OutputFile();
  /// The file changes its owner.
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  /// Gives the temporary file its name; without it the file is removed.
  void keep();

  /// Throws FileError if the path is not writable, as far as this is known without touching it. To be called before the
  /// work.
  static void check(const std::string& path);
  /// Like check, for a file in a folder that need not exist.
  static void check_in(const std::string& folder, const std::string& file);

  /// Removes all temporary files. For a signal handler that ends the program.
  static void discard_all() noexcept;

 private:
  friend void keep(std::vector<OutputFile>& files);
  std::string path_, place_{}, temporary_{};  // as given; links resolved; empty if there is nothing to remove
};

/// Writes a file whole or not at all.
void write_file(const std::string& path, const Writer& write);

/// Keeps all files. Writers of one folder do this one after the other, so that sets of files do not mix.
void keep(std::vector<OutputFile>& files);

/// Reads a whole file. Throws FileError, also for more than `most` bytes.
std::string read_file(const std::string& path, std::size_t most);
/// Reads a file in pieces until its end or until `take` returns false. Throws FileError.
void read_pieces(const std::string& path, const std::function<bool(std::string_view)>& take);

}  // namespace bristle
