/* cycle_collect: an instance is made, comes to hold itself and is dropped; the batch ends with one
 * collect(0), inside the clock, that finds all of its garbage. A type without GC has its cycle
 * broken by hand, and the same collection finds nothing: the baseline. Automatic collections are
 * off.
 *
 * Free-threaded builds have one generation: their collect(0) examines all that is tracked. */
#include "bench.h"

#include <stdio.h>

#include "work_slots.h"

static inline int cycle_collect_one(struct work *work, uint64_t Py_UNUSED(index))
{
    const struct target *target = work->target;
    PyObject *object = target->make(target);
    if (object == NULL)
        return -1;
    int failed = target->link(target, object, object);
    if (failed == 0 && !target->collects)
        failed = target->unlink(target, object);
    Py_DECREF(object);
    return failed;
}

static uint64_t cycle_collect_destroyed(const struct bench_run *run)
{
    return GCTAX_COUNTED(*run->work.target->destroyed);
}

/* Tries it: an instance may have no place for a reference, or one that the collector cannot see. */
static int cycle_collect_start(struct bench_run *run)
{
    if (run->work.target->link == NULL) {
        snprintf(run->skip, sizeof run->skip, "an instance can hold nothing");
        return 0;
    }
    if (run->work.target->destroyed == NULL) {
        snprintf(run->skip, sizeof run->skip, "its instances cannot be counted");
        return 0;
    }
    if (run->work.target->comes_back) {
        snprintf(run->skip, sizeof run->skip, "an instance comes back: it takes two collections");
        return 0;
    }
    uint64_t before = cycle_collect_destroyed(run);
    if (cycle_collect_one(&run->work, 0) < 0 || collector_collect(run->work.collector, 2, NULL) < 0)
        return -1;
    if (cycle_collect_destroyed(run) != before + 1)
        snprintf(run->skip, sizeof run->skip, "an instance that holds itself is never collected");
    run->work.destroyed_before = cycle_collect_destroyed(run);
    return 0;
}

static int cycle_collect_batch(struct bench_run *run, uint64_t iterations)
{
    run->work.made += iterations;
    run->work.dropped += iterations;
    if (work_each(&run->work, iterations, cycle_collect_one) < 0)
        return -1;
    return work_collect(&run->work, 0);
}

static int cycle_collect_verify(struct bench_run *run)
{
    return work_slots_verify_alive(&run->work, 0);
}

const struct bench_kind bench_kind_cycle_collect = {
    .name = "cycle_collect",
    .doc = "an instance that holds itself is made, dropped and collected, a batch at a time",
    .batch = 1000,
    .start = cycle_collect_start,
    .batch_function = cycle_collect_batch,
    .verify = cycle_collect_verify,
};
