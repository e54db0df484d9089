/* Computed-torque control of a UR5: what a control loop calls once a period. */
#ifndef CONTROLLER_H
#define CONTROLLER_H

#include "arm.h"

/* One sample of the motion to follow. */
struct reference {
  double q[ARM_JOINTS], qd[ARM_JOINTS], qdd[ARM_JOINTS];
};

/* Torques for the measured state: no heap, no global state, no library. */
void controller_step(const struct reference *wanted, const double *q, const double *qd, double *tau);

#endif
