#pragma once
#include "simulate/limits.hpp"  // IWYU pragma: export

/// Limits of a run at its events, for other rooms with equations of their own.
