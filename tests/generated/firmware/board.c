/* What boards of QEMU write, by semihosting: no C library. */
#include "board.h"

static void write_text(const char *text) { semihosting(4U, text); }

static void write_hex(uint32_t bits, char end)
{
  char text[10];
  for (int k = 0; k < 8; ++k) text[k] = "0123456789abcdef"[(bits >> (28 - 4*k)) & 15U];
  text[8] = end;
  text[9] = 0;
  write_text(text);
}

void show(const float *values, int count)
{
  for (int k = 0; k < count; ++k) {
    union { float value; uint32_t bits; } both = {values[k]};
    write_hex(both.bits, k + 1 < count ? ' ' : '\n');
  }
  if (count == 0) write_text("\n");
}

void show_count(uint32_t count) { write_hex(count, '\n'); }
