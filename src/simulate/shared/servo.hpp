#pragma once
#include "simulate/servo.hpp"  // IWYU pragma: export

/// The laws of a servo, for other rooms with equations of their own.
