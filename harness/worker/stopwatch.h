/* The clock of all measurements, in ticks.
 *
 * Ticks are those of the time-stamp counter where the processor says that it is invariant (CPUID
 * 0x80000007, EDX bit 8: one rate in every power state) and the kernel has not found it unstable;
 * else nanoseconds of CLOCK_MONOTONIC. What a tick lasts is learned from two readings of both
 * clocks, at the start and at the end of the cell: calibration takes no time of its own. */
#ifndef GCTAX_STOPWATCH_H
#define GCTAX_STOPWATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct stopwatch {
    bool tsc;
    uint64_t first_ticks, first_ns; /* the first pair of readings */
};

static inline uint64_t stopwatch_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Reads the clock: what stands before it in the program is finished, and nothing after it has
 * begun. LFENCE waits for all earlier instructions and holds back all later ones (on AMD because
 * the kernel makes it so at boot); a bare RDTSC drifts by tens of instructions either way. RDTSCP
 * would spare the first LFENCE, but not every processor with an invariant counter has it. */
static inline uint64_t stopwatch_read(const struct stopwatch *stopwatch)
{
#if defined(__x86_64__)
    if (__builtin_expect(stopwatch->tsc, 1)) {
        uint32_t low, high;
        __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
        return (uint64_t)high << 32 | low;
    }
#else
    (void)stopwatch;
#endif
    return stopwatch_monotonic_ns();
}

/* The same read, named for its place: before the work and after it. */
static inline uint64_t stopwatch_begin(const struct stopwatch *stopwatch)
{
    return stopwatch_read(stopwatch);
}

static inline uint64_t stopwatch_end(const struct stopwatch *stopwatch)
{
    return stopwatch_read(stopwatch);
}

/* Chooses the clock and takes the first reading. */
void stopwatch_open(struct stopwatch *stopwatch);

/* Nanoseconds a tick, from the first reading to now: to be asked once, at the end. Waits until the
 * two readings are 10 ms apart, for a relative error below 0.001 %. 1.0 for CLOCK_MONOTONIC. */
double stopwatch_ns_per_tick(const struct stopwatch *stopwatch);

/* Median distance, in ticks, of a begin and the end right after it: contained in every time. */
uint64_t stopwatch_cost_ticks(const struct stopwatch *stopwatch);

/* The step, in ticks, in which the clock advances: 1 where every tick can be seen. Some virtual
 * machines show a time-stamp counter that moves only every 10 ns or so; no single operation can be
 * told more finely than that, while a batch of thousands can. It is the greatest common divisor of
 * the distances of many reads, 0 where the clock never moved. */
uint64_t stopwatch_step_ticks(const struct stopwatch *stopwatch);

/* tsc or monotonic: the column `clock`. */
const char *stopwatch_name(const struct stopwatch *stopwatch);

#endif
