/* The interface between a workload and the passes of the worker that drive it.
 *
 * A pass is: start(), then batch() (or sample()) as often as the cell says, then verify(), stop().
 * Only what stands between the stopwatch reads inside batch() is timed; everything else of a
 * workload runs outside the clock. Each pass starts from the same known state (pass.c). */
#ifndef GCTAX_WORKLOAD_H
#define GCTAX_WORKLOAD_H

#include "target.h"

#include "collector.h"
#include "histogram.h"
#include "stopwatch.h"
#include "workload_row.h"

/* Time and count of one part of a batch. */
struct lap {
    uint64_t ticks; /* stopwatch ticks */
    uint64_t ops;   /* operations in it; 0: the workload has no such part */
};

/* What one batch measured. `op` is the whole operation; alloc and dealloc are parts of it that a
 * workload can time apart. */
struct laps {
    struct lap op, alloc, dealloc;
};

/* What a workload works on: made by the worker once a cell, outside the clock. */
struct work {
    const struct cell *cell;
    const struct target *target;
    const struct stopwatch *stopwatch;
    struct collector *collector; /* the gc module (collector.h): explicit collections */
    PyObject **slots; /* `slot_count` entries, their pages resident, all NULL between passes */
    size_t slot_count;
    uint64_t rng;       /* state of rng_next() (rng.h), seeded alike in each pass */
    uint64_t safepoint; /* operations between two safe points; UINT64_MAX: none */
    uint64_t until_safepoint;
    uint64_t collect_every; /* explicit collect(2) every so many operations; UINT64_MAX: none */
    uint64_t until_collect;
    uint64_t made;    /* instances made since start() */
    uint64_t dropped; /* of these, made unreachable by the workload and not destroyed by it at
                         once: what the collector has to find. Instances, not cycles */
    uint64_t freed;   /* of these, destroyed by the workload at once. What floats at any moment is
                         dropped - (*target->destroyed - destroyed_before - freed) */
    uint64_t destroyed_before;     /* *target->destroyed at start(); set by work_slots_begin() */
    uint64_t explicit_collections; /* explicit collections asked for since start() */
    void *state;                   /* the workload's own, from start() to stop() */
};

struct record;

struct workload {
    const struct workload_row *row;
    /* Why the target cannot be driven here, for reasons that the row does not state; NULL: it can.
     * May be NULL. */
    const char *(*refuses)(const struct target *target);
    /* How many slots the cell needs. */
    size_t (*slots)(const struct cell *cell);
    /* Sets up (the live heap …), outside the clock. 0, or -1 with an exception. May be NULL. */
    int (*start)(struct work *work);
    /* One batch; adds its times to *laps. 0, or -1 with an exception. */
    int (*batch)(struct work *work, struct laps *laps);
    /* Times `count` single operations, safe point included, into the histogram (in ticks). 0 or -1.
     * NULL where the workload has no operation of its own (heap). */
    int (*sample)(struct work *work, uint64_t count, struct histogram *histogram);
    /* Is what should be there there, and nothing else? Outside the clock, after the last batch and
     * before stop(). 0, or -1 with an exception that says what was wrong. May be NULL. */
    int (*verify)(struct work *work);
    /* After the timed batches: sets the columns that the workload alone has, and `detail` where the
     * row wants a note. `ns`: nanoseconds a tick. May be NULL. */
    void (*report)(const struct work *work, struct record *row, double ns);
    /* A pass of its own, in place of batches: looks for garbage that floats. 0, or -1 with an
     * exception. May be NULL. */
    int (*garbage)(struct work *work, struct record *row);
    /* Lets go of all that start() and batch() left, outside the clock. Always called after start().
     */
    void (*stop)(struct work *work);
};

/* Each workload's row (workloads.c) and descriptor (workload_NAME.c). */
#define WORKLOAD(name, ...)                                                                        \
    extern const struct workload_row workload_row_##name;                                          \
    extern const struct workload workload_##name;
#include "workloads.def"
#undef WORKLOAD

/* The registry, from workloads.def; ends in NULL. */
extern const struct workload *const workloads[];
const struct workload *workload_find(const char *name);

#endif
