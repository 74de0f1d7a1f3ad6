#pragma once
#include <cstdlib>

/// A condition that holds for any input; a violation is a crash for the fuzzer.
inline void require(bool condition) {
  if (!condition) std::abort();
}
