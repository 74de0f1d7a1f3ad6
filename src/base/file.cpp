#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <filesystem>
#include <ostream>
#include <set>
#include <streambuf>
#include <system_error>
#include <thread>
#include <utility>

#include "bristle/output.hpp"

namespace bristle {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& what, const std::string& why) {
  throw FileError(path + ": " + what + ": " + why);
}
[[noreturn]] void cannot_write(const std::string& path, int error) {
  fail(path, "cannot be written", std::strerror(error));
}

/// A stream buffer for a file descriptor; keeps the first error.
class Descriptor : public std::streambuf {
 public:
  explicit Descriptor(int fd) : fd_(fd) { setp(buffer_.data(), buffer_.data() + buffer_.size()); }
  ~Descriptor() override {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  /// The first error number, or 0.
  int finish() {
    sync();
    if (::close(fd_) != 0 && error_ == 0) error_ = errno;
    fd_ = -1;
    return error_;
  }

 private:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char* text, std::streamsize n) override {
    if (n <= epptr() - pptr()) {
      std::copy(text, text + n, pptr());
      pbump(static_cast<int>(n));
      return n;
    }
    return sync() == 0 && send(text, static_cast<std::size_t>(n)) ? n : 0;
  }
  int sync() override {
    const bool sent = send(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return sent ? 0 : -1;
  }
  bool send(const char* text, std::size_t n) {
    while (n > 0 && error_ == 0) {
      const ssize_t done = ::write(fd_, text, n);
      if (done > 0) {
        text += done;
        n -= static_cast<std::size_t>(done);
      } else if (done < 0 && errno != EINTR) {
        error_ = errno;
      }
    }
    return error_ == 0;
  }

  int fd_, error_ = 0;
  std::array<char, 4096> buffer_{};
};

void write_all(int fd, const std::string& path, const Writer& write) {
  Descriptor file(fd);
  std::ostream out(&file);
  write(out);
  const int error = file.finish();
  if (error == EPIPE) return;
  if (error != 0) cannot_write(path, error);
  if (!out) fail(path, "cannot be written", "the output is incomplete");
}

/// Temporary files, in memory that a signal handler can read.
class Unkept {
 public:
  void add(const std::string& name) {
    for (Slot& s : slots_) {
      State before = empty;
      if (name.size() >= s.name.size() || !s.state.compare_exchange_strong(before, taken)) continue;
      std::copy(name.c_str(), name.c_str() + name.size() + 1, s.name.begin());
      s.state = named;
      return;
    }
  }
  void remove(const std::string& name) {
    for (Slot& s : slots_) {
      if (s.state == named && name == s.name.data()) s.state = empty;
    }
  }
  void unlink_all() {
    for (Slot& s : slots_) {
      if (s.state == named) ::unlink(s.name.data());
    }
  }

 private:
  enum State { empty, taken, named };
  struct Slot {
    std::atomic<State> state{empty};
    std::array<char, 1024> name{};
  };
  std::array<Slot, 16> slots_{};  // the most outputs of one command
};
Unkept unkept;

/// Creates a file in the folder of `place`, with the permissions of the file to replace.
int open_beside(const std::string& place, const struct stat* old, std::string& name) {
  static std::atomic<unsigned> count{0};
  const fs::path folder = fs::path(place).parent_path();
  while (true) {
    name = folder / (".bristle-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".tmp");
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 && old && ::fchmod(fd, old->st_mode & 07777) != 0) errno = 0;  // a file system without permissions
    if (fd >= 0) unkept.add(name);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
}

/// Opens stdout or stderr by its descriptor: other programs may write to the same file.
int open_directly(const std::string& path) {
  if (path == "/dev/stdout") return ::dup(STDOUT_FILENO);
  if (path == "/dev/stderr") return ::dup(STDERR_FILENO);
  return ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
}
bool is_standard(const std::string& path) { return path == "/dev/stdout" || path == "/dev/stderr"; }

/// Resolves links.
std::string behind_links(const std::string& path) {
  std::error_code ignored;
  const fs::path place = fs::canonical(path, ignored);
  return place.empty() ? path : place.string();
}

std::string folder_of(const std::string& place) {
  const fs::path parent = fs::path(place).parent_path();
  return parent.empty() ? "." : parent.string();
}

/// Prevents other writers from renaming files into the folder. If the lock is not available in time, or the file system
/// has no locks, work continues without it: each single file is complete anyway.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder) : fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    using namespace std::chrono_literals;
    for (int n = 0; fd_ >= 0 && n < 500 && ::flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++n)
      std::this_thread::sleep_for(2ms);
  }
  ~FolderLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_;
};

}  // namespace

void OutputFile::check(const std::string& path) {
  struct stat info{};
  if (path.empty()) throw FileError("an output has no file name; a path is required");
  if (is_standard(path)) return;
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) cannot_write(path, EISDIR);
    if (::access(path.c_str(), W_OK) != 0) cannot_write(path, errno);
    if (!S_ISREG(info.st_mode)) return;
  } else if (errno != ENOENT) {
    cannot_write(path, errno);
  }
  if (path.back() == '/') cannot_write(path, EISDIR);
  const std::string folder = folder_of(behind_links(path));
  if (::stat(folder.c_str(), &info) != 0) fail(path, "cannot be written", "folder " + folder + " does not exist");
  if (!S_ISDIR(info.st_mode)) fail(path, "cannot be written", folder + " is not a folder");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    fail(path, "cannot be written", "folder " + folder + ": " + std::strerror(errno));
  }
}

void OutputFile::check_in(const std::string& folder, const std::string& file) {
  std::error_code error;
  fs::path at = fs::absolute(folder, error);
  while (!fs::exists(at, error) && at.has_relative_path()) at = at.parent_path();
  if (!fs::is_directory(at, error)) cannot_write(folder, ENOTDIR);
  if (::access(at.c_str(), W_OK | X_OK) != 0) cannot_write(folder, errno);
  if (at == fs::absolute(folder, error)) check((fs::path(folder) / file).string());
}

OutputFile::OutputFile(std::string path, const Writer& write) : path_(std::move(path)) {
  check(path_);
  struct stat info{};
  const bool exists = ::stat(path_.c_str(), &info) == 0;
  if (is_standard(path_) || (exists && !S_ISREG(info.st_mode))) {
    const int fd = open_directly(path_);
    if (fd < 0) cannot_write(path_, errno);
    write_all(fd, path_, write);
    return;
  }
  place_ = behind_links(path_);
  std::string name;
  const int fd = open_beside(place_, exists ? &info : nullptr, name);
  if (fd < 0) cannot_write(path_, errno);
  try {
    write_all(fd, path_, write);
  } catch (...) {
    ::unlink(name.c_str());
    unkept.remove(name);
    throw;
  }
  temporary_ = std::move(name);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      place_(std::move(other.place_)),
      temporary_(std::exchange(other.temporary_, std::string())) {}

OutputFile::~OutputFile() {
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  unkept.remove(temporary_);
}

void OutputFile::discard_all() noexcept { unkept.unlink_all(); }

void OutputFile::keep() {
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), place_.c_str()) != 0) cannot_write(path_, errno);
  unkept.remove(temporary_);
  temporary_.clear();
}

void write_file(const std::string& path, const Writer& write) { OutputFile(path, write).keep(); }

void keep(std::vector<OutputFile>& files) {
  std::set<std::string> folders;  // sorted, so that writers cannot deadlock
  for (const OutputFile& f : files) {
    if (!f.temporary_.empty()) folders.insert(behind_links(folder_of(f.place_)));
  }
  std::deque<FolderLock> locks;
  for (const std::string& folder : folders) locks.emplace_back(folder);
  for (OutputFile& f : files) f.keep();
}

void read_pieces(const std::string& path, const std::function<bool(std::string_view)>& take) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(path, "cannot be read", std::strerror(errno));
  const struct Closer {
    int fd;
    ~Closer() { ::close(fd); }
  } closer{fd};
  std::string piece(std::size_t{1} << 16, '\0');
  while (true) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "cannot be read", std::strerror(errno));
    if (got == 0 || !take(std::string_view(piece).substr(0, static_cast<std::size_t>(got)))) return;
  }
}

std::string read_file(const std::string& path, std::size_t most) {
  std::string text;
  read_pieces(path, [&](std::string_view piece) {
    text += piece;
    return text.size() <= most;
  });
  if (text.size() > most)
    throw FileError(path + ": is too long; at most " + std::to_string(most >> 20) + " MiB are accepted");
  return text;
}

}  // namespace bristle
