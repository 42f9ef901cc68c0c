/* frozen: work on top of a large heap that stays. `live` instances are made first; a batch then
 * makes n more and frees them in order, as retain does. With gc_mode on, each full collection walks
 * the heap below; with frozen, gc.freeze() has taken it out of the collector's sight.
 *
 * With gc_mode frozen the heap is made in ten parts with a gc.freeze() after each, and the first
 * and the last of these are timed: whether a freeze costs more for what is frozen already. The pass
 * itself freezes once more, after it has settled. */
#include "cell.h"
#include "record.h"
#include "work.h"
#include "work_slots.h"

#include <stdlib.h>
#include <string.h>

enum { FROZEN_PARTS = 10 };

struct frozen {
    bool freezes;
    uint64_t first_ticks, last_ticks; /* of gc.freeze() */
};

static inline int frozen_one(struct work *work, uint64_t index)
{
    PyObject *object = work->target->make(work->target);
    work->slots[work->cell->live + index] = object;
    return object == NULL ? -1 : 0;
}

static inline int frozen_free_one(struct work *work, uint64_t index)
{
    Py_CLEAR(work->slots[work->cell->live + index]);
    return 0;
}

static int frozen_build(struct work *work, struct frozen *frozen)
{
    uint64_t live = work->cell->live, done = 0;
    for (uint64_t part = 1; part <= FROZEN_PARTS; part++) {
        for (uint64_t end = live * part / FROZEN_PARTS; done < end; done++) {
            work->slots[done] = work->target->make(work->target);
            if (work->slots[done] == NULL)
                return -1;
            work->made++;
        }
        if (!frozen->freezes)
            continue;
        uint64_t begin = stopwatch_begin(work->stopwatch);
        int failed = collector_call(work->collector->freeze);
        frozen->last_ticks = stopwatch_end(work->stopwatch) - begin;
        if (failed < 0)
            return -1;
        if (part == 1)
            frozen->first_ticks = frozen->last_ticks;
    }
    return 0;
}

/* Is all of the heap frozen, where it is tracked at all? The passes unfreeze before they verify, so
 * this stands where the heap was made. */
static int frozen_check(struct work *work)
{
    if (!work->target->has_gc || !PyObject_GC_IsTracked(work->slots[0]))
        return 0;
    PyObject *gc = PyImport_ImportModule("gc");
    PyObject *result = gc == NULL ? NULL : PyObject_CallMethod(gc, "get_freeze_count", NULL);
    Py_XDECREF(gc);
    uint64_t count = result == NULL ? 0 : PyLong_AsUnsignedLongLong(result);
    Py_XDECREF(result);
    if (PyErr_Occurred())
        return -1;
    if (count >= work->cell->live)
        return 0;
    PyErr_Format(PyExc_AssertionError, "%llu objects are frozen, the heap alone has %llu",
                 (unsigned long long)count, (unsigned long long)work->cell->live);
    return -1;
}

static size_t frozen_slots(const struct cell *cell)
{
    return cell->live + cell->n;
}

static int frozen_start(struct work *work)
{
    work_slots_begin(work);
    struct frozen *frozen = calloc(1, sizeof *frozen);
    if (frozen == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    work->state = frozen;
    frozen->freezes = strcmp(work->cell->gc_mode, "frozen") == 0;
    if (frozen_build(work, frozen) < 0)
        return -1;
    return frozen->freezes ? frozen_check(work) : 0;
}

static int frozen_batch(struct work *work, struct laps *laps)
{
    uint64_t n = work->cell->n, made, freed;

    if (work_timed(work, n, frozen_one, &made) < 0)
        return -1;
    work->made += n;

    if (work_timed(work, n, frozen_free_one, &freed) < 0)
        return -1;
    work->freed += n;
    work_lap_both(laps, n, made, n, freed);
    return 0;
}

/* Single allocations; what they made is freed outside the clock, n at a time. */
static int frozen_sample(struct work *work, uint64_t count, struct histogram *histogram)
{
    uint64_t n = work->cell->n;
    for (uint64_t done = 0; done < count;) {
        uint64_t block = count - done < n ? count - done : n;
        if (work_sample(work, block, frozen_one, histogram) < 0)
            return -1;
        work->made += block;
        for (uint64_t i = 0; i < block; i++)
            frozen_free_one(work, i);
        work->freed += block;
        done += block;
    }
    return 0;
}

static int frozen_verify(struct work *work)
{
    if (work_slots_verify(work, work->cell->live) < 0)
        return -1;
    return work_slots_verify_alive(work, work->cell->live);
}

static void frozen_report(const struct work *work, struct record *row, double ns)
{
    const struct frozen *frozen = work->state;
    if (!frozen->freezes)
        return;
    record_set_real(row, CELLS_freeze_first_ns, (double)frozen->first_ticks * ns);
    record_set_real(row, CELLS_freeze_last_ns, (double)frozen->last_ticks * ns);
}

static void frozen_stop(struct work *work)
{
    work_slots_clear(work);
    free(work->state);
    work->state = NULL;
}

const struct workload workload_frozen = {
    .row = &workload_row_frozen,
    .slots = frozen_slots,
    .start = frozen_start,
    .batch = frozen_batch,
    .sample = frozen_sample,
    .verify = frozen_verify,
    .report = frozen_report,
    .stop = frozen_stop,
};
