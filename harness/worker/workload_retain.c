/* retain: a batch makes n instances and keeps them in slots, then frees them: in order (fifo), in
 * reverse (lifo) or at random. Making and freeing are laps of their own, each with its safe points;
 * an operation is one instance made and freed. Automatic collections fall into the first lap, find
 * nothing, and promote what lives. */
#include "cell.h"
#include "work.h"
#include "work_slots.h"

#include <string.h>

static inline int retain_one(struct work *work, uint64_t index)
{
    PyObject *object = work->target->make(work->target);
    work->slots[index] = object;
    return object == NULL ? -1 : 0;
}

static inline int retain_free_one(struct work *work, uint64_t index)
{
    Py_CLEAR(work->slots[index]);
    return 0;
}

/* Brings `count` slots into the order in which they are to be freed. */
static void retain_order(struct work *work, size_t count)
{
    if (strcmp(work->cell->free_order, "lifo") == 0)
        work_slots_reverse(work, count);
    else if (strcmp(work->cell->free_order, "random") == 0)
        work_slots_shuffle(work, count);
}

static size_t retain_slots(const struct cell *cell)
{
    return cell->n;
}

static int retain_start(struct work *work)
{
    const char *order = work->cell->free_order;
    work_slots_begin(work);
    if (*order == '\0' || strcmp(order, "fifo") == 0 || strcmp(order, "lifo") == 0 ||
        strcmp(order, "random") == 0)
        return 0;
    PyErr_Format(PyExc_ValueError, "free_order is fifo, lifo or random, not '%s'", order);
    return -1;
}

static int retain_batch(struct work *work, struct laps *laps)
{
    uint64_t n = work->cell->n, made, freed;

    if (work_timed(work, n, retain_one, &made) < 0)
        return -1;
    work->made += n;
    retain_order(work, n);

    if (work_timed(work, n, retain_free_one, &freed) < 0)
        return -1;
    work->freed += n;
    work_lap_both(laps, n, made, n, freed);
    return 0;
}

/* Single allocations, on a heap that grows to n instances and is emptied outside the clock. */
static int retain_sample(struct work *work, uint64_t count, struct histogram *histogram)
{
    uint64_t n = work->cell->n;
    for (uint64_t done = 0; done < count;) {
        uint64_t block = count - done < n ? count - done : n;
        if (work_sample(work, block, retain_one, histogram) < 0)
            return -1;
        work->made += block;
        retain_order(work, block);
        work_slots_clear(work);
        work->freed += block;
        done += block;
    }
    return 0;
}

static int retain_verify(struct work *work)
{
    return work_slots_verify(work, 0) < 0 ? -1 : work_slots_verify_alive(work, 0);
}

const struct workload workload_retain = {
    .row = &workload_row_retain,
    .slots = retain_slots,
    .start = retain_start,
    .batch = retain_batch,
    .sample = retain_sample,
    .verify = retain_verify,
    .stop = work_slots_clear,
};
