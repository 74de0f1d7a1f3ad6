#include "cli/share.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

namespace bristle::cli {

namespace fs = std::filesystem;

std::string share_folder(const std::string& name) {
  std::string variable = "BRISTLE_" + name;
  std::ranges::transform(variable, variable.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (const char* folder = std::getenv(variable.c_str())) return folder;
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  const fs::path share = command.parent_path().parent_path() / "share/bristle" / name;
  return fs::exists(share, error) ? share.string() : (fs::path(BRISTLE_SOURCE) / name).string();
}

}  // namespace bristle::cli
