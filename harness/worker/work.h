/* How a workload runs its operations: with their safe points and explicit collections between.
 *
 * A batch calls work_each() with its operation, a `static inline` function: the compiler puts it
 * into the two loops below, and what is timed can be read in the disassembly. A sample times
 * operation and work_tick() together. */
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

#endif
