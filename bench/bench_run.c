/* How the library runs a subject: three functions for all kinds, which attach to the interpreter
 * and let go of it again before the library waits for other threads. */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target_kinds.h"
#include "work_slots.h"

#define KIND(name) extern const struct bench_kind bench_kind_##name;
#include "kinds.def"
#undef KIND

#define KIND(name) &bench_kind_##name,
const struct bench_kind *const bench_kinds[] = {
#include "kinds.def"
    NULL};
#undef KIND

/* ---- Runs ------------------------------------------------------------------------------------ */

static void bench_run_fail(struct bench_run *run)
{
    char text[BENCH_TEXT];

    target_fail_exception(text, sizeof text, "");
    GCTAX_COUNT(run->subject->bench->failures);
    if (!gbench_skipped(run->state))
        gbench_fail(run->state, text);
}

static int bench_run_set_up(struct bench_run *run)
{
    struct bench_subject *subject = run->subject;
    struct bench *bench = subject->bench;
    const struct bench_kind *kind = subject->kind;
    struct work *work = &run->work;

    /* A known start, as of the worker's passes: what opening the targets and runs before this one
     * left (an instance that came back) is no part of what this one makes and collects. */
    if (kind->range == NULL) {
        bench_heap_release(bench);
        if (collector_settle(&bench->collector) < 0)
            return -1;
    }
    if (collector_call(kind->automatic ? bench->collector.enable : bench->collector.disable) < 0)
        return -1;
    work->target = &subject->target;
    work->collector = &bench->collector;
    work->safepoint = work->until_safepoint = 1;
    work->collect_every = work->until_collect = UINT64_MAX;
    if (kind->retains) {
        work->slots = calloc(BENCH_SLOTS, sizeof *work->slots);
        if (work->slots == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        work->slot_count = BENCH_SLOTS;
    }
    work_slots_begin(work);
    return kind->start == NULL ? 0 : kind->start(run);
}

static void bench_run_start(struct gbench_state *state, void *argument, void **local)
{
    struct bench_subject *subject = argument;
    struct bench_run *run = calloc(1, sizeof *run);

    *local = run;
    if (run == NULL) {
        gbench_fail(state, "no memory");
        return;
    }
    run->subject = subject;
    run->state = state;
    run->attached = PyGILState_Ensure();
    if (*subject->why != '\0')
        snprintf(run->skip, sizeof run->skip, "%s", subject->why);
    else if (bench_run_set_up(run) < 0)
        bench_run_fail(run);
    if (*run->skip != '\0')
        gbench_skip(state, run->skip);
    run->thread = PyEval_SaveThread();
}

static void bench_run_batch(struct gbench_state *Py_UNUSED(state), void *argument, void *local,
                            uint64_t iterations)
{
    const struct bench_subject *subject = argument;
    struct bench_run *run = local;

    PyEval_RestoreThread(run->thread);
    bench_memory_count(subject->bench->memory, true);
    int failed = subject->kind->batch_function(run, iterations);
    bench_memory_count(subject->bench->memory, false);
    if (failed < 0)
        bench_run_fail(run);
    run->thread = PyEval_SaveThread();
}

static void bench_run_stop(struct gbench_state *state, void *argument, void *local)
{
    const struct bench_subject *subject = argument;
    const struct bench_kind *kind = subject->kind;
    struct bench_run *run = local;

    if (run == NULL)
        return;
    PyEval_RestoreThread(run->thread);
    if (!gbench_skipped(state)) {
        if (kind->verify != NULL && gbench_threads(state) == 1 && kind->verify(run) < 0)
            bench_run_fail(run);
        else if (kind->stop != NULL)
            kind->stop(run);
    }
    work_pools_close(&run->pools, &run->work);
    if (run->work.slots != NULL)
        work_slots_clear(&run->work);
    PyGILState_Release(run->attached);
    free(run->work.slots);
    free(run);
}

void bench_pause(struct bench_run *run)
{
    gbench_pause(run->state);
    bench_memory_count(run->subject->bench->memory, false);
}

void bench_resume(struct bench_run *run)
{
    bench_memory_count(run->subject->bench->memory, true);
    gbench_resume(run->state);
}

/* ---- Registration ---------------------------------------------------------------------------- */

/* As many instances as memory that stays in the caches of the allocator can hold. */
static uint64_t bench_slots(const struct bench_subject *subject)
{
    uint64_t slots = BENCH_SLOT_BYTES / subject->bytes;
    return slots < 1 ? 1 : slots < BENCH_SLOTS ? slots : BENCH_SLOTS;
}

int bench_register(struct bench_subject *subject, uint64_t iterations, int threads)
{
    char name[BENCH_TEXT];
    const struct bench_kind *kind = subject->kind;
    struct gbench_benchmark benchmark = {
        .name = name,
        .argument = subject,
        .start = bench_run_start,
        .batch = bench_run_batch,
        .stop = bench_run_stop,
        .batch_size = kind->batch != 0 ? kind->batch : bench_slots(subject),
        .ranges = kind->range,
        .range_count = kind->range != NULL,
        /* The library (1.7.1) fits a family without looking whether any of its runs was left. */
        .complexity = *subject->why != '\0' ? GBENCH_COMPLEXITY_NONE : kind->complexity,
        .unit = kind->unit,
        .iterations = iterations,
    };

    snprintf(name, sizeof name, "%s/%s", kind->name, subject->variant);
    if (gbench_register(&benchmark) < 0)
        return -1;
    if (threads < 2 || kind->range != NULL || !kind->automatic)
        return 0;
    benchmark.threads_from = benchmark.threads_to = threads;
    benchmark.clock = GBENCH_CLOCK_REAL;
    return gbench_register(&benchmark);
}
