#include "gpu/device.hpp"

namespace bristle::gpu {

bool built() { return true; }

std::string objection() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  if (error == cudaErrorInsufficientDriver)
    return "no usable GPU: the driver is missing or older than CUDA 13.0; an NVIDIA driver 580 or later is required";
  if (error != cudaSuccess) return std::string("no usable GPU: ") + cudaGetErrorString(error);
  if (count == 0) return "no usable GPU: this machine has no NVIDIA GPU";
  return {};
}

Device device() {
  require_device();
  int id = 0, clock = 0;
  check(cudaGetDevice(&id), "device");
  cudaDeviceProp p{};
  check(cudaGetDeviceProperties(&p, id), "device");
  check(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, id), "device");
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all), "device");
  return {p.name,     id, p.major, p.minor, p.multiProcessorCount, static_cast<double>(all), static_cast<double>(free),
          1e3 * clock};
}

std::shared_ptr<void> memory(std::size_t bytes) {
  require_device();
  void* p = nullptr;
  check(cudaMalloc(&p, bytes > 0 ? bytes : 1), "memory");
  return {p, [](void* at) { (void)cudaFree(at); }};
}

}  // namespace bristle::gpu
