/* create_destroy: what the harness calls churn. An instance is made and dropped at once, with a
 * safe point after it. Automatic collections are on, and never run: the collector's counter falls
 * as often as it rises. */
#include "bench.h"

#include "work_slots.h"

static inline int create_destroy_one(struct work *work, uint64_t Py_UNUSED(index))
{
    PyObject *object = work->target->make(work->target);
    if (object == NULL)
        return -1;
    Py_DECREF(object);
    return 0;
}

static int create_destroy_start(struct bench_run *run)
{
    int failed = work_pools_open(&run->pools, &run->work);
    work_slots_begin(&run->work);
    return failed;
}

static int create_destroy_batch(struct bench_run *run, uint64_t iterations)
{
    run->work.made += iterations;
    run->work.freed += iterations;
    return work_each(&run->work, iterations, create_destroy_one);
}

static int create_destroy_verify(struct bench_run *run)
{
    return work_slots_verify_alive(&run->work, 0);
}

const struct bench_kind bench_kind_create_destroy = {
    .name = "create_destroy",
    .doc = "an instance is made and destroyed at once",
    .batch = 10000,
    .automatic = true,
    .start = create_destroy_start,
    .batch_function = create_destroy_batch,
    .verify = create_destroy_verify,
};
