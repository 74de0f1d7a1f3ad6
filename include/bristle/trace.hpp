#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Time series with named columns and their units: the currency between the rooms.
namespace bristle {

struct Column {
  std::string name, unit;
  std::vector<double> values{};
};

struct Trace {
  std::vector<Column> columns{};

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().values.size(); }
  /// nullptr if there is none of that name.
  const Column* find(std::string_view name) const {
    for (const Column& c : columns) {
      if (c.name == name) return &c;
    }
    return nullptr;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const Column& c : columns) out.push_back(c.name);
    return out;
  }
};

}  // namespace bristle
