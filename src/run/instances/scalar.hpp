// What an instance includes: the scalar that it is compiled for, and the definitions.
#pragma once

#include "jobs/instance_scalar.hpp"
#include "run/runner_of.hpp"
