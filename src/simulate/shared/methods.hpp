#pragma once
#include "simulate/kernels/tableau.hpp"  // IWYU pragma: export

/// The coefficients of the methods, for other rooms with equations of their own.
