/* Records collections: a C callback in gc.callbacks that writes to a ring made beforehand,
 * allocates nothing, and reads the clock last at a collection's start and first at its stop. What
 * stands between is the pause: finalizers and destruction included, the callback's own work left
 * out. */
#ifndef GCTAX_GCHOOK_H
#define GCTAX_GCHOOK_H

#include "collector.h"
#include "stopwatch.h"
#include "workload.h"

/* Records that fit; what does not is counted as lost. */
#define GCHOOK_CAPACITY 16384

struct gchook_record {
    uint64_t start, stop; /* ticks */
    uint64_t collected, uncollectable;
    uint64_t destroyed;      /* instances, where the target counts them */
    uint64_t candidates;     /* UINT64_MAX: CPython does not say */
    double cpython_duration; /* seconds; NaN: CPython does not say */
    uint32_t generation;
    bool is_explicit;
};

struct gchook {
    const struct stopwatch *stopwatch;
    const struct collector *collector;
    const struct work *work;       /* where instances are counted; may be NULL */
    struct gchook_record *records; /* owned; resident */
    size_t count;
    uint64_t lost;
    bool in_collection;
    uint64_t cpu_start_ns, cpu_sum_ns; /* CPU time inside collections, clock cost included */
    uint64_t destroyed_start;
    uint64_t floating_most; /* instances: most that were dropped and not yet collected */
    PyObject *callback;     /* owned */
    PyObject *key_generation, *key_collected, *key_uncollectable, *key_candidates, *key_duration;
};

/* Makes ring and callback; the callback is not in gc.callbacks yet. 0, or -1 with an exception. */
int gchook_open(struct gchook *hook, const struct stopwatch *stopwatch,
                const struct collector *collector);
/* Puts the callback into gc.callbacks with an empty ring; and takes it out. 0, or -1. */
int gchook_install(struct gchook *hook, const struct work *work);
int gchook_remove(struct gchook *hook);
/* Looks how many instances are dropped and not collected now: before each collection, and for the
 * caller to call at the end of a pass. */
void gchook_note_floating(struct gchook *hook);
/* Medians over collections of an empty young generation, in ticks: with the callback less without.
 * The callback must not be installed. 0, or -1 with an exception. */
int gchook_cost_ticks(struct gchook *hook, struct collector *collector, double *ticks);
/* What one reading of the CPU time costs, in nanoseconds: a system call, contained once in each
 * collection's share of cpu_sum_ns. */
uint64_t gchook_cpu_clock_cost_ns(void);
uint64_t gchook_cpu_ns(void);
void gchook_close(struct gchook *hook);

#endif
