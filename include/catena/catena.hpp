// Catena: the dynamics of robot manipulators.
//
//   Robot      what the user wrote            load_robot("ur5.toml"), or built link by link
//   Mechanism  what the algorithms read       make_mechanism(robot)
//   calls      Call<double>(mechanism, "inertia"), InverseDynamics<double>(mechanism), …: they own their workspace and
//              allocate nothing when called
//   compiled   compile(mechanism, "inverse"): the same, on code generated and compiled for this robot
//   batches    Batch<double>(mechanism, {{"inverse"}}): jobs over many states, on all cores
#pragma once

#include "catena/assembly.hpp"
#include "catena/base_motion.hpp"
#include "catena/batch.hpp"
#include "catena/call.hpp"
#include "catena/changes.hpp"
#include "catena/compile.hpp"
#include "catena/dh_rows.hpp"
#include "catena/dynamics.hpp"
#include "catena/elastic.hpp"
#include "catena/factorization.hpp"
#include "catena/kinematics.hpp"
#include "catena/link_models.hpp"
#include "catena/mechanism.hpp"
#include "catena/robot.hpp"
#include "catena/robot_file.hpp"
#include "catena/screws.hpp"
#include "catena/second_derivatives.hpp"
#include "catena/time_optimal.hpp"
#include "catena/trajectory.hpp"
#include "catena/validate.hpp"
