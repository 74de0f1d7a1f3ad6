/// The interactive page: the built page and its compressed core, from the resources of the command, as one file.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <ostream>

#include "bristle/output.hpp"
#include "bristle/scenario.hpp"
#include "cli/failure.hpp"
#include "cli/json.hpp"
#include "cli/screen.hpp"
#include "cli/share.hpp"
#include "commands.hpp"

extern char** environ;

namespace bristle::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most = std::size_t{16} << 20;

std::string base64(const std::string& bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : digits[group >> (18 - 6 * k) & 63];
  }
  return out;
}

/// JSON inside a script element: no '<' can end it or begin a comment.
std::string inert(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return out;
}

/// Replaces `mark`, which the page contains once.
void put(std::string& page, std::string_view mark, std::string_view text) {
  const std::size_t at = page.find(mark);
  if (at == std::string::npos)
    throw FileError(fmt::format("the page has no {}; it belongs to another version: 'make studio' builds it", mark));
  page.replace(at, mark.size(), text);
}

/// The file and those that it refers to. The page reports the problems of the text at their lines.
Json state_of(const std::string& file) {
  Json out{{"version", 1}, {"file", fs::path(file).filename().string()}, {"name", fs::path(file).filename().string()}};
  out["text"] = read_file(file, most);
  out["files"] = Json::array();
  std::size_t size = 0;
  if (const Loaded loaded = load_scenario(file); loaded.scenario) {
    for (const std::string& other : loaded.scenario->files) {
      std::string text = read_file(other, most);
      size += text.size();
      if (size > most)
        throw FileError(
            fmt::format("{}: the files that {} refers to are too long; at most {} MiB together are accepted", other,
                        file, most >> 20));
      out["files"].push_back({{"name", fs::path(other).filename().string()}, {"text", std::move(text)}});
    }
  }
  return out;
}

bool has_display() {
  const auto given = [](const char* name) {
    const char* value = std::getenv(name);
    return value && *value;
  };
  return given("DISPLAY") || given("WAYLAND_DISPLAY");
}

/// Shows a file in the browser of the desktop; false if there is no such program.
bool open_in_browser(const std::string& path) {
  std::string program = "xdg-open", argument = path;
  char* arguments[]{program.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0;
}

}  // namespace

int studio(const StudioOptions& options) {
  const fs::path folder = fs::path(share_folder("resources")) / "studio";
  std::error_code none;
  if (!fs::exists(folder / "page.html", none) || !fs::exists(folder / "core.wasm.gz", none)) {
    complain("this command was built without the page; 'make studio' builds it");
    return failed;
  }
  if (is_same_file(options.out, options.file)) {
    complain(options.out + ": is the scenario; the page requires its own file");
    return wrong_input;
  }
  Json state;
  try {
    if (!options.file.empty()) state = state_of(options.file);
  } catch (const FileError& e) {
    complain(e.what());
    return wrong_input;
  }
  try {
    OutputFile::check(options.out);
    std::string page = read_file((folder / "page.html").string(), most);
    put(page, R"(id="core"></script>)",
        fmt::format(R"(id="core">{}</script>)", base64(read_file((folder / "core.wasm.gz").string(), most))));
    if (!options.file.empty())
      put(page, R"(id="state">null</script>)", fmt::format(R"(id="state">{}</script>)", inert(state)));
    write_file(options.out, [&](std::ostream& o) { o << page; });
    const std::string place = fs::absolute(options.out, none).lexically_normal().string();
    print("wrote {}\n", place);
    if (options.open && has_display() && !open_in_browser(place))
      print("xdg-open is not installed; open the file in a browser\n");
    return done;
  } catch (...) { return status_of_exception(options.out); }
}

}  // namespace bristle::cli
