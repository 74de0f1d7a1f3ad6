#pragma once
#include <cstdlib>

/// What must hold for any input; the fuzzer sees a crash.
inline void require(bool condition) {
  if (!condition) std::abort();
}
