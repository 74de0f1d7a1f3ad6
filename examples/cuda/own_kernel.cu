/// The header core in a kernel of your own: a million LuGre contacts, each at its own velocity, compared with the processor.
/// nvcc -std=c++20 -arch=sm_90 --expt-relaxed-constexpr -Werror all-warnings -I include examples/cuda/own_kernel.cu -o own_kernel
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "bristle/models/lugre.hpp"

using Contact = bristle::LuGre<double>;

constexpr double slide(const Contact& c, double v, int steps, double dt) {
  auto s = c.rest();
  Contact::Mode q{};
  double F = 0;
  for (int k = 0; k < steps; ++k) F = c.advance(s, q, {.v = v}, dt);
  return F;
}

__global__ void slide_all(Contact c, const double* v, double* F, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) F[i] = slide(c, v[i], 100, 1e-5);
}

int main() {
  const int n = 1 << 20;
  const Contact c{{.Fc = 1, .Fs = 1.5, .vs = 1e-2, .sigma0 = 1e5, .sigma1 = 300}};
  std::vector<double> v(n), F(n);
  for (int i = 0; i < n; ++i) v[i] = 1e-3 * (1 + i % 100);
  double *on_v = nullptr, *on_F = nullptr;
  cudaMalloc(&on_v, n * sizeof(double));
  cudaMalloc(&on_F, n * sizeof(double));
  cudaMemcpy(on_v, v.data(), n * sizeof(double), cudaMemcpyHostToDevice);
  slide_all<<<n / 256, 256>>>(c, on_v, on_F, n);
  cudaMemcpy(F.data(), on_F, n * sizeof(double), cudaMemcpyDeviceToHost);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    std::printf("own_kernel: %s\n", cudaGetErrorString(error));
    return 1;
  }
  double worst = 0, largest = 0;
  for (int i = 0; i < 100; ++i) {
    const double here = slide(c, v[i], 100, 1e-5);
    worst = std::max(worst, std::abs(here - F[i]));
    largest = std::max(largest, std::abs(here));
  }
  std::printf("%d contacts; F = %.6f N at %g m/s; difference from the processor: %.1e N\n", n, F[99], v[99], worst);
  return largest > 0 && worst <= 1e-12 * largest ? 0 : 1;
}
