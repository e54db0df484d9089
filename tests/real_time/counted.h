/* Functions of the system that this program replaces in order to count them: counted.c. */
#ifndef CATENA_COUNTED_H
#define CATENA_COUNTED_H

#ifdef __cplusplus
extern "C" {
#endif

/* Of all threads: tests that watch have one. */
struct counts {
  long heap, locks, made_late; /* made late: a `static` inside a C++ function, at its first call */
};
extern struct counts counted;

#ifdef __cplusplus
}
#endif
#endif
