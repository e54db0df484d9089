#include "controller.h"

/* Poles at -20 rad/s: settled in a quarter of a second. */
static const double stiffness = 400.0, damping = 40.0;

void controller_step(const struct reference *wanted, const double *q, const double *qd, double *tau)
{
  double acceleration[ARM_JOINTS];
  int j;
  for (j = 0; j < ARM_JOINTS; ++j)
    acceleration[j] = wanted->qdd[j] + damping*(wanted->qd[j] - qd[j]) + stiffness*(wanted->q[j] - q[j]);
  arm_inverse(q, qd, acceleration, tau);
}
