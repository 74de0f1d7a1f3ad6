#pragma once
#include <cstddef>
#include <new>
#include <vector>

namespace bristle::asperity {

/// Memory aligned to cache lines, so that threads on neighbouring parts of an array share none.
template <class T> struct OnCacheLine {
  /// The type of the elements.
  using value_type = T;
  static constexpr std::align_val_t line{64};  // length of a cache line, bytes
  OnCacheLine() = default;
  /// The allocator of another type; allocators have no state.
  template <class U> constexpr OnCacheLine(const OnCacheLine<U>&) {}  // NOLINT(google-explicit-constructor)
  /// Memory for n elements at the beginning of a cache line.
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  /// Returns memory of allocate.
  void deallocate(T* p, std::size_t) { ::operator delete(p, line); }
  friend bool operator==(const OnCacheLine&, const OnCacheLine&) { return true; }
};
/// A vector that begins on a cache line.
template <class T> using Aligned = std::vector<T, OnCacheLine<T>>;

}  // namespace bristle::asperity
