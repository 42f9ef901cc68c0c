/* Clocks in seconds. */
#ifndef GCTAX_PROBE_CLOCK_H
#define GCTAX_PROBE_CLOCK_H

#include <time.h>

static inline double probe_clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* It only goes forward, from a beginning that is the system's own. */
static inline double probe_now_s(void)
{
    return probe_clock_s(CLOCK_MONOTONIC);
}

/* The processor time of this process. */
static inline double probe_spent_s(void)
{
    return probe_clock_s(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
