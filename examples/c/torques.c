/* Torques that hold a robot, and those of a motion, in C99:
 *
 *   cc torques.c -o torques $(pkg-config --cflags --libs catena)
 *   ./torques ur5 "--payload tool:2,0,0,0.1"
 */
#include <catena.h>
#include <stdio.h>
#include <stdlib.h>

static int failed(const char *what)
{
  fprintf(stderr, "torques: %s: %s\n", what, catena_last_error());
  return 1;
}

int main(int count, char **words)
{
  const char *model = count > 1 ? words[1] : "ur5", *options = count > 2 ? words[2] : NULL;
  catena_robot *robot;
  catena_call *gravity, *inverse;
  size_t nq, nv, j;
  double *q, *qd, *qdd, *g, *tau;

  /* Set-up: everything is allocated here. */
  if (catena_robot_load(model, options, &robot) != CATENA_OK) return failed(model);
  if (catena_call_new(robot, "gravity", NULL, &gravity) != CATENA_OK) return failed("gravity");
  if (catena_call_new(robot, "inverse", NULL, &inverse) != CATENA_OK) return failed("inverse");
  nq = catena_robot_nq(robot);
  nv = catena_robot_nv(robot);
  q = calloc(nq + 4 * nv, sizeof *q);
  if (q == NULL) return 1;
  qd = q + nq, qdd = qd + nv, g = qdd + nv, tau = g + nv;

  /* A state; in a controller this is the loop. */
  for (j = 0; j < nv; ++j) q[j] = 0.1 * (double)(j + 1), qd[j] = 0.5, qdd[j] = -0.2;
  if (catena_gravity(gravity, q, g) != CATENA_OK) return failed("gravity");
  if (catena_inverse(inverse, q, qd, qdd, tau) != CATENA_OK) return failed("inverse");
  for (j = 0; j < nv; ++j) printf("%-22s %11.6f %11.6f\n", catena_robot_joint(robot, j), g[j], tau[j]);

  free(q);
  catena_call_free(inverse);
  catena_call_free(gravity);
  catena_robot_free(robot);
  return 0;
}
