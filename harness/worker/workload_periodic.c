/* periodic: a task is due every 10 ms, and between tasks one thread does everything else: it lets a
 * live heap grow from nothing to `live` instances over the n tasks of a batch, and for every tenth
 * instance drops a ring of `cycle`, so that garbage comes slowly. Then it sleeps until the task is
 * due. A collection that takes longer than what is left of the period makes the task late: how late
 * the latest was, and which generation had been collected since the task before, are columns. A
 * task that is late does not move the ones after it, so one long pause can delay several.
 *
 * Time is CLOCK_MONOTONIC. Lateness contains the kernel's own delay in waking the thread, some 50
 * us, and on a busy machine far more: compare with gc_mode off. The generation is told by
 * gc.get_stats(), which is asked once a task. An operation is one instance of the heap, with its
 * share of the rings; sleeping and the task are not in its time. */
#include "cell.h"
#include "record.h"
#include "work.h"
#include "work_ring.h"
#include "work_slots.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define PERIODIC_PERIOD_NS UINT64_C(10000000)
enum { PERIODIC_RING_EVERY = 10, PERIODIC_P50_LEAST = 10 };

struct periodic {
    uint64_t live;        /* instances in slots */
    uint64_t *lateness;   /* of the tasks of the last batch, in order; cell->n */
    uint64_t worst;       /* over all batches */
    int worst_generation; /* -1: none was collected */
    uint64_t missed;
    uint64_t missed_live;      /* at the first missed task */
    struct collector_stats at; /* at the last task */
};

static inline int periodic_one(struct work *work, uint64_t Py_UNUSED(index))
{
    struct periodic *periodic = work->state;
    PyObject *object = work->target->make(work->target);
    if (object == NULL)
        return -1;
    work->made++;
    work->slots[periodic->live++] = object;
    if (periodic->live % PERIODIC_RING_EVERY != 0)
        return 0;
    PyObject *ring = work_ring_make(work, work->cell->cycle);
    if (ring == NULL)
        return -1;
    int failed = work_ring_give_up(work, ring, work->cell->cycle);
    Py_DECREF(ring);
    return failed;
}

static void periodic_sleep(uint64_t due)
{
    struct timespec until = {.tv_sec = (time_t)(due / 1000000000),
                             .tv_nsec = (long)(due % 1000000000)};
    Py_BEGIN_ALLOW_THREADS while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) ==
                                  EINTR) continue;
    Py_END_ALLOW_THREADS
}

/* The task: notes how late it is. 0, or -1 with an exception. */
static int periodic_task(struct work *work, uint64_t task, uint64_t due)
{
    struct periodic *periodic = work->state;
    struct collector_stats now;
    uint64_t lateness = stopwatch_monotonic_ns() - due;
    if (collector_stats(work->collector, &now) < 0)
        return -1;
    periodic->lateness[task] = lateness;
    if (lateness >= PERIODIC_PERIOD_NS && periodic->missed++ == 0)
        periodic->missed_live = periodic->live;
    if (lateness > periodic->worst) {
        periodic->worst = lateness;
        periodic->worst_generation = -1;
        for (int generation = 0; generation < 3; generation++)
            if (now.collections[generation] != periodic->at.collections[generation])
                periodic->worst_generation = generation;
    }
    periodic->at = now;
    return 0;
}

static size_t periodic_slots(const struct cell *cell)
{
    return cell->live;
}

static int periodic_start(struct work *work)
{
    work_slots_begin(work);
    struct periodic *periodic = calloc(1, sizeof *periodic);
    work->state = periodic;
    if (periodic != NULL)
        periodic->lateness = calloc(work->cell->n, sizeof *periodic->lateness);
    if (periodic == NULL || periodic->lateness == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    periodic->worst_generation = -1;
    return collector_stats(work->collector, &periodic->at);
}

static int periodic_batch(struct work *work, struct laps *laps)
{
    struct periodic *periodic = work->state;
    uint64_t n = work->cell->n, live = work->cell->live;

    work_slots_clear(work);
    work->freed += periodic->live;
    periodic->live = 0;
    uint64_t due = stopwatch_monotonic_ns();
    for (uint64_t task = 0; task < n; task++) {
        uint64_t share = live * (task + 1) / n - periodic->live;
        due += PERIODIC_PERIOD_NS;
        uint64_t begin = stopwatch_begin(work->stopwatch);
        int failed = work_each(work, share, periodic_one);
        laps->op.ticks += stopwatch_end(work->stopwatch) - begin;
        laps->op.ops += share;
        if (failed < 0)
            return -1;
        periodic_sleep(due);
        if (periodic_task(work, task, due) < 0)
            return -1;
    }
    return 0;
}

/* After a full collection the heap is alive, and no ring. */
static int periodic_verify(struct work *work)
{
    const struct periodic *periodic = work->state;
    if (collector_settle(work->collector) < 0 || work_slots_verify(work, periodic->live) < 0)
        return -1;
    return work_slots_verify_alive(work, periodic->live);
}

static int periodic_compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void periodic_report(const struct work *work, struct record *row, double Py_UNUSED(ns))
{
    const struct periodic *periodic = work->state;
    uint64_t n = work->cell->n;
    qsort(periodic->lateness, n, sizeof *periodic->lateness, periodic_compare);
    if (n >= PERIODIC_P50_LEAST)
        record_set_real(row, CELLS_lateness_p50_ns, (double)periodic->lateness[(n + 1) / 2 - 1]);
    record_set_real(row, CELLS_lateness_worst_ns, (double)periodic->worst);
    if (periodic->worst_generation >= 0)
        record_set_count(row, CELLS_lateness_worst_generation,
                         (uint64_t)periodic->worst_generation);
    record_set_count(row, CELLS_lateness_missed, periodic->missed);
    if (periodic->missed > 0)
        record_set_count(row, CELLS_lateness_missed_live, periodic->missed_live);
}

static void periodic_stop(struct work *work)
{
    struct periodic *periodic = work->state;
    work_slots_clear(work);
    if (periodic != NULL)
        free(periodic->lateness);
    free(periodic);
    work->state = NULL;
}

const struct workload workload_periodic = {
    .row = &workload_row_periodic,
    .slots = periodic_slots,
    .start = periodic_start,
    .batch = periodic_batch,
    .verify = periodic_verify,
    .report = periodic_report,
    .stop = periodic_stop,
};
