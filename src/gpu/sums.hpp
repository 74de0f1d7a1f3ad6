#pragma once
#include <cuda_runtime.h>

/// Sums of one number per thread and step, in an order that depends on nothing but the sizes.
namespace bristle::gpu {

inline constexpr unsigned crew = 128;  // threads of a block
inline constexpr unsigned tile = 16;   // steps whose numbers are summed together

/// The numbers of a block in `tile` steps, row by row; the padding spreads them over the banks of the memory.
template <class T> struct Tile {
  T row[tile][crew + 1];
};

/// Sums of the rows to `to[step * stride]`. Called by all threads of the block.
template <class T> __device__ inline void sum_rows(const Tile<T>& t, unsigned steps, double* to, std::size_t stride) {
  constexpr unsigned share = crew / tile;  // threads per row
  const unsigned step = threadIdx.x / share, part = threadIdx.x % share;
  T sum = 0;
  for (unsigned j = 0; j < tile; ++j) sum += t.row[step][j * share + part];
  double all = sum;
  for (unsigned half = share / 2; half > 0; half /= 2) all += __shfl_xor_sync(0xffffffffU, all, half);
  if (part == 0 && step < steps) to[step * stride] = all;
}

/// Sums of `count` parts per step: one block per step.
static __global__ void __launch_bounds__(256) sum_parts(const double* parts, std::size_t count, double* out) {
  __shared__ double shared[256];
  const double* mine = parts + blockIdx.x * count;
  double sum = 0;
  for (std::size_t i = threadIdx.x; i < count; i += 256) sum += mine[i];
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = shared[0];
}

}  // namespace bristle::gpu
