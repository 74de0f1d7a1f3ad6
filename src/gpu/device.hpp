#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bristle/gpu.hpp"

/// Memory and errors of the device, for files that nvcc compiles.
namespace bristle::gpu {

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  (void)cudaGetLastError();  // an error that is not fatal must not show up in the next call
  const std::string text = cudaGetErrorString(error);
  if (error == cudaErrorMemoryAllocation)
    throw DeviceError(std::string("GPU: out of memory (") + what + "); fewer runs or contacts at a time are accepted");
  if (error == cudaErrorLaunchTimeout)
    throw DeviceError(std::string("GPU: ") + what +
                      ": the driver ended a kernel that ran too long; a GPU without a display, " +
                      "or fewer runs or steps at a time, is required");
  if (error == cudaErrorDevicesUnavailable || error == cudaErrorDeviceUninitialized || error == cudaErrorNoDevice)
    throw DeviceError(std::string("GPU: ") + what + ": the device cannot be used (" + text +
                      "); --device cpu is accepted");
  throw DeviceError(std::string("GPU: ") + what + ": " + text);
}
inline void check_launch(const char* what) { check(cudaGetLastError(), what); }

/// An array of the device.
template <class T> class Array {
 public:
  Array() = default;
  explicit Array(std::size_t n) : n_(n) {
    if (n > 0) check(cudaMalloc(reinterpret_cast<void**>(&p_), n * sizeof(T)), "memory");
  }
  explicit Array(std::span<const T> from) : Array(from.size()) { put(from); }
  ~Array() {
    if (p_) (void)cudaFree(p_);
  }
  Array(Array&& o) noexcept : p_(std::exchange(o.p_, nullptr)), n_(std::exchange(o.n_, 0)) {}
  Array& operator=(Array&& o) noexcept {
    std::swap(p_, o.p_);
    std::swap(n_, o.n_);
    return *this;
  }
  T* data() const { return p_; }
  std::size_t size() const { return n_; }
  void put(std::span<const T> from) {
    check(cudaMemcpy(p_, from.data(), from.size_bytes(), cudaMemcpyHostToDevice), "copy to the device");
  }
  void get(std::span<T> to) const {
    check(cudaMemcpy(to.data(), p_, to.size_bytes(), cudaMemcpyDeviceToHost), "copy from the device");
  }
  void clear() {
    if (n_ > 0) check(cudaMemset(p_, 0, n_ * sizeof(T)), "memory");
  }

 private:
  T* p_ = nullptr;
  std::size_t n_ = 0;
};

/// Throws DeviceError if there is no usable device.
inline void require_device() {
  if (const std::string why = objection(); !why.empty()) throw DeviceError(why);
}

}  // namespace bristle::gpu
