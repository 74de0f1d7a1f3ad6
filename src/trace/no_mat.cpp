#include "bristle/trace.hpp"

/// Replaces mat.cpp with BRISTLE_MAT=OFF.
namespace bristle {

TraceRead read_mat(const std::string& path, std::size_t) {
  return {{}, {{path, "MAT files are not supported by this build (BRISTLE_MAT=OFF); CSV is accepted"}}};
}

}  // namespace bristle
