#pragma once
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "element/unit.hpp"

/// Shared by both versions of FMI.
namespace bristle::fmu {

/// The folder of a resource location: a plain path, or a URI (file:/, file://, file:///, file://localhost/), decoded.
std::string folder_of(const std::string& location);
/// The whole file; false if it cannot be read or is larger than any friction block.
bool read_file(const std::string& path, std::string& out);

class Instance {
 public:
  element::Unit unit;
  /// "" or the reason why there is no unit.
  std::string load(const std::string& resources, const std::string& token);
  void reset() { unit = fresh_; }

  /// State as bytes, with a mark of the block that it belongs to.
  std::vector<char> bytes() const;
  bool set_bytes(const char* data, std::size_t size);

  bool model_exchange = false;
  double start{};

 private:
  element::Unit fresh_;
};

}  // namespace bristle::fmu
