/* What a RISC-V processor of QEMU needs to start, to ask its host and to count instructions. */
#include "board.h"

void reset(void);

/* The three instructions must be uncompressed. */
void semihosting(uint32_t operation, const void *argument)
{
  register uint32_t a0 __asm__("a0") = operation;
  register const void *a1 __asm__("a1") = argument;
  __asm__ volatile(".option push\n.option norvc\n.balign 16\nslli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n.option pop" : "+r"(a0) : "r"(a1) : "memory");
}

/* Instructions that were executed, in units of 40 as on the other boards. */
uint32_t ticks(void)
{
  uint32_t low;
  __asm__ volatile(".option push\n.option arch, +zicsr\ncsrr %0, minstret\n.option pop" : "=r"(low));
  return low/40U;
}

__attribute__((naked, section(".vectors"), used)) void start(void)
{
  __asm__ volatile(".option push\n.option arch, +zicsr\nla sp, top_of_stack\nli t0, 0x6000\ncsrs mstatus, t0\n.option pop\nj reset");  /* 0x6000: the floating-point unit */
}

void reset(void)
{
  work();
  semihosting(0x18U, (const void *)0x20026U);
  for (;;) {}
}
