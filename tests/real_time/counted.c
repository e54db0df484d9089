/* Linked into a program, these stand before glibc's and libstdc++'s functions of the same names, for every library of the
 * process. */
#define _GNU_SOURCE
#include "real_time/counted.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

struct counts counted;

/* glibc's own names; dlsym() itself would ask for memory. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t step, size_t size);
void __libc_free(void *block);

void *malloc(size_t size) { return ++counted.heap, __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return ++counted.heap, __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return ++counted.heap, __libc_realloc(block, size); }
void *memalign(size_t step, size_t size) { return ++counted.heap, __libc_memalign(step, size); }
void *aligned_alloc(size_t step, size_t size) { return ++counted.heap, __libc_memalign(step, size); }
int posix_memalign(void **block, size_t step, size_t size) {
  ++counted.heap;
  *block = __libc_memalign(step, size);
  return *block == NULL ? ENOMEM : 0;
}
void free(void *block) {
  if (block != NULL) ++counted.heap;
  __libc_free(block);
}

/* The function of the same name behind this one. */
#define COUNTED(count, name, parameters, arguments)                      \
  int name parameters {                                                  \
    static int(*behind) parameters;                                      \
    if (behind == NULL) *(void **)&behind = dlsym(RTLD_NEXT, #name);     \
    ++counted.count;                                                     \
    return behind arguments;                                             \
  }

COUNTED(locks, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))
COUNTED(locks, pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex))
COUNTED(locks, pthread_mutex_timedlock, (pthread_mutex_t * mutex, const struct timespec *end), (mutex, end))
COUNTED(locks, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
COUNTED(locks, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
COUNTED(locks, pthread_spin_lock, (pthread_spinlock_t * lock), (lock))
COUNTED(locks, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex), (condition, mutex))
COUNTED(locks, pthread_cond_signal, (pthread_cond_t * condition), (condition))
COUNTED(locks, pthread_cond_broadcast, (pthread_cond_t * condition), (condition))
COUNTED(locks, pthread_once, (pthread_once_t * once, void (*make)(void)), (once, make))
COUNTED(locks, sem_wait, (sem_t * semaphore), (semaphore))
COUNTED(locks, sem_post, (sem_t * semaphore), (semaphore))

/* What a compiler calls before it makes a `static` of a function. */
int __cxa_guard_acquire(void *guard);
COUNTED(made_late, __cxa_guard_acquire, (void *guard), (guard))
