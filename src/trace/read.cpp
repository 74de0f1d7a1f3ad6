#include <fmt/format.h>
#include <algorithm>
#include <cctype>

#include "base/number.hpp"
#include "bristle/output.hpp"
#include "bristle/trace.hpp"

namespace bristle {
namespace {

bool ends_with(const std::string& path, std::string_view ending) {
  return path.size() >= ending.size() && std::equal(ending.rbegin(), ending.rend(), path.rbegin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

/// An object, or an array of objects or arrays; a section such as [Header] is none.
bool is_json(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text = trimmed(text);
  if (!text.starts_with('[')) return text.starts_with('{');
  text = trimmed(text.substr(1));
  return text.starts_with('[') || text.starts_with('{');
}

}  // namespace

TraceRead read_trace(const std::string& path, std::size_t most_rows, const TextOptions& options) {
  bool mat = ends_with(path, ".mat"), json = ends_with(path, ".json") || ends_with(path, ".jsonl");
  try {
    read_pieces(path, [&](std::string_view piece) {
      mat = mat || piece.starts_with("MATLAB ");
      json = json || is_json(piece);
      return false;
    });
  } catch (const FileError& e) { return {{}, {{"", e.what()}}}; }
  if (!mat && !json) return read_csv(path, most_rows, options);
  if (options.skip > 0)
    return {{},
            {{path, fmt::format("--skip {}: {} files have no lines to skip; text files are accepted", options.skip,
                                mat ? "MAT" : "JSON")}}};
  return mat ? read_mat(path, most_rows) : read_json(path, most_rows);
}

}  // namespace bristle
