/* The controller on a desk instead of a robot: the arm itself is generated code too (arm_forward). A second of control at
 * 1 kHz must bring it to its target. */
#include <math.h>
#include <stdio.h>

#include "controller.h"

int main(void)
{
  const struct reference target = {{0.5, -1.2, 0.8, -0.6, 0.3, 0.1}, {0}, {0}};
  double q[ARM_JOINTS] = {0}, qd[ARM_JOINTS] = {0}, qdd[ARM_JOINTS], tau[ARM_JOINTS], worst = 0.0;
  int step, j;
  for (step = 0; step < 1000; ++step) {
    controller_step(&target, q, qd, tau);
    arm_forward(q, qd, tau, qdd);
    for (j = 0; j < ARM_JOINTS; ++j) {
      qd[j] += 1e-3*qdd[j];
      q[j] += 1e-3*qd[j];
    }
  }
  for (j = 0; j < ARM_JOINTS; ++j) worst = fmax(worst, fabs(q[j] - target.q[j]));
  printf("largest error after one second: %.2e rad\n", worst);
  return worst < 1e-6 ? 0 : 1;
}
