/* chain: instances that hold each the next one, `depth` to a chain. A batch makes about n of them
 * (whole chains, one at least), then drops each chain by its head: destroying the head destroys the
 * next, from within. A deallocator without a trashcan recurses once an instance, and a chain deep
 * enough takes the C stack with it: of types with GC up to 3.13, from where on _Py_Dealloc bounds
 * it, of types without on every release. That is a finding and the row says `crash`; the default
 * depth is far below.
 *
 * Making and linking is the alloc lap, the drop the dealloc lap, both by the instance. The
 * operation that is timed on its own is one drop of a whole chain, made outside the clock. */
#include "cell.h"
#include "work.h"
#include "work_ring.h"
#include "work_slots.h"

/* A sample makes no more instances than this. */
#define CHAIN_SAMPLE_MOST (UINT64_C(1) << 24)

static uint64_t chain_count(const struct cell *cell)
{
    return cell->n / cell->depth == 0 ? 1 : cell->n / cell->depth;
}

/* Operation `index` of those that make chains: the new instance holds the one before it and takes
 * its place as head. */
static inline int chain_one(struct work *work, uint64_t index)
{
    PyObject **head = &work->slots[index / work->cell->depth];
    PyObject *object = work->target->make(work->target);
    if (object == NULL)
        return -1;
    work->made++;
    if (*head != NULL) {
        int failed = work_link(work->target, object, *head);
        Py_DECREF(*head);
        *head = NULL;
        if (failed < 0) {
            Py_DECREF(object);
            return -1;
        }
    }
    *head = object;
    return 0;
}

static inline int chain_drop_one(struct work *work, uint64_t index)
{
    Py_CLEAR(work->slots[index]);
    return 0;
}

static size_t chain_slots(const struct cell *cell)
{
    return chain_count(cell);
}

static int chain_start(struct work *work)
{
    work_slots_begin(work);
    return 0;
}

static int chain_batch(struct work *work, struct laps *laps)
{
    uint64_t chains = chain_count(work->cell), n = chains * work->cell->depth, made, freed;

    if (work_timed(work, n, chain_one, &made) < 0 ||
        work_timed(work, chains, chain_drop_one, &freed) < 0)
        return -1;
    work->freed += n;
    work_lap_both(laps, n, made, n, freed);
    return 0;
}

static int chain_sample(struct work *work, uint64_t count, struct histogram *histogram)
{
    uint64_t depth = work->cell->depth, most = CHAIN_SAMPLE_MOST / depth;
    if (count > most)
        count = most == 0 ? 1 : most;
    for (uint64_t chain = 0; chain < count; chain++) {
        for (uint64_t i = 0; i < depth; i++)
            if (chain_one(work, i) < 0 || work_tick(work) < 0)
                return -1;
        uint64_t begin = stopwatch_begin(work->stopwatch);
        if (chain_drop_one(work, 0) < 0 || work_tick(work) < 0)
            return -1;
        histogram_record(histogram, stopwatch_end(work->stopwatch) - begin);
        work->freed += depth;
    }
    return 0;
}

static int chain_verify(struct work *work)
{
    return work_slots_verify(work, 0) < 0 ? -1 : work_slots_verify_alive(work, 0);
}

static void chain_stop(struct work *work)
{
    work_slots_clear(work);
}

const struct workload workload_chain = {
    .row = &workload_row_chain,
    .slots = chain_slots,
    .start = chain_start,
    .batch = chain_batch,
    .sample = chain_sample,
    .verify = chain_verify,
    .stop = chain_stop,
};
