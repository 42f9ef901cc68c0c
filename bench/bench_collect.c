/* collect: one collect(2) over a live heap, which is old: collected until nothing was found, and in
 * address order, as the harness's `heap` workload has it fresh. Whatever else the interpreter
 * tracks is examined with it. For a type without GC that is all: the baseline.
 *
 * The library runs a benchmark several times to find out how often to iterate: the heap is kept
 * from run to run, until another is asked for. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

void bench_heap_release(struct bench *bench)
{
    GCTAX_LOCK(bench->lock);
    for (size_t i = 0; i < bench->heap.count; i++)
        Py_CLEAR(bench->heap.slots[i]);
    free(bench->heap.slots);
    bench->heap.slots = NULL;
    bench->heap.count = 0;
    bench->heap.subject = NULL;
    GCTAX_UNLOCK(bench->lock);
}

static int collect_build(struct bench_run *run, size_t count)
{
    struct bench *bench = run->subject->bench;
    const struct target *target = run->work.target;

    bench_heap_release(bench);
    bench->heap.slots = calloc(count, sizeof(PyObject *));
    if (bench->heap.slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    bench->heap.subject = run->subject;
    while (bench->heap.count < count) {
        PyObject *object = target->make(target);
        if (object == NULL) {
            bench_heap_release(bench);
            return -1;
        }
        bench->heap.slots[bench->heap.count++] = object;
    }
    return collector_settle(run->work.collector);
}

static int collect_start(struct bench_run *run)
{
    const struct bench *bench = run->subject->bench;
    size_t count = (size_t)gbench_value(run->state, 0);

    if (count > BENCH_HEAP_BYTES / run->subject->bytes) {
        snprintf(run->skip, sizeof run->skip,
                 "%zu instances of up to %llu bytes are more than %d MiB", count,
                 (unsigned long long)run->subject->bytes, BENCH_HEAP_BYTES >> 20);
        return 0;
    }
    if (bench->heap.subject == run->subject && bench->heap.count == count)
        return 0;
    return collect_build(run, count);
}

static int collect_batch(struct bench_run *run, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++)
        if (work_collect(&run->work, 2) < 0)
            return -1;
    return 0;
}

/* Only what stands in the heap is alive, and all of it. */
static int collect_verify(struct bench_run *run)
{
    const struct bench *bench = run->subject->bench;

    for (size_t i = 0; i < bench->heap.count; i++)
        if (!Py_IS_TYPE(bench->heap.slots[i], run->work.target->type)) {
            PyErr_Format(PyExc_AssertionError, "slot %zu of the heap holds another type", i);
            return -1;
        }
    return 0;
}

static void collect_stop(struct bench_run *run)
{
    gbench_set_complexity(run->state, gbench_value(run->state, 0));
}

static const struct gbench_range collect_range = {.from = 1000, .to = 1000000, .multiplier = 10};

const struct bench_kind bench_kind_collect = {
    .name = "collect",
    .doc = "one full collection over a live heap of 1,000 to 1,000,000 instances",
    .batch = 1,
    .range = &collect_range,
    .complexity = GBENCH_COMPLEXITY_AUTO,
    .unit = GBENCH_US,
    .start = collect_start,
    .batch_function = collect_batch,
    .verify = collect_verify,
    .stop = collect_stop,
};
