// For formulations of one's own: the tree, arrays, shapes of sweeps, kernels, and the scalars that one text runs on.
// Unlike the other headers of this folder it may change in any version. examples/own_formulation.cpp is one.
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
