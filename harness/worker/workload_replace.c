/* replace: the steady state. `live` slots are full; an operation picks one at random, drops what it
 * holds and fills it anew. cycle_percent of the slots hold the head of a ring of `cycle` instances,
 * the others of which hang on it alone: dropped with GC, such a ring floats until it is collected;
 * without, it is broken by hand. The other slots hold one instance, which its last reference
 * destroys. So live × (1 + cycle_percent/100 × (cycle − 1)) instances are reachable at any time.
 *
 * The rings lie in the first slots, which costs the loop a comparison instead of a look-up; slots
 * are picked evenly and their instances lie in memory as chance left them, so it makes no other
 * difference. The random number is drawn inside the clock, for the null target too. The clock
 * begins after `live` replacements have mixed the heap. */
#include "cell.h"
#include "rng.h"
#include "work.h"
#include "work_ring.h"
#include "work_slots.h"

#include <stdlib.h>

struct replace {
    uint64_t rings; /* slots that hold a ring */
    uint64_t cycle; /* instances in one */
};

static inline int replace_fill(struct work *work, uint64_t slot)
{
    const struct replace *replace = work->state;
    PyObject *object;
    if (slot < replace->rings)
        object = work_ring_make(work, replace->cycle);
    else {
        object = work->target->make(work->target);
        work->made++;
    }
    work->slots[slot] = object;
    return object == NULL ? -1 : 0;
}

static inline int replace_drop(struct work *work, uint64_t slot)
{
    const struct replace *replace = work->state;
    if (slot >= replace->rings)
        work->freed++;
    else if (work_ring_give_up(work, work->slots[slot], replace->cycle) < 0)
        return -1;
    Py_CLEAR(work->slots[slot]);
    return 0;
}

static inline int replace_one(struct work *work, uint64_t Py_UNUSED(index))
{
    uint64_t slot = rng_below(&work->rng, work->cell->live);
    return replace_drop(work, slot) < 0 ? -1 : replace_fill(work, slot);
}

static size_t replace_slots(const struct cell *cell)
{
    return cell->live;
}

static int replace_start(struct work *work)
{
    const struct cell *cell = work->cell;
    work_slots_begin(work);
    struct replace *replace = malloc(sizeof *replace);
    if (replace == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    replace->rings = cell->live * cell->cycle_percent / 100;
    replace->cycle = cell->cycle;
    work->state = replace;
    for (uint64_t slot = 0; slot < cell->live; slot++) {
        if (replace_fill(work, slot) < 0)
            return -1;
    }
    return work_each(work, cell->live, replace_one);
}

static int replace_batch(struct work *work, struct laps *laps)
{
    return work_batch(work, work->cell->n, replace_one, laps);
}

static int replace_sample(struct work *work, uint64_t count, struct histogram *histogram)
{
    return work_sample(work, count, replace_one, histogram);
}

/* After a full collection exactly what the slots hold is alive. */
static int replace_verify(struct work *work)
{
    const struct replace *replace = work->state;
    uint64_t live = work->cell->live;
    if (collector_settle(work->collector) < 0 || work_slots_verify(work, live) < 0)
        return -1;
    return work_slots_verify_alive(work, live - replace->rings + replace->rings * replace->cycle);
}

static void replace_stop(struct work *work)
{
    const struct replace *replace = work->state;
    if (replace == NULL)
        return;
    for (uint64_t slot = 0; slot < work->cell->live; slot++) {
        if (work->slots[slot] != NULL && replace_drop(work, slot) < 0)
            PyErr_WriteUnraisable(work->slots[slot]);
    }
    work_slots_clear(work);
    free(work->state);
    work->state = NULL;
}

const struct workload workload_replace = {
    .row = &workload_row_replace,
    .slots = replace_slots,
    .start = replace_start,
    .batch = replace_batch,
    .sample = replace_sample,
    .verify = replace_verify,
    .stop = replace_stop,
};
