#include "bristle/trace.hpp"

/// In place of mat.cpp with BRISTLE_MAT=OFF.
namespace bristle {

TraceRead read_mat(const std::string& path, std::size_t) {
  return {{}, {{path, "this build reads no MAT files (BRISTLE_MAT=OFF); CSV is accepted"}}};
}

}  // namespace bristle
