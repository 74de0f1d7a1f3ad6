#include <algorithm>
#include <cctype>

#include "bristle/output.hpp"
#include "bristle/trace.hpp"

namespace bristle {

TraceRead read_trace(const std::string& path, std::size_t most_rows) {
  bool mat = false;
  try {
    read_pieces(path, [&](std::string_view piece) {
      mat = piece.starts_with("MATLAB ");
      return false;
    });
  } catch (const FileError& e) { return {{}, {{"", e.what()}}}; }
  std::string ending = path.substr(std::max<std::size_t>(path.size(), 4) - 4);
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return mat || ending == ".mat" ? read_mat(path, most_rows) : read_csv(path, most_rows);
}

}  // namespace bristle
