// The scalar that a file is compiled for, if the same file is compiled once per scalar
// (src/run/CMakeLists.txt).
#pragma once

#include "catena/scalar/counted.hpp"
#include "catena/scalar/dual.hpp"
#include "catena/scalar/expr.hpp"

#ifndef CATENA_SCALAR
#define CATENA_SCALAR double
#endif

namespace catena {
using DualNumber = Dual<double>;
using InstanceScalar = CATENA_SCALAR;
}  // namespace catena
