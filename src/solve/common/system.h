/* The machine the program runs on. */
#ifndef LR_SOLVE_COMMON_SYSTEM_H
#define LR_SOLVE_COMMON_SYSTEM_H

#include <stddef.h>

void system_cpu_name(char *name, size_t size);

#endif
