#include <dlfcn.h>
#include <fmt/format.h>
#include <matio.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>

#include "base/number.hpp"
#include "bristle/output.hpp"
#include "bristle/trace.hpp"

namespace bristle {
namespace {

constexpr std::size_t most_columns = 1000;
constexpr int deepest = 8;  // structures inside structures

/// Functions of matio, which is loaded at the first MAT file.
struct Matio {
  decltype(&Mat_Open) open = nullptr;
  decltype(&Mat_Close) close = nullptr;
  decltype(&Mat_VarReadNext) next = nullptr;
  decltype(&Mat_VarFree) free = nullptr;
  decltype(&Mat_VarGetNumberOfFields) fields = nullptr;
  decltype(&Mat_VarGetStructFieldnames) field_names = nullptr;
  decltype(&Mat_VarGetStructFieldByIndex) field = nullptr;
  bool good = false;

  Matio() {
    void* library = ::dlopen(BRISTLE_MATIO, RTLD_LAZY | RTLD_LOCAL);
    if (!library) return;
    good = find(library, "Mat_Open", open) && find(library, "Mat_Close", close) &&
           find(library, "Mat_VarReadNext", next) && find(library, "Mat_VarFree", free) &&
           find(library, "Mat_VarGetNumberOfFields", fields) &&
           find(library, "Mat_VarGetStructFieldnames", field_names) &&
           find(library, "Mat_VarGetStructFieldByIndex", field);
  }
  static const Matio& library() {
    static const Matio all;
    return all;
  }

 private:
  template <class F> static bool find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(::dlsym(library, name));  // NOLINT: what POSIX says
    return function != nullptr;
  }
};

struct Closer {
  void operator()(mat_t* file) const { Matio::library().close(file); }
  void operator()(matvar_t* variable) const { Matio::library().free(variable); }
};

struct Found {
  std::string name;
  std::size_t rows;  // before thinning
  std::vector<double> values;
};

template <class X> double at(const void* data, std::size_t i) {
  return static_cast<double>(static_cast<const X*>(data)[i]);
}
using At = double (*)(const void*, std::size_t);
At reader_of(const matvar_t& v) {
  switch (v.data_type) {
    case MAT_T_DOUBLE: return at<double>;
    case MAT_T_SINGLE: return at<float>;
    case MAT_T_INT8: return at<std::int8_t>;
    case MAT_T_UINT8: return at<std::uint8_t>;
    case MAT_T_INT16: return at<std::int16_t>;
    case MAT_T_UINT16: return at<std::uint16_t>;
    case MAT_T_INT32: return at<std::int32_t>;
    case MAT_T_UINT32: return at<std::uint32_t>;
    case MAT_T_INT64: return at<std::int64_t>;
    case MAT_T_UINT64: return at<std::uint64_t>;
    default: return nullptr;
  }
}

/// Collects variables that are columns.
class Columns {
 public:
  explicit Columns(std::size_t most_rows)
      : most_(most_rows == 0 ? std::numeric_limits<std::size_t>::max() : most_rows) {}

  void add(const std::string& name, matvar_t* v, int depth = 0) {
    if (!v || depth > deepest || all_.size() >= most_columns) return;
    if (v->class_type == MAT_C_STRUCT) return structure(name, *v, depth);
    const At at = reader_of(*v);
    if (!at || !v->data || v->isComplex != 0 || v->rank != 2 || v->class_type == MAT_C_CHAR ||
        v->class_type == MAT_C_SPARSE || v->class_type == MAT_C_CELL) {
      left_out_.push_back(name + kind(*v));
      return;
    }
    const std::size_t r = v->dims[0], c = v->dims[1], rows = std::max(r, c), columns = std::min(r, c);
    if (rows < 2 || columns == 0 || columns > most_columns || v->nbytes / rows / columns < 1) {
      left_out_.push_back(name + (rows * columns == 1 ? " (one value)" : " (empty)"));
      return;
    }
    const std::size_t every = (rows - 1) / most_ + 1;
    for (std::size_t k = 0; k < columns; ++k) {
      Found& f = all_.emplace_back(Found{columns == 1 ? name : fmt::format("{}_{}", name, k + 1), rows, {}});
      f.values.reserve(rows / every + 1);
      for (std::size_t i = 0; i < rows; i += every) f.values.push_back(at(v->data, r >= c ? k * r + i : i * r + k));
    }
  }

  TraceRead result(const std::string& path) && {
    TraceRead out;
    // The length shared by most columns; of two such lengths the longer one.
    std::map<std::size_t, std::size_t> lengths;
    for (const Found& f : all_) ++lengths[f.rows];
    std::size_t rows = 0, most = 0;
    for (const auto& [length, count] : lengths) {
      if (count < most) continue;
      most = count;
      rows = length;
    }
    if (rows == 0) {
      out.problems.push_back({path, "contains no vectors of numbers; a vector with several values is required"});
      return out;
    }
    for (Found& f : all_) {
      if (f.rows == rows) {
        out.trace.columns.push_back({short_name(f), "", std::move(f.values)});
      } else {
        left_out_.push_back(fmt::format("{} ({} values)", f.name, f.rows));
      }
    }
    std::string names, others;
    for (const Column& c : out.trace.columns) names += (names.empty() ? "" : ", ") + c.name;
    out.notes.push_back(fmt::format("columns of {} rows: {}", grouped(rows), names));
    for (const std::string& s : left_out_) others += (others.empty() ? "" : ", ") + s;
    if (!others.empty()) out.notes.push_back("skipped variables: " + others);
    out.every = (rows - 1) / most_ + 1;
    if (out.every > 1) out.notes.push_back(fmt::format("one row in {1} kept, of {0} rows", grouped(rows), out.every));
    return out;
  }

 private:
  void structure(const std::string& name, matvar_t& v, int depth) {
    std::size_t elements = 1;
    for (int d = 0; d < v.rank; ++d) elements *= v.dims[d];
    const std::size_t fields = Matio::library().fields(&v);
    char* const* names = Matio::library().field_names(&v);
    for (std::size_t e = 0; e < std::min(elements, most_columns) && names; ++e) {
      const std::string prefix = elements == 1 ? name : fmt::format("{}{}", name, e + 1);
      for (std::size_t f = 0; f < fields; ++f)
        add(prefix + "." + names[f], Matio::library().field(&v, f, e), depth + 1);
    }
  }
  static const char* kind(const matvar_t& v) {
    switch (v.class_type) {
      case MAT_C_CHAR: return " (text)";
      case MAT_C_CELL: return " (cells)";
      case MAT_C_SPARSE: return " (sparse)";
      case MAT_C_OBJECT:
      case MAT_C_OPAQUE: return " (an object, not numbers)";
      case MAT_C_FUNCTION: return " (a function)";
      default: return v.isComplex != 0 ? " (complex)" : v.rank != 2 ? " (more than two dimensions)" : "";
    }
  }
  /// The name without its structure, if it is unique.
  std::string short_name(const Found& f) const {
    auto last = [](const std::string& name) { return name.substr(name.rfind('.') + 1); };
    const auto same =
        std::count_if(all_.begin(), all_.end(), [&](const Found& other) { return last(other.name) == last(f.name); });
    return same == 1 ? last(f.name) : f.name;
  }

  std::size_t most_;
  std::vector<Found> all_{};
  std::vector<std::string> left_out_{};
};

/// Whether a v5 or v7 file is complete; matio would fill missing values.
bool is_whole(const std::string& path) {
  constexpr std::size_t header = 128, tag = 8;
  std::string text;
  std::size_t size = 0, next = header;
  bool known = true, swapped = false;
  read_pieces(path, [&](std::string_view piece) {
    text += piece;  // from `size` on
    if (size == 0 && text.size() >= header) {
      known = text.starts_with("MATLAB 5");
      swapped = text.substr(126, 2) == "MI";
    }
    while (known && next + tag <= size + text.size()) {
      std::uint32_t bytes = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        const auto byte = static_cast<unsigned char>(text[next + 4 + i - size]);
        bytes |= static_cast<std::uint32_t>(byte) << (8 * (swapped ? 3 - i : i));
      }
      next += tag + bytes;
    }
    const std::size_t gone = std::min(text.size(), next > size ? next - size : 0);
    if (size + text.size() >= header) {
      text.erase(0, gone);
      size += gone;
    }
    return known;
  });
  return !known || next == size + text.size();
}

}  // namespace

TraceRead read_mat(const std::string& path, std::size_t most_rows) {
  try {
    if (!is_whole(path)) return {{}, {{path, "ends in the middle of a variable; a complete file is required"}}};
  } catch (const FileError& e) { return {{}, {{"", e.what()}}}; }
  if (!Matio::library().good)
    return {{}, {{path, "MAT files require the library " BRISTLE_MATIO ", which is not installed; CSV is accepted"}}};
  const std::unique_ptr<mat_t, Closer> file(Matio::library().open(path.c_str(), MAT_ACC_RDONLY));
  if (!file) return {{}, {{path, "is not a readable MAT file, must be v5, v7 or v7.3"}}};
  Columns columns(most_rows);
  while (true) {
    const std::unique_ptr<matvar_t, Closer> v(Matio::library().next(file.get()));
    if (!v) break;
    columns.add(v->name ? v->name : "?", v.get());
  }
  return std::move(columns).result(path);
}

}  // namespace bristle
