/* create: an instance is made and kept, with a safe point after it. Outside the clock a batch is
 * destroyed again, and the next one finds its memory resident: unless --native-arena asks for it,
 * no page fault is part of the time. Automatic collections are off. */
#include "bench.h"

#include "work_slots.h"

static inline int create_one(struct work *work, uint64_t index)
{
    PyObject *object = work->target->make(work->target);
    work->slots[index] = object;
    return object == NULL ? -1 : 0;
}

static int create_batch(struct bench_run *run, uint64_t iterations)
{
    int failed = work_each(&run->work, iterations, create_one);

    bench_pause(run);
    run->work.made += iterations;
    if (failed == 0)
        failed = work_slots_verify(&run->work, iterations);
    if (failed == 0) {
        work_slots_clear(&run->work);
        run->work.freed += iterations;
    }
    bench_resume(run);
    return failed;
}

static int create_verify(struct bench_run *run)
{
    return work_slots_verify_alive(&run->work, 0);
}

const struct bench_kind bench_kind_create = {
    .name = "create",
    .doc = "an instance is made; it is destroyed outside the clock",
    .retains = true,
    .batch_function = create_batch,
    .verify = create_verify,
};
