/* The same robots and jobs through the C++ interface, for the tests of the C interface to compare with. */
#ifndef CATENA_TESTS_REFERENCE_H
#define CATENA_TESTS_REFERENCE_H

#include <catena.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct reference reference;

/* The robot that catena_robot_load (text NULL) or catena_robot_parse gives. Ends the program where there is none. */
reference *reference_new(const char *model, const char *text, const char *options, int moving);
void reference_free(reference *robot);

/* Numbers for an input by its name, others for another seed. Joints of closed loops stay near where the loops close. */
void reference_input(const reference *robot, const char *name, unsigned seed, double *values);

/* Runs a job by Call<double>; the inputs in the order of its description. NULL, or the message of the exception. */
const char *reference_run(const reference *robot, const char *job, const double *const *inputs, int frame,
                          const catena_wrench *wrenches, size_t count, const double *base, double *out, size_t size);
/* What calls of the benchmark and of the test of threads are compared with, made once: */
int reference_feels_wrenches(const char *job);
int reference_takes_frame(const char *job);

#ifdef __cplusplus
}
#endif

#endif
