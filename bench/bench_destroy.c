/* destroy: an instance that was made outside the clock is destroyed, in the order in which they
 * were made, with a safe point after it. Automatic collections are off. */
#include "bench.h"

#include "work_slots.h"

static inline int destroy_make_one(struct work *work, uint64_t index)
{
    PyObject *object = work->target->make(work->target);
    work->slots[index] = object;
    return object == NULL ? -1 : 0;
}

static inline int destroy_one(struct work *work, uint64_t index)
{
    Py_CLEAR(work->slots[index]);
    return 0;
}

static int destroy_batch(struct bench_run *run, uint64_t iterations)
{
    bench_pause(run);
    int failed = work_each(&run->work, iterations, destroy_make_one);
    run->work.made += iterations;
    bench_resume(run);
    if (failed < 0)
        return -1;
    run->work.freed += iterations;
    return work_each(&run->work, iterations, destroy_one);
}

static int destroy_verify(struct bench_run *run)
{
    return work_slots_verify_alive(&run->work, 0);
}

const struct bench_kind bench_kind_destroy = {
    .name = "destroy",
    .doc = "an instance is destroyed; it was made outside the clock",
    .retains = true,
    .batch_function = destroy_batch,
    .verify = destroy_verify,
};
