/* churn: one operation makes an instance and drops it at once. Nothing is retained: the collector's
 * counter falls as often as it rises, and no threshold is ever passed. */
#include "cell.h"
#include "work.h"
#include "work_pools.h"
#include "work_slots.h"

#include <stdlib.h>

static inline int churn_one(struct work *work, uint64_t Py_UNUSED(index))
{
    PyObject *object = work->target->make(work->target);
    if (object == NULL)
        return -1;
    Py_DECREF(object);
    return 0;
}

static size_t churn_slots(const struct cell *Py_UNUSED(cell))
{
    return 0;
}

static int churn_start(struct work *work)
{
    struct work_pools *pools = calloc(1, sizeof *pools);
    work->state = pools;
    if (pools == NULL)
        PyErr_NoMemory();
    int failed = pools == NULL ? -1 : work_pools_open(pools, work);
    work_slots_begin(work);
    return failed;
}

static int churn_batch(struct work *work, struct laps *laps)
{
    work->made += work->cell->n;
    work->freed += work->cell->n;
    return work_batch(work, work->cell->n, churn_one, laps);
}

static int churn_sample(struct work *work, uint64_t count, struct histogram *histogram)
{
    work->made += count;
    work->freed += count;
    return work_sample(work, count, churn_one, histogram);
}

static int churn_verify(struct work *work)
{
    return work_slots_verify_alive(work, 0);
}

static void churn_stop(struct work *work)
{
    if (work->state != NULL)
        work_pools_close(work->state, work);
    free(work->state);
    work->state = NULL;
}

const struct workload workload_churn = {
    .row = &workload_row_churn,
    .slots = churn_slots,
    .start = churn_start,
    .batch = churn_batch,
    .sample = churn_sample,
    .verify = churn_verify,
    .stop = churn_stop,
};
