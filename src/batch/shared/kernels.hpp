#pragma once
#include <array>
#include <cstddef>

#include "bristle/models.hpp"

/// Functions of a kernel file, compiled once per instruction set: one entry per model of the list. Plain pointers only:
/// no shared inline functions, see kernels.cpp.
namespace bristle::batch {

/// One value per contact. The others are null where they are usual: load ratio 1, no force to hold.
template <class T> struct Inputs {
  const T *v, *r, *F_app;
};

template <class T> struct ModelKernels {
  /// model: M<T>, state: M<T>::State, mode: M<T>::Mode; usual: see CurveOptions (stribeck.hpp), true for all contacts.
  void (*along)(const void* model, void* state, void* mode, const T* v, T dt, T* F, std::size_t n, bool usual);
  /// params: one array per scalar parameter in the order of each_scalar, or none for equal contacts; stored: one array
  /// per scalar of the state, in the order of each_stored.
  void (*many)(const void* model, const T* const* params, T* const* stored, void* modes, const Inputs<T>& in, T dt,
               T* F, std::size_t n, bool usual);
};
template <class T> using Table = std::array<ModelKernels<T>, Models::size>;

/// Calls f(index, scalar) for all numbers of a state: fields, then memory.
template <class S, class F> constexpr void each_stored(S& s, F&& f) {
  std::size_t j = 0;
  each_scalar(s, [&](const auto&, int, auto& e) { f(j++, e); });
  if constexpr (requires { S::memory(); }) {
    each_field_in<memory_of<std::remove_cvref_t<S>>>(s, [&](const auto&, auto& e) {
      if constexpr (is_vec<std::remove_cvref_t<decltype(e)>>) {
        for (auto& one : e) f(j++, one);
      } else {
        f(j++, e);
      }
    });
  }
}

const Table<double>& kernels_baseline_double();
const Table<float>& kernels_baseline_float();
const Table<double>& kernels_avx2_double();
const Table<float>& kernels_avx2_float();
const Table<double>& kernels_avx512_double();
const Table<float>& kernels_avx512_float();

}  // namespace bristle::batch
