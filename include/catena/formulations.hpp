// For writing your own formulations: the tree, arrays, shapes of sweeps, small shared functions, and the scalars they
// run on. Unlike the other headers here it may change in any version. Example: examples/own_formulation.cpp.
#pragma once

#include "catena/formulation/array.hpp"
#include "catena/formulation/formulation.hpp"
#include "catena/formulation/kernels.hpp"
#include "catena/formulation/shape.hpp"
#include "catena/math/mat3.hpp"
#include "catena/math/pose.hpp"
#include "catena/math/rotation.hpp"
#include "catena/math/vec3.hpp"
#include "catena/mechanism.hpp"
#include "catena/scalar/counted.hpp"
#include "catena/scalar/dual.hpp"
#include "catena/scalar/expr.hpp"
#include "catena/scalar/pack.hpp"
#include "catena/scalar/scalar.hpp"
