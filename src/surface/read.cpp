#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/number.hpp"
#include "bristle/output.hpp"
#include "surface/table.hpp"
#include "trace/shared/units.hpp"

namespace bristle::surface {
namespace {

constexpr std::size_t most_bytes = std::size_t{2} << 30;
constexpr const char* accepted_units = "m, mm, um, nm and other lengths are accepted";

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Factor to m of a column with this name; 1 without a unit.
double factor_of(const std::string& name, bool& has_unit) {
  const identify::Header h = identify::header_of(Column{.name = name, .unit = ""});
  if (!h.unit_known)
    throw BadSurface(fmt::format("unit '{}' of '{}' is unknown; {}", h.unit_text, name, accepted_units));
  if (h.unit_text.empty()) return 1;
  if (h.unit.quantity != identify::Quantity::length)
    throw BadSurface(fmt::format("unit '{}' of '{}' is no length; {}", h.unit_text, name, accepted_units));
  has_unit = true;
  return h.unit.factor;
}
std::string base_of(const std::string& name) {
  return lower(identify::header_of(Column{.name = name, .unit = ""}).base);
}

/// The spacing of positions; reverses heights of falling positions.
void take_positions(Heights& out, std::vector<double> x) {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(x[i])) throw BadSurface(fmt::format("row {}: x is missing; every row requires a position", i + 1));
  }
  if (n < 2) return;
  if (x.back() < x.front()) {
    std::ranges::reverse(x);
    std::ranges::reverse(out.z);
  }
  out.x0 = x.front();
  out.dx = (x.back() - x.front()) / static_cast<double>(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double step = x[i + 1] - x[i];
    if (!(std::abs(step - out.dx) <= 1e-3 * out.dx))
      throw BadSurface(fmt::format("uneven spacing: {} m between rows {} and {}, {} m on average; at most 0.1 % of "
                                   "difference is accepted",
                                   to_text(step), i + 1, i + 2, to_text(out.dx)));
  }
}

void take_spacing(Heights& out, std::array<double, 2> given) {
  auto set = [](double& own, double wanted, const char* axis) {
    if (own == 0) {
      own = wanted;
    } else if (wanted != 0 && std::abs(own - wanted) > 1e-3 * std::abs(own)) {
      throw BadSurface(
          fmt::format("--spacing {} m along {} contradicts the {} m of the file; without --spacing, the file's is used",
                      to_text(wanted), axis, to_text(own)));
    }
  };
  set(out.dx, given[0], "x");
  if (out.ny > 1) set(out.dy, given[1] != 0 ? given[1] : given[0], "y");
  if (out.dx == 0) throw BadSurface("no spacing; --spacing DX[,DY] in m is required for heights without positions");
}

std::vector<double> column(const Table& t, std::size_t at, double factor) {
  std::vector<double> out(t.rows);
  for (std::size_t i = 0; i < t.rows; ++i) out[i] = factor * t.cells[i * t.columns + at];
  return out;
}

/// The only unit of all names, of a comment, or 1.
double unit_of_matrix(const Table& t, bool& has_unit) {
  if (t.names.empty()) return 1;
  const double factor = factor_of(t.names.front(), has_unit);
  for (const std::string& n : t.names) {
    if (factor_of(n, has_unit) != factor)
      throw BadSurface("columns of a matrix have different units; one unit is accepted");
  }
  return factor;
}

Heights from_table(Table t, std::array<double, 2> spacing, std::vector<std::string>& notes) {
  Heights out;
  if (t.names.empty() && !t.comment.empty() && t.columns <= 2) {  // names in a comment, if they fit
    std::string words = t.comment;
    std::ranges::replace_if(words, [](char c) { return c == ',' || c == ';' || c == '\t'; }, ' ');
    std::vector<std::string> names;
    std::string_view rest = words;
    for (std::string_view w = next_word(rest); !w.empty(); w = next_word(rest)) names.emplace_back(w);
    if (names.size() == t.columns) t.names = names;
  }
  bool has_unit = false;
  auto find = [&](const char* name) {
    const auto at = std::ranges::find_if(t.names, [&](const std::string& n) { return base_of(n) == name; });
    return at == t.names.end() ? t.columns : static_cast<std::size_t>(at - t.names.begin());
  };
  std::size_t x = find("x"), z = find("z");
  if (t.columns == 3 && (t.names.empty() || find("y") < t.columns))
    throw BadSurface("3 columns, such as points x, y, z; a profile (x,z or z) or a matrix of heights is accepted");
  if (t.columns == 2 && (x == t.columns || z == t.columns)) {
    x = 0;
    z = 1;
    if (!t.names.empty()) notes.push_back(fmt::format("'{}' is taken as x, '{}' as z", t.names[0], t.names[1]));
  }
  const bool named = x < t.columns && z < t.columns;
  if (t.columns == 1 || named) {
    if (t.columns == 1) z = 0;
    out.nx = t.rows;
    out.ny = 1;
    out.z = column(t, z, t.names.empty() ? 1 : factor_of(t.names[z], has_unit));
    if (t.columns > 1) {
      bool x_has_unit = false;
      take_positions(out, column(t, x, t.names.empty() ? 1 : factor_of(t.names[x], x_has_unit)));
      if (has_unit != x_has_unit)
        notes.push_back(fmt::format("no unit of '{}': taken in m", t.names[has_unit ? x : z]));
      has_unit = has_unit || x_has_unit;
    }
  } else {
    out.nx = t.columns;
    out.ny = t.rows;
    const double factor = unit_of_matrix(t, has_unit);
    out.z = std::move(t.cells);
    if (factor != 1) {
      for (double& v : out.z) v *= factor;
    }
  }
  if (!has_unit) notes.emplace_back("no units in the file: lengths are taken in m");
  take_spacing(out, spacing);
  return out;
}

/// SDF as text (ISO 25178-71): a header of KEY = VALUE, then the heights between two lines with an asterisk.
Heights from_sdf(std::string_view text, std::array<double, 2> spacing, const Work& work) {
  std::map<std::string, std::string> keys;
  std::size_t at = text.find('\n');
  bool ended = false;
  while (at != std::string_view::npos && !ended) {
    const std::size_t end = std::min(text.find('\n', at + 1), text.size());
    const std::string_view line = trimmed(text.substr(at + 1, end - at - 1));
    ended = line == "*";
    if (const std::size_t eq = line.find('='); eq != std::string_view::npos)
      keys[lower(std::string(trimmed(line.substr(0, eq))))] = std::string(trimmed(line.substr(eq + 1)));
    at = end < text.size() ? end : std::string_view::npos;
  }
  if (!ended) throw BadSurface("SDF: no line '*' ends the header; the text form of ISO 25178-71 is accepted");
  auto number = [&](const char* key) {
    const auto found = keys.find(key);
    const auto x = found == keys.end() ? std::nullopt : parse_number(found->second);
    if (!x || !std::isfinite(*x))
      throw BadSurface(fmt::format("SDF: {} is missing or no number; a number is required", key));
    return *x;
  };
  auto count = [&](const char* key) {
    const double x = number(key);
    if (!(x >= 1 && x <= static_cast<double>(most_points)) || x != std::floor(x))
      throw BadSurface(
          fmt::format("SDF: {} = {}; a whole number from 1 to {} is accepted", key, to_text(x), grouped(most_points)));
    return static_cast<std::size_t>(x);
  };
  Heights out;
  out.nx = count("numpoints");
  out.ny = count("numprofiles");
  if (out.nx > most_points / out.ny)
    throw BadSurface(fmt::format("SDF: more than {} points; fewer are accepted", grouped(most_points)));
  out.dx = number("xscale");
  out.dy = out.ny > 1 ? number("yscale") : 0;
  const double scale = number("zscale");
  if (!(out.dx > 0) || (out.ny > 1 && !(out.dy > 0)) || !(scale > 0))
    throw BadSurface("SDF: Xscale, Yscale and Zscale must be > 0");
  if (const auto c = keys.find("compression"); c != keys.end() && c->second != "0")
    throw BadSurface("SDF: compressed data; Compression = 0 is accepted");
  std::string_view rest = at == std::string_view::npos ? std::string_view{} : text.substr(at);
  const std::size_t wanted = out.nx * out.ny, whole = std::max<std::size_t>(rest.size(), 1);
  out.z.reserve(std::min(wanted, rest.size() / 2 + 1));
  for (std::string_view w = next_word(rest); !w.empty() && w != "*"; w = next_word(rest)) {
    double x{};
    if (!read_cell(w, false, x))
      throw BadSurface(fmt::format("SDF: height {} is no number; numbers and BAD are accepted", out.z.size() + 1));
    if (out.z.size() == wanted)
      throw BadSurface(fmt::format("SDF: more heights than NumPoints NumProfiles = {}", grouped(wanted)));
    out.z.push_back(scale * x);
    if (out.z.size() % 65536 == 0) {
      stop_if_wanted(work);
      if (work.progress) work.progress(1 - static_cast<double>(rest.size()) / static_cast<double>(whole));
    }
  }
  if (out.z.size() != wanted)
    throw BadSurface(fmt::format("SDF: {} heights; NumPoints NumProfiles = {} are required", grouped(out.z.size()),
                                 grouped(wanted)));
  take_spacing(out, spacing);
  return out;
}

}  // namespace

ReadResult parse_heights(std::string_view text, const std::string& path, std::array<double, 2> spacing,
                         const Work& work) {
  ReadResult out;
  try {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) throw BadSurface("is UTF-16; UTF-8 is accepted");
    const std::string_view first = trimmed(text.substr(0, std::min(text.find('\n'), text.size())));
    if (first == "bISO-1.0" || first == "bBCR-1.0" || text.starts_with("bISO-1.0") || text.starts_with("bBCR-1.0"))
      throw BadSurface("is SDF in binary form; SDF as text is accepted");
    if (text.find('\0') != std::string_view::npos) throw BadSurface("is no text; CSV or SDF as text is accepted");
    if (first == "aISO-1.0" || first == "aBCR-1.0") {
      out.heights = from_sdf(text, spacing, work);
    } else {
      out.heights = from_table(read_table(text, work), spacing, out.notes);
    }
  } catch (const BadSurface& e) {
    out.heights = {};
    out.problems.push_back({path, e.what()});
  }
  return out;
}

ReadResult read_heights(const std::string& path, std::array<double, 2> spacing, const Work& work) {
  try {
    return parse_heights(read_file(path, most_bytes), path, spacing, work);
  } catch (const FileError& e) { return {{}, {{"", e.what()}}}; }
}

}  // namespace bristle::surface
