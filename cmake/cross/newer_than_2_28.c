// What the C++ library of GCC 12 and its headers take from a newer glibc than 2.28: linked into what must run with the
// older one (tools/cross.py).
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN char __libc_single_threaded = 0;  // 2.32: "perhaps several threads" is always right

HIDDEN uint32_t arc4random(void) {  // 2.36, for std::random_device
  uint32_t number;
  if (getentropy(&number, sizeof number) != 0) abort();
  return number;
}
