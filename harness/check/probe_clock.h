/* Seconds of a clock that only goes forward, from a beginning that is the system's own. */
#ifndef GCTAX_PROBE_CLOCK_H
#define GCTAX_PROBE_CLOCK_H

#include <time.h>

static inline double probe_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
