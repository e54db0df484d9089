/* What a Cortex-M of QEMU needs to start, to ask its host and to count instructions. */
#include "board.h"

extern uint32_t top_of_stack[];
void reset(void);

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {top_of_stack, (const void *)reset};

void semihosting(uint32_t operation, const void *argument)
{
  register uint32_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

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
