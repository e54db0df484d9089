// Catena: the dynamics of robot manipulators.
//
//   Robot      what a person wrote            load_robot("ur5.toml"), or built link by link
//   Mechanism  what the algorithms read       make_mechanism(robot)
//   calls      Call<double>(mechanism, "inertia"), InverseDynamics<double>(mechanism), …: they own their workspace and
//              allocate nothing when called
//   compiled   compile(mechanism, "inverse"): the same on code generated and compiled for this robot
//   batches    Batch<double>(mechanism, {{"inverse"}}): jobs over many states, on all cores
#pragma once

#include "catena/batch/batch.hpp"
#include "catena/dynamics/call.hpp"
#include "catena/dynamics/factorization.hpp"
#include "catena/dynamics/forward_dynamics.hpp"
#include "catena/dynamics/hybrid_dynamics.hpp"
#include "catena/dynamics/inverse_dynamics.hpp"
#include "catena/dynamics/kinematics.hpp"
#include "catena/dynamics/link_models.hpp"
#include "catena/dynamics/matrices.hpp"
#include "catena/io/robot_file.hpp"
#include "catena/jit/compile.hpp"
#include "catena/jit/following.hpp"
#include "catena/model/assembly.hpp"
#include "catena/model/base_motion.hpp"
#include "catena/model/changes.hpp"
#include "catena/model/join.hpp"
#include "catena/model/mechanism.hpp"
#include "catena/model/robot.hpp"
#include "catena/model/screws.hpp"
#include "catena/model/validate.hpp"
#include "catena/trajectory/limits.hpp"
#include "catena/trajectory/trajectory.hpp"
