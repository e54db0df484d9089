// What an instance is made of: the scalar that it is compiled for, and the bodies.
#pragma once

#include "run/instance_scalar.hpp"
#include "run/runner_of.hpp"
