// What an instance is made of: the scalar that it is compiled for, and the bodies.
#pragma once

#include "jobs/instance_scalar.hpp"
#include "run/runner_of.hpp"
