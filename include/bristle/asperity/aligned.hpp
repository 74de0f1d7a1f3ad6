#pragma once
#include <cstddef>
#include <new>
#include <vector>

namespace bristle::asperity {

/// Memory aligned to cache lines, so that threads on neighbouring parts of an array share none.
template <class T> struct OnCacheLine {
  using value_type = T;
  static constexpr std::align_val_t line{64};
  OnCacheLine() = default;
  template <class U> constexpr OnCacheLine(const OnCacheLine<U>&) {}  // NOLINT(google-explicit-constructor)
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, line); }
  friend bool operator==(const OnCacheLine&, const OnCacheLine&) { return true; }
};
template <class T> using Aligned = std::vector<T, OnCacheLine<T>>;

}  // namespace bristle::asperity
