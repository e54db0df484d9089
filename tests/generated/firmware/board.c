/* What a Cortex-M of QEMU needs to start, to write by semihosting and to count instructions: no C library. */
#include <stddef.h>
#include <stdint.h>

#include "board.h"

extern uint32_t top_of_stack[];
void reset(void);

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {top_of_stack, (const void *)reset};

static void semihosting(uint32_t operation, const void *argument)
{
  register uint32_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

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

/* SysTick counts down at 25 MHz; with -icount shift=0 an instruction takes 1 ns, so 40 are a tick. */
uint32_t ticks(void) { return 0xFFFFFFU - *(volatile uint32_t *)0xE000E018U; }

void reset(void)
{
  *(volatile uint32_t *)0xE000ED88U |= 0xFU << 20;  /* the floating-point unit */
  __asm__ volatile("dsb\nisb");
  *(volatile uint32_t *)0xE000E014U = 0xFFFFFFU;
  *(volatile uint32_t *)0xE000E018U = 0U;
  *(volatile uint32_t *)0xE000E010U = 5U;
  work();
  semihosting(0x18U, (const void *)0x20026U);
  for (;;) {}
}
