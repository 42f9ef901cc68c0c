/* ring: every `cycle` instances are linked into a ring and dropped. With GC the ring is garbage
 * that floats until the collector finds it; without, it is broken by hand and destroyed at once,
 * which is the baseline: the same instances, links and destructions without a collector. An
 * operation is one instance made and linked; every cycle-th one closes a ring and drops it.
 *
 * A batch may end within a ring, which the next one goes on with, and it leaves its garbage: what
 * is collected in the clock are rings of this and of earlier batches alike. Destroying a ring
 * recurses from instance to instance, so a cycle of 100,000 or so takes the C stack of a type
 * without a trashcan with it, here as in an application. */
#include "cell.h"
#include "work.h"
#include "work_slots.h"

#include <stdlib.h>

/* The ring that is being made. */
struct ring {
    PyObject *first; /* owned; NULL: none begun */
    PyObject *last;  /* borrowed: the first holds it, through the others */
    uint64_t length;
};

static inline int ring_link(const struct target *target, PyObject *from, PyObject *to)
{
    return target->link == NULL ? 0 : target->link(target, from, to);
}

/* Links the last instance to the first and drops the ring. */
static inline int ring_close(struct work *work, struct ring *ring)
{
    const struct target *target = work->target;
    if (ring_link(target, ring->last, ring->first) < 0)
        return -1;
    if (target->collects)
        work->dropped += ring->length;
    else {
        work->freed += ring->length;
        if (target->unlink != NULL && target->unlink(target, ring->first) < 0)
            return -1;
    }
    ring->length = 0;
    Py_CLEAR(ring->first);
    return 0;
}

static inline int ring_one(struct work *work, uint64_t Py_UNUSED(index))
{
    struct ring *ring = work->state;
    PyObject *object = work->target->make(work->target);
    if (object == NULL)
        return -1;
    if (ring->first == NULL)
        ring->first = object;
    else {
        int failed = ring_link(work->target, ring->last, object);
        Py_DECREF(object);
        if (failed < 0)
            return -1;
    }
    ring->last = object;
    work->made++;
    return ++ring->length < work->cell->cycle ? 0 : ring_close(work, ring);
}

static size_t ring_slots(const struct cell *Py_UNUSED(cell))
{
    return 0;
}

static int ring_start(struct work *work)
{
    work_slots_begin(work);
    work->state = calloc(1, sizeof(struct ring));
    if (work->state == NULL)
        PyErr_NoMemory();
    return work->state == NULL ? -1 : 0;
}

static int ring_batch(struct work *work, struct laps *laps)
{
    return work_batch(work, work->cell->n, ring_one, laps);
}

static int ring_sample(struct work *work, uint64_t count, struct histogram *histogram)
{
    return work_sample(work, count, ring_one, histogram);
}

/* After a full collection nothing is alive but the ring that was begun. */
static int ring_verify(struct work *work)
{
    const struct ring *ring = work->state;
    if (collector_settle(work->collector) < 0)
        return -1;
    return work_slots_verify_alive(work, ring->length);
}

static void ring_stop(struct work *work)
{
    struct ring *ring = work->state;
    if (ring != NULL)
        Py_CLEAR(ring->first);
    free(ring);
    work->state = NULL;
}

const struct workload workload_ring = {
    .row = &workload_row_ring,
    .slots = ring_slots,
    .start = ring_start,
    .batch = ring_batch,
    .sample = ring_sample,
    .verify = ring_verify,
    .stop = ring_stop,
};
