#pragma once
#include <cstddef>

#include "bristle/asperity/generic2010.hpp"

/// The hot loop of the asperity model of 2010, once per instruction set.
namespace bristle::asperity {

/// Quantities of a step for the asperities.
template <class T> struct Push {
  T dt, per_dt;
  T U, V;  // velocity of the main mass
  T A, ha;
  const T *R, *h;  // of the arcs of the profile
  std::int32_t last_arc;
};

/// Moves the asperities of n blocks by dt, then updates their velocities; one response per leaf.
template <class T> using Sweep2010 = void (*)(Block<T>*, std::size_t n, const Push<T>&, Response*);
struct Kernel2010 {
  const char* name;
  Sweep2010<double> in_double[4][2];  // [profile][adhesion]
  Sweep2010<float> in_float[4][2];
};

const Kernel2010& kernel2010_baseline();
const Kernel2010& kernel2010_avx2();
const Kernel2010& kernel2010_avx512();

}  // namespace bristle::asperity
