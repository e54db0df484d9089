// The scalar that the files of this folder are compiled for: each is compiled once for every scalar, and for every
// level of instructions (src/run/CMakeLists.txt).
#pragma once

#include "catena/scalar/counted.hpp"
#include "catena/scalar/dual.hpp"
#include "catena/scalar/expr.hpp"
#include "run/runner_of.hpp"

#ifndef CATENA_SCALAR
#define CATENA_SCALAR double
#endif

namespace catena {
using DualNumber = Dual<double>;
using InstanceScalar = CATENA_SCALAR;
}  // namespace catena
