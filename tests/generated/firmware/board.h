/* What a test or a measurement writes, on the board and on the host. */
#include <stdint.h>

void work(void);                            /* what is to be done */
void show(const float *values, int count);  /* a line with the bits of these */
void show_count(uint32_t count);
uint32_t ticks(void);
void semihosting(uint32_t operation, const void *argument);  /* on boards: asks the host */
