#pragma once
#include <array>
#include <cstddef>
#include <initializer_list>

namespace bristle {

/// Array parameter or state of a model: length at run time, inline storage without allocation.
template <class T, std::size_t Cap = 64> struct Vec {
  static constexpr std::size_t capacity = Cap;  // largest number of elements
  std::array<T, Cap> a{};                       // the elements; only the first n count
  std::size_t n{};                              // number of elements

  constexpr Vec() = default;
  /// A list of elements.
  constexpr Vec(std::initializer_list<T> l) {
    for (const T& e : l) {
      if (n < Cap) a[n++] = e;
    }
  }
  static constexpr Vec zeros(std::size_t count) {
    Vec v;
    v.n = count < Cap ? count : Cap;
    return v;
  }

  constexpr std::size_t size() const { return n; }
  constexpr T* begin() { return a.data(); }
  constexpr T* end() { return a.data() + n; }
  constexpr const T* begin() const { return a.data(); }
  constexpr const T* end() const { return a.data() + n; }
  /// Element i.
  constexpr T& operator[](std::size_t i) { return a[i]; }
  /// Element i.
  constexpr const T& operator[](std::size_t i) const { return a[i]; }
};

/// Whether V is a Vec.
template <class V> inline constexpr bool is_vec = false;
/// A Vec is one.
template <class T, std::size_t Cap> inline constexpr bool is_vec<Vec<T, Cap>> = true;

}  // namespace bristle
