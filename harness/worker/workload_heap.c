/* heap: explicit collections over a live heap. A batch builds `live` instances anew, outside the
 * clock and with the collector off, so that all of them lie in the youngest generation. Then, in a
 * process whose start state is old already:
 *
 *   collect(0)      examines the new instances and moves them to generation 1
 *   collect(1)      examines them again and moves them to generation 2
 *   collect(2) × 4  examine them and all else that is tracked
 *
 * None finds garbage. The timed operation is one collect(2), so that the mean is that of a full
 * collection of an old heap; the pauses pass sees all six. With the null target, or a type without
 * GC, the same collections find the heap of the start state. Free-threaded builds have one
 * generation: all six are full. None of this was tried on 3.14.0 to
 * 3.14.4, whose collector was incremental.
 *
 * fresh: in the order in which the allocator hands blocks out, which is that of addresses. aged: as
 * after use: three times, half of the instances, picked at random, are freed and then made anew, so
 * that the order in which the collector walks them is not that of their addresses. It is no worst
 * case: the allocator refills a pool before it goes to the next, which keeps some neighbours.
 * Free-threaded collectors walk the allocator's pages instead of a list: there it makes no
 * difference by design. */
#include "cell.h"
#include "work.h"
#include "work_slots.h"

#include <string.h>

enum { HEAP_FULL_COLLECTIONS = 4, HEAP_AGE_ROUNDS = 3 };

static int heap_fill(struct work *work, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++) {
        PyObject *object = work->target->make(work->target);
        if (object == NULL)
            return -1;
        work->slots[i] = object;
        work->made++;
    }
    return 0;
}

static int heap_age(struct work *work)
{
    uint64_t half = work->cell->live / 2;
    for (int round = 0; round < HEAP_AGE_ROUNDS; round++) {
        work_slots_shuffle(work, work->cell->live);
        for (uint64_t i = 0; i < half; i++)
            Py_CLEAR(work->slots[i]);
        work->freed += half;
        if (heap_fill(work, 0, half) < 0)
            return -1;
    }
    return 0;
}

/* Replaces the heap of the last batch by a new one. */
static int heap_build(struct work *work)
{
    if (work->slot_count > 0 && work->slots[0] != NULL)
        work->freed += work->cell->live;
    work_slots_clear(work);
    if (heap_fill(work, 0, work->cell->live) < 0)
        return -1;
    return strcmp(work->cell->heap_order, "aged") == 0 ? heap_age(work) : 0;
}

static size_t heap_slots(const struct cell *cell)
{
    return cell->live;
}

static int heap_start(struct work *work)
{
    const char *order = work->cell->heap_order;
    work_slots_begin(work);
    if (*order != '\0' && strcmp(order, "fresh") != 0 && strcmp(order, "aged") != 0) {
        PyErr_Format(PyExc_ValueError, "heap_order is fresh or aged, not '%s'", order);
        return -1;
    }
    return collector_call(work->collector->disable);
}

static int heap_batch(struct work *work, struct laps *laps)
{
    if (heap_build(work) < 0 || work_collect(work, 0) < 0 || work_collect(work, 1) < 0)
        return -1;
    for (int i = 0; i < HEAP_FULL_COLLECTIONS; i++) {
        uint64_t begin = stopwatch_begin(work->stopwatch);
        int failed = work_collect(work, 2);
        uint64_t end = stopwatch_end(work->stopwatch);
        if (failed < 0)
            return -1;
        laps->op.ticks += end - begin;
        laps->op.ops++;
    }
    return 0;
}

static int heap_verify(struct work *work)
{
    if (work_slots_verify(work, work->cell->live) < 0)
        return -1;
    return work_slots_verify_alive(work, work->cell->live);
}

static void heap_stop(struct work *work)
{
    work_slots_clear(work);
    const char *mode = work->cell->gc_mode;
    bool automatic = strcmp(mode, "on") == 0 || strcmp(mode, "frozen") == 0;
    if (automatic && collector_call(work->collector->enable) < 0)
        PyErr_WriteUnraisable(work->collector->enable);
}

const struct workload workload_heap = {
    .row = &workload_row_heap,
    .slots = heap_slots,
    .start = heap_start,
    .batch = heap_batch,
    .verify = heap_verify,
    .stop = heap_stop,
};
