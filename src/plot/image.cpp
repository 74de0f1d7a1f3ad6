#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <system_error>

#include "bristle/output.hpp"
#include "bristle/plot.hpp"

namespace bristle::plot {
namespace {

/// An unnamed temporary file, removed when closed: unlike a pipe it requires no reader and no thread.
class Scratch {
 public:
  Scratch() : file_{std::tmpfile(), &std::fclose} {
    if (!file_) fail();
  }
  int descriptor() const { return ::fileno(file_.get()); }
  void fill(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0) fail();
    ::lseek(descriptor(), 0, SEEK_SET);
  }
  std::string content() {
    std::string text;
    std::array<char, 4096> piece;
    if (std::fseek(file_.get(), 0, SEEK_SET) != 0) fail();
    while (const std::size_t n = std::fread(piece.data(), 1, piece.size(), file_.get())) text.append(piece.data(), n);
    return text;
  }

 private:
  [[noreturn]] static void fail() {
    throw std::runtime_error("temporary file: cannot be created: " + std::generic_category().message(errno));
  }
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

std::string convert(const std::string& drawing, std::string_view format) {
  Scratch in, out, messages;
  in.fill(drawing);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages.descriptor(), STDERR_FILENO);
  std::array<std::string, 4> words = {"rsvg-convert", fmt::format("--format={}", format), "--dpi-x=300", "--dpi-y=300"};
  std::array<char*, 5> arguments{};
  for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw std::runtime_error(
        "PNG and PDF require the program rsvg-convert (package librsvg2-bin); SVG is accepted without it");
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (status == 0) {
    if (std::string image = out.content(); !image.empty()) return image;
  }
  const std::string said = messages.content();
  throw std::runtime_error("rsvg-convert failed: " +
                           (said.empty() ? fmt::format("status {}", status) : said.substr(0, said.find('\n'))));
}

}  // namespace

std::string image(const Figure& figure, std::string_view format) {
  if (format == "svg") return svg(figure);
  if (format == "png" || format == "pdf") return convert(svg(figure), format);
  throw std::invalid_argument(fmt::format("unknown image format \"{}\"; accepted: svg, png, pdf", format));
}

void write_figure(const Figure& figure, const std::string& path) {
  OutputFile::check(path);
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".svg" && ending != ".png" && ending != ".pdf")
    throw std::invalid_argument(fmt::format("{}: unknown image format; the name must end in .svg, .png or .pdf", path));
  const std::string content = image(figure, ending.substr(1));
  write_file(path, [&](std::ostream& out) { out << content; });
}

}  // namespace bristle::plot
