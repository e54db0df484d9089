/* Loaded before a program: makes one of its calls on files fail, or ends the program there, and makes clocks jump.
 *   FAULT_AT=N      the N-th call that changes a file (1 is the first; not those on standard streams)
 *   FAULT_HOW       before | half | after: the program is killed before the call, in the middle of a write, or behind it;
 *                   signal N: the program gets signal N before the call;
 *                   full: that call and all later ones that need room fail, as on a full disk; a number: that call fails
 *                   with this errno
 *   FAULT_LOG=FILE  a line for each such call
 *   FAULT_CLOCK=S   the clock of the day jumps by S seconds to and fro with every look at it
 * A program that the program starts is left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static pid_t own;
static long at, calls, looks, jump;
static const char *how = "";
static int log_file = -1;

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void begin(void) {
  own = getpid();
  at = getenv("FAULT_AT") ? atol(getenv("FAULT_AT")) : 0;
  how = getenv("FAULT_HOW") ? getenv("FAULT_HOW") : "";
  jump = getenv("FAULT_CLOCK") ? atol(getenv("FAULT_CLOCK")) : 0;
  if (getenv("FAULT_LOG")) log_file = REAL(open)(getenv("FAULT_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  unsetenv("LD_PRELOAD");
}

static void end_program(void) {
  kill(own, SIGKILL);
  for (;;) pause();
}

enum Kind { needs_room, renames, removes }; /* removing a file never fails */

/* Counts the call. Whether it is to fail, with errno set. */
static int fails(const char *call, const char *about, enum Kind kind) {
  if (getpid() != own) return 0;
  ++calls;
  if (log_file >= 0) dprintf(log_file, "%s %s\n", call, about);
  if (at == 0 || calls < at) return 0;
  if (strcmp(how, "full") == 0) {
    errno = ENOSPC;
    return kind == needs_room;
  }
  if (calls != at) return 0;
  if (strcmp(how, "before") == 0 || (strcmp(how, "half") == 0 && strstr(call, "write") == NULL)) end_program();
  if (strncmp(how, "signal ", 7) == 0) {
    kill(own, atoi(how + 7));
    return 0;
  }
  errno = kind == removes ? 0 : atoi(how);
  return errno != 0;
}
static int is_now(const char *what) { return getpid() == own && calls == at && strcmp(how, what) == 0; }
static void behind(void) {
  if (is_now("after")) end_program();
}

static const char *name_of(int file) {
  static char name[4096], link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, name, sizeof name - 1);
  name[length > 0 ? length : 0] = '\0';
  return name;
}

/* A call with its arguments: whether it fails instead, and what follows it. */
#define CHANGES(call, about, kind, result)   \
  do {                                       \
    if (fails(call, about, kind)) return -1; \
    const int done = result;                 \
    const int reason = errno;                \
    behind();                                \
    errno = reason;                          \
    return done;                             \
  } while (0)

static int changes(int flags) { return (flags & (O_CREAT | O_TRUNC)) != 0; }
#define OPEN(name)                                                  \
  int name(const char *path, int flags, ...) {                      \
    va_list more;                                                   \
    va_start(more, flags);                                          \
    const mode_t mode = (flags & O_CREAT) ? va_arg(more, mode_t) : 0;\
    va_end(more);                                                   \
    if (!changes(flags)) return REAL(name)(path, flags, mode);      \
    CHANGES("open", path, needs_room, REAL(name)(path, flags, mode));        \
  }
OPEN(open)
OPEN(open64)

#define WRITE(name, parameters, arguments, half_arguments)               \
  ssize_t name parameters {                                              \
    if (file <= 2 || file == log_file) return REAL(name) arguments;      \
    if (fails(#name, name_of(file), needs_room)) return -1;                       \
    if (is_now("half")) {                                                \
      if (REAL(name) half_arguments < 0) errno = 0;                      \
      end_program();                                                     \
    }                                                                    \
    const ssize_t done = REAL(name) arguments;                           \
    const int reason = errno;                                            \
    behind();                                                            \
    errno = reason;                                                      \
    return done;                                                         \
  }
WRITE(write, (int file, const void *bytes, size_t count), (file, bytes, count), (file, bytes, count / 2))
WRITE(pwrite, (int file, const void *bytes, size_t count, off_t from), (file, bytes, count, from), (file, bytes, count / 2, from))
WRITE(pwrite64, (int file, const void *bytes, size_t count, off64_t from), (file, bytes, count, from), (file, bytes, count / 2, from))

int fsync(int file) { CHANGES("fsync", name_of(file), needs_room, REAL(fsync)(file)); }
int ftruncate(int file, off_t size) { CHANGES("ftruncate", name_of(file), needs_room, REAL(ftruncate)(file, size)); }
int ftruncate64(int file, off64_t size) { CHANGES("ftruncate", name_of(file), needs_room, REAL(ftruncate64)(file, size)); }
int rename(const char *from, const char *to) { CHANGES("rename", to, renames, REAL(rename)(from, to)); }
int link(const char *from, const char *to) { CHANGES("link", to, renames, REAL(link)(from, to)); }
int mkdir(const char *path, mode_t mode) { CHANGES("mkdir", path, needs_room, REAL(mkdir)(path, mode)); }

int unlink(const char *path) { CHANGES("unlink", path, removes, REAL(unlink)(path)); }
int rmdir(const char *path) { CHANGES("rmdir", path, removes, REAL(rmdir)(path)); }

/* --- the clock of the day; the one that only goes forward stays as it is --- */

static long shifted(void) { return (getpid() == own && jump != 0 && looks++ % 2 == 0) ? jump : -jump; }
int clock_gettime(clockid_t clock, struct timespec *now) {
  const int done = REAL(clock_gettime)(clock, now);
  if (clock == CLOCK_REALTIME && jump != 0) now->tv_sec += shifted();
  return done;
}
time_t time(time_t *to) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (to != NULL) *to = now.tv_sec;
  return now.tv_sec;
}
int gettimeofday(struct timeval *now, void *zone) {
  (void)zone;
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec, now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}
