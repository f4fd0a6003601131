/* A time in words. */
#ifndef LR_SOLVE_COMMON_DURATION_H
#define LR_SOLVE_COMMON_DURATION_H

struct duration {
    char text[32];
};

/* "12 s", "3.4 min", "5 hours", "2 days" or "3e+04 years". */
struct duration duration_of(double seconds);

#endif
