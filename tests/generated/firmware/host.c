/* The same on the host. */
#include <stdio.h>
#include <string.h>

#include "board.h"

void show(const float *values, int count)
{
  for (int k = 0; k < count; ++k) {
    uint32_t bits;
    memcpy(&bits, &values[k], sizeof bits);
    printf("%08x%c", (unsigned)bits, k + 1 < count ? ' ' : '\n');
  }
  if (count == 0) printf("\n");
}

int main(void)
{
  work();
  return 0;
}
