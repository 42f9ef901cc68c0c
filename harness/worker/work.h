/* How a workload runs its operations: with their safe points and explicit collections between, and
 * the clock around them.
 *
 * The operation is a `static inline` function of the workload: the compiler puts it into the loops
 * below, and what is timed can be read in the disassembly. */
#ifndef GCTAX_WORK_H
#define GCTAX_WORK_H

#include "workload.h"

/* gc.collect(generation), counted as explicit. 0, or -1 with an exception. */
int work_collect(struct work *work, int generation);

/* Instances that are dropped and not collected now; 0 where the target's cannot be counted. */
uint64_t work_floating(const struct work *work);

/* What stands after one operation: its share of safe points and explicit collections. */
static inline int work_tick(struct work *work)
{
    if (--work->until_safepoint == 0) {
        work->until_safepoint = work->safepoint;
        if (PyErr_CheckSignals() < 0)
            return -1;
    }
    if (--work->until_collect == 0) {
        work->until_collect = work->collect_every;
        return work_collect(work, 2);
    }
    return 0;
}

/* operation(work, index) for 0 <= index < count, as work_tick() after each would have it, without
 * its counters: with a safe point after every operation, the call stands in the loop; else the loop
 * runs from one safe point to the next. 0, or -1 as soon as the operation or a safe point fails. */
static inline __attribute__((always_inline)) int
work_each(struct work *work, uint64_t count, int (*operation)(struct work *work, uint64_t index))
{
    for (uint64_t index = 0; index < count;) {
        uint64_t begin = index;
        uint64_t left = count - index;
        uint64_t end = index + (left < work->until_collect ? left : work->until_collect);

        if (work->safepoint == 1) {
            for (; index < end; index++)
                if (operation(work, index) < 0 || PyErr_CheckSignals() < 0)
                    return -1;
        }
        while (index < end) {
            uint64_t block =
                end - index < work->until_safepoint ? end - index : work->until_safepoint;
            for (uint64_t stop = index + block; index < stop; index++)
                if (operation(work, index) < 0)
                    return -1;
            if ((work->until_safepoint -= block) == 0) {
                work->until_safepoint = work->safepoint;
                if (PyErr_CheckSignals() < 0)
                    return -1;
            }
        }
        if ((work->until_collect -= end - begin) == 0) {
            work->until_collect = work->collect_every;
            if (work_collect(work, 2) < 0)
                return -1;
        }
    }
    return 0;
}

/* work_each() by the clock: the ticks that it took in *ticks. */
static inline __attribute__((always_inline)) int
work_timed(struct work *work, uint64_t count, int (*operation)(struct work *work, uint64_t index),
           uint64_t *ticks)
{
    uint64_t begin = stopwatch_begin(work->stopwatch);
    int failed = work_each(work, count, operation);
    *ticks = stopwatch_end(work->stopwatch) - begin;
    return failed;
}

/* The batch of a workload whose operation is one function. */
static inline __attribute__((always_inline)) int
work_batch(struct work *work, uint64_t count, int (*operation)(struct work *work, uint64_t index),
           struct laps *laps)
{
    uint64_t ticks;
    if (work_timed(work, count, operation, &ticks) < 0)
        return -1;
    laps->op.ticks += ticks;
    laps->op.ops += count;
    return 0;
}

/* What a batch adds that makes `made` instances, and then frees `freed` in a lap of its own; an
 * operation is the making of one and its share of the second lap. */
static inline void work_lap_both(struct laps *laps, uint64_t made, uint64_t made_ticks,
                                 uint64_t freed, uint64_t freed_ticks)
{
    laps->alloc.ticks += made_ticks;
    laps->alloc.ops += made;
    laps->dealloc.ticks += freed_ticks;
    laps->dealloc.ops += freed;
    laps->op.ticks += made_ticks + freed_ticks;
    laps->op.ops += made;
}

/* Each operation by the clock, with what stands after it. */
static inline __attribute__((always_inline)) int
work_sample(struct work *work, uint64_t count, int (*operation)(struct work *work, uint64_t index),
            struct histogram *histogram)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t begin = stopwatch_begin(work->stopwatch);
        if (operation(work, i) < 0 || work_tick(work) < 0)
            return -1;
        histogram_record(histogram, stopwatch_end(work->stopwatch) - begin);
    }
    return 0;
}

#endif
